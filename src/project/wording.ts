import { Option, SchemaAST } from "effect"
import type { ParseResult } from "effect"
import { annotation, Expects, ruleSets } from "./fields.ts"
import { literals, shapesOf } from "./shapes.ts"
import type { Shapes } from "./shapes.ts"
import { oneOf, quoted } from "./suggestion.ts"

interface Bounds {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly pattern?: string
}

/** A refined number or text, from what its refinements say in JSON Schema. */
const bounded = (ast: SchemaAST.Refinement): string => {
  let bounds: Bounds = {}
  let from: SchemaAST.AST = ast
  for (; SchemaAST.isRefinement(from); from = from.from) {
    bounds = { ...Option.getOrUndefined(SchemaAST.getJSONSchemaAnnotation(from)) as Bounds | undefined, ...bounds }
  }
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, pattern } = bounds
  const words = [
    minimum === undefined ? [] : `${minimum} or more`,
    maximum === undefined ? [] : `${maximum} or less`,
    exclusiveMinimum === undefined ? [] : `more than ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? [] : `less than ${exclusiveMaximum}`,
    minLength === undefined ? [] : "not empty",
    pattern === undefined ? [] : `written as ${pattern}`,
  ].flat()
  return [type === "integer" ? "a whole number" : ofScalar(from), ...words].join(", ")
}

const ofScalar = (ast: SchemaAST.AST): string => {
  const own = annotation<string>(ast, Expects)
  if (own !== undefined) return own
  switch (ast._tag) {
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return quoted(String(ast.literal))
    case "Refinement":
      return bounded(ast)
    case "Transformation":
      return ofScalar(ast.from)
    default:
      return "a value"
  }
}

const keyed = ({ ast, core }: Shapes["structs"][number]): string => {
  const required = core.propertySignatures.filter((signature) => !signature.isOptional).map(({ name }) => String(name))
  const rules = ruleSets(ast)
  const choices = rules.flatMap(({ exactlyOne }) => exactlyOne ?? [])
  const any = choices.length > 0 ? choices : rules.flatMap(({ atLeastOne }) => atLeastOne ?? [])
  const parts = [
    ...(required.length > 0 ? [oneOf(required.map(quoted), "and")] : []),
    ...(any.length > 0 ? [oneOf(any.map(quoted))] : []),
  ]
  if (parts.length > 0) return `a mapping with ${parts.join(" and ")}`
  const some = core.propertySignatures.slice(0, 3).map(({ name }) => quoted(String(name)))
  return some.length === 0 ? "a mapping of names to values" : `a mapping with keys such as ${oneOf(some)}`
}

const ofStruct = (structs: Shapes["structs"]): string | undefined => {
  const needs = ({ core }: Shapes["structs"][number]) =>
    core.propertySignatures.filter(({ isOptional }) => !isOptional).length
  const [plainest] = structs.toSorted((a, b) => needs(a) - needs(b))
  if (plainest === undefined) return undefined
  return annotation<string>(plainest.ast, Expects) ?? annotation<string>(plainest.core, Expects) ?? keyed(plainest)
}

/** What a schema expects at a place, to stand behind "expects". */
export const expected = (ast: SchemaAST.AST): string => {
  const own = annotation<string>(ast, Expects)
  if (own !== undefined) return own
  const { scalars, lists, structs } = shapesOf(ast)
  const words = [
    ...scalars.map(ofScalar),
    ...lists.map((list) => annotation<string>(list.ast, Expects) ?? annotation<string>(list.core, Expects) ?? "a list"),
    ofStruct(structs) ?? [],
  ].flat()
  return oneOf([...new Set(words)])
}

/** What to write for a missing key: its only texts, else what it expects. */
export const sample = (ast: SchemaAST.AST): string => {
  const texts = literals(ast)
  const { scalars, lists, structs } = shapesOf(ast)
  return texts.length === scalars.length + lists.length + structs.length
    ? oneOf(texts.map(quoted))
    : expected(ast)
}

/** The sentence that a schema's own check gave, if it gave one. */
export const ownSentence = (issue: ParseResult.ParseIssue): string | undefined => {
  switch (issue._tag) {
    case "Type":
      return issue.message
    case "Refinement":
    case "Transformation":
    case "Pointer":
      return ownSentence(issue.issue)
    case "Composite": {
      const issues = Array.isArray(issue.issues) ? issue.issues : [issue.issues]
      for (const inner of issues as ReadonlyArray<ParseResult.ParseIssue>) {
        const sentence = ownSentence(inner)
        if (sentence !== undefined) return sentence
      }
      return undefined
    }
    default:
      return undefined
  }
}
