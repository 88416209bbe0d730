import { type Cell, isFilled } from "../../domain/cell.ts"
import { brief, type Problem } from "../../domain/problem.ts"
import type { LongestCell } from "../../domain/report.ts"
import type { RowChunk } from "../../domain/row.ts"
import { count, counted } from "../../domain/words.ts"
import { ChunkBuilder } from "../chunks.ts"
import { endsWithDelimiters, fits, type Width, widthOf } from "../columns.ts"
import { notRecords } from "../headerRow.ts"
import { limits } from "../limits.ts"
import { lineEndsIn } from "./encoding.ts"
import { UnreadableText } from "./readText.ts"
import type { Records } from "./records.ts"

/** The counts of a reading so far. */
export interface RowCount {
  /** The number of data records that were returned. */
  readonly rows: number
  /** The number of records in which every cell is empty or white space. They are omitted. */
  readonly empty: number
  /** The first row below such a record and another row, which may begin a different table. Undefined if there is none. */
  readonly belowEmpty: number | undefined
  /** The number of line ends inside cells. */
  readonly inside: number
  readonly longest: LongestCell | undefined
}

/** Returns a row's place for messages: `Row 2 (line 3)`, `Row 2 (lines 3 to 7)`. */
const place = (row: number, line: number, inside: number) =>
  `Row ${row} (${inside === 0 ? `line ${line}` : `lines ${line} to ${line + inside}`})`

const ragged = (where: string, found: number, width: number): Problem => ({
  code: "ragged-row",
  message: `${where} has ${counted(found, "cell")}, but the header has ${count(width)}. `
    + "A cell is missing, or a delimiter, quote or line end inside a cell is not quoted.",
})

const misquoted = (where: string): Problem => ({
  code: "ragged-row",
  message:
    `${where} has a quoted cell that is not closed, or with a quote inside that is not doubled, so it is uncertain where its cells end. Correct its quotes: double those inside ("").`,
})

const cutShort = (where: string, width: number): Problem => ({
  code: "ragged-row",
  message: `${where} has fewer cells than the header if its quotes enclose cells, but ${
    count(width)
  } if they are characters. Correct its quotes, or set \`quoteChar\` under \`source\`.`,
})

const partial = (where: string, before: boolean): Problem => ({
  code: "ragged-row",
  message: `${where} may be only part of a record, because the line ${
    before ? "before" : "after"
  } it has a single cell. If a cell contains a line break, quote the cell. Otherwise remove that line.`,
})

const damaged = (where: string, title: string, encoding: string): Problem => ({
  code: "damaged-text",
  column: title,
  message: `${where} has damaged text in the column "${
    brief(title)
  }": some of its bytes are not valid ${encoding}. Correct the cell, or export the file again.`,
})

const marked = (where: string): Problem => ({
  code: "damaged-text",
  message:
    `${where} starts with a byte order mark and a quote, as if two files had been joined, so the quote does not enclose a cell. Remove the mark, or export the files again.`,
})

const spaced = (where: string): Problem => ({
  code: "ragged-row",
  message:
    `${where} has a space before a quote, so the quote does not enclose a cell. Remove the space, or export the file without spaces after its delimiters.`,
})

/**
 * Whether a record that is too short would have the header's width if the delimiters inside its cells counted. If so,
 * its quotes are questionable.
 */
const mayBeWhole = (row: ReadonlyArray<Cell>, width: Width, delimiter: string) =>
  row.length < width.titled
  && row.reduce<number>((sum, cell) => sum + String(cell ?? "").split(delimiter).length, 0) === width.header

/** Turns records into rows. */
export interface RowMaker {
  /**
   * Returns the rows of these records, except for the last one, which the next record may make doubtful. `isDamaged` says whether any text so far may be
   * damaged, and `last` whether these are the last records. Throws `UnreadableText` if a limit is exceeded.
   */
  readonly chunks: (records: Records, isDamaged: boolean, last: boolean) => ReadonlyArray<RowChunk>
  readonly count: () => RowCount
}

/**
 * Makes numbered rows from records. Empty cells become null. Records in which every cell is empty or white space are omitted and counted. If a record is badly
 * quoted, damaged, or not as wide as the header (empty cells at the end don't count if the first rows have them), it is kept unchanged, with its problem. A record of a single cell
 * may be part of a cell with a line break, so the records next to it are doubtful as well: a submission can't be corrected later.
 *
 * @param first the first records below the header
 */
export const makeRows = (
  titles: ReadonlyArray<string>,
  delimiter: string,
  pad: boolean,
  encoding: string,
  first: ReadonlyArray<ReadonlyArray<string>>,
): RowMaker => {
  const width = widthOf(titles, pad)
  const isDelimited = endsWithDelimiters(first, width)
  const problemOf = notRecords(titles, first)
  const made = new ChunkBuilder()
  let empty = 0
  let inside = 0
  let longest: LongestCell | undefined
  /** The last record so far, which is not added yet. */
  let pendingRow: { readonly row: Array<Cell>; fault: Problem | undefined; readonly where: () => string } | undefined
  let isAfterPart = false
  let isAfterGap = false
  let belowEmpty: number | undefined

  const addPendingRow = () => {
    if (pendingRow !== undefined) made.add(pendingRow.row, pendingRow.fault)
    pendingRow = undefined
  }

  const columnAt = (position: number) => titles[position]?.trim() || `column ${position + 1}`

  const chunks = (
    { line, misquoted: badlyQuoted, multiline, records, spacedQuotes }: Records,
    isDamaged: boolean,
    last: boolean,
  ) => {
    /** The line at which the record starts. */
    let at = line
    for (let index = 0; index < records.length; index++) {
      const number = made.count + (pendingRow === undefined ? 1 : 2)
      // The row reuses the parser's array, because nothing else needs it.
      const row: Array<Cell> = records[index]!
      const isMultiline = multiline.has(index)
      let filled = false
      let breaks = 0
      let damagedAt = -1
      for (let position = 0; position < row.length; position++) {
        const cell = row[position] as string
        if (cell === "") {
          row[position] = null
          continue
        }
        filled ||= isFilled(cell)
        if (cell.length > (longest?.length ?? 0)) {
          if (cell.length > limits.cell) throw tooLong(number, at, columnAt(position))
          longest = { column: columnAt(position), row: number, length: cell.length }
        }
        if (isMultiline) breaks += lineEndsIn(cell)
        if (isDamaged && !cell.isWellFormed()) {
          row[position] = cell.toWellFormed()
          if (damagedAt === -1) damagedAt = position
        }
      }
      const from = at
      at += 1 + breaks
      inside += breaks
      if (!filled) {
        empty++
        isAfterGap = true
        continue
      }
      const where = () => place(number, from, breaks)
      const isRagged = row.length > width.header
        ? !isDelimited || !fits(row, width)
        : row.length < width.header && !fits(row, width)
      const isPart = isRagged && row.length === 1
      const fault = isRagged
        ? ragged(where(), row.length, width.header)
        : badlyQuoted.has(index)
        ? misquoted(where())
        : damagedAt !== -1
        ? damaged(where(), columnAt(damagedAt), encoding)
        : spacedQuotes.has(index)
        ? spaced(where())
        : pad && mayBeWhole(row, width, delimiter)
        ? cutShort(where(), width.header)
        : isAfterPart && row[0] !== null
        ? partial(where(), true)
        : problemOf(row, where, isAfterGap) ?? (String(row[0]).startsWith('\ufeff"') ? marked(where()) : undefined)
      if (fault === undefined && row.length > width.header) row.length = width.header
      if (isPart && pendingRow !== undefined && pendingRow.row.at(-1) !== null) {
        pendingRow.fault ??= partial(pendingRow.where(), false)
      }
      addPendingRow()
      pendingRow = { row, fault, where }
      isAfterPart = isPart
      if (isAfterGap && number > 1) belowEmpty ??= number
      isAfterGap = false
      if (width.titled < 2) addPendingRow()
    }
    if (last) addPendingRow()
    if (made.count > limits.rows) {
      throw new UnreadableText(`It has more than ${count(limits.rows)} rows, which is the limit. Split the file.`)
    }
    return made.take()
  }
  return { chunks, count: () => ({ rows: made.count, empty, belowEmpty, inside, longest }) }
}

const tooLong = (row: number, line: number, column: string) =>
  new UnreadableText(
    `The cell of row ${row} (line ${line}) in the column "${brief(column)}" is longer than ${
      count(limits.cell)
    } characters, which is the limit. `
      + "Shorten it, or check whether a quote was never closed.",
  )
