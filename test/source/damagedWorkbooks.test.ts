// Tests malformed workbooks that no checksum detects. Their losses must be reported.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import * as XLSX from "xlsx"
import { config, file, read, refusal, run } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

const sheet = readFileSync(join(import.meta.dirname, "libreoffice/sheet.xls"))
/** Returns the place of the workbook's stream in the file. */
const stream = sheet.indexOf(Buffer.from([9, 8, 16, 0, 0, 6]))

const streamLength = 2607

/** Returns the places of all records of one type in the stream. */
const recordsOf = (type: number) => {
  const places: Array<number> = []
  for (let at = stream; at < stream + streamLength; at += 4 + sheet.readUInt16LE(at + 2)) {
    if (sheet.readUInt16LE(at) === type) places.push(at)
  }
  return places
}

const changed = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(sheet)
  change(bytes)
  return file(bytes, "xls")
}

/** Returns a record with these numbers of two bytes each. */
const record = (type: number, ...numbers: ReadonlyArray<number>) =>
  Buffer.from(Uint16Array.of(type, 2 * numbers.length, ...numbers).buffer)

/** Returns the file with records inserted into the stream, each before the byte that is named. */
const withRecords = (...inserted: ReadonlyArray<readonly [before: number, record: Buffer]>) => {
  const book = XLSX.CFB.read(sheet, { type: "buffer" })
  const entry = XLSX.CFB.find(book, "/Workbook")
  if (entry === null) throw new Error("no stream")
  let bytes = Buffer.from(entry.content).subarray(0, streamLength)
  for (const [before, added] of inserted.toSorted(([a], [b]) => b - a)) {
    bytes = Buffer.concat([bytes.subarray(0, before), added, bytes.subarray(before)])
  }
  const place = (recordsOf(0x85)[0] ?? 0) - stream + 4
  const start = bytes.readUInt32LE(place)
  const moved = inserted.reduce((sum, [before, added]) => (before <= start ? sum + added.length : sum), 0)
  bytes.writeUInt32LE(start + moved, place)
  Object.assign(entry, { content: bytes, size: bytes.length })
  return file(XLSX.CFB.write(book, { type: "buffer" }) as Buffer, "xls")
}

const labels = recordsOf(0xfd)
const fourth = labels[12] ?? 0

describe("a damaged .xls workbook", () => {
  it.each<readonly [string, (bytes: Buffer) => void, RegExp]>([
    ["an end among its rows", (bytes) => bytes.writeUInt32LE(0x0a, fourth), /records after the end of its last sheet/],
    ["a cell of an unknown kind", (bytes) => bytes.writeUInt16LE(0x7ff, fourth), /kind that no workbook has \(0x07ff/],
    [
      "a cell of a different kind",
      (bytes) => bytes.writeUInt16LE(0x1d, fourth),
      /a different kind among its cells \(0x001d/,
    ],
    ["the last cell of a different kind", (bytes) => bytes.writeUInt16LE(0x23e, recordsOf(0x27e)[0] ?? 0), /\(0x023e/],
    [
      "the last cell of the kind of a column's width",
      (bytes) => bytes.writeUInt16LE(0x7d, recordsOf(0x27e).at(-1) ?? 0),
      /a different kind among its cells \(0x007d/,
    ],
    ["two cells in the same place", (bytes) => bytes.writeUInt16LE(0, fourth + 14 + 6), /two cells in one place, A4/],
    [
      "a sheet in a different place",
      (bytes) => bytes.writeUInt32LE(99, (recordsOf(0x85)[0] ?? 0) + 4),
      /sheets that are not in their stated places/,
    ],
    [
      "texts of different lengths",
      (bytes) => bytes.writeUInt16LE(7, (recordsOf(0xfc)[0] ?? 0) + 12),
      /texts whose sizes are inconsistent/,
    ],
    [
      "a lost format",
      (bytes) => bytes.writeUInt16LE(0x31, recordsOf(0xe0)[3] ?? 0),
      /among those that belong together/,
    ],
    [
      "a list of sectors that was overwritten with zeros",
      (bytes) => {
        const list = (bytes.readUInt32LE(76) + 1) * 512
        bytes.fill(0, list, list + 512)
      },
      /sectors that form a loop/,
    ],
    ["no end", (bytes) => bytes.writeUInt16LE(0x1d, recordsOf(0x0a)[1] ?? 0), /no end: it is cut short/],
  ])("an .xls workbook is refused because of %s", async (_, change, expected) => {
    const printed = vi.spyOn(console, "error")
    const message = await refusal(config(changed(change)))
    expect(message).toMatch(expected)
    expect(message).toMatch(/is damaged.*Fetch or export it again/)
    expect(printed).not.toHaveBeenCalled()
    printed.mockRestore()
  })

  it.each<readonly [string, (bytes: Buffer) => void, RegExp]>([
    ["a moved last row", (bytes) => {
      for (const at of [...labels.slice(-3), ...recordsOf(0x27e)]) bytes.writeUInt16LE(0x405, at + 4)
    }, /row 6 should contain cells, but has none/],
    ["a moved first cell", (bytes) => bytes.writeUInt16LE(9, fourth + 6), /row 4 should start in column A/],
  ])(
    "an .xls workbook is read with a warning because of %s, which some programs write",
    async (_, change, expected) => {
      const all = await run(read(config(changed(change))))
      expect(all.source.warnings.join(" ")).toMatch(expected)
      expect(all.source.warnings.join(" ")).toContain("may be damaged, so rows or cells may be missing")
    },
  )

  it("an .xls workbook whose list of lists of sectors forms a loop is read without filling the memory", async () => {
    const first = Math.ceil(sheet.length / 512) - 1
    const bytes = Buffer.alloc(1024 * 1024)
    sheet.copy(bytes)
    const list = bytes.subarray((first + 1) * 512, (first + 2) * 512)
    for (let at = 0; at < 508; at += 4) list.writeInt32LE(bytes.readInt32LE(76), at)
    list.writeInt32LE(first, 508)
    bytes.writeInt32LE(first, 68)
    bytes.writeInt32LE(1, 72)
    expect((await run(read(config(file(bytes, "xls"))))).rows).toHaveLength(5)
  })

  const nine = Array.from({ length: 9 }, () => 0)
  const ends = recordsOf(0x0a).map((at) => at - stream)

  it.each<readonly [string, readonly [before: number, record: Buffer]]>([
    ["two zeros after its last sheet", [streamLength, Buffer.alloc(2)]],
    ["merged cells among its cells", [fourth - stream, record(0xe5, 1, 3, 3, 4, 5)]],
    ["widths of columns as Visual FoxPro writes them", [ends[0]! + 4 + 20, record(0x27d, 0, 1024, 0, 0, 0)]],
    ["a part without cells that is not in its list of sheets", [
      streamLength,
      Buffer.concat([record(0x809, 0x600, 0x1000, 0, 0, 0, 0, 0, 0), record(0x0a)]),
    ]],
  ])("no damage is suspected in a workbook with %s", async (_, inserted) => {
    const [all, before] = await Promise.all(
      [withRecords(inserted), file(sheet, "xls")].map((one) => run(read(config(one)))),
    )
    expect(all?.rows).toEqual(before?.rows)
    expect(all?.source.warnings).toEqual(before?.source.warnings)
  })

  it("settings below a sheet's cells are a warning, but not among them", async () => {
    const margin = record(0x29, 0, 0, 0, 0x3ff0)
    for (const setting of [margin, record(0x27d, 0, 1024, 0, 0, 0)]) {
      const below = await run(read(config(withRecords([recordsOf(0x23e)[0]! - stream, setting]))))
      expect(below.rows).toHaveLength(5)
      expect(below.source.warnings.join(" ")).toContain(
        `may be damaged, so rows or cells may be missing: settings of the sheet are below its cells (0x${
          setting.readUInt16LE(0).toString(16).padStart(4, "0")
        })`,
      )
    }
    expect(await refusal(config(withRecords([fourth - stream, margin])))).toMatch(
      /a different kind among its cells \(0x0029/,
    )
  })

  it("no damage is suspected in a sheet with several windows and a custom view, or if a program has not corrected the count of formats", async () => {
    const [bookEnd = 0, sheetEnd = 0] = recordsOf(0x0a).map((at) => at - stream)
    const view = [record(0x23e, ...nine), record(0x1aa, ...nine), record(0x14), record(0x1ab, 0)]
    const changed = withRecords(
      [bookEnd, record(0x87c, 0x87c, 0, 0, 0, 0, 0, 0, 999, 0, 0)],
      [sheetEnd, Buffer.concat(view)],
    )
    const [all, before] = await Promise.all([changed, file(sheet, "xls")].map((one) => run(read(config(one)))))
    expect(all?.rows).toEqual(before?.rows)
    expect(all?.source.warnings).toEqual(before?.source.warnings)
  })

  it("no damage is suspected in a sound workbook with several sheets, formulas, links or notes, or with unordered or unlisted rows", async () => {
    const book = XLSX.utils.book_new()
    const table = XLSX.utils.aoa_to_sheet([["id", "n"], [1, 2], [2, null], [3, 4]])
    table["B3"] = { t: "s", v: "two", f: 'LOWER("TWO")' }
    table["A4"].l = { Target: "https://example.org" }
    table["A4"].c = [{ a: "me", t: "a note" }]
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["x"]]), "Other")
    XLSX.utils.book_append_sheet(book, table, "Rows")
    const bytes = XLSX.write(book, { type: "array", bookType: "xls" }) as ArrayBuffer
    const all = await run(read(config(file(new Uint8Array(bytes), "xls"), { sheet: "Rows" })))
    expect(all.rows).toEqual([[1, 2], [2, "two"], [3, 4]])
    expect(all.source.warnings).toEqual([])
  })
})

describe("an XML workbook that is cut short", () => {
  const rows = row(1, text("id")) + row(2, text("a")) + row(3, text("b"))

  it.each([
    ["in a row", (xml: string) => xml.slice(0, xml.indexOf('<row r="3"') + 12)],
    ["after a row", (xml: string) => xml.slice(0, xml.indexOf('<row r="3"'))],
    ["before its end", (xml: string) => xml.replace("</worksheet>", "")],
    ["in the middle", (xml: string) => xml.replace('</c></row><row r="3">', "")],
  ])("an XML workbook is refused if it is cut %s", async (_, cut) => {
    const entries = xlsx([{ name: "R", rows }])
    entries["xl/worksheets/sheet1.xml"] = cut(entries["xl/worksheets/sheet1.xml"] ?? "")
    const path = file(zip(entries), "xlsx")
    expect(await refusal(config(path))).toMatch(/its sheet has/)
  })

  it("a truncated OpenDocument workbook is refused, and so are truncated records of an .xlsb", async () => {
    const ods = await unzipped("libreoffice/sheet.ods")
    const content = ods["content.xml"]?.toString() ?? ""
    const cut = { ...ods, "content.xml": Buffer.from(content.slice(0, content.lastIndexOf("<table:table-row"))) }
    expect(await refusal(config(file(zip(cut), "ods")))).toMatch(/its sheet has no end/)
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["id"], [1], [2]]), "R")
    const xlsb = await unzipped(new Uint8Array(XLSX.write(book, { type: "array", bookType: "xlsb" }) as ArrayBuffer))
    const name = "xl/worksheets/sheet1.bin"
    const short = { ...xlsb, [name]: xlsb[name]?.subarray(0, -20) ?? Buffer.alloc(0) }
    expect(await refusal(config(file(zip(short), "xlsb")))).toMatch(/sheet1\.bin is cut short/)
    // Excel adds an index to each sheet. This is that of a sheet without rows.
    const index = Buffer.from("2a18000000002000000000000000000000000000000000000000950200", "hex")
    const indexed = { ...xlsb, "xl/worksheets/binaryIndex1.bin": index }
    expect((await run(read(config(file(zip(indexed), "xlsb"))))).rows).toEqual([[1], [2]])
  })
})

describe("a damaged zip directory of a workbook", () => {
  it("a workbook is refused if a changed name or an uncounted entry in its zip directory hides a part", async () => {
    const whole = zip(xlsx([{ name: "R", rows: row(1, text("id")) + row(2, text("a")) }]))
    const renamed = Buffer.from(whole)
    const at = renamed.lastIndexOf("xl/styles.xml")
    renamed[at + 3]! ^= 1
    expect(await refusal(config(file(renamed, "xlsx")))).toMatch(/damaged or cut short/)
    const fewer = Buffer.from(whole)
    fewer[fewer.length - 12]! -= 1
    expect(await refusal(config(file(fewer, "xlsx")))).toMatch(/damaged or cut short/)
  })
})

describe("a workbook with two parts of the same name", () => {
  it.each(["xl/worksheets/sheet1.xml", "xl/worksheets/Sheet1.xml"])(
    "a workbook is refused if its zip archive contains a second %s",
    async (name) => {
      const entries = xlsx([{ name: "R", rows: row(1, text("id")) + row(2, text("a")) }])
      const other = "xl/worksheets/sheet9.xml"
      const bytes = zip({ ...entries, [other]: entries["xl/worksheets/sheet1.xml"] ?? "" })
      const twice = Buffer.from(bytes.toString("latin1").replaceAll(other, name), "latin1")
      expect(await refusal(config(file(twice, "xlsx")))).toContain("can't be opened. It is damaged or cut short.")
    },
  )
})

/** Returns the entries of a zip archive. */
const unzipped = async (from: string | Uint8Array): Promise<Record<string, Buffer>> => {
  const { unpack, zipDirectory } = await import("../../src/source/zip.ts")
  const bytes = typeof from === "string" ? readFileSync(join(import.meta.dirname, from)) : Buffer.from(from)
  const entries: Record<string, Buffer> = {}
  for (const entry of zipDirectory(bytes)) entries[entry.name] = await unpack(bytes, entry)
  return entries
}
