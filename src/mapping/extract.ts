import type { YamlPath } from "../domain/diagnostic.ts"
import { errorIn, textOf } from "../kinds/cells.ts"
import type { Kind, KindContext, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import type { Match } from "../kinds/pattern.ts"
import { compilePattern } from "../kinds/pattern.ts"
import { suggest } from "../project/suggestion.ts"
import type { Findings } from "./Findings.ts"

/** What the expression of an entry extracts: one piece, or named groups that are parts. */
type Extracting =
  | { readonly _tag: "Piece"; readonly wrap: (parse: Parse) => Parse }
  | {
    readonly _tag: "Parts"
    readonly parts: ReadonlyArray<string>
    readonly wrap: (whole: Parse, parts: ReadonlyArray<Parse>) => Parse
  }

/** Characters of a cell that an expression sees at most. */
const longest = 10_000

/** Counts the letters and digits of texts. */
const saidIn = (texts: ReadonlyArray<string>): number => {
  let said = 0
  for (const text of texts) said += text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return said
}

/** Compiles an entry's `extract` for a kind. Groups that don't fit it become errors. */
export const compileExtract = (
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
  const mismatch = new Fault("pattern", `a text in which ${expression} is found`)
  /** Makes a `Parse` of what to take from a match, and of what its pieces become. */
  const extracting = (
    piecesOf: (match: Match) => ReadonlyArray<string | undefined>,
    valueOf: (pieces: ReadonlyArray<string>) => ReturnType<Parse>,
  ): Parse =>
  (cells) => {
    const error = errorIn(cells)
    if (error !== undefined) return error
    const text = textOf(cells[0])
    if (text === "") return undefined
    const match = pattern.exec(text.slice(0, longest))
    if (match === undefined) return mismatch
    const pieces = piecesOf(match).map((piece = "") => piece.trim())
    if (pieces.every((piece) => piece === "")) return undefined
    if (saidIn(pieces) < saidIn([text])) note("part")
    return valueOf(pieces)
  }
  const faultOf = ({ code, expected, piece }: Fault, within?: string) => new Fault(code, expected, 0, piece ?? within)

  if (names.length === 0) {
    return {
      _tag: "Piece",
      wrap: (parse) =>
        extracting(({ groups }) => [groups[groups.length > 1 ? 1 : 0]], ([piece = ""]) => {
          const value = parse([piece])
          return value instanceof Fault ? faultOf(value, piece) : value
        }),
    }
  }
  const known = Object.keys(kind.parts ?? {})
  const strangers = names.filter((name) => !known.includes(name))
  for (const name of strangers) {
    findings.error(
      path,
      known.length === 0
        ? `The kind ${kind.name} has no parts for the group "${name}".`
        : `The kind ${kind.name} has no part "${name}".`,
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
          if (value instanceof Fault) return new Fault(value.code, value.expected, 0, piece)
          values.push(value === undefined || typeof value === "object" ? null : value)
        }
        const value = values.every((each) => each === null) ? undefined : whole(values)
        return value instanceof Fault ? faultOf(value) : value
      }),
  }
}
