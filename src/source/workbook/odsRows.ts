import type { Cell } from "../../domain/cell.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import type { OdsBook } from "./odsBook.ts"
import { cellOfTag, emptyCell, times, toCell } from "./odsCell.ts"
import { makeOdsText } from "./odsText.ts"
import { type FoundInSheet, requireColumn, requireRow, type RowReader } from "./readRows.ts"
import { BadSheet, type XmlAttributes, xmlScanner } from "./xml.ts"

/** Elements around rows. */
const aroundRows: ReadonlySet<string> = new Set(["table-row-group", "table-rows", "table-header-rows"])
/** Elements around columns. */
const aroundColumns: ReadonlySet<string> = new Set(["table-column-group", "table-columns", "table-header-columns"])

/** The first day of dates, unless the workbook states a different one. */
const usualFirstDay = "1899-12-30"

/**
 * Reads one sheet from the content of an OpenDocument workbook, which arrives in pieces. Cells that are covered by merged cells are read like all others.
 * Drawings and notes in cells are omitted. Throws `BadSheet`.
 *
 * @param wanted the index of the sheet
 * @param showsOf returns what the cells of a style show, or undefined if that is not a date or a time
 */
export const odsRowsReader = (wanted: number, showsOf: OdsBook["shows"], found: FoundInSheet): RowReader => {
  const { notes } = found
  const text = makeOdsText()
  let firstDay = usualFirstDay
  /** Where in the document the scanner is. A table in a cell, or anywhere else except in the list of sheets, is not a sheet. */
  let at: "outside" | "sheets" | "sheet" | "row" | "cell" = "outside"
  /** How many elements are open that are passed over. */
  let passed = 0
  let sheet = -1
  /** The usual style of each column's cells. */
  const columnStyles: Array<string> = []
  let row = 0
  let rowTimes = 1
  let rowStyle = ""
  let isHidden = false
  let column = 0
  let cells: Array<Cell> = []
  let cell = emptyCell()

  const openInSheets = (name: string, attributes: XmlAttributes) => {
    if (name === "table" && ++sheet === wanted) at = "sheet"
    else if (name === "null-date") {
      firstDay = attributes.byName()("date-value").slice(0, 10) || usualFirstDay
    } else if (name !== "calculation-settings") passed = 1
  }

  const openInSheet = (name: string, attributes: XmlAttributes) => {
    if (aroundRows.has(name) || aroundColumns.has(name)) return
    if (name !== "table-row" && name !== "table-column") return void (passed = 1)
    const of = attributes.byName()
    const style = of("default-cell-style-name")
    const hidden = /^(?:collapse|filter)$/.test(of("visibility"))
    if (name === "table-row") {
      at = "row"
      rowTimes = times(of("number-rows-repeated") || "1")
      rowStyle = style
      isHidden = hidden
      column = 0
      cells = []
    } else {
      const repeated = times(of("number-columns-repeated") || "1")
      const first = columnStyles.length
      for (let left = Math.min(repeated, limits.columns - columnStyles.length); left > 0; left--) {
        columnStyles.push(style)
      }
      if (hidden) notes.hiddenColumns.push([first, first + repeated - 1])
    }
  }

  /** Returns the style of the cell: its own, or the usual one of its row or column. */
  const styleOf = () => cell.style || rowStyle || columnStyles[column] || ""

  const openInRow = (name: string, attributes: XmlAttributes) => {
    if (name !== "table-cell" && name !== "covered-table-cell") return void (passed = 1)
    at = "cell"
    cell = cellOfTag(attributes)
    text.start()
  }

  const closeCell = () => {
    at = "row"
    const { columns, spannedColumns, spannedRows } = cell
    const value = toCell(cell, text.shown(), showsOf(styleOf()), firstDay)
    if (value !== null) {
      requireColumn(column + columns - 1, row)
      while (cells.length < column) cells.push(null)
      for (let left = columns; left > 0; left--) cells.push(value)
    }
    if (spannedColumns * spannedRows > 1) {
      const to = { row: row + spannedRows - 1, column: column + spannedColumns - 1 }
      notes.addMerge({ from: { row, column }, to })
    }
    column += columns
  }

  const closeRow = () => {
    at = "sheet"
    if (cells.length > 0) {
      requireRow(row + rowTimes - 1)
      if (rowTimes > 1 && rowTimes * cells.length > limits.repeatedCells) {
        throw new BadSheet(
          `${count(cells.length)} cells in row ${row + 1} that are repeated ${
            count(rowTimes)
          } times, more than any ordinary sheet`,
        )
      }
      if (isHidden) notes.hiddenRows += rowTimes
      for (let next = row; next < row + rowTimes; next++) found.rows.push({ row: next, cells })
    }
    row += rowTimes
  }

  return xmlScanner({
    open: (name, attributes) => {
      if (passed > 0) passed++
      else if (at === "cell") text.open(name, () => times(attributes.byName()("c") || "1"))
      else if (at === "row") openInRow(name, attributes)
      else if (at === "sheet") openInSheet(name, attributes)
      else if (at === "sheets") openInSheets(name, attributes)
      else if (name === "spreadsheet") at = "sheets"
    },
    text: (xml, from, to, _, raw) => {
      if (at === "cell" && passed === 0) text.add(xml, from, to, raw)
    },
    close: (name) => {
      if (passed > 0) passed--
      else if (at === "cell") {
        if (!text.close()) closeCell()
      } else if (at === "row") closeRow()
      else if (at === "sheet" && name === "table") at = "sheets"
      else if (at === "sheets" && name === "spreadsheet") at = "outside"
    },
  })
}
