import { cellText } from "../domain/cell.ts"
import type { Cell } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"
import { toCell } from "./excelCell.ts"
import { limits, thousands } from "./limits.ts"
import type { Sheet } from "./workbook.ts"

/** A sheet, or a range of it, as a header and rows. */
export interface Table {
  readonly titles: ReadonlyArray<string>
  /** The sheet's number of the header's row, from 1. */
  readonly headerRow: number
  readonly rows: ReadonlyArray<Cells>
  /** The sheet's first rows, from `top` on (0: the first), those above the header among them. */
  readonly head: { readonly top: number; readonly rows: ReadonlyArray<Cells> }
  /** Rows between others in which every cell is empty: no records. */
  readonly empty: number
}

/** Rows and columns from 0, both ends included. */
export interface Range {
  readonly from: { readonly row: number; readonly column: number }
  readonly to: { readonly row: number; readonly column: number }
}

/** Rows below the header that are kept to recognise a form tool by. */
const headKept = 200

const wholeSheet: Range = { from: { row: 0, column: 0 }, to: { row: Infinity, column: Infinity } }

const columnNumber = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/** Reads a range such as `B3:H400`, `B3:H` or `B:H`; undefined when it is none. */
export const parseRange = (text: string): Range | undefined => {
  const match = /^\$?([a-z]{1,3})\$?([1-9]\d*)?:\$?([a-z]{1,3})\$?([1-9]\d*)?$/i.exec(text.trim())
  if (match === null) return undefined
  const [, left = "", top, right = "", bottom] = match
  const from = { row: top === undefined ? 0 : Number(top) - 1, column: columnNumber(left) }
  const to = { row: bottom === undefined ? Infinity : Number(bottom) - 1, column: columnNumber(right) }
  return from.row <= to.row && from.column <= to.column ? { from, to } : undefined
}

/**
 * Finds the header (the sheet's row of that number, else the first row with anything in it) and takes the rows below it. Empty rows are left
 * out, empty cells and columns at the end too. Gives a sentence when there is no header, or too much.
 */
export const toTable = (sheet: Sheet, headerRow: number | undefined, range: Range = wholeSheet): Table | string => {
  const lastRow = Math.min(range.to.row, sheet.cells.length - 1)
  const cellsOf = (row: number): Array<Cell> => {
    const found = sheet.cells[row]
    const cells: Array<Cell> = []
    if (found === undefined) return cells
    const last = Math.min(range.to.column, found.length - 1)
    let filled = 0
    for (let column = range.from.column; column <= last; column++) {
      const cell = toCell(found[column], sheet.date1904)
      if (cells.push(cell) && cell !== null) filled = cells.length
    }
    cells.length = filled
    return cells
  }

  let at = headerRow === undefined ? range.from.row : headerRow - 1
  if (at < range.from.row || at > range.to.row) {
    return `Row ${headerRow} is outside of the range. Correct \`source.headerRow\` or \`source.range\`.`
  }
  let titles = cellsOf(at)
  if (headerRow === undefined) {
    while (titles.length === 0 && at < lastRow) titles = cellsOf(++at)
  }
  if (titles.length === 0) {
    return headerRow === undefined
      ? "It is empty. Name the sheet that holds the rows: `source.sheet`."
      : `Its row ${headerRow} is empty, but \`source.headerRow\` says that it is the header. Correct it.`
  }

  const rows: Array<Cells> = []
  let width = titles.length
  let empty = 0
  let emptyBefore = 0
  for (let row = at + 1; row <= lastRow; row++) {
    const cells = cellsOf(row)
    if (cells.length === 0) {
      emptyBefore++
      continue
    }
    empty += emptyBefore
    emptyBefore = 0
    width = Math.max(width, cells.length)
    rows.push(cells)
  }
  if (width > limits.columns) {
    return `It has ${thousands(width)} columns, more than the ${
      thousands(limits.columns)
    } that are read. Narrow it: \`source.range\`.`
  }
  const head: Array<Cells> = []
  for (let row = range.from.row; row <= Math.min(lastRow, at + headKept); row++) head.push(cellsOf(row))
  return {
    head: { top: range.from.row, rows: head },
    titles: Array.from({ length: width }, (_, column) => cellText(titles[column])),
    headerRow: at + 1,
    rows,
    empty,
  }
}
