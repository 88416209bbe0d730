import { type Cell, cellText, isFilled } from "../../domain/cell.ts"
import type { Problem } from "../../domain/problem.ts"
import type { Cells, RowChunk } from "../../domain/row.ts"
import { columnName, count, counted } from "../../domain/words.ts"
import type { SourceConfig } from "../../project/Pipeline.ts"
import { ChunkBuilder } from "../chunks.ts"
import { unpairedInCells } from "../columns.ts"
import { headKept, notRecords, numberedTitles, placeHeader } from "../headerRow.ts"
import { limits } from "../limits.ts"
import { type CellRange, rangeName, type SheetRow } from "./Sheet.ts"

/** The place of a sheet's records, found in its first rows. */
export interface Table {
  readonly titles: ReadonlyArray<string>
  /** The header's row number in the sheet, counting from 1. Without a header, that of the row before the range. */
  readonly headerRow: number
  /** Number of rows above the header. 0 if all of them are empty, or if the pipeline said to skip them. */
  readonly above: number
  /** Whether a column has no title of its own, but may belong to a merged title. */
  readonly untitled: boolean
  /** The sheet's first rows from `top` on, including those above the header. `top` is 0 for the first row. */
  readonly head: { readonly top: number; readonly rows: ReadonlyArray<Cells> }
}

/** How many rows below the header are checked. A table is as wide as its header or the widest of these rows. */
const looked = 1000

/** The pipeline's `headerRow`. */
type HeaderRow = SourceConfig["headerRow"]

/** How many rows of a sheet are needed to find its table. */
export const rowsToFind = (headerRow: HeaderRow, range: CellRange): number =>
  Math.max(typeof headerRow === "number" ? headerRow : 0, range.from.row) + 2 * looked

/** Returns a row's cells in the range, up to the last filled cell. */
const inRange = (found: ReadonlyArray<Cell | undefined>, range: CellRange): Array<Cell> => {
  const cells: Array<Cell> = []
  const last = Math.min(range.to.column, found.length - 1)
  let filled = 0
  for (let column = range.from.column; column <= last; column++) {
    const cell = found[column] ?? null
    if (cells.push(cell) && cell !== null) filled = cells.length
  }
  cells.length = filled
  return cells
}

/**
 * Finds the header in a sheet's first rows: the row with the given number, otherwise the first row that is neither empty nor a heading. If the pipeline
 * says that there is none, its titles are numbered. Returns an error message if no header is found or if it is too wide.
 *
 * @param first the sheet's first rows: at least `rowsToFind`, or all of them
 * @param merges the sheet's merged cells: a row with only such cells is not a header
 */
export const findTable = (
  first: ReadonlyArray<SheetRow>,
  headerRow: HeaderRow,
  range: CellRange,
  merges: ReadonlyArray<CellRange> = [],
): Table | string => {
  const top = range.from.row
  if (typeof headerRow === "number" && (headerRow - 1 < top || headerRow - 1 > range.to.row)) {
    return `Row ${headerRow} is outside the range. Correct \`source.headerRow\` or \`source.range\`.`
  }
  const lines: Array<Cells> = []
  const enough = rowsToFind(headerRow, range)
  for (const { cells, row } of first) {
    if (row > range.to.row || (row > enough && lines.some((line) => line.length > 0))) break
    if (row < top) continue
    while (lines.length < row - top) lines.push([])
    lines.push(inRange(cells, range))
  }
  const at = typeof headerRow === "number"
    ? headerRow - 1 - top
    : headerRow === "none"
    ? -1
    : placeHeader(
      withMergedBelow(lines.slice(0, looked).map((line) => line.map((cell) => cellText(cell))), merges, range),
      (at) => isMergedHeading(lines[at] ?? [], top + at, range.from.column, merges),
    )
  const header = (headerRow === "none" ? lines.find((line) => line.length > 0) : lines[at]) ?? []
  if (header.length === 0) {
    return typeof headerRow !== "number"
      ? "It is empty. Name the sheet that contains the rows: `source.sheet`."
      : `Its row ${headerRow} is empty, but \`source.headerRow\` says that it is the header. Correct it.`
  }
  const width = lines.slice(Math.max(0, at), at + 1 + looked).reduce((most, line) => Math.max(most, line.length), 0)
  if (width > limits.columns) {
    return `It has ${count(width)} columns, more than the limit of ${
      count(limits.columns)
    }. Narrow it: \`source.range\`.`
  }
  const titles = headerRow === "none"
    ? numberedTitles(width)
    : Array.from({ length: width }, (_, column) => cellText(header[column]))
  return {
    titles,
    headerRow: top + at + 1,
    above: headerRow === undefined && lines.slice(0, at).some((line) => line.length > 0) ? at : 0,
    untitled: titles.includes(""),
    head: { top, rows: lines.slice(0, at + 1 + headKept) },
  }
}

/** Returns the rows as text. If cells are merged downwards, the last of them also gets the text of the first. */
const withMergedBelow = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  merges: ReadonlyArray<CellRange>,
  { from: { column: left, row: top } }: CellRange,
): ReadonlyArray<ReadonlyArray<string>> => {
  const texts = rows.map((row) => [...row])
  for (const { from, to } of merges) {
    const text = rows[from.row - top]?.[from.column - left] ?? ""
    const last = texts[to.row - top]
    if (from.row === to.row || from.column !== to.column || text === "" || last === undefined) continue
    while (last.length < from.column - left) last.push("")
    last[from.column - left] ||= text
  }
  return texts
}

/** Whether all filled cells of a row are merged, and one of them over several columns. */
const isMergedHeading = (line: Cells, row: number, left: number, merges: ReadonlyArray<CellRange>): boolean => {
  const here = merges.filter(({ from, to }) => from.row <= row && row <= to.row)
  const over = (column: number) => here.find(({ from, to }) => from.column <= column && column <= to.column)
  return here.some(({ from, to }) => from.column < to.column)
    && line.every((cell, at) => cell === null || over(left + at) !== undefined)
}

/**
 * Returns the titles. If cells are merged, only the first one has text, which becomes the title of all their columns.
 */
export const underMerges = (
  table: Table,
  merges: ReadonlyArray<CellRange>,
  range: CellRange,
): ReadonlyArray<string> => {
  const titles = [...table.titles]
  const row = table.headerRow - 1
  for (const { from, to } of merges) {
    if (row < from.row || row > to.row) continue
    const title = cellText(table.head.rows[from.row - table.head.top]?.[from.column - range.from.column])
    for (let column = from.column; column <= to.column; column++) {
      const at = column - range.from.column
      if (titles[at] === "") titles[at] = title
    }
  }
  return titles
}

const tooWide = (row: number, sheetRow: number, column: number, width: number): Problem => ({
  code: "ragged-row",
  message: `Row ${row} (row ${sheetRow} of the sheet) has a cell in column ${columnName(column)}, beyond the ${
    counted(width, "column")
  } of the table. Give that column a title, or clear the cell.`,
})

/** Makes records from a sheet's rows below the header. Omits and counts rows in which every cell is empty or white space. */
export const recordsOf = (table: Table, range: CellRange) => {
  const width = table.titles.length
  const { headerRow, head: { rows: first, top } } = table
  const problemOf = notRecords(table.titles, first.slice(headerRow - top))
  const made = new ChunkBuilder()
  let empty = 0
  let belowEmpty: number | undefined
  let last = table.headerRow - 1
  return {
    /** Returns the records among these rows, in chunks. */
    take: (sheetRows: ReadonlyArray<SheetRow>): ReadonlyArray<RowChunk> => {
      for (const { cells, row } of sheetRows) {
        if (row <= last || row > range.to.row) continue
        const record = inRange(cells, range)
        if (!record.some(isFilled)) continue
        const gap = row - last - 1
        empty += gap
        last = row
        const number = made.count + 1
        if (gap > 0 && number > 1) belowEmpty ??= number
        const fault = record.length > width
          ? tooWide(number, row + 1, range.from.column + record.length - 1, width)
          : unpairedInCells(number, record)
            ?? problemOf(record, () => `Row ${number} (row ${row + 1} of the sheet)`, gap > 0)
        made.add(record, fault)
      }
      return made.take()
    },
    counts: () => ({ rows: made.count, empty, belowEmpty }),
  }
}

/** Counts a sheet's filled cells outside a range: above, left, right and below. */
export const countOutside = (range: CellRange) => {
  const areas = new Map<string, { cells: number; from: CellRange["from"]; to: CellRange["to"] }>()
  const add = (side: string, row: number, column: number) => {
    const { cells, from, to } = areas.get(side) ?? { cells: 0, from: { row, column }, to: { row, column } }
    areas.set(side, {
      cells: cells + 1,
      from: { row: from.row, column: Math.min(from.column, column) },
      to: { row, column: Math.max(to.column, column) },
    })
  }
  return {
    /** Counts the cells of these rows. Each row comes after those before it. */
    take: (sheetRows: ReadonlyArray<SheetRow>): void => {
      for (const { cells, row } of sheetRows) {
        const isAbove = row < range.from.row
        const isBelow = row > range.to.row
        for (let column = 0; column < cells.length; column++) {
          if ((cells[column] ?? null) === null) continue
          if (isAbove || isBelow) add(isAbove ? "above" : "below", row, column)
          else if (column < range.from.column) add("left", row, column)
          else if (column > range.to.column) add("right", row, column)
        }
      }
    },
    /** Returns the smallest range around the cells of each side, and their number. */
    areas: () => Array.from(areas.values(), ({ cells, ...area }) => ({ name: rangeName(area), cells })),
  }
}
