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
