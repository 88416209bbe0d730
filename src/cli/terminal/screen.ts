import stringWidth from "fast-string-width"
import { wrapAnsi } from "fast-wrap-ansi"
import picocolors from "picocolors"
import { visible } from "../../domain/visible.ts"
import { type Heading, headingsOf, type Label, type Tone } from "../../domain/words.ts"

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

/** Returns the functions that colour text for a screen. Without colours, they return the text unchanged. */
export const paints = (screen: Pick<Screen, "colour">): { readonly [P in Tone | "strong" | "soft"]: Paint } => {
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
  // A grapheme has only a few code units, so text far beyond the width need not be measured.
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

export const indentedLines = (text: string, width: number, by: number): ReadonlyArray<string> =>
  wrapToWidth(text, Math.max(10, width - by)).map((line) => " ".repeat(by) + line)

export const indented = (text: string, width: number, by: number): string => indentedLines(text, width, by).join("\n")

/** The widths of the lines that were painted at the bottom of a terminal. */
export type Painted = ReadonlyArray<number>

const escape = "\u001B["
/** Moves the cursor to the start of the line that is `lines` higher. */
const up = (lines: number) => (lines === 0 ? "\r" : `\r${escape}${lines}A`)
const restOfLine = `${escape}K`
const restOfScreen = `${escape}J`

/** Returns the number of rows that the lines take now. A narrower window wraps lines that fitted before. */
const heightOf = (painted: Painted, columns: number): number =>
  painted.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0)

/** Paints lines over earlier ones, in one write to avoid flicker. The cursor stays visible below the lines, so that the terminal is usable however the process ends. */
export const repaint = (before: Painted, lines: ReadonlyArray<string>, columns: number): string => {
  const start = before.length === 0 ? "" : up(heightOf(before, columns))
  const text = lines.map((line) => `${line}${restOfLine}\n`).join("")
  return `${start}${text}${before.length === 0 ? "" : restOfScreen}`
}

export const erase = (before: Painted, columns: number): string =>
  before.length === 0 ? "" : `${up(heightOf(before, columns))}${restOfScreen}`

/** A cell of a table: a text of any origin, and how it is painted. */
export type TableCell = string | { readonly text: string; readonly paint: Paint }

export const titleCell = ({ title, tone }: Label, screen: Screen): TableCell => ({
  text: title,
  paint: paints(screen)[tone],
})

/** Columns narrower than this are unreadable. */
const narrowest = 8

/** Columns between two cells: a line with a space on both sides. */
const gap = 3

const textOf = (cell: TableCell | undefined): string =>
  cell === undefined ? "" : typeof cell === "string" ? cell : cell.text

const paintOf = (cell: TableCell | undefined): Paint => (text) =>
  cell === undefined || typeof cell === "string" || text === "" ? text : cell.paint(text)

/** Returns widths that fit into `room`, by shrinking the widest columns first. Undefined if there is no room for the narrowest columns. */
const fittingWidths = (natural: ReadonlyArray<number>, room: number): ReadonlyArray<number> | undefined => {
  const widths = natural.slice()
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) return undefined
    widths[widths.indexOf(widest)] = widest - 1
    excess--
  }
  return widths
}

/** Draws a table that fits the screen by wrapping long cells. Has no line of titles if all are empty. If the table is still too wide, each row becomes a block of lines. */
export const table = (
  columns: ReadonlyArray<string | Heading>,
  rows: ReadonlyArray<ReadonlyArray<TableCell>>,
  screen: Screen,
): string => {
  const { soft } = paints(screen)
  const headings = headingsOf(columns)
  const titles = headings.map(({ title }) => title)
  const natural = titles.map((title, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, widthOf(cutToWidth(textOf(row[index]), screen.width))),
      Math.max(1, widthOf(title)),
    )
  )
  const widths = fittingWidths(natural, screen.width - gap * (columns.length - 1) - 2)
  if (widths === undefined) return blocks(titles, rows, screen)

  const head = titles.some((title) => title !== "") ? [titles.map((text) => ({ text, paint: soft }))] : []
  const wrapped = [...head, ...rows].map((row) =>
    columns.map((_, at) => {
      const lines = wrapToWidth(textOf(row[at]), widths[at] ?? narrowest)
      return lines.map((text) => ({ text: paintOf(row[at])(text), width: widthOf(text) }))
    })
  )
  const taken = columns.map((_, at) =>
    wrapped.reduce((widest, row) => (row[at] ?? []).reduce((most, { width }) => Math.max(most, width), widest), 0)
  )
  const drawn = wrapped.flatMap((row) =>
    Array.from(
      { length: Math.max(...row.map((lines) => lines.length)) },
      (_, line) =>
        headings.map(({ isNumber }, at) => {
          const { text, width } = row[at]?.[line] ?? { text: "", width: 0 }
          const space = " ".repeat((taken[at] ?? 0) - width)
          return ` ${isNumber ? space + text : text + space} `
        }).join(soft("│")).trimEnd(),
    )
  )
  return drawn.join("\n")
}

/** Draws rows as blocks, one line per cell. */
const blocks = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<TableCell>>,
  screen: Screen,
): string => {
  const { soft } = paints(screen)
  return rows.map((row) =>
    titles.flatMap((name, index) => {
      const text = textOf(row[index])
      if (text === "") return []
      const title = name === "" ? "" : `${name}: `
      return wrapToWidth(title + text, screen.width).map((line, at) =>
        at === 0 && line.startsWith(title)
          ? soft(title) + paintOf(row[index])(line.slice(title.length))
          : paintOf(row[index])(line)
      )
    }).join("\n")
  ).join(`\n${soft("─".repeat(Math.min(screen.width, 20)))}\n`)
}
