import type * as ParseResult from "effect/ParseResult"
import * as SchemaAST from "effect/SchemaAST"
import { listed } from "../domain/words.ts"
import { annotation, Expects, ruleSets } from "./section.ts"
import { oneOf, quoted } from "./suggestion.ts"

/** A struct or list that a schema allows at a place. `ast` includes its refinements, `core` does not. */
export interface Composite<Core> {
  readonly ast: SchemaAST.AST
  readonly core: Core
}

/** What a schema allows at a place, for each kind of YAML node. */
export interface Shapes {
  readonly scalars: ReadonlyArray<SchemaAST.AST>
  readonly lists: ReadonlyArray<Composite<SchemaAST.TupleType>>
  readonly structs: ReadonlyArray<Composite<SchemaAST.TypeLiteral>>
}

const collect = (
  ast: SchemaAST.AST,
  whole: SchemaAST.AST | undefined,
  into: { [K in keyof Shapes]: Array<Shapes[K][number]> },
): void => {
  const outer = whole ?? ast
  switch (ast._tag) {
    case "Union":
      for (const type of ast.types) collect(type, whole, into)
      return
    case "Suspend":
      return collect(ast.f(), whole, into)
    case "Refinement":
    case "Transformation":
      return collect(ast.from, outer, into)
    case "TupleType":
      into.lists.push({ ast: outer, core: ast })
      return
    case "TypeLiteral":
      into.structs.push({ ast: outer, core: ast })
      return
    case "UndefinedKeyword":
      return
    default:
      into.scalars.push(outer)
  }
}

/** Returns the shapes that a schema allows in a file. */
export const shapesOf = (ast: SchemaAST.AST): Shapes => {
  const shapes = { scalars: [], lists: [], structs: [] }
  collect(ast, undefined, shapes)
  return shapes
}

/** Returns the schema of what the file contains, before any transformation. */
const fileSide = (ast: SchemaAST.AST): SchemaAST.AST => SchemaAST.isTransformation(ast) ? fileSide(ast.from) : ast

/** Returns the strings that a schema lists. */
export const literals = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const { scalars } = shapesOf(ast)
  return scalars.map(fileSide).flatMap((scalar) =>
    SchemaAST.isLiteral(scalar) && scalar.literal !== null ? [String(scalar.literal)] : []
  )
}

/** Returns the struct's property with this name, or undefined. */
export const property = (struct: SchemaAST.TypeLiteral, key: string): SchemaAST.PropertySignature | undefined =>
  struct.propertySignatures.find((signature) => signature.name === key)

/** Returns the only text that a struct's property may have, or undefined. */
export const literalOf = (struct: SchemaAST.TypeLiteral, key: string): string | undefined => {
  const type = property(struct, key)?.type
  return type !== undefined && SchemaAST.isLiteral(type) ? String(type.literal) : undefined
}

/** Returns the property whose text distinguishes the structs of a union. For entries with a kind, this is `as`. */
export const discriminator = (structs: Shapes["structs"]): string | undefined => {
  if (structs.length < 2) return undefined
  for (const { core } of structs) {
    for (const { name } of core.propertySignatures) {
      if (typeof name !== "string") continue
      const named = structs.filter((other) => literalOf(other.core, name) !== undefined).length
      if (named > 0 && named >= structs.length - 1) return name
    }
  }
  return undefined
}

/** Returns the names of the sections within a schema, at any depth, that have a key with this name. */
export const sectionsWith = (top: SchemaAST.AST, key: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const seen = new Set<SchemaAST.AST>()
  const look = (ast: SchemaAST.AST, section: string | undefined): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    const { lists, structs } = shapesOf(ast)
    for (const { core } of lists) {
      for (const { type } of [...core.elements, ...core.rest]) look(type, section)
    }
    for (const { core } of structs) {
      if (section !== undefined && property(core, key) !== undefined) found.add(section)
      for (const { name, type } of core.propertySignatures) look(type, String(name))
    }
  }
  look(top, undefined)
  return [...found]
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
      return annotation<string>(ast, SchemaAST.DescriptionAnnotationId) ?? ofScalar(ast.from)
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
    ...(required.length > 0 ? [listed(required.map(quoted))] : []),
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

/** Returns what a schema expects, as text that follows "expects". */
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

/** Returns what to write for a missing key: its possible values, otherwise what the schema expects. */
export const sample = (ast: SchemaAST.AST): string => {
  const texts = literals(ast)
  const { scalars, lists, structs } = shapesOf(ast)
  return texts.length === scalars.length + lists.length + structs.length
    ? oneOf(texts.map(quoted))
    : expected(ast)
}

/** Returns the message of a schema's own check. Undefined if it has none. */
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
