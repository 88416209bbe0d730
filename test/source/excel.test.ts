import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import * as XLSX from "xlsx"
import { cellText, DateCell, ErrorCell, PercentCell } from "../../src/domain/cell.ts"
import { openSource } from "../../src/source/openSource.ts"
import { parseRange } from "../../src/source/workbook/Sheet.ts"
import { config, file, read, readAll, refusal, run } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

const excel = (content: Uint8Array, said = {}, extension = "xlsx") => run(read(config(file(content, extension), said)))
const taken = (all: Awaited<ReturnType<typeof excel>>) =>
  Object.fromEntries(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))

const zone = process.env["TZ"]
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"]
  else process.env["TZ"] = zone
})
const zones = ["UTC", "America/New_York", "Asia/Kolkata"]

const sample = resolve(import.meta.dirname, "../../samples/google-forms/rstudio-2019-spanish-r-community-survey.xlsx")

describe("a real workbook of Google Forms", () => {
  it.each(zones)(
    "a Google Forms workbook has local dates, whole numbers without a fraction, and one repeated title, in %s",
    async (tz) => {
      process.env["TZ"] = tz
      const all = await run(read(config(sample)))
      // The file's XML has 43812.501759189814 in A2, 2018.0 in J2, and 339 rows with the header.
      expect(all.rows[0]?.slice(0, 2)).toEqual([new DateCell("2019-12-13T12:02:32"), "Inicial"])
      expect(all.rows[0]?.[9]).toBe(2018)
      expect(all.rows).toHaveLength(338)
      expect(all.source.columns).toHaveLength(52)
      expect(all.source.columns.filter((column) => column.name === undefined).map((column) => column.position)).toEqual(
        [5, 13],
      )
      expect(taken(all)).toMatchObject({
        format: "excel (by its content)",
        sheet: "Form Responses 1 (the only one)",
        header: "row 1",
      })
    },
  )
})

describe("cells of a workbook", () => {
  it.each(["xlsx", "xlsb", "biff8"] as const)(
    "percentages are read as they are shown, with all their digits: %s",
    async (bookType) => {
      const sheet = XLSX.utils.aoa_to_sheet([["Id", "Discount"], ["a", 0.07], ["b", 0.2512], ["c", 7]])
      Object.assign(sheet["B2"], { z: "0%" })
      Object.assign(sheet["B3"], { z: "0.0%" })
      const content = XLSX.write({ SheetNames: ["S"], Sheets: { S: sheet } }, { bookType, type: "buffer" })
      const all = await excel(content, {}, bookType === "biff8" ? "xls" : bookType)
      expect(all.rows).toEqual([["a", new PercentCell(7)], ["b", new PercentCell(25.12)], ["c", 7]])
    },
  )

  const formats = [
    "yyyy\\-mm\\-dd",
    "h:mm",
    "dd/mm/yyyy hh:mm:ss",
    "[h]:mm",
    "0.00E+00",
    '"day" 0',
    "mmm yy",
    "[$-407]d. mmmm yyyy;@",
    "mm:ss",
  ]
  const styled = (style: number, value: number | string) => `s="${style}"><v>${value}</v>`
  const parts = (date1904: boolean) =>
    xlsx([{
      name: "Rows",
      rows: row(1, text("day"), text("time"), text("both"), text("hours"), text("more"))
        + row(2, styled(1, 45000), styled(2, 0.75), styled(3, 45000.999994), styled(4, 1.5), styled(7, 45000))
        + row(3, styled(1, 59), styled(2, 45000.5), styled(3, 45000), styled(4, 0.25), styled(8, 45000))
        + row(4, styled(1, 60), styled(1, 61), styled(1, 0), styled(5, 45000), styled(6, 45000))
        + row(5, styled(1, 1.5), styled(1, -3), styled(1, 3_000_000), styled(9, 0.5), styled(3, 0.5)),
    }], { date1904, formats })
  const workbook = (date1904: boolean) => zip(parts(date1904))

  it.each(zones)(
    "cells are dates, times or both according to their number format, to the second and without a zone, in %s",
    async (tz) => {
      process.env["TZ"] = tz
      const all = await excel(workbook(false))
      expect(all.rows.map((cells) => cells.map((cell) => cell instanceof DateCell ? cell.iso : cell))).toEqual([
        ["2023-03-15", "18:00:00", "2023-03-15T23:59:59", "36:00:00", "2023-03-15"],
        ["1900-02-28", "2023-03-15T12:00:00", "2023-03-15T00:00:00", "06:00:00", "2023-03-15"],
        // Excel's 29 February 1900 and day 0 are not days. A number in a scientific format, or with text around it, is
        // a number.
        [expect.any(ErrorCell), "1900-03-01", expect.any(ErrorCell), 45000, 45000],
        ["1900-01-01T12:00:00", expect.any(ErrorCell), expect.any(ErrorCell), "12:00:00", "12:00:00"],
      ])
    },
  )

  it("a workbook is recognised if the names of its parts are in lower case, with backslashes", async () => {
    const entries = Object.entries(parts(false)).map(([name, part]) => [name.toLowerCase().replaceAll("/", "\\"), part])
    expect((await excel(zip(Object.fromEntries(entries)))).rows).toHaveLength(4)
  })

  // Excel adds such an extension to every workbook.
  const extension =
    '<extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}"><x15:workbookPr xmlns:x15="x" chartTrackingRefBase="1"/></ext></extLst>'

  it.each(["", extension])("dates are counted from 1904 if the workbook says so, with extensions %j", async (added) => {
    const entries = parts(true)
    const book = entries["xl/workbook.xml"]!.replace("</workbook>", `${added}</workbook>`)
    const all = await excel(zip({ ...entries, "xl/workbook.xml": book }))
    expect(all.rows.map((cells) => cellText(cells[0]))).toEqual([
      "2027-03-16",
      "1904-02-29",
      "1904-03-01",
      "1904-01-02T12:00:00",
    ])
    expect(cellText(all.rows[2]?.[2])).toBe("1904-01-01")
    expect(taken(all).dates).toBe("counted from 1904")
  })

  it("cells keep their types, with the stored values of formulas and with error values", async () => {
    const all = await excel(zip(xlsx([{
      name: "Rows",
      rows: row(1, text("a"), text("b"), text("c"), text("d"), text("e"))
        + row(2, text("007"), "><v>7.0</v>", 't="b"><v>1</v>', 't="e"><v>#N/A</v>', text(" x "))
        + row(
          3,
          "><f>1+1</f><v>2</v>",
          't="str"><f>"a"</f><v>a</v>',
          't="e"><f>1/0</f><v>#DIV/0!</v>',
          "><f>A1</f>",
          text("end"),
        ),
    }])))
    expect(all.rows).toEqual([
      ["007", 7, true, new ErrorCell("#N/A"), " x "],
      [2, "a", new ErrorCell("#DIV/0!"), new ErrorCell("formula without a stored value"), "end"],
    ])
  })

  /** Returns an .xls file whose numbers in the second column are the results of formulas with these flags. -1 stands for an empty text. */
  const withFormulas = (flags: number, ...results: ReadonlyArray<number>) => {
    const sheet = XLSX.utils.aoa_to_sheet([["a", "b"], ...results.map((result) => [0, result])])
    const saved = XLSX.write({ SheetNames: ["S"], Sheets: { S: sheet } }, { type: "buffer", bookType: "xls" }) as Buffer
    const stream = Buffer.from(XLSX.CFB.find(XLSX.CFB.read(saved, { type: "buffer" }), "/Workbook").content)
    const records: Array<Buffer> = []
    for (let at = 0, end = 0; at < stream.length; at = end) {
      end = at + 4 + stream.readUInt16LE(at + 2)
      const isNumber = [0x203, 0x27e].includes(stream.readUInt16LE(at))
      if (!isNumber || stream.readUInt16LE(at + 6) !== 1) {
        records.push(stream.subarray(at, end))
        continue
      }
      const formula = Buffer.alloc(4 + 25)
      formula.writeUInt16LE(6, 0)
      formula.writeUInt16LE(25, 2)
      stream.copy(formula, 4, at + 4, at + 10)
      const result = results[stream.readUInt16LE(at + 4) - 1]!
      if (result >= 0) formula.writeDoubleLE(result, 10)
      else {
        formula.writeUInt8(3, 10)
        formula.writeUInt16LE(0xffff, 16)
      }
      formula.writeUInt16LE(flags, 18)
      formula.writeUInt16LE(3, 24)
      // The number 7, as a formula.
      formula.writeUInt8(0x1e, 26)
      formula.writeUInt16LE(7, 27)
      records.push(formula)
    }
    const changed = XLSX.CFB.utils.cfb_new()
    XLSX.CFB.utils.cfb_add(changed, "/Workbook", Buffer.concat(records))
    return XLSX.CFB.write(changed, { type: "buffer" }) as Buffer
  }

  it("a formula in .xls that must be calculated on load has no value if it stores 0 or an empty text", async () => {
    const cells = async (flags: number) =>
      (await excel(withFormulas(flags, 0, -1, 2), {}, "xls")).rows.map((cells) => cells[1] ?? null)
    const uncalculated = new ErrorCell("formula without a stored value")
    expect(await cells(3)).toEqual([uncalculated, uncalculated, 2])
    // Excel sets this flag for formulas such as TODAY(), which it has calculated.
    expect(await cells(1)).toEqual([0, null, 2])
  })

  it.each(["xls", "xlsb"] as const)(
    "cells with a built-in date format of East Asian languages are dates in .%s",
    async (bookType) => {
      const sheet = XLSX.utils.aoa_to_sheet([["a", "b"], [44_562, 44_562]])
      sheet["A2"].z = "m/d/yy"
      const saved = XLSX.write({ SheetNames: ["S"], Sheets: { S: sheet } }, { type: "buffer", bookType }) as Buffer
      const compound = XLSX.CFB.read(saved, { type: "buffer" })
      const part = XLSX.CFB.find(compound, bookType === "xls" ? "/Workbook" : "/xl/styles.bin")
      const bytes = Buffer.from(part.content)
      // A cell's format is a record of kind 0xe0 in .xls and of kind 0x2f in .xlsb. 14 is the number of m/d/yy.
      const start = Buffer.from(bookType === "xls" ? [0xe0, 0, 20, 0] : [0x2f, 16])
      for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1)) {
        const format = at + start.length + 2
        if (bytes.readUInt16LE(format) === 14) bytes.writeUInt16LE(31, format)
      }
      part.content = bytes
      const changed = XLSX.CFB.write(compound, {
        type: "buffer",
        fileType: bookType === "xls" ? "cfb" : "zip",
      }) as Buffer
      expect((await excel(changed, {}, bookType)).rows).toEqual([[new DateCell("2022-01-01"), 44_562]])
    },
  )

  describe("a text in an .xls file of Excel 95", () => {
    /** Returns a file whose cell A2 and sheet name contain these bytes. */
    const oldBook = (codePage: number, text: ReadonlyArray<number>) => {
      const marks = "Q".repeat(text.length)
      const sheet = XLSX.utils.aoa_to_sheet([["a", "b"], [marks, "plain"]])
      const saved = XLSX.write({ SheetNames: [marks], Sheets: { [marks]: sheet } }, {
        type: "buffer",
        bookType: "biff5",
      })
      const bytes = saved as Buffer
      for (let at = bytes.indexOf(marks); at !== -1; at = bytes.indexOf(marks)) Buffer.from(text).copy(bytes, at)
      const page = [0x42, 0, 2, 0]
      for (let at = bytes.indexOf(Buffer.from(page)); at !== -1; at = bytes.indexOf(Buffer.from(page), at + 1)) {
        bytes.writeUInt16LE(codePage, at + 4)
      }
      return bytes
    }

    it.each([
      [1251, [0xc8, 0xe2, 0xe0, 0xed], "Иван"],
      [1252, [0x80, 0x35, 0x96, 0x93], "€5–“"],
      [0x8001, [0x80, 0x35, 0x96, 0x93], "€5–“"],
      [932, [0x93, 0x63, 0x92, 0x86], "田中"],
      [10_000, [0x8a, 0x80, 0x9f, 0x61], "äÄüa"],
      [10_029, [0xfc, 0x97, 0x64, 0x90], "Łódź"],
    ])("a text is decoded by the code page %i", async (codePage, bytes, text) => {
      const all = await excel(oldBook(codePage, bytes), { sheet: text }, "xls")
      expect(all.rows).toEqual([[text, "plain"]])
      expect(all.source.taken).toContainEqual({ what: "sheet", value: `${text} (the only one)` })
    })

    it("a text is decoded by the code page that only its sheet states, as Visual FoxPro writes it", async () => {
      const book = XLSX.CFB.read(oldBook(1252, [0x80, 0x35, 0x96, 0x93]), { type: "buffer" })
      const entry = XLSX.CFB.find(book, "/Book")
      if (entry === null) throw new Error("no stream")
      const bytes = Buffer.from(entry.content)
      const at = bytes.indexOf(Buffer.from([0x42, 0, 2, 0]))
      const page = Buffer.from(bytes.subarray(at, at + 6))
      bytes.writeUInt16LE(0x40, at)
      const sheet = bytes.lastIndexOf(Buffer.from([9, 8]))
      const below = sheet + 4 + bytes.readUInt16LE(sheet + 2)
      const content = Buffer.concat([bytes.subarray(0, below), page, bytes.subarray(below)])
      Object.assign(entry, { content, size: content.length })
      const all = await excel(XLSX.CFB.write(book, { type: "buffer" }) as Buffer, {}, "xls")
      expect(all.rows).toEqual([["€5–“", "plain"]])
    })

    it("a text is refused if its code page is unknown or does not have it, but not if it is ASCII", async () => {
      expect(await refusal(config(file(oldBook(1361, [0xc8, 0xe2, 0xe0, 0xed]), "xls")))).toContain(
        "has texts that can't be decoded as code page 1361, so they would be garbled",
      )
      expect(await refusal(config(file(oldBook(932, [0x93, 0x30, 0x20, 0xff]), "xls")))).toContain("code page 932")
      expect((await excel(oldBook(1361, [...Buffer.from("John")]), {}, "xls")).rows).toEqual([["John", "plain"]])
    })
  })

  it.each(["xlsx", "xlsb", "xls", "ods"] as const)(
    "cells are the same in a workbook saved as .%s",
    async (bookType) => {
      for (const tz of zones) {
        process.env["TZ"] = tz
        const sheet = XLSX.utils.aoa_to_sheet([["Born", "At", "Count", "Yes", "Text"], [null, null, 3, true, "5"]])
        sheet["A2"] = { t: "n", v: 45000, z: bookType === "ods" ? "d/m/yy" : "yyyy-mm-dd" }
        sheet["B2"] = { t: "n", v: 45000.25, z: bookType === "ods" ? "d/m/yy" : "yyyy-mm-dd hh:mm:ss" }
        const book = XLSX.utils.book_new()
        XLSX.utils.book_append_sheet(book, sheet, "Rows")
        const all = await excel(
          new Uint8Array(XLSX.write(book, { type: "array", bookType }) as ArrayBuffer),
          {},
          bookType,
        )
        expect(all.rows).toEqual([[new DateCell("2023-03-15"), new DateCell("2023-03-15T06:00:00"), 3, true, "5"]])
      }
    },
  )
})

describe("rows of a workbook", () => {
  it("rows are returned in chunks with continuing numbers", async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => row(at + 2, `><v>${at}</v>`))
    const all = await excel(zip(xlsx([{ name: "Rows", rows: row(1, text("n")) + rows.join("") }])))
    expect(all.rows).toEqual(Array.from({ length: 5000 }, (_, at) => [at]))
  })
})

describe("the part of a workbook that is read", () => {
  const rows = (name: string) => row(1, text("name"), text("from")) + row(2, text(name), text("sheet"))
  const three = zip(
    xlsx([{ name: "Notes", rows: rows("n"), state: "hidden" }, { name: "Responses", rows: rows("r") }, {
      name: "Zwei",
      rows: rows("z"),
    }]),
  )

  it("the first visible sheet is read, or the sheet that the pipeline names or numbers, and hidden sheets are reported", async () => {
    const first = await excel(three)
    expect(first.rows).toEqual([["r", "sheet"]])
    expect(taken(first).sheet).toBe("Responses (of 3)")
    expect(first.source.warnings).toEqual([expect.stringContaining("has hidden sheets that are not read: Notes.")])
    expect((await excel(three, { sheet: "zwei" })).rows[0]?.[0]).toBe("z")
    expect((await excel(three, { sheet: 3 })).rows[0]?.[0]).toBe("z")
    expect(first.files[0]?.file.unread).toEqual([{ what: "sheet", name: "Zwei" }])
    const hidden = await excel(three, { sheet: 1 })
    expect(hidden.rows[0]?.[0]).toBe("n")
    expect(taken(hidden).sheet).toBe("Notes (of 3, hidden)")
    expect(hidden.source.warnings).toEqual([])
    expect(await refusal(config(file(three, "xlsx"), { sheet: "Four" }))).toContain(
      'has no sheet "Four", only "Notes", "Responses", "Zwei". Correct `source.sheet`.',
    )
    expect(await refusal(config(file(three, "xlsx"), { sheet: 4 }))).toContain("has no sheet 4")
  })

  it("cells outside the range are counted and their places named, each time the sheet is read", async () => {
    const five = (at: number) => row(at, ...["a", "b", "c", "d", "e"].map((name) => text(`${name}${at}`)))
    const sheet = zip(xlsx([
      { name: "S", rows: [1, 2, 3, 4].map(five).join("") + row(6, text("total"), "", text("x")) + row(9, "") },
      { name: "T", rows: "" },
    ]))
    await run(Effect.gen(function*() {
      const source = yield* openSource(config(file(sheet, "xlsx"), { range: "B2:D3" }))
      for (const _ of [1, 2]) {
        expect((yield* readAll(source)).rows).toEqual([["b3", "c3", "d3"]])
        expect((yield* source.files)[0]?.file.unread).toEqual([
          { what: "sheet", name: "T" },
          { what: "outside", name: "S!A1:E1", cells: 5 },
          { what: "outside", name: "S!A2:A3", cells: 2 },
          { what: "outside", name: "S!E2:E3", cells: 2 },
          { what: "outside", name: "S!A4:E6", cells: 7 },
        ])
      }
    }))
    const whole = await excel(sheet, { range: "A1:F20" })
    expect(whole.files[0]?.file.unread).toEqual([{ what: "sheet", name: "T" }])
  })

  const scattered = zip(xlsx([{
    name: "Rows",
    rows: row(2, text("Report")) + row(4, "", text("id"), text("name"), "", 's="0">')
      + row(5, "", text("1"), text("Ada"), "", 's="0">') + row(7, "", text("2"), text("Bob")) + row(9, "", 's="0">'),
  }]))

  it("reading begins at the header row, and omits empty rows and empty cells at the end", async () => {
    const all = await excel(scattered, { headerRow: 4 })
    expect(all.source.columns.map((column) => column.title)).toEqual(["", "id", "name"])
    expect(all.rows).toEqual([[null, "1", "Ada"], [null, "2", "Bob"]])
    expect(taken(all)).toMatchObject({ header: "row 4", "empty rows": "1 omitted, first above row 2" })
  })

  it("rows that contain only white space count as empty", async () => {
    const spaced = zip(xlsx([{
      name: "Rows",
      rows: row(1, text("id"), text("name")) + row(2, text(" "), text("\u00a0")) + row(3, text("1"), text("Ada"))
        + row(4, "", text(" ")),
    }]))
    const all = await excel(spaced)
    expect(all.rows).toEqual([["1", "Ada"]])
    expect(taken(all)).toMatchObject({ "empty rows": "1 omitted" })
  })

  it("the part that is read may be a range", async () => {
    const all = await excel(scattered, { range: "B4:C5" })
    expect(all.source.columns.map((column) => column.name)).toEqual(["id", "name"])
    expect(all.rows).toEqual([["1", "Ada"]])
    expect((await excel(scattered, { range: "C4:C" })).rows).toEqual([["Ada"], ["Bob"]])
    expect(parseRange("$B$3:h400")).toEqual({ from: { row: 2, column: 1 }, to: { row: 399, column: 7 } })
    expect(await refusal(config(file(scattered, "xlsx"), { range: "B4-C5" }))).toContain("is not a range of cells")
    expect(await refusal(config(file(scattered, "xlsx"), { range: "C5:B4" }))).toContain("is not a range of cells")
    expect(await refusal(config(file(scattered, "xlsx"), { range: "B4:C5", headerRow: 3 }))).toContain(
      "Row 3 is outside the range",
    )
  })

  it("a sheet without a header has numbered columns, and its first row is no header", async () => {
    const people = ["Ada", "Bob"].map((name) => [name, `${name.toLowerCase()}@example.org`])
    const bytes = zip(
      xlsx([{ name: "Rows", rows: people.map((cells, at) => row(at + 1, ...cells.map(text))).join("") }]),
    )
    expect(await refusal(config(file(bytes, "xlsx")))).toContain("no header: in row 1, column 2 contains an email")
    const all = await excel(bytes, { headerRow: "none" })
    expect(all.source.columns.map((column) => column.name)).toEqual(["column 1", "column 2"])
    expect(all.rows).toEqual(people)
    expect((await excel(scattered, { range: "B5:C", headerRow: "none" })).rows).toEqual([["1", "Ada"], ["2", "Bob"]])
  })

  it("an empty sheet, an empty header row and a workbook without visible sheets are reported", async () => {
    const empty = zip(xlsx([{ name: "Rows", rows: "" }]))
    expect(await refusal(config(file(empty, "xlsx")))).toContain('sheet "Rows": It is empty')
    expect(await refusal(config(file(scattered, "xlsx"), { headerRow: 3 }))).toContain("Its row 3 is empty")
    const hidden = zip(xlsx([{ name: "A", rows: rows("a"), state: "veryHidden" }]))
    expect(await refusal(config(file(hidden, "xlsx")))).toContain("has no visible sheet")
  })
})

describe("a file that is not a sound workbook", () => {
  it("a file that is not a workbook is reported with its real type", async () => {
    expect(await refusal(config(file("a,b\n1,2\n", "xlsx")))).toContain(
      "its content looks like plain text. If it is delimited text, write `format: csv`",
    )
    expect((await excel(Buffer.from("a,b\n1,2\n"), { format: "csv" })).rows).toEqual([["1", "2"]])
    expect(await refusal(config(file("%PDF-1.4\n", "xlsx")))).toContain("is a PDF document")
    expect(await refusal(config(file(zip({ "[Content_Types].xml": "<Types/>", "word/document.xml": "<x/>" }), "docx"))))
      .toContain("can't be read")
    expect(await refusal(config(file(zip({ "docProps/app.xml": "x", "Index/Document.iwa": "x" }), "numbers"))))
      .toContain(
        "is not a known kind of workbook",
      )
    expect(await refusal(config(file(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]), "xls"))))
      .toContain("can't be read")
  })

  it("a workbook is refused if it was truncated or damaged anywhere, and never silently read in part", async () => {
    const whole = readFileSync(sample)
    const rows = (await run(read(config(sample)))).rows
    for (let share = 0.05; share < 1; share += 0.1) {
      expect(await refusal(config(file(whole.subarray(0, whole.length * share), "xlsx")))).toMatch(
        /damaged(?: or|,) cut short|no workbook/,
      )
    }
    const sheet = whole.indexOf("xl/worksheets/sheet1.xml")
    for (const offset of [200, 5000, 30_000]) {
      const damaged = Buffer.from(whole)
      damaged.fill(0x55, sheet + offset, sheet + offset + 40)
      const result = await run(read(config(file(damaged, "xlsx")))).then(
        (all) => all.rows,
        (error: unknown) => String(error),
      )
      expect(result).not.toEqual(rows)
      expect(result).toMatch(/damaged(?: or|,) cut short/)
    }
  })

  it("a workbook is refused before it is unpacked if it would unpack to far too much, even if its directory states a smaller size", async () => {
    const bomb = xlsx([{ name: "Rows", rows: row(1, text("a")) + " ".repeat(65 * 1024 * 1024) }])
    expect(await refusal(config(file(zip(bomb), "xlsx")))).toContain(
      "unpacks to far more bytes than any ordinary workbook",
    )
    expect(await refusal(config(file(zip(bomb, (size) => Math.min(size, 1000)), "xlsx")))).toContain(
      "damaged or cut short",
    )
  })
})
