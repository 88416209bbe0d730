import stringWidth from "fast-string-width"
import { wrapAnsi } from "fast-wrap-ansi"
import picocolors from "picocolors"
import { visible } from "../../domain/visible.ts"
import type { Tone } from "../../domain/words.ts"

/** The width and colours that text is formatted for. */
export interface Screen {
  /** Columns, at least 20. */
  readonly width: number
  readonly colour: boolean
}

/**
 * Returns the screen of a stream. Only a terminal has colours, unless NO_COLOR is set (no-color.org), `--no-color` is given or the terminal is a dumb one.
 * A file or a pipe has 100 columns.
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

/** Returns the paints of a screen. Without colours they return the text unchanged. */
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

/** Returns the columns that a text takes in a terminal. Wide characters take two. */
export const widthOf = (text: string): number => stringWidth(text)

/** Cuts a text of unknown origin to at most `width` columns, with an ellipsis. Makes control characters visible. */
export const cutToWidth = (text: string, width: number): string => {
  // A grapheme takes a few code units, so text far beyond the width is never shown.
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

/** Wraps a text of unknown origin to lines of at most `width` columns, between words if possible. Makes control characters visible. */
export const wrapToWidth = (text: string, width: number): ReadonlyArray<string> =>
  wrapAnsi(visible(text), Math.max(1, width), { hard: true }).split("\n")

/** Wraps a text and indents every line. */
export const indented = (text: string, width: number, by: number): string =>
  wrapToWidth(text, Math.max(10, width - by)).map((line) => " ".repeat(by) + line).join("\n")

/** The widths of the lines that were painted at the bottom of a terminal. */
export type Painted = ReadonlyArray<number>

const escape = "\u001B["
/** Moves the cursor to the start of the line that is `lines` higher. */
const up = (lines: number) => (lines === 0 ? "\r" : `\r${escape}${lines}A`)
const restOfLine = `${escape}K`
const restOfScreen = `${escape}J`

/** Returns the rows that the lines take now: a window that became narrower has broken long lines. */
const heightOf = (painted: Painted, columns: number): number =>
  painted.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)

/** Paints lines over earlier ones, in one write against flicker. The cursor stays visible below the lines, so that the terminal is usable however the process ends. */
export const repaint = (before: Painted, lines: ReadonlyArray<string>, columns: number): string => {
  const start = before.length === 0 ? "" : up(heightOf(before, columns))
  const text = lines.map((line) => `${line}${restOfLine}\n`).join("")
  return `${start}${text}${before.length === 0 ? "" : restOfScreen}`
}

/** Removes the lines. */
export const erase = (before: Painted, columns: number): string =>
  before.length === 0 ? "" : `${up(heightOf(before, columns))}${restOfScreen}`
