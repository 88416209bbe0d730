import { type Cell, DateCell, JsonCell, PercentCell } from "../domain/cell.ts"
import type { YamlPath } from "../domain/diagnostic.ts"
import { isJsonNumber, parsedJson } from "../domain/json.ts"
import { brief } from "../domain/problem.ts"
import { errorIn, textOf } from "../kinds/cells.ts"
import { kindNamed } from "../kinds/index.ts"
import { isExactJson } from "../kinds/json.ts"
import { Fault, type InputShape, type Kind, type KindContext, ofColumns, type Parse } from "../kinds/Kind.ts"
import { isExact } from "../kinds/number.ts"
import { compilePattern, type Match } from "../kinds/pattern.ts"
import { readIso } from "../kinds/wallClock.ts"
import type { KindOptions } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { CellNotes } from "./CellUses.ts"
import type { CompileContext, Fixed } from "./CompileContext.ts"
import { type AnswerSpec, compileKind, inheritedBy, optionsOf } from "./compileKind.ts"
import type { Findings } from "./Findings.ts"

/** Compiles a kind for a single cell. The result applies the entry's `extract`, and accepts the texts that a corrected rejected.csv may contain. */
export const compileCell = (
  asked: AnswerSpec,
  options: KindOptions,
  shape: InputShape,
  compile: (shape: InputShape) => Parse | undefined,
  { note }: CellNotes,
  context: CompileContext,
): Parse | undefined => {
  if (asked.extract === undefined) {
    const parse = compile(shape)
    return parse === undefined ? undefined : readingFixed(parse, asked.kind, context.fixed)
  }
  const extracting = compileExtract(asked.extract, asked.kind, [...asked.path, "extract"], context.findings, note)
  if (extracting === undefined) return undefined
  if (extracting._tag === "Piece") {
    const parse = compile(ofColumns)
    return parse === undefined
      ? undefined
      : readingFixedNumbers(extracting.wrap(parse), asked.kind, context.fixed)
  }
  const whole = compile({ _tag: "Parts", parts: extracting.parts })
  const parts = extracting.parts.map((part) => {
    const kind = kindNamed(asked.kind.parts?.[part])
    if (kind === undefined) return undefined
    const piece = { ...asked, kind, options: {}, extract: undefined, inherited: inheritedBy(kind, asked.kind, options) }
    const own = optionsOf(piece, undefined, context)
    return compileKind(piece, own, undefined, ofColumns, { empty: new Set() }, context)
  })
  return whole !== undefined && parts.every((part) => part !== undefined) ? extracting.wrap(whole, parts) : undefined
}

/** What an entry's expression extracts: one piece, or parts from named groups. */
type Extracting =
  | { readonly _tag: "Piece"; readonly wrap: (parse: Parse) => Parse }
  | {
    readonly _tag: "Parts"
    readonly parts: ReadonlyArray<string>
    readonly wrap: (whole: Parse, parts: ReadonlyArray<Parse>) => Parse
  }

/** Counts the letters and digits of texts. */
const saidIn = (texts: ReadonlyArray<string>): number => {
  let said = 0
  for (const text of texts) said += text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return said
}

/** Returns a piece of a cell for its kind. A piece of a number or percentage is one as well, because its decimal sign is not the one that texts have. */
const pieceOf = (cell: Cell | undefined, piece: string, kind: Kind): Cell => {
  if (kind.sends !== "number" || !(typeof cell === "number" || cell instanceof PercentCell)) return piece
  const digits = piece.replace(/(?<=\d)%$/, "")
  const value = Number(digits)
  if (!isExact(digits, value)) return piece
  return digits === piece ? value : new PercentCell(value)
}

/** Compiles an entry's `extract` for a kind. Adds an error for each group that doesn't fit the kind. */
const compileExtract = (
  expression: string,
  kind: Kind,
  path: YamlPath,
  findings: Findings,
  note: NonNullable<KindContext["note"]>,
): Extracting | undefined => {
  const pattern = compilePattern(expression)
  if (typeof pattern === "string") {
    findings.error(path, pattern)
    return undefined
  }
  const { names } = pattern
  const mismatch = new Fault("pattern", `a text that matches ${expression}`)
  /** Makes a `Parse` from a function that extracts pieces of a match, and the `Parse` of these pieces. */
  const extracting = (
    piecesOf: (match: Match) => ReadonlyArray<string | undefined>,
    valueOf: (pieces: ReadonlyArray<string>, cell: Cell | undefined) => ReturnType<Parse>,
  ): Parse =>
  (cells) => {
    const error = errorIn(cells)
    if (error !== undefined) return error
    const [cell] = cells
    const text = textOf(cell)
    if (text === "") return undefined
    const match = pattern.exec(text)
    if (match === undefined) return mismatch
    const pieces = piecesOf(match).map((piece = "") => piece.trim())
    if (pieces.every((piece) => piece === "")) return undefined
    if (saidIn(pieces) < saidIn([text])) note("part")
    return valueOf(pieces, cell)
  }

  if (names.length === 0) {
    return {
      _tag: "Piece",
      wrap: (parse) =>
        extracting(({ groups }) => [groups[groups.length > 1 ? 1 : 0]], ([piece = ""], cell) => {
          const value = parse([pieceOf(cell, piece, kind)])
          return value instanceof Fault ? value.at(0, value.piece ?? piece) : value
        }),
    }
  }
  const known = Object.keys(kind.parts ?? {})
  const strangers = names.filter((name) => !known.includes(name))
  for (const name of strangers) {
    findings.error(
      path,
      known.length === 0
        ? `The kind ${kind.name} has no parts for the group "${brief(name)}".`
        : `The kind ${kind.name} has no part "${brief(name)}".`,
      known.length === 0
        ? "Write the group without a name: ( … )."
        : suggest(name, known, "Its parts are"),
    )
  }
  if (strangers.length > 0) return undefined
  return {
    _tag: "Parts",
    parts: names,
    wrap: (whole, parts) =>
      extracting(({ named }) => names.map(named), (pieces) => {
        const values: Array<string | number | boolean | null> = []
        for (const [index, piece] of pieces.entries()) {
          const value = piece === "" ? undefined : parts[index]!([piece])
          if (value instanceof Fault) return value.at(0, piece)
          values.push(value === undefined || typeof value === "object" ? null : value)
        }
        const value = values.every((each) => each === null) ? undefined : whole(values)
        return value instanceof Fault ? value.at(0) : value
      }),
  }
}

/** Returns the number that a JSON number in a corrected rejected.csv may stand for. Undefined for `1.234` of a text source: it may mean 1234. */
const typedNumber = (text: string, kind: Kind, fixed: Fixed): number | undefined => {
  const value = Number(text)
  if (fixed === "typed" && String(value) === text) return value
  const isClear = fixed === "typed" || !/^-?[1-9]\d{0,2}\.\d{3}$/.test(text)
  return kind.sends === "number" && isClear && isExact(text, value) ? value : undefined
}

/** Returns the typed cell that a text in a corrected rejected.csv may stand for. The file contains numbers, dates and nested values as text. */
const typed = (text: string, kind: Kind, fixed: Fixed): Cell | undefined => {
  if (isJsonNumber(text)) return typedNumber(text, kind, fixed)
  if (text === "true" || text === "false") return text === "true"
  if (fixed !== "typed") return undefined
  if (text.endsWith("%") && isJsonNumber(text.slice(0, -1))) {
    const percentage = new PercentCell(Number(text.slice(0, -1)))
    return textOf(percentage) === text ? percentage : undefined
  }
  const iso = readIso(text)
  if (iso !== undefined && Number.isNaN(iso.offset)) return new DateCell(text)
  if (!/^[[{]/.test(text)) return undefined
  const value = parsedJson(text)
  return typeof value === "object" && value !== null && isExactJson(text) ? new JsonCell(value) : undefined
}

const twoWays = new Fault(
  "not-a-number",
  "a number that means the same in the source's notation and in JSON (write it without separators between digits)",
)

/**
 * Makes a `Parse` for numbers accept cells of a corrected rejected.csv: as the source writes them, otherwise as the run wrote typed cells. A number with
 * a different meaning in each notation is an error, because its meaning is unknown.
 */
export const readingFixedNumbers = (parse: Parse, kind: Kind, fixed: Fixed): Parse =>
  fixed !== "typed" || kind.sends !== "number" ? parse : (cells) => {
    const value = parse(cells)
    const other = parse(cells.map((cell) => typeof cell === "string" ? typed(cell.trim(), kind, fixed) ?? cell : cell))
    return value instanceof Fault ? orElse(other, value) : other instanceof Fault || other === value ? value : twoWays
  }

/** Makes a `Parse` accept cells of a corrected rejected.csv: as the source writes them, otherwise as the run wrote typed cells. */
const readingFixed = (parse: Parse, kind: Kind, fixed: Fixed): Parse => {
  if (fixed === undefined) return parse
  if (fixed === "typed" && kind.sends === "number") return readingFixedNumbers(parse, kind, fixed)
  const nestedFirst = fixed === "typed" && (kind.sends === "array" || kind.sends === "object")
  return (cells) => {
    const [cell] = cells
    if (typeof cell !== "string" || cells.length !== 1) return parse(cells)
    const other = typed(cell.trim(), kind, fixed)
    if (other instanceof JsonCell && nestedFirst) return parse([other])
    const value = parse(cells)
    return value instanceof Fault && other !== undefined ? orElse(parse([other]), value) : value
  }
}

const orElse = (value: ReturnType<Parse>, fault: Fault): ReturnType<Parse> => value instanceof Fault ? fault : value
