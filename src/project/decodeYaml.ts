import { ParseResult, Schema } from "effect"
import type { SchemaAST } from "effect"
import { isMap, isScalar, isSeq } from "yaml"
import type { Node } from "yaml"
import type { YamlPath } from "../domain/diagnostic.ts"
import { explain } from "./explain.ts"
import type { Explanation, Issue } from "./explain.ts"
import type { Finding } from "./finding.ts"
import { isExtension } from "./shapes.ts"
import { expected } from "./wording.ts"
import { written } from "./yamlNodes.ts"
import type { YamlText } from "./yamlText.ts"

/** Stands for a value that the file leaves empty. No schema accepts it. */
export const nothing = Symbol("nothing")

/** Where a list or mapping of a file came from. */
interface Origin {
  readonly path: YamlPath
  /** By key or index: the node of the value, and the node that names it. */
  readonly members: Map<string | number, { readonly node: Node | null; readonly owner: Node }>
}

const origins = new WeakMap<object, Origin>()

/** Returns where a list or mapping of a file is, or undefined for a value of another origin. */
export const originOf = (value: object): Origin | undefined => origins.get(value)

const mostValues = 200_000
/** More passes than a file of any depth needs. */
const mostPasses = 100

/** Sets a member whatever its name: an assignment to `__proto__` would set none. */
export const setMember = (of: object, key: string, value: unknown): void => {
  Object.defineProperty(of, key, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Returns a file's value with aliases and merge keys followed, or undefined if its aliases expand to too many values. Lists and mappings remember where they are.
 * A scalar is what YAML makes of it.
 */
const plainValue = (yaml: YamlText): unknown => {
  let left = mostValues
  const convert = (given: Node | null, path: YamlPath): unknown => {
    left -= 1
    if (left <= 0) return nothing
    const node = yaml.resolve(given)
    if (isMap(node)) {
      const value = {}
      const members: Origin["members"] = new Map()
      for (const { key, keyNode, value: member } of yaml.members(node)) {
        // What a file keeps for its anchors may be large.
        if (path.length === 0 && isExtension(key)) continue
        setMember(value, key, convert(member, [...path, key]))
        members.set(key, { node: yaml.resolve(member) ?? member, owner: keyNode })
      }
      origins.set(value, { path, members })
      return value
    }
    if (isSeq(node)) {
      const members: Origin["members"] = new Map()
      const value = (node.items as ReadonlyArray<Node | null>).map((item, index) => {
        members.set(index, { node: yaml.resolve(item) ?? item, owner: item ?? node })
        return convert(item, [...path, index])
      })
      origins.set(value, { path, members })
      return value
    }
    if (!isScalar(node)) return nothing
    return node.value === null && written(node) === "" ? nothing : node.value
  }
  const value = convert(yaml.root, [])
  return left > 0 ? value : undefined
}

const checks = new WeakMap<SchemaAST.AST, (value: unknown) => Issue | undefined>()

/** Returns what is wrong with a value, or undefined. */
const issueOf = (ast: SchemaAST.AST, value: unknown): Issue | undefined => {
  let check = checks.get(ast)
  if (check === undefined) {
    const decode = decoder(Schema.make<unknown, unknown, never>(ast))
    check = (value) => {
      const result = decode(value)
      return result._tag === "Left" ? result.left : undefined
    }
    checks.set(ast, check)
  }
  return check(value)
}

const decoder = <A, I>(schema: Schema.Schema<A, I>) =>
  ParseResult.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })

/** A file's value as a schema decodes it, or all that is wrong with it. */
export type ReadResult<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Wrong"; readonly findings: ReadonlyArray<Finding> }

/** The same mistake, reached by several aliases, is one mistake. */
const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return findings.filter(({ offset, message }) => {
    const key = `${offset} ${message}`
    return !seen.has(key) && seen.add(key)
  }).toSorted((a, b) => a.offset - b.offset)
}

/**
 * Decodes a YAML file by a schema. What can be repaired (a misspelt key, a number where the schema asks for text) is repaired, and the file decoded again, so that every mistake shows at once.
 * @param what what sentences about the whole file begin with: `The pipeline`
 */
export const decodeYaml = <A, I>(yaml: YamlText, schema: Schema.Schema<A, I>, what: string): ReadResult<A> => {
  const wrong = (findings: ReadonlyArray<Finding>): ReadResult<A> => ({ _tag: "Wrong", findings: distinct(findings) })
  if (!yaml.sound) return wrong(yaml.findings)
  if (yaml.root === null) {
    return wrong([{ offset: 0, message: `${what} is empty.`, suggestion: `It expects ${expected(schema.ast)}.` }])
  }
  const value = plainValue(yaml)
  if (value === undefined) {
    return wrong([{
      offset: 0,
      message: `The aliases of this file expand to more than ${mostValues.toLocaleString("en")} values.`,
      suggestion: "Write fewer aliases of aliases.",
    }])
  }
  const decode = decoder(schema)
  const repaired: Array<Finding> = [...yaml.findings]
  for (let pass = 1;; pass++) {
    const result = decode(value)
    if (result._tag === "Right") {
      return repaired.length > 0 ? wrong(repaired) : { _tag: "Read", value: result.right }
    }
    const explanation: Explanation = { yaml, top: schema.ast, findings: [], repairs: [], issueOf }
    explain(explanation, { ast: schema.ast, value, called: what, node: yaml.root, owner: yaml.root, put: () => {} })
    if (explanation.repairs.length === 0 || pass === mostPasses) return wrong([...repaired, ...explanation.findings])
    for (const { finding, repair } of explanation.repairs) {
      repair()
      if (finding !== undefined) repaired.push(finding)
    }
  }
}
