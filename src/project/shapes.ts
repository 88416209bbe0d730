import { SchemaAST } from "effect"

/** A struct or list that a schema allows at a place: `ast` with its refinements, `core` without. */
export interface Composite<Core> {
  readonly ast: SchemaAST.AST
  readonly core: Core
}

/** What a schema allows at a place, by the shape that a YAML node can have. */
export interface Shapes {
  readonly scalars: ReadonlyArray<SchemaAST.AST>
  readonly lists: ReadonlyArray<Composite<SchemaAST.TupleType>>
  readonly structs: ReadonlyArray<Composite<SchemaAST.TypeLiteral>>
}

const known = new WeakMap<SchemaAST.AST, Shapes>()

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

/** The shapes that a schema's encoded side allows. */
export const shapesOf = (ast: SchemaAST.AST): Shapes => {
  const before = known.get(ast)
  if (before !== undefined) return before
  const shapes = { scalars: [], lists: [], structs: [] }
  collect(ast, undefined, shapes)
  known.set(ast, shapes)
  return shapes
}

/** What a file contains for a schema: the schema without transformations. */
const fileSide = (ast: SchemaAST.AST): SchemaAST.AST => SchemaAST.isTransformation(ast) ? fileSide(ast.from) : ast

/** Texts that are the only ones allowed, where that is so. */
export const literals = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const { scalars } = shapesOf(ast)
  return scalars.map(fileSide).flatMap((scalar) =>
    SchemaAST.isLiteral(scalar) && scalar.literal !== null ? [String(scalar.literal)] : []
  )
}

/** The property of a struct by its name. */
export const property = (struct: SchemaAST.TypeLiteral, key: string): SchemaAST.PropertySignature | undefined =>
  struct.propertySignatures.find((signature) => signature.name === key)

/** The literal that a struct's property must have, when it is one. */
export const literalOf = (struct: SchemaAST.TypeLiteral, key: string): string | undefined => {
  const type = property(struct, key)?.type
  return type !== undefined && SchemaAST.isLiteral(type) ? String(type.literal) : undefined
}

/** The property whose literal tells the structs of a union apart: `as` for the kinds. */
export const discriminator = (structs: Shapes["structs"]): string | undefined => {
  if (structs.length < 2) return undefined
  for (const { core } of structs) {
    for (const { name } of core.propertySignatures) {
      if (typeof name !== "string") continue
      const told = structs.filter((other) => literalOf(other.core, name) !== undefined).length
      if (told > 0 && told >= structs.length - 1) return name
    }
  }
  return undefined
}

/** The sections (keys) whose struct has a key of this name, anywhere below a schema; lists and unions are looked through. */
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

/** Whether a key is left alone, so that it can hold anchors. */
export const isExtension = (key: string): boolean => key.startsWith("x-")
