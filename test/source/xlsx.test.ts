// formferry's own reader reads .xlsx, and the xlsx package reads other formats. Both must return the same cells for the
// same file.
import { FileSystem } from "@effect/platform"
import { Effect, Either, Stream } from "effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import * as XLSX from "xlsx"
import { DateCell, ErrorCell } from "../../src/domain/cell.ts"
import { findBytes } from "../../src/source/bytes.ts"
import { type ExcelSettings, openExcel, openSheet } from "../../src/source/workbook/excel.ts"
import { openWithLibrary } from "../../src/source/workbook/library.ts"
import type { OpenSheet } from "../../src/source/workbook/Sheet.ts"
import { seeds } from "../long.ts"
import { file, open, readAll, run } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

const nothingSaid: ExcelSettings = { sheet: undefined, range: undefined, headerRow: undefined }

/** Reads a workbook, or returns the message of a refusal. */
const readAs = (path: string, said: Partial<ExcelSettings> = {}, blockSize = 4096) =>
  run(
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const source = yield* openExcel(yield* findBytes(fs, path, blockSize), { ...nothingSaid, ...said })
      const { columns, warnings } = source
      return { columns, warnings, ...yield* readAll(source) }
    }).pipe(Effect.catchAll((error) => Effect.succeed(error.message))),
  )

/** Returns the filled cells of a sheet. Each row has its number, then columns and cells in turn. */
const cellsOf = (opened: OpenSheet) =>
  Effect.map(Stream.runCollect(opened.rows), (lots) =>
    [...lots].flat().flatMap(({ cells, row }) => {
      const held = [...cells].flatMap((cell, column) => cell === undefined || cell === null ? [] : [column, cell])
      return held.length === 0 ? [] : [[row, ...held]]
    }))

const uncalculated = new ErrorCell("formula without a stored value")

/**
 * Checks that formferry's reader and xlsx read the same cells from a sheet. xlsx does not show a formula without a
 * value.
 */
const expectSame = (path: string, asked?: string | number) =>
  run(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { opened } = yield* openSheet(yield* findBytes(fs, path, 4096), asked, 0)
    const library = yield* openWithLibrary(path, readFileSync(path), true, asked, Effect.void)
    const { date1904, hidden, name, names } = library
    expect(opened).toMatchObject({ date1904, hidden, name, names, merges: expect.anything() })
    const cells = yield* cellsOf(opened)
    const known = cells.map((row) =>
      row.filter((one, at) => !isDeepStrictEqual(row[at + 1], uncalculated) && !isDeepStrictEqual(one, uncalculated))
    )
    expect(known).toEqual(yield* cellsOf(library))
    return cells
  }))

const samples = resolve(import.meta.dirname, "../../samples")

describe("formferry's .xlsx reader", () => {
  it.each([
    join(samples, "google-forms/rstudio-2019-spanish-r-community-survey.xlsx"),
    join(samples, "registrations.xlsx"),
    join(import.meta.dirname, "libreoffice/sheet.xlsx"),
  ])("the reader returns the same cells as the xlsx package for the sample %s", async (path) => {
    expect((await expectSame(path)).length).toBeGreaterThan(1)
  })

  const scalar = fc.oneof(
    fc.string(),
    fc.fullUnicodeString({ maxLength: 8 }).map((one) => one.replaceAll(/[\ud800-\udfff]/g, "")),
    fc.constantFrom("007", " x ", "a\nb", "<&>\"'", "_x000D_", "", "#N/A", "ä€"),
    fc.integer(),
    // xlsx rounds long numbers without an exponent, which our own reader keeps as text.
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => Math.abs(one) < 1e15 || Math.abs(one) >= 1e21),
    fc.boolean(),
    fc.constant(null),
  )
  const formats = ["General", "0.00", "yyyy-mm-dd", "h:mm", "d/m/yy h:mm:ss", "[h]:mm", "@", "0%", "mmm yy"]
  const cell = fc.oneof(
    scalar.map((value) => ({ value, format: "General" })),
    fc.record({ value: fc.double({ min: 0, max: 60_000, noNaN: true }), format: fc.constantFrom(...formats) }),
  )

  it("the reader returns the same cells as the xlsx package for any cells", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        async (rows, shared, date1904) => {
          const sheet = XLSX.utils.aoa_to_sheet([
            ["a", "b", "c"],
            ...rows.map((cells) => cells.map(({ value }) => value)),
          ])
          rows.forEach((cells, at) =>
            cells.forEach(({ format, value }, column) => {
              const one = sheet[XLSX.utils.encode_cell({ r: at + 1, c: column })] as XLSX.CellObject | undefined
              if (one !== undefined && typeof value === "number") one.z = format
            })
          )
          const book = XLSX.utils.book_new()
          XLSX.utils.book_append_sheet(book, sheet, "Rows")
          book.Workbook = { WBProps: { date1904 } }
          const content = XLSX.write(book, {
            type: "array",
            bookType: "xlsx",
            bookSST: shared,
            compression: true,
          }) as ArrayBuffer
          await expectSame(file(new Uint8Array(content), "xlsx"))
        },
      ),
      { seed: 3, numRuns: seeds(20, 60) },
    ), 60_000)

  const odd = zip(xlsx([
    { name: "Hidden", rows: row(1, text("h")), state: "hidden" },
    {
      name: "Rows",
      rows: row(1, text("Report"))
        + row(3, text("id"), text("group"), "", text("last"))
        + row(4, text("1"), "><f>1+1</f>", 't="str"><f>A1</f><v></v>', 't="e"><v>#DIV/0!</v>')
        + `<row r="5" hidden="1"><c t="b"><v>1</v></c><c t="inlineStr"><is><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></is></c></row>`
        + row(7, "><v>1E3</v>", "><v> 5 </v>", "><v>0.30000000000000004</v>", 's="1"><v>45000.5</v>')
        + row(9, text("a&#13;b&amp;&lt;c&gt;_x0041_")),
    },
  ], { formats: ["yyyy-mm-dd hh:mm"] }))

  it.each([undefined, "rows", 1])(
    "the reader returns the same cells as the xlsx package for each sheet: %s",
    async (asked) => {
      expect((await expectSame(file(odd, "xlsx"), asked)).length).toBeGreaterThan(0)
    },
  )

  it.each(["<v></v>", "<v/>", ""])(
    "the reader returns an empty cell for a reference without a shared text (%s)",
    async (value) => {
      const title = (at: string) => `<c r="${at}" t="inlineStr"><is><t>${at}</t></is></c>`
      const rows = `<row r="1">${title("A1")}${
        title("B1")
      }</row><row r="2"><c r="A2" t="s">${value}</c><c r="B2"><v>1</v></c></row>`
      expect((await expectSame(file(zip(xlsx([{ name: "R", rows }])), "xlsx")))[1]).toEqual([1, 1, 1])
    },
  )

  it("the reader returns the cells of unusual XML", async () => {
    const all = await readAs(file(odd, "xlsx"), { headerRow: 3 })
    expect(typeof all !== "string" && all.rows).toEqual([
      ["1", new ErrorCell("formula without a stored value"), null, new ErrorCell("#DIV/0!")],
      [true, "rich text"],
      [1000, 5, 0.3, expect.objectContaining({ iso: "2023-03-15T12:00:00" })],
      ["a\rb&<c>A"],
    ])
  })

  it("the reader keeps digits that Excel would round, and zeros that the format shows in front", async () => {
    const styled = (style: number, value: string) => `s="${style}"><v>${value}</v>`
    const rows = row(1, text("a"), text("b"), text("c"), text("d"))
      + row(2, "><v>123456789012345678</v>", "><v>-123456789012345678</v>", "><v>9007199254740991</v>", "><v>1E+21</v>")
      + row(
        3,
        "><v>123456789012345000</v>",
        "><v>123456789012345680</v>",
        "><v>0.30000000000000004</v>",
        styled(1, "7"),
      )
      + row(4, styled(1, "12345"), styled(1, "7.5"), styled(1, "-7"), styled(2, "7"))
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }], { formats: ["00000", '"No. "000'] })), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([
      ["123456789012345678", "-123456789012345678", 9_007_199_254_740_991, 1e21],
      [123_456_789_012_345_000, "123456789012345680", 0.3, "00007"],
      [12_345, 7.5, -7, "007"],
    ])
  })

  it("the reader keeps digits that Excel would round, however the XML is written", async () => {
    const id = "123456789012345678"
    const rows = row(1, text("a"), text("b"), text("c"), text("d"))
      + row(
        2,
        `><v> ${id} </v>`,
        `><v><![CDATA[${id}]]></v>`,
        `><v>123<!-- -->456789012345678</v>`,
        `><v>&#49;${id.slice(1)}</v>`,
      )
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }])), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[id, id, id, id]])
  })

  it.each([
    [57, 45_000, "2023-03-15"],
    [32, 0.5, "12:00:00"],
    [55, 45_000, "2023-03-15T00:00:00"],
    [71, 45_000, "2023-03-15"],
    [75, 0.5, "12:00:00"],
    [77, 45_000.5, "2023-03-15T12:00:00"],
    [81, 45_000, "2023-03-15"],
  ])("the reader recognises dates by a built-in format of Asian languages: %i", async (id, value, iso) => {
    const entries = xlsx([{ name: "R", rows: row(1, text("a"), text("b")) + row(2, `s="1"><v>${value}</v>`) }])
    entries["xl/styles.xml"] = entries["xl/styles.xml"]!.replace("</cellXfs>", `<xf numFmtId="${id}"/></cellXfs>`)
    const all = await readAs(file(zip(entries), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[new DateCell(iso)]])
  })

  it("the reader reads truth values in capitals, and reports others", async () => {
    const values = ["TRUE", "FALSE", "true", "0", "yes"].map((value) => `t="b"><v>${value}</v>`)
    const rows = row(1, ...values.map((_, at) => text(`c${at}`))) + row(2, ...values)
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }])), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([
      [true, false, true, false, new ErrorCell("yes, neither TRUE nor FALSE")],
    ])
  })

  it("the reader returns an empty cell for a blank value, and an error for a value that is not a number", async () => {
    const rows = row(1, text("a"), text("b"), text("c"), text("d"), text("e"))
      + row(2, "><v> </v>", 't="s"><v> </v>', "><f>1+1</f><v>\n</v>", "><v>0x10</v>", text("end"))
    const entries = { ...xlsx([{ name: "R", rows }]), "xl/sharedStrings.xml": "<sst><si><t>first</t></si></sst>" }
    const all = await readAs(file(zip(entries), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[null, null, uncalculated, new ErrorCell("#NUM!"), "end"]])
  })

  it("the reader ignores what programs add to a cell", async () => {
    const more = "<extLst><ext><v>9</v></ext></extLst>"
    const rows = row(1, text("a"), text("b")) + row(2, `><v>1</v>${more}`, `${text("x")}${more}`)
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }])), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[1, "x"]])
  })

  it("the reader reads dates that are stored as ISO 8601 text, with and without a format", async () => {
    const iso = (value: string, style = 0) => `t="d" s="${style}"><v>${value}</v>`
    const rows = row(1, text("a"), text("b"), text("c"), text("d"))
      + row(2, iso("2020-01-01"), iso("2020-01-01T13:30:00.000Z"), iso("13:30:00"), iso("1900-01-31", 1))
    const all = await readAs(
      file(zip(xlsx([{ name: "R", rows }], { formats: ["yyyy-mm-dd"], date1904: true })), "xlsx"),
    )
    const cells = ["2020-01-01", "2020-01-01T13:30:00", "13:30:00", "1900-01-31"].map((text) => new DateCell(text))
    expect(typeof all !== "string" && all.rows).toEqual([cells])
  })

  it("the reader reads the durations that Excel writes in strict workbooks like the numbers that it writes in others", async () => {
    const lasting = (value: string) => `t="d" s="1"><v>${value}</v>`
    const rows = row(1, text("a"), text("b"), text("c"))
      + row(2, lasting("PT0H11M0.000S"), lasting("PT36H30M0.000S"), 's="1"><v>1.520833333333333</v>')
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }], { formats: ["[hh]:mm"] })), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[new DateCell("00:11:00"), "36:30:00", "36:30:00"]])
  })

  it("the reader returns an error for a formula without a stored value, whatever its type, but not for an empty text", async () => {
    const title = (at: string) => `<c r="${at}" t="inlineStr"><is><t>${at}</t></is></c>`
    const types = ["", "n", "str", "b", "e", "d", "s"]
    const columns = types.map((_, at) => String.fromCharCode(65 + at))
    const formulas = types.map((type, at) => `<c r="${columns[at]}2" t="${type}"><f>B1</f></c>`)
    const rows =
      `<row r="1">${columns.map((at) => title(`${at}1`)).join("")}</row><row r="2">${formulas.join("")}</row>`
      + `<row r="3"><c r="A3"><v>1</v></c><c r="B3" t="str"><f>B1</f><v></v></c></row>`
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }])), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([types.map(() => uncalculated), [1]])
  })

  it("the reader returns an error for a formula that stores 0 until programs calculate it on load", async () => {
    const entries = xlsx([{
      name: "R",
      rows: row(1, text("a"), text("b"), text("c"), text("d"))
        + row(2, "><f>B2*2</f><v>0</v>", "><v>0</v>", "><f>1+1</f><v>2</v>", 't="b"><f>FALSE()</f><v>0</v>'),
    }])
    const read = async () => {
      const all = await readAs(file(zip(entries), "xlsx"))
      return typeof all === "string" ? all : all.rows
    }
    expect(await read()).toEqual([[0, 0, 2, false]])
    const book = "xl/workbook.xml"
    entries[book] = entries[book]!.replace("</workbook>", '<calcPr calcId="124519" fullCalcOnLoad="1"/></workbook>')
    expect(await read()).toEqual([[uncalculated, 0, 2, false]])
  })

  it("the reader also reads a workbook whose part names have backslashes", async () => {
    const rows = row(1, text("a"), text("b")) + row(2, "><f>1+1</f>", "><v>123456789012345678</v>")
    const entries = Object.entries(xlsx([{ name: "R", rows }]))
    const names = ["/", "\\"].map((sign) =>
      zip(Object.fromEntries(entries.map(([name, part]) => [name.replaceAll("/", sign), part])))
    )
    for (const content of names) {
      const all = await readAs(file(content, "xlsx"))
      expect(typeof all !== "string" && all.rows).toEqual([[uncalculated, "123456789012345678"]])
    }
  })

  it.each([
    ["/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"],
    ["../xl/./worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"],
    ["Sheet1.xml", "xl/sheet1.xml"],
    ["/data/one.xml", "data/one.xml"],
  ])("the reader finds a sheet wherever its part is: %s", async (target, path) => {
    const { "xl/worksheets/sheet1.xml": sheet = "", ...entries } = xlsx([{
      name: "R",
      rows: row(1, text("a")) + row(2, "><v>1</v>"),
    }])
    const name = "xl/_rels/workbook.xml.rels"
    const relations = entries[name]!.replace("worksheets/sheet1.xml", target)
    const all = await readAs(file(zip({ ...entries, [name]: relations, [path]: sheet }), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[1]])
  })

  it("the reader distinguishes a chart from a sheet whose part is missing", async () => {
    const { "xl/worksheets/sheet1.xml": _, ...entries } = xlsx([{ name: "R", rows: row(1, text("a")) }])
    expect(await readAs(file(zip(entries), "xlsx"))).toContain("damaged or cut short")
    const name = "xl/_rels/workbook.xml.rels"
    const relations = entries[name]!.replace("relationships/worksheet", "relationships/chartsheet")
    expect(await readAs(file(zip({ ...entries, [name]: relations }), "xlsx"))).toContain(
      'has no rows in "R", which is not a sheet with cells',
    )
  })

  it("the reader accepts elements with a prefix, and rows without references", async () => {
    const entries = xlsx([{
      name: "Rows",
      rows: '<row><c t="inlineStr"><is><t>a</t></is></c></row><row><c><v>1</v></c></row>',
    }])
    const path = "xl/worksheets/sheet1.xml"
    const plain = entries[path] ?? ""
    entries[path] = plain.replaceAll(/<(\/?)(worksheet|sheetData|row|c|v|is|t)\b/g, "<$1x:$2").replace(
      "xmlns=",
      "xmlns:x=",
    )
    const all = await readAs(file(zip(entries), "xlsx"))
    expect(typeof all !== "string" && all.rows).toEqual([[1]])
  })

  it("the reader refuses a damaged file or a file without a sheet, wherever the damage is", async () => {
    const whole = readFileSync(join(samples, "google-forms/rstudio-2019-spanish-r-community-survey.xlsx"))
    const at = whole.indexOf("xl/worksheets/sheet1.xml")
    for (const offset of [100, 5000, 30_000]) {
      const damaged = Buffer.from(whole)
      damaged[at + offset]! ^= 0x55
      expect(await readAs(file(damaged, "xlsx"))).toMatch(/damaged or cut short|its sheet has/)
    }
    const unordered = zip(xlsx([{ name: "R", rows: row(1, text("a")) + row(3, text("b")) + row(2, text("c")) }]))
    expect(await readAs(file(unordered, "xlsx"))).toContain("its sheet has rows that are not in order")
    const odd: ReadonlyArray<readonly [string, RegExp]> = [
      [`<row r="2"><row r="3"></row></row>`, /a row within another/],
      [`<row r="x"></row>`, /rows that are not in order/],
      [`<row r="2"><c r="2"><v>1</v></c></row>`, /a cell in no column/],
      [`<c r="A2"><v>1</v></c>`, /a cell outside of a row/],
      [`<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>`, /two cells with the reference A2/],
      [`<row r="2"><c r="A2" t="s"><v>0.5</v></c></row>`, /a reference to a text that does not exist/],
      [`<x:AlternateContent><row r="2"/></x:AlternateContent>`, /rows in several variants/],
      [`<row r="2"><c r="A2"><x:AlternateContent><v>1</v></x:AlternateContent></c></row>`, /rows in several variants/],
    ]
    for (const [rows, message] of odd) {
      const path = file(zip(xlsx([{ name: "R", rows: row(1, text("a")) + rows }])), "xlsx")
      expect(await readAs(path)).toMatch(message)
    }
    for (const bytes of [[0xc3], [0xf0, 0x9f], [0xff], [0xc3, 0x28]]) {
      const entries = xlsx([{ name: "R", rows: row(1, text("a")) }])
      const sheet = Buffer.concat([Buffer.from(entries["xl/worksheets/sheet1.xml"] ?? ""), Buffer.from(bytes)])
      const path = file(zip({ ...entries, "xl/worksheets/sheet1.xml": sheet }), "xlsx")
      expect(await readAs(path)).toMatch(/damaged or cut short|its sheet has/)
    }
    const lost = zip(xlsx([{ name: "R", rows: row(1, text("a")) + row(2, 't="s"><v>7</v>') }]))
    expect(await readAs(file(lost, "xlsx"))).toContain("its sheet has a reference to a text that does not exist")
  })

  it("the reader refuses a number or date whose format does not exist, but not the default format of a workbook without styles", async () => {
    const cells = ["><v>1067</v>", 's="2"><v>45123</v>', 's="1" t="d"><v>2024-05-01</v>']
    const withCell = (cell: string) => xlsx([{ name: "R", rows: row(1, text("a")) + row(2, cell) }])
    for (const [at, cell] of cells.entries()) {
      const { "xl/styles.xml": styles = "", ...parts } = withCell(cell)
      const without = await readAs(file(zip(parts), "xlsx"))
      if (at === 0) expect(without).toMatchObject({ rows: [[1067]] })
      else expect(without).toContain("its sheet has a cell with a format that does not exist")
      const fewer = await readAs(file(zip({ ...parts, "xl/styles.xml": styles }), "xlsx"))
      if (at > 0) expect(fewer).toContain("its sheet has a cell with a format that does not exist")
    }
  })

  it("the reader closes the file if reading ends early, and refuses a file that has changed", async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => row(at + 2, `><v>${at}</v>`)).join("")
    const path = file(zip(xlsx([{ name: "R", rows: row(1, text("n")) + rows }])), "xlsx")
    await run(Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const source = yield* openExcel(yield* findBytes(fs, path, 4096), nothingSaid)
      const few = yield* Stream.runCollect(Stream.take(source.read(), 1))
      expect(few.length).toBe(1)
      expect(open.files).toBe(0)
      const first = yield* readAll(source)
      expect(first.rows).toHaveLength(3000)
      const fingerprints = (yield* source.files).map(({ fingerprint }) => fingerprint)
      expect(yield* readAll(source, fingerprints)).toEqual(first)
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1]! ^= 1
      yield* fs.writeFile(path, bytes)
      const changed = yield* Effect.either(readAll(source, fingerprints))
      expect(Either.isLeft(changed) && changed.left._tag).toBe("SourceChanged")
    }))
  })
})

describe("a table in a workbook", () => {
  const merged = (rows: string, merges: ReadonlyArray<string>) => {
    const entries = xlsx([{ name: "Rows", rows }])
    const path = "xl/worksheets/sheet1.xml"
    entries[path] = (entries[path] ?? "").replace(
      "</sheetData>",
      `</sheetData><mergeCells>${merges.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells>`,
    )
    return file(zip(entries), "xlsx")
  }

  it("the title of a merged header cell applies to each column below it", async () => {
    const path = merged(
      row(1, text("id"), text("Films"), "", "", text("end"))
        + row(2, "><v>1</v>", text("x"), text("y"), text("z"), text("e")),
      ["B1:D1"],
    )
    const all = await readAs(path)
    expect(typeof all !== "string" && all.columns.map(({ title }) => title)).toEqual([
      "id",
      "Films",
      "Films",
      "Films",
      "end",
    ])
    const tall = merged(
      row(1, text("id"), text("Films"), "") + row(2, "", text("A"), text("B"))
        + row(3, "><v>1</v>", text("x"), text("y")),
      ["A1:A2", "B1:C1"],
    )
    // The table is also found without `headerRow`.
    expect(await readAs(tall)).toMatchObject({ columns: [{ title: "id" }, { title: "A" }, { title: "B" }] })
    const two = await readAs(tall, { headerRow: 2 })
    expect(typeof two !== "string" && two.columns.map(({ title }) => title)).toEqual(["id", "A", "B"])
  })

  it("merged cells over several rows are reported, but not those of a header", async () => {
    const rows = row(1, text("id"), text("city")) + row(2) + row(3, text("1"), text("Ulm")) + row(4, text("2"))
    expect(await readAs(merged(rows, ["A1:A2", "A3:B3"]))).toMatchObject({ warnings: [] })
    const all = await readAs(merged(rows, ["A1:A2", "B3:B4"]))
    expect(all).toMatchObject({
      rows: [["1", "Ulm"], ["2"]],
      warnings: [
        expect.stringContaining("has 1 merged cell over several rows. Only the first of these rows has the value."),
      ],
    })
  })

  it("a table is found and reported below a heading", async () => {
    const path = merged(
      row(1, text("Results of 2024")) + row(3, text("id"), text("name"), text("city"))
        + row(4, "><v>1</v>", text("Ada"), text("Ulm")),
      ["A1:C1"],
    )
    const all = await readAs(path)
    expect(typeof all !== "string" && all.rows).toEqual([[1, "Ada", "Ulm"]])
    expect(typeof all !== "string" && all.warnings).toEqual([
      expect.stringContaining("seems to have its header in row 3:"),
    ])
  })

  it("a second table below an empty row is reported with its rows", async () => {
    const records = [1, 2, 3, 4, 5].map((n) => row(n + 1, text(`${n}`), text(`Name ${n}`), text(`${10 * n}`)))
    const second = [row(9, text("Item"), text("Stock")), row(10, text("Fig"), text("3"))]
    const rows = [row(1, text("No"), text("Name"), text("Paid")), ...records, ...second]
    const all = await readAs(file(zip(xlsx([{ name: "R", rows: rows.join("") }])), "xlsx"))
    expect(typeof all !== "string" && [...all.faults]).toEqual([
      [6, expect.stringContaining("Row 6 (row 9 of the sheet) seems to begin a second table")],
      [7, expect.stringContaining("Row 7 (row 10 of the sheet) is below a different header")],
    ])
  })

  it("a row that repeats the header is reported", async () => {
    const rows = [row(1, text("n"), text("m")), row(2, text("1"), text("2")), row(3, text("n"), text("m"))].join("")
    const all = await readAs(file(zip(xlsx([{ name: "R", rows }])), "xlsx"))
    expect(typeof all !== "string" && [...all.faults]).toEqual([
      [
        2,
        "Row 2 (row 3 of the sheet) repeats the header, as if two exports had been joined. Remove it from the file, or skip it with `where`.",
      ],
    ])
  })

  it("a late row with a cell beyond the table's columns is reported", async () => {
    const rows = Array.from(
      { length: 3000 },
      (_, at) => row(at + 2, `><v>${at}</v>`, ...(at === 2900 ? ["", "><v>7</v>"] : [])),
    ).join("")
    const all = await readAs(file(zip(xlsx([{ name: "R", rows: row(1, text("n")) + rows }])), "xlsx"))
    expect(typeof all !== "string" && [...all.faults]).toEqual([
      [
        2901,
        "Row 2901 (row 2902 of the sheet) has a cell in column C, beyond the 1 column of the table. Give that column a title, or clear the cell.",
      ],
    ])
    expect(typeof all !== "string" && all.rows[2900]).toEqual([2900, null, 7])
  })

  it("a table includes hidden rows and columns, which are reported, but not the hidden columns beyond it", async () => {
    const entries = xlsx([{
      name: "R",
      rows: row(1, text("a"), text("b")) + '<row r="2" hidden="1"><c><v>1</v></c></row>' + row(3, "><v>2</v>"),
    }])
    const path = "xl/worksheets/sheet1.xml"
    entries[path] = (entries[path] ?? "").replace(
      "<sheetData>",
      '<cols><col min="2" max="2" hidden="1"/><col min="3" max="16384" hidden="1"/></cols><sheetData>',
    )
    const at = file(zip(entries), "xlsx")
    await run(Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const source = yield* openExcel(yield* findBytes(fs, at, 4096), nothingSaid)
      expect((yield* readAll(source)).rows).toEqual([[1], [2]])
      const taken = (yield* source.files)[0]?.file.taken ?? []
      expect(taken.find(({ what }) => what === "hidden")?.value).toBe(
        "1 hidden row and 1 hidden column, read like all others",
      )
    }))
  })
})
