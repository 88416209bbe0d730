// Tests files written by LibreOffice (.ci/libreoffice.sh). The same sheets are read in every format without any setting.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { DateCell, ErrorCell, PercentCell } from "../../src/domain/cell.ts"
import { config, read, run, texts } from "./opening.ts"

const folder = join(import.meta.dirname, "libreoffice")

const titles = ["Nummer", "Name", "Bemerkung", "Betrag", "Geboren", "Zeitpunkt"]
const rows = [
  ["007", "Jürgen Müller", 'über den Wolken; "nie" sagt er', "1234.5", "1961-02-28", "2024-01-05 10:30:00"],
  ["008", "Ulrike Weiß", 'zwei\nZeilen, und "mehr"', "-0.25", "2000-02-29", "2023-12-31 23:59:59"],
  ["0123456789012345678", "Äpfel & Öl <Groß>", "", "0", "1999-12-31", "2024-02-29 00:00:01"],
  ["A-1", "Émile Zölá", "  außen leer  ", "42", "2024-10-27", "2024-10-27 02:30:00"],
  ["A-2", "Björn Äberg", "100 % schön", "1000000", "", ""],
]

/** LibreOffice separates date and time by a space, as in the sheet. formferry's cells have a T instead. */
const asShown = (text: string) => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)$/, "$1 $2")

const files = readdirSync(folder).filter((name) => /^sheet\.(?!fods)/.test(name))

describe("a sheet that LibreOffice saved", () => {
  it("the sheet exists in three kinds of workbook and six encodings", () => {
    expect(files.sort()).toEqual([
      "sheet.iso-8859-15.csv",
      "sheet.macroman.csv",
      "sheet.ods",
      "sheet.utf-16le.csv",
      "sheet.utf-8.csv",
      "sheet.windows-1250.csv",
      "sheet.windows-1252.csv",
      "sheet.xls",
      "sheet.xlsx",
    ])
  })

  it.each(files)("the sheet has the same rows in %s", async (name) => {
    const all = await run(read(config(join(folder, name))))
    expect(all.source.columns.map((column) => column.title)).toEqual(titles)
    expect(texts(all.rows, titles.length).map((row) => row.map(asShown))).toEqual(rows)
    expect(all.faults.size).toBe(0)
    expect(all.source.warnings).toEqual([])
  })

  it.each(files.filter((name) => !name.endsWith(".csv")))("the sheet keeps its types in %s", async (name) => {
    const all = await run(read(config(join(folder, name))))
    expect(all.rows[0]).toEqual([
      "007",
      "Jürgen Müller",
      'über den Wolken; "nie" sagt er',
      1234.5,
      new DateCell("1961-02-28"),
      new DateCell("2024-01-05T10:30:00"),
    ])
  })

  it.each(["xlsx", "xls", "ods"])(
    "truth values, shares, amounts, times and formulas are read from values.%s",
    async (type) => {
      const all = await run(read(config(join(folder, `values.${type}`))))
      expect(all.rows).toEqual([
        [
          true,
          new PercentCell(12.5),
          1234.5,
          new DateCell("08:30:00"),
          "36:15:00",
          null,
          new ErrorCell("#DIV/0!"),
          true,
        ],
        [
          false,
          new PercentCell(-0.5),
          -0.01,
          new DateCell("23:59:00"),
          new DateCell("00:01:00"),
          null,
          new ErrorCell("#N/A"),
          0.5,
        ],
      ])
      expect(all.source.warnings).toEqual([])
    },
  )
})
