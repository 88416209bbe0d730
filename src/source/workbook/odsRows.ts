import { type Cell, DateCell, ErrorCell } from "../../domain/cell.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { clock, isoCell, noFormat, numberCell, type Shows, uncalculated } from "./cells.ts"
import { attributesOf, localName, type OdsBook } from "./odsBook.ts"
import { makeOdsText } from "./odsText.ts"
import type { RowReader } from "./readRows.ts"
import { type CellRange, columnName, mostColumns, type SheetNotes, type SheetRow } from "./Sheet.ts"
import { BadSheet, XmlAttributes, xmlScanner } from "./xml.ts"

/** A cell's attributes that matter, without their prefixes. */
interface OdsCell {
  style: string
  type: string
  /** The value, which is in a different attribute for each type. Undefined if the cell has none, or is a text. */
  value: string | undefined
  /** The text, if it differs from the paragraphs that the cell shows. */
  string: string | undefined
  isFormula: boolean
  isError: boolean
  columns: number
  spannedColumns: number
  spannedRows: number
}

const emptyCell = (): OdsCell => ({
  style: "",
  type: "",
  value: undefined,
  string: undefined,
  isFormula: false,
  isError: false,
  columns: 1,
  spannedColumns: 1,
  spannedRows: 1,
})

/** Returns a number of repetitions, at least 1. Throws `BadSheet`. */
const times = (text: string): number => {
  if (!/^\s*\d+\s*$/.test(text)) throw new BadSheet(`the number of repetitions "${text}"`)
  return Math.max(1, Number(text))
}

const cellOfTag = (attributes: XmlAttributes): OdsCell => {
  const cell = emptyCell()
  while (attributes.next()) {
    const { text } = attributes
    switch (localName(attributes.name)) {
      case "value-type":
        // LibreOffice has an attribute of its own with this name. Only its value "error" differs.
        if (text === "error") cell.isError = true
        else cell.type ||= text
        break
      case "style-name":
        cell.style = text
        break
      case "value":
      case "date-value":
      case "time-value":
      case "boolean-value":
        cell.value = text
        break
      case "string-value":
        cell.string = text
        break
      case "formula":
        cell.isFormula = true
        break
      case "number-columns-repeated":
        cell.columns = times(text)
        break
      case "number-columns-spanned":
        cell.spannedColumns = times(text)
        break
      case "number-rows-spanned":
        cell.spannedRows = times(text)
    }
  }
  return cell
}

const duration = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Returns a number of days since a workbook's first day as its format shows it. */
const datedCell = (days: number, shows: Shows, firstDay: string): Cell => {
  const seconds = Math.round(days * 86_400)
  if (shows.elapsed && seconds >= 86_400) return clock(seconds)
  const moment = new Date(Date.parse(firstDay) + seconds * 1000)
  const iso = Number.isNaN(moment.getTime()) ? "" : moment.toISOString().slice(0, 19)
  return isoCell(seconds >= 0 && days < 1 && shows.time && !shows.date ? iso.slice(11) : iso, shows, false)
}

/**
 * Returns the cell of a duration. If a time's format hides the days, a day and a time are also stored as a duration, counted from the workbook's first
 * day.
 */
const timeCell = (text: string, shows: Shows | undefined, firstDay: string): Cell => {
  const [found, minus, days = 0, hours = 0, minutes = 0, seconds = 0] = duration.exec(text) ?? []
  if (found === undefined || minus !== undefined) {
    return new ErrorCell(`${text}, ${found === undefined ? "not a duration" : "a negative time"}`)
  }
  const total = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return datedCell(total / 86_400, shows ?? { date: false, time: true, elapsed: true }, firstDay)
}

/** Returns a cell with its type. Throws `BadSheet` if its value is not of its type. */
const toCell = (
  { isError, isFormula, string, type, value }: OdsCell,
  shown: string,
  shows: Shows | undefined,
  firstDay: string,
): Cell => {
  // LibreOffice's own errors, such as Err:502, have no names in other programs.
  if (isError) return new ErrorCell(shown === "" ? "#ERROR!" : shown)
  switch (type) {
    case "float":
    case "percentage":
    case "currency": {
      const number = value === undefined || value.trim() === "" ? Number.NaN : Number(value)
      if (Number.isNaN(number)) throw new BadSheet(`a number that is ${JSON.stringify(value ?? "")}`)
      // Some programs store dates as numbers. Only their format shows that they are dates.
      return shows?.date === true || shows?.time === true
        ? datedCell(number, shows, firstDay)
        : numberCell(number, shows ?? noFormat, false)
    }
    case "date":
      return isoCell(value ?? "", shows ?? noFormat, false)
    case "time":
      return timeCell(value ?? "", shows, firstDay)
    case "boolean":
      if (value !== "true" && value !== "false") {
        throw new BadSheet(`a truth value that is ${JSON.stringify(value ?? "")}`)
      }
      return value === "true"
    case "":
    case "void":
    case "string": {
      const text = string ?? shown
      return text !== "" ? text : isFormula && type === "" ? uncalculated : null
    }
    default:
      throw new BadSheet(`a cell of an unknown type, ${JSON.stringify(type)}`)
  }
}

/** Elements around rows. */
const aroundRows: ReadonlySet<string> = new Set(["table-row-group", "table-rows", "table-header-rows"])
/** Elements around columns. */
const aroundColumns: ReadonlySet<string> = new Set(["table-column-group", "table-columns", "table-header-columns"])

/** The first day of dates, unless the workbook states a different one. */
const usualFirstDay = "1899-12-30"

/** A reader of a sheet's rows, which also collects its merged cells. */
export interface OdsReader extends RowReader {
  /** The sheet's merged cells so far. */
  readonly merges: ReadonlyArray<CellRange>
}

/**
 * Reads one sheet from the content of an OpenDocument workbook, which arrives in pieces. Cells that are covered by merged cells are read like all others.
 * Drawings and notes in cells are omitted. Throws `BadSheet`.
 *
 * @param wanted the index of the sheet
 * @param showsOf returns what the cells of a style show, or undefined if that is not a date or a time
 */
export const odsRowsReader = (wanted: number, showsOf: OdsBook["shows"]): OdsReader => {
  const attributes = new XmlAttributes()
  const notes: SheetNotes = { hiddenRows: 0, hiddenColumns: 0 }
  const merges: Array<CellRange> = []
  const text = makeOdsText()
  let rows: Array<SheetRow> = []
  let firstDay = usualFirstDay
  /** Where in the document the scanner is. A table in a cell, or anywhere else except in the list of sheets, is not a sheet. */
  let place: "outside" | "sheets" | "sheet" | "row" | "cell" = "outside"
  /** How many elements are open that are passed over. */
  let passed = 0
  let sheet = -1
  /** The usual styles of the columns' cells, each with the index of the first column to its right. */
  const columnStyles: Array<{ readonly style: string; readonly end: number }> = []
  let row = 0
  let rowTimes = 1
  let rowStyle = ""
  let isHidden = false
  let column = 0
  let cells: Array<Cell> = []
  let cell = emptyCell()

  const openInSheets = (name: string, xml: Buffer, from: number, to: number) => {
    if (name === "table" && ++sheet === wanted) place = "sheet"
    else if (name === "null-date") {
      firstDay = attributesOf(attributes, xml, from, to)("date-value").slice(0, 10) || usualFirstDay
    } else if (name !== "calculation-settings") passed = 1
  }

  const openInSheet = (name: string, xml: Buffer, from: number, to: number) => {
    if (aroundRows.has(name) || aroundColumns.has(name)) return
    if (name !== "table-row" && name !== "table-column") return void (passed = 1)
    const of = attributesOf(attributes, xml, from, to)
    const style = of("default-cell-style-name")
    const hidden = /^(?:collapse|filter)$/.test(of("visibility"))
    if (name === "table-row") {
      place = "row"
      rowTimes = times(of("number-rows-repeated") || "1")
      rowStyle = style
      isHidden = hidden
      column = 0
      cells = []
    } else {
      const repeated = times(of("number-columns-repeated") || "1")
      columnStyles.push({ style, end: (columnStyles.at(-1)?.end ?? 0) + repeated })
      if (hidden) notes.hiddenColumns += repeated
    }
  }

  /** Returns the style of the cell: its own, or the usual one of its row or column. */
  const styleOf = () => cell.style || rowStyle || columnStyles.find(({ end }) => column < end)?.style || ""

  const openInRow = (name: string, xml: Buffer, from: number, to: number) => {
    if (name !== "table-cell" && name !== "covered-table-cell") return void (passed = 1)
    place = "cell"
    attributes.over(xml, from, to)
    cell = cellOfTag(attributes)
    text.start()
  }

  const closeCell = () => {
    place = "row"
    const { columns, spannedColumns, spannedRows } = cell
    const value = toCell(cell, text.shown(), showsOf(styleOf()), firstDay)
    if (value !== null) {
      const last = column + columns - 1
      if (last >= mostColumns) {
        throw new BadSheet(
          `a cell in column ${columnName(last)} of row ${row + 1}, beyond the last column ${
            columnName(mostColumns - 1)
          }`,
        )
      }
      while (cells.length < column) cells.push(null)
      for (let left = columns; left > 0; left--) cells.push(value)
    }
    if (spannedColumns * spannedRows > 1) {
      merges.push({ from: { row, column }, to: { row: row + spannedRows - 1, column: column + spannedColumns - 1 } })
    }
    column += columns
  }

  const closeRow = () => {
    place = "sheet"
    if (cells.length > 0) {
      if (row + rowTimes > limits.sheetRows) {
        throw new BadSheet(
          `row ${count(row + rowTimes)}, and rows are numbered from 1 to ${count(limits.sheetRows)}`,
        )
      }
      if (isHidden) notes.hiddenRows += rowTimes
      for (let at = row; at < row + rowTimes; at++) rows.push({ row: at, cells })
    }
    row += rowTimes
  }

  const scanner = xmlScanner({
    open: (name, xml, from, to) => {
      if (passed > 0) passed++
      else if (place === "cell") text.open(name, () => times(attributesOf(attributes, xml, from, to)("c") || "1"))
      else if (place === "row") openInRow(name, xml, from, to)
      else if (place === "sheet") openInSheet(name, xml, from, to)
      else if (place === "sheets") openInSheets(name, xml, from, to)
      else if (name === "spreadsheet") place = "sheets"
    },
    text: (xml, from, to, _, raw) => {
      if (place === "cell" && passed === 0) text.add(xml, from, to, raw)
    },
    close: (name) => {
      if (passed > 0) passed--
      else if (place === "cell") {
        if (!text.close()) closeCell()
      } else if (place === "row") closeRow()
      else if (place === "sheet" && name === "table") place = "sheets"
      else if (place === "sheets" && name === "spreadsheet") place = "outside"
    },
  })

  return {
    write: (piece) => {
      scanner.write(piece)
      const given = rows
      rows = []
      return given
    },
    end: scanner.end,
    notes,
    merges,
  }
}
