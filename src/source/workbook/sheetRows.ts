import type { Cell } from "../../domain/cell.ts"
import { columnName } from "../../domain/words.ts"
import { type FoundInSheet, requireColumn, requireRow, type RowReader } from "./readRows.ts"
import { parseRange } from "./Sheet.ts"
import { type CellContext, makeCellReader } from "./xlsxCell.ts"
import { BadSheet, isTrue, type XmlAttributes, xmlScanner } from "./xml.ts"

/** Reads a sheet's XML, which arrives in pieces, and finds the same cells as xlsx. Throws `BadSheet`. */
export const sheetRowsReader = (context: CellContext, found: FoundInSheet): RowReader => {
  const { notes } = found
  const reader = makeCellReader(context)
  let cells: Array<Cell | undefined> = []
  let ended = false
  let inData = false
  let inRow = false
  let inCell = false
  let row = -1
  let last = -1

  const openRow = (attributes: XmlAttributes) => {
    if (inRow) throw new BadSheet("a row within another")
    inRow = true
    cells = []
    row++
    reader.startRow()
    while (attributes.next()) {
      const { name } = attributes
      if (name === "r") row = attributes.number - 1
      else if (name === "hidden" && isTrue(attributes.text)) notes.hiddenRows++
    }
  }

  const closeRow = () => {
    inRow = false
    requireRow(row)
    if (!(row > last)) throw new BadSheet("rows that are not in order")
    found.rows.push({ row, cells })
    last = row
  }

  const openCell = (attributes: XmlAttributes) => {
    if (inCell) throw new BadSheet("a cell within another")
    if (!inRow) throw new BadSheet("a cell outside of a row")
    inCell = true
    reader.start(attributes)
  }

  const closeCell = () => {
    inCell = false
    const column = reader.column()
    requireColumn(column, row)
    const cell = reader.cell()
    if (cell === undefined || cell === null || cell === "") return
    if (cells[column] !== undefined) throw new BadSheet(`two cells with the reference ${columnName(column)}${row + 1}`)
    cells[column] = cell
  }

  const scanner = xmlScanner({
    open: (name, attributes) => {
      // Otherwise the rows or cells of each variant, or none of them, would be read.
      if (inData && name === "AlternateContent") throw new BadSheet("rows in several variants")
      if (inCell && name !== "c") return reader.open(name)
      if (inData) {
        if (name === "c") openCell(attributes)
        else if (name === "row") openRow(attributes)
      } else if (name === "sheetData") inData = true
      else if (name === "col") {
        const of = attributes.byName()
        if (isTrue(of("hidden"))) notes.hiddenColumns.push([Number(of("min")) - 1, Number(of("max")) - 1])
      } else if (name === "mergeCell") {
        const merge = parseRange(attributes.byName()("ref"))
        if (merge !== undefined) notes.addMerge(merge)
      }
    },
    text: (xml, from, to, whole, raw) => {
      if (inCell) reader.text(xml, from, to, whole, raw)
    },
    close: (name) => {
      if (inCell) {
        if (!reader.close(name)) closeCell()
      } else if (name === "row" && inRow) closeRow()
      else if (name === "sheetData") inData = false
      else if (name === "worksheet") ended = true
    },
  })

  return {
    write: scanner.write,
    end: () => {
      if (!ended) throw new BadSheet("no end")
      scanner.end()
    },
  }
}
