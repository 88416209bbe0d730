import { ParseResult, Schema, SchemaAST } from "effect"
import { isMap, isScalar, isSeq } from "yaml"
import type { Node, Scalar, YAMLMap, YAMLSeq } from "yaml"
import type { Finding } from "./finding.ts"
import { within } from "./place.ts"
import type { Place, Reading } from "./place.ts"
import { readKeys } from "./readingStruct.ts"
import { literals, shapesOf } from "./shapes.ts"
import { nearest, quoted } from "./suggestion.ts"
import { chooseStruct } from "./unionChoice.ts"
import { expected, ownSentence } from "./wording.ts"
import { written } from "./yamlNodes.ts"
import type { YamlText } from "./yamlText.ts"

const mostValues = 200_000

const decoders = new WeakMap<SchemaAST.AST, (value: unknown) => ParseResult.ParseIssue | undefined>()

/** A check of one schema, built once: what is wrong with an encoded value, if anything. */
const checker = (ast: SchemaAST.AST): (value: unknown) => ParseResult.ParseIssue | undefined => {
  const before = decoders.get(ast)
  if (before !== undefined) return before
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown, unknown, never>(ast), { errors: "all" })
  const check = (value: unknown) => {
    const result = decode(value)
    return result._tag === "Left" ? result.left : undefined
  }
  decoders.set(ast, check)
  return check
}

/** Where to point for a place: its value, or what names it when the value is empty. */
const offsetOf = (place: Place): number => {
  const empty = place.node === null || (place.node.range?.[0] === place.node.range?.[1])
  return ((empty ? place.owner ?? place.node : place.node)?.range?.[0]) ?? 0
}

const shown = (reading: Reading, node: Node): string => {
  if (isSeq(node)) return "a list"
  if (isMap(node)) return "a mapping"
  if (reading.yaml.secret(node)) return "the secret itself"
  const text = written(node as Scalar)
  return text === "" ? "empty" : quoted(text.length > 60 ? text.slice(0, 59) + "…" : text)
}

const fail = (reading: Reading, place: Place, message: string, suggestion?: string): undefined => {
  reading.findings.push({ offset: offsetOf(place), message, suggestion })
  return undefined
}

/** Words for yes and no that YAML 1.2 takes for text. */
const otherWords: Readonly<Record<string, string>> = { yes: "true", on: "true", no: "false", off: "false" }

const mismatch = (reading: Reading, ast: SchemaAST.AST, place: Place, node: Node): undefined => {
  const { scalars, lists } = shapesOf(ast)
  const choices = [...literals(ast), ...(scalars.some(SchemaAST.isBooleanKeyword) ? ["true", "false"] : [])]
  const text = isScalar(node) ? written(node) : undefined
  const near = text === undefined ? undefined : nearest(otherWords[text.toLowerCase()] ?? text, choices)
  const list = text !== undefined && lists.length > 0 && text.length <= 60 && !reading.yaml.secret(node)
  return fail(
    reading,
    place,
    `${place.called} expects ${expected(ast)}, not ${shown(reading, node)}.`,
    near !== undefined ? `Did you mean ${quoted(near)}?` : list ? `Write a list: [${node.toString()}].` : undefined,
  )
}

const readScalar = (reading: Reading, ast: SchemaAST.AST, place: Place, node: Scalar): unknown => {
  const { scalars, lists, structs } = shapesOf(ast)
  if (node.value === null) {
    const text = written(node)
    if (scalars.some((scalar) => checker(scalar)(null) === undefined)) {
      // Nothing at all may as well have been forgotten, such as a choice of `init` that nobody filled in.
      return text === ""
        ? fail(reading, place, `${place.called} has no value.`, "Write what it is, or `null` for no answer.")
        : null
    }
    return text === ""
      ? fail(reading, place, `${place.called} has no value.`, `It expects ${expected(ast)}.`)
      : fail(
        reading,
        place,
        `${place.called} expects ${expected(ast)}, and ${quoted(text)} is nothing.`,
        `The text is written in quotes: "${text}".`,
      )
  }
  // What YAML makes of it counts where the schema asks for that; where it asks for text, the text as written does.
  const candidates = typeof node.value === "string" ? [node.value] : [node.value, written(node)]
  for (const candidate of candidates) {
    if (scalars.some((scalar) => checker(scalar)(candidate) === undefined)) return candidate
  }
  const only = scalars.length === 1 && lists.length === 0 && structs.length === 0 ? scalars[0] : undefined
  const issue = only === undefined ? undefined : checker(only)(candidates[candidates.length - 1])
  const sentence = issue === undefined ? undefined : ownSentence(issue)
  return sentence === undefined ? mismatch(reading, ast, place, node) : fail(reading, place, sentence)
}

const whole = (reading: Reading, ast: SchemaAST.AST, place: Place, before: number, value: unknown): unknown => {
  if (reading.findings.length > before) return undefined
  const issue = checker(ast)(value)
  if (issue === undefined) return value
  const empty = typeof value === "object" && value !== null && Object.keys(value).length === 0
  return fail(
    reading,
    place,
    ownSentence(issue) ?? (empty ? `${place.called} has nothing in it.` : `${place.called} is not right.`),
    `It expects ${expected(ast)}.`,
  )
}

const readList = (reading: Reading, ast: SchemaAST.AST, place: Place, node: YAMLSeq): unknown => {
  const list = shapesOf(ast).lists[0]
  if (list === undefined) return mismatch(reading, ast, place, node)
  const { elements, rest } = list.core
  const before = reading.findings.length
  const values = node.items.map((item, index) => {
    const type = elements[index]?.type ?? rest[0]?.type
    const owner = (item as Node | null) ?? node
    const at: Place = { node: item as Node | null, owner, called: `An item of ${within(place)}` }
    return type === undefined ? fail(reading, at, `${place.called} has too many items.`) : read(reading, type, at)
  })
  const least = elements.filter((element) => !element.isOptional).length
  if (values.length < least) {
    return fail(reading, place, `${place.called} is an empty list.`, `It expects ${expected(ast)}.`)
  }
  return whole(reading, list.ast, place, before, values)
}

const readMap = (reading: Reading, ast: SchemaAST.AST, place: Place, node: YAMLMap): unknown => {
  const { structs } = shapesOf(ast)
  if (structs.length === 0) return mismatch(reading, ast, place, node)
  const before = reading.findings.length
  const members = reading.yaml.members(node)
  const choice = chooseStruct(structs, members, reading)
  const value = readKeys(reading, choice, members, place, read)
  return whole(reading, choice.struct.ast, place, before, value)
}

/**
 * Reads a YAML value as a schema's encoded side asks for it. What is wrong is added to `reading.findings`: one mistake, one finding, at its place.
 * @returns the value to decode; of any use only while there are no findings
 */
const read = (reading: Reading, ast: SchemaAST.AST, place: Place): unknown => {
  reading.left -= 1
  if (reading.left === 0) {
    reading.findings.push({
      offset: 0,
      message: `The aliases of this file expand to more than ${mostValues.toLocaleString("en")} values.`,
      suggestion: "Write fewer aliases of aliases.",
    })
  }
  if (reading.left <= 0) return undefined
  const node = reading.yaml.resolve(place.node)
  const at: Place = { ...place, node: node ?? place.node }
  if (isMap(node)) return readMap(reading, ast, at, node)
  if (isSeq(node)) return readList(reading, ast, at, node)
  if (isScalar(node)) return readScalar(reading, ast, at, node)
  return fail(reading, at, `${place.called} has no value.`, `It expects ${expected(ast)}.`)
}

/** A file's value as a schema decodes it, or all that is wrong with it. */
export type ReadResult<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Wrong"; readonly findings: ReadonlyArray<Finding> }

/**
 * Decodes a YAML file by a schema.
 * @param what what sentences about the whole file begin with: `The pipeline`
 */
export const decodeYaml = <A, I>(yaml: YamlText, schema: Schema.Schema<A, I>, what: string): ReadResult<A> => {
  if (!yaml.sound) return { _tag: "Wrong", findings: yaml.findings }
  const reading: Reading = {
    yaml,
    top: schema.ast,
    findings: [...yaml.findings],
    left: mostValues,
    check: (ast, value) => checker(ast)(value),
  }
  if (yaml.root === null) {
    const expects = expected(schema.ast)
    return {
      _tag: "Wrong",
      findings: [{ offset: 0, message: `${what} is empty.`, suggestion: `It expects ${expects}.` }],
    }
  }
  const encoded = read(reading, schema.ast, { node: yaml.root, owner: yaml.root, called: what })
  if (reading.findings.length > 0) return { _tag: "Wrong", findings: distinct(reading.findings) }
  const decoded = ParseResult.decodeUnknownEither(schema, { errors: "all" })(encoded)
  if (decoded._tag === "Right") return { _tag: "Read", value: decoded.right }
  const paths = new Map<string, Finding>()
  for (const { path, message } of ParseResult.ArrayFormatter.formatIssueSync(decoded.left)) {
    const key = path.map(String)
    const offset = yaml.offset(path.filter((step) => typeof step !== "symbol"), "value")
    paths.set(key.join("."), { offset, message: `${quoted(key.join("."))}: ${message}` })
  }
  return { _tag: "Wrong", findings: [...paths.values()] }
}

/** The same mistake, reached by several aliases, is one mistake. */
const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return findings.filter(({ offset, message }) => {
    const key = `${offset} ${message}`
    return !seen.has(key) && seen.add(key)
  }).toSorted((a, b) => a.offset - b.offset)
}
