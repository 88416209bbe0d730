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

const page = referencePage()

/** The keys that the page documents, each by the last member of its path. */
const documented = new Set(
  [...page.matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, path = ""]) => path.split(".").at(-1)!.replace("[]", "")),
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
      const examples = keysOf(schema).flatMap(([name, property]) =>
        [
          ...(Array.isArray(property["examples"]) ? property["examples"] : []),
          ...("default" in property ? [property["default"]] : []),
        ].map((example: unknown) => ({ key: `${name}: ${JSON.stringify(example)}`, property, example }))
      ).map(({ key, ...one }, at) => [`${at} ${key}`, one] as const)
      // One schema for all examples, so that each definition is compiled once.
      const validate = ajv.compile({
        properties: Object.fromEntries(examples.map(([key, { property }]) => [key, property])),
        $defs: schema["$defs"],
      })
      validate(Object.fromEntries(examples.map(([key, { example }]) => [key, example])))
      expect(validate.errors ?? []).toEqual([])
      count += examples.length
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
