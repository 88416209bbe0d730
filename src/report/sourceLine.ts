import type { CsvLine } from "./csv.ts"

/**
 * A line of a CSV that holds a source's own columns and then ours. A row with fewer cells than the source has columns is filled up; cells beyond the header stand behind our
 * columns: nothing is lost or shifted, and the line stays as ragged as it was until somebody mends it.
 */
export const sourceLine = (cells: ReadonlyArray<string>, columns: number, own: ReadonlyArray<string>): CsvLine => {
  const line = cells.slice(0, columns)
  while (line.length < columns) line.push("")
  line.push(...own, ...cells.slice(columns))
  return line
}
