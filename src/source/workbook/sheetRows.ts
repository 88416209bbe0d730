import { type Cell, ErrorCell } from "../../domain/cell.ts"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { isoCell, numberCell, showsOf, uncalculated } from "./cells.ts"
import { columnName, mostColumns, type SheetNotes, type SheetRow } from "./Sheet.ts"
import { BadSheet, XmlAttributes, xmlNumber, xmlScanner, xmlText } from "./xml.ts"

/** The parts of a workbook to which the XML of cells refers. */
export interface CellContext {
  /** The shared strings, which cells refer to by number. */
  readonly strings: ReadonlyArray<string>
  /** Number formats, by style. */
  readonly formats: ReadonlyArray<string>
  readonly date1904: boolean
}

/** Returns the text of a cell. Decodes characters that XML can't contain, which are written as _x000D_. */
const plainText = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Reads a workbook's shared strings from XML that arrives in pieces. Throws `BadSheet`. */
export const sharedTextsReader = () => {
  const texts: Array<string> = []
  let text = ""
  let inText = false
  let ended = false
  /** The nesting depth inside phonetic hints, which are not part of a string. */
  let hints = 0
  const scanner = xmlScanner({
    open: (name) => {
      if (name === "rPh") hints++
      else if (name === "t") inText = hints === 0
    },
    text: (xml, from, to, _, raw) => {
      if (inText) text += xmlText(xml, from, to, raw)
    },
    close: (name) => {
      if (name === "t") inText = false
      else if (name === "si") {
        texts.push(plainText(text))
        text = ""
      } else if (name === "rPh") hints--
      else if (name === "sst") ended = true
    },
  })
  return {
    write: scanner.write,
    /** Returns the shared strings. Throws if the XML ends before they do. */
    end: (): ReadonlyArray<string> => {
      if (!ended) throw new BadSheet("texts that are cut short")
      scanner.end()
      return texts
    },
  }
}

const isTrue = (value: string) => value === "1" || value === "true"

/** Returns the column of a reference such as BC12. Columns are numbered from 0. */
const columnOf = (xml: Buffer, from: number, to: number): number => {
  let column = 0
  for (let at = from; at < to; at++) {
    const code = xml[at]! & 0xdf
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  if (column === 0) throw new BadSheet("a cell in no column")
  return column - 1
}

/** Types of cells whose values are neither numbers nor the numbers of shared strings. */
const heldAsText: ReadonlySet<string> = new Set(["str", "inlineStr", "b", "e", "d"])

/** Reads a sheet's XML, which arrives in pieces, and returns the same cells as xlsx. Throws `BadSheet`. */
export const sheetRowsReader = ({ date1904, formats, strings }: CellContext) => {
  const general = showsOf("General")
  const shows = formats.map(showsOf)
  const attributes = new XmlAttributes()
  let rows: Array<SheetRow> = []
  const notes: SheetNotes = { hiddenRows: 0, hiddenColumns: 0 }
  let cells: Array<Cell | undefined> = []
  let ended = false
  let inData = false
  let inRow = false
  let inCell = false
  let row = -1
  let last = -1
  let column = -1
  let type = ""
  let style = 0
  /**
   * The cell's value: a number if it was read from the bytes, otherwise a string. Both are undefined if the cell has no
   * value.
   */
  let number: number | undefined
  let value: string | undefined
  let formula = false
  let text = ""
  let capture = false
  let inline = false
  let hints = 0

  const openRow = (xml: Buffer, from: number, to: number) => {
    if (inRow) throw new BadSheet("a row within another")
    inRow = true
    cells = []
    row++
    column = -1
    attributes.over(xml, from, to)
    while (attributes.next()) {
      const { name } = attributes
      if (name === "r") row = attributes.number - 1
      else if (name === "hidden" && isTrue(attributes.text)) notes.hiddenRows++
    }
  }

  const closeRow = () => {
    inRow = false
    if (row < 0 || row >= limits.sheetRows) {
      throw new BadSheet(`row ${count(row + 1)}, and rows are numbered from 1 to ${count(limits.sheetRows)}`)
    }
    if (!(row > last)) throw new BadSheet("rows that are not in order")
    rows.push({ row, cells })
    last = row
  }

  const openCell = (xml: Buffer, from: number, to: number) => {
    if (inCell) throw new BadSheet("a cell within another")
    if (!inRow) throw new BadSheet("a cell outside of a row")
    inCell = true
    column++
    type = ""
    style = 0
    number = undefined
    value = undefined
    formula = false
    attributes.over(xml, from, to)
    while (attributes.next()) {
      const { name } = attributes
      if (name === "r") column = columnOf(xml, attributes.from, attributes.end)
      else if (name === "s") style = attributes.number
      else if (name === "t") type = attributes.text
    }
  }

  const numberHeld = () => number ?? (value === undefined || value === "" ? undefined : Number(value))

  const sharedText = (): string | undefined => {
    // Some programs write empty strings in this way.
    if (number === undefined && (value === undefined || value === "")) return undefined
    const shared = strings[numberHeld() ?? Number.NaN]
    if (shared === undefined) throw new BadSheet("a reference to a text that does not exist")
    return shared
  }

  const numberOf = (held: number) => numberCell(held, shows[style] ?? general, date1904)

  const cellOf = (): Cell | undefined => {
    // A text that a formula has made may be empty, but then it is stored as an empty value.
    if (formula && number === undefined && (value === undefined || (value === "" && type !== "str"))) {
      return uncalculated
    }
    switch (type) {
      case "s":
        return sharedText()
      case "str":
      case "inlineStr":
        return value === undefined ? undefined : plainText(value)
      case "b":
        return value === undefined ? undefined : isTrue(value)
      case "e":
        return value === undefined ? undefined : new ErrorCell(value)
      case "d":
        return value === undefined ? undefined : isoCell(value, shows[style] ?? general, date1904)
      default: {
        const held = numberHeld()
        return held === undefined ? undefined : numberOf(held)
      }
    }
  }

  const closeCell = () => {
    inCell = false
    if (column >= mostColumns) {
      throw new BadSheet(
        `a cell in column ${columnName(column)} of row ${row + 1}, beyond the last column ${
          columnName(mostColumns - 1)
        }`,
      )
    }
    const cell = cellOf()
    if (cell === undefined || cell === null || cell === "") return
    if (cells[column] !== undefined) {
      throw new BadSheet(`two cells with the reference ${columnName(column)}${row + 1}`)
    }
    cells[column] = cell
  }

  /** Counts hidden columns. */
  const openColumn = (xml: Buffer, from: number, to: number) => {
    let hidden = false
    let first = 0
    let end = 0
    attributes.over(xml, from, to)
    while (attributes.next()) {
      const { name } = attributes
      if (name === "min") first = attributes.number
      else if (name === "max") end = attributes.number
      else if (name === "hidden") hidden = isTrue(attributes.text)
    }
    if (hidden) notes.hiddenColumns += Math.max(0, Math.min(end, mostColumns) - first + 1)
  }

  const scanner = xmlScanner({
    open: (name, xml, from, to) => {
      if (inCell) {
        if (name === "v") {
          capture = true
          text = ""
          number = undefined
        } else if (name === "f") formula = true
        else if (name === "is") {
          inline = true
          value = ""
        } else if (name === "rPh") hints++
        else if (name === "t" && inline && hints === 0) {
          capture = true
          text = ""
        } else if (name === "c") openCell(xml, from, to)
      } else if (inData) {
        if (name === "c") openCell(xml, from, to)
        else if (name === "row") openRow(xml, from, to)
      } else if (name === "sheetData") inData = true
      else if (name === "col") openColumn(xml, from, to)
    },
    text: (xml, from, to, whole, raw) => {
      if (!capture) return
      // The bytes of a value's text, if the text arrives in one piece. Most numbers never become a string.
      if (whole && !inline && !heldAsText.has(type)) number = xmlNumber(xml, from, to)
      else text += xmlText(xml, from, to, raw)
    },
    close: (name) => {
      if (inCell) {
        if (name === "c") closeCell()
        else if (name === "v") {
          capture = false
          if (number === undefined) value = text
        } else if (name === "t" && inline && hints === 0) {
          capture = false
          value += text
        } else if (name === "is") inline = false
        else if (name === "rPh") hints--
      } else if (name === "row" && inRow) closeRow()
      else if (name === "sheetData") inData = false
      else if (name === "worksheet") ended = true
    },
  })

  return {
    write: (piece: Uint8Array): ReadonlyArray<SheetRow> => {
      scanner.write(piece)
      const given = rows
      rows = []
      return given
    },
    /** Throws if the sheet does not end at the end of its XML. */
    end: () => {
      if (!ended) throw new BadSheet("no end")
      scanner.end()
    },
    notes,
  }
}
