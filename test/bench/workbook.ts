import { writeFileSync } from "node:fs"
import { xlsx, zip } from "../source/workbooks.ts"
import { columns, rows } from "./data.ts"

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Converts a date to a workbook's count of days since the beginning of 1900. */
const serial = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day) / 86_400_000 + 25_569

const content = "http://schemas.openxmlformats.org"

/** Writes rows of data.ts as a workbook with shared texts, numbers and dates. */
export const writeWorkbook = (file: string, count: number, seed: number): void => {
  const shared = new Map<string, number>()
  const text = (cell: string) => {
    const at = shared.get(cell) ?? shared.size
    shared.set(cell, at)
    return ` t="s"><v>${at}</v></c>`
  }
  const number = (cell: string) => `><v>${Number(cell)}</v></c>`
  const day = (year: number, month: number, of: number) => ` s="1"><v>${serial(year, month, of)}</v></c>`
  const letters = columns.map((_, at) => String.fromCharCode(65 + at))
  const row = (at: number, cells: ReadonlyArray<string>) =>
    `<row r="${at}">${cells.map((cell, column) => `<c r="${letters[column]}${at}"${cell}`).join("")}</row>`
  const lines = [row(1, columns.map(text))]
  for (const cells of rows(count, seed)) {
    const written = cells.map((cell, column) => {
      const [first = 0, second = 0, third = 0] = cell.split(/[.-]/).map(Number)
      if (columns[column] === "Born") return day(third, second, first)
      if (columns[column] === "Joined") return day(first, second, third)
      return columns[column] === "Amount" || columns[column] === "Score" ? number(cell) : text(cell)
    })
    lines.push(row(lines.length + 1, written))
  }
  const entries = xlsx([{ name: "Rows", rows: lines.join("") }], { formats: ["yyyy\\-mm\\-dd"] })
  const types = entries["[Content_Types].xml"]?.replace(
    "</Types>",
    `<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>`,
  )
  const relations = entries["xl/_rels/workbook.xml.rels"]?.replace(
    "</Relationships>",
    `<Relationship Id="texts" Type="${content}/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  )
  const texts = Array.from(shared.keys(), (one) => `<si><t xml:space="preserve">${escaped(one)}</t></si>`)
  writeFileSync(
    file,
    zip({
      ...entries,
      "[Content_Types].xml": types ?? "",
      "xl/_rels/workbook.xml.rels": relations ?? "",
      "xl/sharedStrings.xml":
        `<?xml version="1.0" encoding="UTF-8"?><sst xmlns="${content}/spreadsheetml/2006/main" count="${
          count * 8
        }" uniqueCount="${shared.size}">${texts.join("")}</sst>`,
    }),
  )
}
