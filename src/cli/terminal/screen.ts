import picocolors from "picocolors"
import stringWidth from "string-width"
import wrapAnsi from "wrap-ansi"
import { visible } from "../../domain/visible.ts"
import type { Tone } from "../../domain/words.ts"

/** What a text is made for: how wide the place is, and whether it takes colours. */
export interface Screen {
  /** Columns, at least 20. */
  readonly width: number
  readonly colour: boolean
}

/**
 * The screen that a stream of the terminal gives. Colours only on a terminal, unless NO_COLOR is set to anything (no-color.org), `--no-color` is given or the terminal is a dumb
 * one. What is not a terminal (a file, a pipe) gets 100 columns: wide enough to read, not cut to a window that nobody looks at.
 */
export const screenOf = (
  { columns = 0, isTTY }: { readonly isTTY?: boolean; readonly columns?: number | undefined },
  env: NodeJS.ProcessEnv,
  noColor: boolean,
): Screen => ({
  width: isTTY === true && columns > 0 ? Math.max(20, columns) : 100,
  colour: isTTY === true && !noColor && !env["NO_COLOR"] && env["TERM"] !== "dumb",
})

export type Paint = (text: string) => string

/** Paints for a screen; without colours they leave a text as it is. */
export const paints = (screen: Screen): { readonly [P in Tone | "strong" | "soft"]: Paint } => {
  const colours = picocolors.createColors(screen.colour)
  return {
    strong: colours.bold,
    soft: colours.dim,
    good: colours.green,
    calm: (text) => text,
    warn: colours.yellow,
    bad: colours.red,
  }
}

/** Columns that a text takes in a terminal: wide characters take two. */
export const widthOf = (text: string): number => stringWidth(text)

/** Cuts a text of unknown origin to at most `width` columns, with an ellipsis, control characters made visible. */
export const cutToWidth = (text: string, width: number): string => {
  // A grapheme takes a few code units; what lies far beyond the width can't be seen anyway.
  const limit = width * 20
  const shown = visible(text.length > limit ? text.slice(0, limit) : text)
  if (text.length <= limit && widthOf(shown) <= width) return shown
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })
  let cut = ""
  let taken = 0
  for (const { segment } of graphemes.segment(shown)) {
    const more = widthOf(segment)
    if (taken + more > width - 1) break
    cut += segment
    taken += more
  }
  return cut + "…"
}

/** Wraps a text of unknown origin to lines of at most `width` columns, between words where possible, control characters made visible. */
export const wrapToWidth = (text: string, width: number): ReadonlyArray<string> =>
  wrapAnsi(visible(text), Math.max(1, width), { hard: true }).split("\n")

/** The same with every line moved to the right. */
export const indented = (text: string, width: number, by: number): string =>
  wrapToWidth(text, Math.max(10, width - by)).map((line) => " ".repeat(by) + line).join("\n")

/** The lines at the bottom of a terminal as they were painted: the width of each. */
export type Painted = ReadonlyArray<number>

const escape = "\u001B["
/** To the beginning of the line so many lines up. */
const up = (lines: number) => (lines === 0 ? "\r" : `\r${escape}${lines}A`)
const restOfLine = `${escape}K`
const restOfScreen = `${escape}J`

/** Rows of the terminal that the lines take by now: a window that became narrower has broken long lines. */
const heightOf = (painted: Painted, columns: number): number =>
  painted.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)

/**
 * Paints lines over those that stand there, in one write, so that nothing flickers. The cursor is never hidden: it stands below the lines, at the beginning of a line, so that whatever ends
 * the process leaves the terminal as it should be.
 */
export const repaint = (before: Painted, lines: ReadonlyArray<string>, columns: number): string => {
  const start = before.length === 0 ? "" : up(heightOf(before, columns))
  const text = lines.map((line) => `${line}${restOfLine}\n`).join("")
  return `${start}${text}${before.length === 0 ? "" : restOfScreen}`
}

/** Takes the lines away. */
export const erase = (before: Painted, columns: number): string =>
  before.length === 0 ? "" : `${up(heightOf(before, columns))}${restOfScreen}`
