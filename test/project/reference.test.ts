import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Schema } from "effect"
import { kinds } from "../../src/kinds/index.ts"
import { jsonSchemas } from "../../src/project/jsonSchemas.ts"
import { referencePage } from "../house/generated.ts"

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns every key of a schema with its own schema. */
const keysOf = (schema: unknown, found: Array<readonly [string, Node]> = []): typeof found => {
  if (Array.isArray(schema)) { for (const each of schema) keysOf(each, found) }
  if (!isNode(schema)) return found
  for (const [key, member] of Object.entries(schema)) {
    if (key === "properties" && isNode(member)) {
      for (const [name, property] of Object.entries(member)) if (isNode(property)) found.push([name, property])
    }
    if (!["examples", "default", "enum", "required"].includes(key)) keysOf(member, found)
  }
  return found
}

/** Returns the keys that the page documents, each by the last member of its path. */
const documented = new Set(
  [...referencePage().matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, path = ""]) =>
    path.split(".").at(-1)!.replace("[]", "")
  ),
)
const schemas = jsonSchemas()
const known = new Set([...keysOf(schemas.pipeline), ...keysOf(schemas.project)].map(([name]) => name))

/** Keys that the page explains only in its text, and the parts and kinds that it lists. */
const inWords = new Set([
  "as",
  "firstOf",
  "block",
  "ranks",
  "source",
  "mapping",
  "sink",
  "reconcile",
  "examples",
  ...kinds.keys(),
  ...[...kinds.values()].flatMap((kind) => Object.keys(kind.parts ?? {})),
])

describe("docs/pipeline.md and the JSON Schemas", () => {
  it("the page and the JSON Schemas contain the same keys", () => {
    const elements = [
      ...keysOf((schemas.pipeline["$defs"] as Node)["Scheduling"]),
      ...keysOf((schemas.pipeline["$defs"] as Node)["Payment"]),
    ]
    const told = new Set([...inWords, ...elements.map(([name]) => name)])
    expect([...known].filter((key) => !documented.has(key) && !told.has(key))).toEqual([])
    expect([...documented].filter((key) => !known.has(key))).toEqual([])
  })

  it("the page describes each kind with its options and parts", () => {
    const page = referencePage()
    for (const kind of kinds.values()) {
      const text = page.slice(page.indexOf(`### ${kind.name}\n`)).split(/\n##/)[0] ?? ""
      expect(text).toContain(kind.description)
      for (const name of [...Object.keys(kind.options), ...Object.keys(kind.parts ?? {})]) {
        expect(text, kind.name).toContain(`\`${name}\``)
      }
    }
  })

  it("the page contains only examples and defaults that are valid for their key", () => {
    // jsonSchemas.test.ts validates the schemas themselves.
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: false, validateSchema: false })
    let count = 0
    for (const schema of [schemas.pipeline, schemas.project]) {
      for (const [name, property] of keysOf(schema)) {
        const examples = [
          ...(Array.isArray(property["examples"]) ? property["examples"] : []),
          ...("default" in property ? [property["default"]] : []),
        ]
        if (examples.length === 0) continue
        const valid = ajv.compile({ ...property, $defs: schema["$defs"] })
        for (const example of examples) {
          count++
          expect([name, example, valid(example)]).toEqual([name, example, true])
        }
      }
    }
    expect(count).toBeGreaterThan(200)
  })

  it("the decoders accept every example of a kind's option", () => {
    for (const kind of kinds.values()) {
      const struct = Schema.Struct(kind.options) as unknown as Schema.Schema<unknown, unknown>
      const { properties = {} } =
        (schemas.pipeline["$defs"] as Record<string, { properties?: Record<string, Node> }>)[`Question.${kind.name}`]
          ?? {}
      for (const option of Object.keys(kind.options)) {
        for (const example of (properties[option]?.["examples"] ?? []) as ReadonlyArray<unknown>) {
          expect(() => Schema.decodeUnknownSync(struct)({ [option]: example }), `${kind.name}.${option}`).not.toThrow()
        }
      }
    }
  })
})
