import type { Cell } from "../domain/cell.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { UnreadableRecord } from "./csvRecords.ts"
import type { Records } from "./csvRecords.ts"
import { limits, thousands } from "./limits.ts"

/** Rows of a chunk at most. */
const chunkRows = 4096

/** Counts of a reading so far. */
export interface RowCount {
  /** Data records given out. */
  readonly rows: number
  /** Records in which every cell is empty: no records. */
  readonly empty: number
}

const cells = (count: number) => count === 1 ? "1 cell" : `${thousands(count)} cells`

const ragged = (row: number, found: number, width: number): Problem => ({
  code: "ragged-row",
  message:
    `Row ${row} has ${cells(found)}, but the header has ${
      thousands(width)
    }. A cell is missing, or a delimiter, quote or line end `
    + "inside a cell is not quoted.",
})

const misquoted = (row: number): Problem => ({
  code: "ragged-row",
  message:
    `Row ${row} has a quoted cell with a quote inside that is not doubled, so where its cells end is not certain. Double it ("").`,
})

/** How many cells a record may have. */
export interface Width {
  readonly header: number
  /** The header's cells up to its last title: a record may end there, for nothing can be missing but cells without a title. */
  readonly titled: number
}

/** The width that a header gives its records. */
export const widthOf = (titles: ReadonlyArray<string>): Width => ({
  header: titles.length,
  titled: titles.findLastIndex((title) => title.trim() !== "") + 1,
})

/** Whether a record has all its cells in their places: what it has beyond the header's width is empty. */
const fits = (row: ReadonlyArray<Cell>, width: Width) => {
  if (row.length < width.titled) return false
  for (let at = width.header; at < row.length; at++) if (row[at] !== null) return false
  return true
}

/**
 * Records as numbered rows: empty cells become null, records without any filled cell are left out and counted, a record that is not as wide
 * as the header (empty cells at the end aside) or badly quoted is kept as it stands and named as faulty. Throws `UnreadableRecord` over a
 * limit.
 *
 * @param from index of the first record that counts
 */
export const toChunks = (
  { misquoted: badlyQuoted, records }: Records,
  from: number,
  width: Width,
  count: RowCount,
): { readonly chunks: ReadonlyArray<RowChunk>; readonly count: RowCount } => {
  const chunks: Array<RowChunk> = []
  let { empty, rows: given } = count
  let firstRow = given + 1
  let rows: Array<Cells> = []
  let faults = new Map<number, Problem>()
  const flush = () => {
    if (rows.length > 0) chunks.push({ firstRow, rows, faults })
    firstRow = given + 1
    rows = []
    faults = new Map()
  }
  for (let at = from; at < records.length; at++) {
    // The parser's own array is turned into the row: it is nobody else's.
    const row: Array<Cell> = records[at]!
    let filled = false
    for (let position = 0; position < row.length; position++) {
      const cell = row[position] as string
      if (cell === "") row[position] = null
      else {
        filled = true
        if (cell.length > limits.cell) throw tooLong(given + 1, position)
      }
    }
    if (!filled) {
      empty++
      continue
    }
    given++
    if (row.length !== width.header && !fits(row, width)) {
      faults.set(rows.length, ragged(given, row.length, width.header))
    } else if (badlyQuoted.has(at)) {
      faults.set(rows.length, misquoted(given))
    } else if (row.length > width.header) row.length = width.header
    if (rows.push(row) === chunkRows) flush()
  }
  flush()
  if (given > limits.rows) {
    throw new UnreadableRecord(
      `It has more than ${thousands(limits.rows)} rows, the most that are read. Split the file.`,
    )
  }
  return { chunks, count: { rows: given, empty } }
}

const tooLong = (row: number, position: number) =>
  new UnreadableRecord(
    `The cell of row ${row} in column ${position + 1} is longer than ${
      thousands(limits.cell)
    } characters, the most that are read. `
      + "Shorten it, or see whether a quote was never closed.",
  )
