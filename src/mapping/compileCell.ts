import type { Kind, KindContext, OtherCells, Parse } from "../kinds/Kind.ts"
import type { Input } from "../project/Pipeline.ts"
import { compileKind, kindNamed, optionsOf } from "./compileKind.ts"
import type { Asked, KindOptions } from "./compileKind.ts"
import { compileExtract } from "./extract.ts"
import { readingMended } from "./mendedCells.ts"
import type { Workshop } from "./Workshop.ts"

/** A kind for one cell: its own way of parsing, what an expression takes out of the cell, and what a mended file may hold. */
export const compileCell = (
  asked: Asked,
  options: KindOptions,
  input: Extract<Input, { readonly columns: unknown }>,
  other: OtherCells | undefined,
  compile: (shape: Parameters<typeof compileKind>[3]) => Parse | undefined,
  note: NonNullable<KindContext["note"]>,
  workshop: Workshop,
): Parse | undefined => {
  const count = input._tag === "Columns" ? input.columns.length : 1
  if (asked.extract === undefined) {
    const parse = compile({ _tag: "Columns", count, other })
    return parse === undefined ? undefined : readingMended(parse, asked.kind, workshop.mended)
  }
  const extracting = compileExtract(asked.extract, asked.kind, [...asked.path, "extract"], workshop.findings, note)
  if (extracting === undefined) return undefined
  if (extracting._tag === "Piece") {
    const parse = compile({ _tag: "Columns", count: 1 })
    return parse === undefined ? undefined : extracting.wrap(parse)
  }
  const whole = compile({ _tag: "Parts", parts: extracting.parts })
  const parts = extracting.parts.map((part) => {
    const kind = kindNamed(asked.kind.parts?.[part])
    if (kind === undefined) return undefined
    const piece = { ...asked, kind, options: {}, extract: undefined, inherited: handedDown(asked, kind, options) }
    const own = optionsOf(piece, undefined, workshop)
    return compileKind(piece, own, undefined, { _tag: "Columns", count: 1 }, { empty: new Set() }, workshop)
  })
  return whole !== undefined && parts.every((part) => part !== undefined) ? extracting.wrap(whole, parts) : undefined
}

/** The options of a whole that hold for its parts too. */
export const handedDown = (asked: Pick<Asked, "kind">, part: Kind, options: KindOptions): KindOptions =>
  asked.kind.inherited === true
    ? Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(part.options, key)))
    : {}
