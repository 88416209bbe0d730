import type { YamlPath } from "../domain/diagnostic.ts"
import { errorIn, textOf } from "../kinds/cells.ts"
import type { Kind, KindContext, Parse } from "../kinds/Kind.ts"
import { Fault } from "../kinds/Kind.ts"
import { compilePattern } from "../kinds/pattern.ts"
import { oneOf, quoted, suggest } from "../project/suggestion.ts"
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
  const mismatch = new Fault("pattern", `a text in which ${expression} is found`)
  const { names } = pattern
  if (names.length === 0) {
    return {
      _tag: "Piece",
      wrap: (parse) => (cells) => {
        const error = errorIn(cells)
        if (error !== undefined) return error
        const text = textOf(cells[0])
        if (text === "") return undefined
        const found = pattern.exec(text.slice(0, longest))
        if (found === undefined) return mismatch
        const piece = (found.groups.length > 1 ? found.groups[1] ?? "" : found.groups[0] ?? "").trim()
        if (piece === "") return undefined
        if (saidIn([piece]) < saidIn([text])) note("part")
        const value = parse([piece])
        return value instanceof Fault ? new Fault(value.code, value.expected, 0, value.piece ?? piece) : value
      },
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
        : suggest(name, known, "Its parts are") ?? `Its parts are ${oneOf(known.map(quoted), "and")}.`,
    )
  }
  if (strangers.length > 0) return undefined
  return {
    _tag: "Parts",
    parts: names,
    wrap: (whole, parts) => (cells) => {
      const error = errorIn(cells)
      if (error !== undefined) return error
      const text = textOf(cells[0])
      if (text === "") return undefined
      const found = pattern.exec(text.slice(0, longest))
      if (found === undefined) return mismatch
      const values: Array<string | number | boolean | null> = []
      for (let index = 0; index < names.length; index++) {
        const piece = (found.named(names[index]!) ?? "").trim()
        const value = piece === "" ? undefined : parts[index]!([piece])
        if (value instanceof Fault) return new Fault(value.code, value.expected, 0, piece)
        values.push(value === undefined || typeof value === "object" ? null : value)
      }
      if (saidIn(names.map((name) => found.named(name) ?? "")) < saidIn([text])) note("part")
      const value = values.every((each) => each === null) ? undefined : whole(values)
      return value instanceof Fault ? new Fault(value.code, value.expected, 0, value.piece) : value
    },
  }
}
