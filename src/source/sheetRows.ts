import { Parser } from "htmlparser2"
import type { CellObject } from "xlsx"
import type { Cell } from "../domain/cell.ts"
import type { CellRange } from "./cellRange.ts"
import { toCell } from "./excelCell.ts"
import { BadSheet, localName, plainText } from "./sharedStrings.ts"
import type { SharedStrings } from "./sharedStrings.ts"

/** A row of a sheet: its number from 0, and its cells by column, with holes. */
export interface SheetRow {
  readonly row: number
  readonly cells: ReadonlyArray<Cell | undefined>
}

/** What a cell's XML means in its workbook. */
export interface CellContext {
  readonly strings: SharedStrings
  /** Number format by style. */
  readonly formats: ReadonlyArray<string>
  readonly date1904: boolean
}

/** What stands beside a sheet's rows. */
export interface SheetNotes {
  hiddenRows: number
  hiddenColumns: number
  /** Rows or columns are hidden somewhere in the workbook; which and how many is not told. */
  hiddenSomewhere: boolean
}

/** The column of a reference such as BC12, from 0; -1 when it is none. */
const columnOf = (reference: string): number => {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & 0xdf
    if (code < 65 || code > 90) break
    column = column * 26 + code - 64
  }
  return column - 1
}

/** Merged cells such as A1:C2. */
export const mergeOf = (reference: string): CellRange | undefined => {
  const match = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/i.exec(reference)
  return match === null ? undefined : {
    from: { row: Number(match[2]) - 1, column: columnOf(match[1]!) },
    to: { row: Number(match[4]) - 1, column: columnOf(match[3]!) },
  }
}

const isTrue = (value: string) => value === "1" || value === "true"

const mostColumns = 16_384

/** Days since Excel's first, of a cell that holds its date as ISO 8601. */
const serialOf = (iso: string): number =>
  Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) || !iso.includes("T") ? iso : `${iso}Z`) / 86_400_000 + 25_569

/** The formula without a stored value, which a reader that does not calculate can't know. */
const uncalculated: CellObject = { t: "e", v: "formula without a stored value" }

/** Reads a sheet's XML, which comes in pieces: the same cells as xlsx makes of it. Throws `BadSheet`. */
export const sheetRowsReader = ({ date1904, formats, strings }: CellContext) => {
  let rows: Array<SheetRow> = []
  const notes: SheetNotes = { hiddenRows: 0, hiddenColumns: 0, hiddenSomewhere: false }
  const merges: Array<CellRange> = []
  let cells: Array<Cell | undefined> = []
  let ended = false
  let inCell = false
  let row = -1
  let last = -1
  let column = -1
  let type = ""
  let style = 0
  let value: string | undefined
  let formula = false
  let text = ""
  let capture = false
  let inline = false
  let hints = 0
  let tag = ""
  let hiddenColumn = false
  let columnFrom = 0
  let columnTo = 0

  const objectOf = (): CellObject | undefined => {
    switch (type) {
      case "s": {
        if (value === undefined) return undefined
        const shared = strings.at(Number(value))
        if (shared === undefined) throw new BadSheet("a text that is not there")
        return { t: "s", v: shared }
      }
      case "str":
        return { t: "s", v: plainText(value ?? "") }
      case "inlineStr":
        return { t: "s", v: plainText(value ?? "") }
      case "b":
        return value === undefined ? undefined : { t: "b", v: isTrue(value) }
      case "e":
        return value === undefined ? undefined : { t: "e", v: value }
      case "d":
        return value === undefined ? undefined : { t: "n", v: serialOf(value), z: formats[style] ?? "General" }
      default:
        return value === undefined || value === ""
          ? formula ? uncalculated : undefined
          : { t: "n", v: Number(value), z: formats[style] ?? "General" }
    }
  }

  const closeCell = () => {
    if (column >= mostColumns) throw new BadSheet("more columns than a sheet has")
    const object = objectOf()
    if (object === undefined) return
    const cell = toCell(object, date1904)
    if (cell !== null) cells[column] = cell
  }

  const parser = new Parser({
    onopentagname: (name) => {
      tag = localName(name)
      if (tag === "c") {
        if (inCell) throw new BadSheet("a cell within another")
        inCell = true
        column++
        type = ""
        style = 0
        value = undefined
        formula = false
      } else if (tag === "v") {
        capture = true
        text = ""
      } else if (tag === "row") {
        cells = []
        row++
        column = -1
      } else if (tag === "f") formula = true
      else if (tag === "is") {
        inline = true
        value = ""
      } else if (tag === "rPh") hints++
      else if (tag === "t" && inline && hints === 0) {
        capture = true
        text = ""
      } else if (tag === "col") {
        hiddenColumn = false
        columnFrom = columnTo = 0
      }
    },
    onattribute: (name, content) => {
      if (tag === "c") {
        if (name === "r") column = columnOf(content)
        else if (name === "t") type = content
        else if (name === "s") style = Number(content)
      } else if (tag === "row") {
        if (name === "r") row = Number(content) - 1
        else if (name === "hidden" && isTrue(content)) notes.hiddenRows++
      } else if (tag === "col") {
        if (name === "min") columnFrom = Number(content)
        else if (name === "max") columnTo = Number(content)
        else if (name === "hidden") hiddenColumn = isTrue(content)
      } else if (tag === "mergeCell" && name === "ref") {
        const merge = mergeOf(content)
        if (merge !== undefined) merges.push(merge)
      }
    },
    ontext: (piece) => {
      if (capture) text += piece
    },
    onclosetag: (name) => {
      const local = localName(name)
      if (local === "worksheet") ended = true
      if (local === "v") {
        capture = false
        value = text
      } else if (local === "c") {
        inCell = false
        closeCell()
      } else if (local === "row") {
        if (row <= last) throw new BadSheet("rows that are not in order")
        rows.push({ row, cells })
        last = row
      } else if (local === "t" && inline && hints === 0) {
        capture = false
        value += text
      } else if (local === "is") inline = false
      else if (local === "rPh") hints--
      else if (local === "col" && hiddenColumn) {
        notes.hiddenColumns += Math.max(0, Math.min(columnTo, mostColumns) - columnFrom + 1)
      }
    },
  }, { xmlMode: true })

  return {
    write: (piece: string): ReadonlyArray<SheetRow> => {
      parser.write(piece)
      const given = rows
      rows = []
      return given
    },
    /** Throws when the sheet does not end where its XML does. */
    end: () => {
      if (!ended) throw new BadSheet("no end")
      parser.end()
    },
    notes,
    merges,
  }
}
