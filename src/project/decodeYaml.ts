import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { isScalar, type Node } from "yaml"
import { formLists } from "../domain/form.ts"
import { count, namesOf } from "../domain/words.ts"
import type { Finding } from "./errors.ts"
import { expected } from "./expectations.ts"
import { explain, type Explanation, type Issue } from "./explain.ts"
import { mostValues, originOf, plainValue, type YamlText } from "./yamlText.ts"

/** A limit that no real file reaches. */
const mostPasses = 100

const decoder = <A, I>(schema: Schema.Schema<A, I>) =>
  ParseResult.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })

/** Returns what is wrong with a value, or undefined if it is valid. */
const issueOf = (ast: SchemaAST.AST, value: unknown): Issue | undefined => {
  const result = decoder(Schema.make<unknown, unknown, never>(ast))(value)
  return result._tag === "Left" ? result.left : undefined
}

/** A file's decoded value, or all mistakes in the file. */
export type ReadResult<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Wrong"; readonly findings: ReadonlyArray<Finding> }

/** Reports a mistake only once if several aliases lead to it. */
const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return findings.filter(({ offset, message }) => {
    const key = `${offset} ${message}`
    return !seen.has(key) && seen.add(key)
  }).toSorted((a, b) => a.offset - b.offset)
}

/**
 * Decodes a YAML file by a schema. Repairs what it can, such as a misspelt key or a number where the schema requires text, and decodes the file again. All mistakes are therefore reported at once.
 *
 * @param what the subject of sentences about the whole file: `The pipeline`
 * @param prepare changes the value before it is decoded, and returns mistakes that the schema doesn't detect
 */
export const decodeYaml = <A, I>(
  yaml: YamlText,
  schema: Schema.Schema<A, I>,
  what: string,
  prepare: (value: object) => ReadonlyArray<Finding> = () => yaml.findings,
): ReadResult<A> => {
  const wrong = (findings: ReadonlyArray<Finding>): ReadResult<A> => ({ _tag: "Wrong", findings: distinct(findings) })
  if (!yaml.sound) return wrong(yaml.findings)
  if (yaml.root === null) {
    return wrong([{ offset: 0, message: `${what} is empty.`, suggestion: `It expects ${expected(schema.ast)}.` }])
  }
  const value = plainValue(yaml)
  if (value === undefined) {
    return wrong([{
      offset: 0,
      message: `The aliases of this file expand to more than ${count(mostValues)} values.`,
      suggestion: "Use fewer aliases of aliases.",
    }])
  }
  const decode = decoder(schema)
  const repaired = typeof value === "object" && value !== null ? [...prepare(value)] : []
  for (let pass = 1;; pass++) {
    const result = decode(value)
    if (result._tag === "Right") return repaired.length > 0 ? wrong(repaired) : { _tag: "Read", value: result.right }
    const explanation: Explanation = { yaml, top: schema.ast, findings: [], repaired, repairs: [], issueOf }
    explain(explanation, { ast: schema.ast, value, called: what, node: yaml.root, owner: yaml.root, put: () => {} })
    if (explanation.repairs.length === 0 || pass === mostPasses) return wrong([...repaired, ...explanation.findings])
    for (const { finding, repair } of explanation.repairs) {
      repair()
      if (finding !== undefined) repaired.push(finding)
    }
  }
}

/** Sections that can be removed without changing the meaning of a pipeline's entries. */
const spareSections = new Set(["reconcile", "schedule", "examples"])

/** Lists of the mapping. A broken entry in one of these can be removed on its own. */
const lists: ReadonlySet<string> = new Set(namesOf(formLists))

/** Keys of `mapping` and `sink` that other parts of the file depend on. */
const neededKeys = new Set(["defaults", "service", "form", "targets"])

const contains = (node: Node | null | undefined, offset: number): boolean =>
  (node?.range?.[0] ?? Infinity) <= offset && offset < (node?.range?.[2] ?? -Infinity)

/** Returns the key or index of the member at an offset, or undefined. */
const memberAt = (value: object, offset: number) =>
  [...originOf(value)?.members ?? []].find(([, { node, owner }]) =>
    contains(node, offset) || contains(owner, offset) || (isScalar(owner) && owner.range?.[1] === offset)
  )?.[0]

/** Returns the smallest removable part of a pipeline around an offset, or undefined. */
const partAt = (pipeline: object, offset: number): readonly [of: object, key: string | number] | undefined => {
  const section = memberAt(pipeline, offset)
  if (typeof section !== "string") return undefined
  if (spareSections.has(section)) return [pipeline, section]
  const members: unknown = pipeline[section as keyof object]
  if ((section !== "mapping" && section !== "sink") || typeof members !== "object" || members === null) return undefined
  const key = memberAt(members, offset)
  if (key === undefined || neededKeys.has(String(key))) return undefined
  const list: unknown = members[key as keyof object]
  if (!lists.has(String(key)) || !Array.isArray(list)) return [members, key]
  const index = memberAt(list, offset)
  return index === undefined ? undefined : [list, index]
}

/**
 * Removes entries with mistakes from a pipeline file's value, so that all others can be checked.
 *
 * @param offsets the offsets of the mistakes
 * @returns false if a mistake is in the source, the destination or the defaults, because nothing else can be checked then
 */
export const removeBroken = (pipeline: object, offsets: ReadonlyArray<number>): boolean => {
  const parts = offsets.map((offset) => partAt(pipeline, offset))
  const removed = new Map<object, Set<string | number>>()
  for (const part of parts) {
    if (part === undefined) return false
    const [of, key] = part
    removed.set(of, (removed.get(of) ?? new Set()).add(key))
  }
  for (const [of, keys] of removed) {
    if (Array.isArray(of)) of.splice(0, of.length, ...of.filter((_, index) => !keys.has(index)))
    else for (const key of keys) delete of[key as keyof object]
  }
  return true
}
