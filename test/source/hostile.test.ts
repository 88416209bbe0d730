// Tests traps in workbooks and JSON that were written manually: hidden sheets, headings, impossible places, depth, and
// half characters.
import { describe, expect, it } from "vitest"
import { config, file, read, refusal, run, texts } from "./opening.ts"
import { ods, odsRow, row, text, xlsx, zip } from "./workbooks.ts"

const tableStyle = (name: string, content: string, parent?: string) =>
  `<style:style style:name="${name}" style:family="table"${
    parent === undefined ? "" : ` style:parent-style-name="${parent}"`
  }>${content}</style:style>`

const display = (shown: boolean) => `<style:table-properties table:display="${shown}"/>`

describe("a hidden sheet of an .ods workbook", () => {
  const secret = odsRow("Old", "Rows") + odsRow("a", "b")
  const wanted = odsRow("Name", "Town") + odsRow("Ada", "London")
  const own = { styles: tableStyle("ta1", display(false)) + tableStyle("ta2", display(true)), common: "" }
  const inherited = { styles: tableStyle("ta1", "", "Hidden"), common: tableStyle("Hidden", display(false)) }

  it.each([["its style", own], ["a style on which its style is based", inherited]])(
    "a hidden sheet is skipped and named if %s hides it",
    async (_, { common, styles }) => {
      const book = ods(
        { Archive: { style: "ta1", rows: secret }, Answers: { style: "ta2", rows: wanted } },
        styles,
        common,
      )
      const all = await run(read(config(file(book, "ods"))))
      expect(all.source.columns.map(({ title }) => title)).toEqual(["Name", "Town"])
      expect(all.source.warnings.join()).toContain("hidden sheets that are not read: Archive")
    },
  )

  it("a hidden sheet is read if the pipeline names it", async () => {
    const book = ods({ Archive: { style: "ta1", rows: secret }, Answers: { rows: wanted } }, own.styles)
    const all = await run(read(config(file(book, "ods"), { sheet: "Archive" })))
    expect(texts(all.rows, 2)).toEqual([["a", "b"]])
  })
})

describe("a row of merged cells above the header", () => {
  const merged = (rows: string, ...refs: ReadonlyArray<string>) => {
    const parts = xlsx([{ name: "Rows", rows }])
    const sheet = "xl/worksheets/sheet1.xml"
    const cells = refs.map((ref) => `<mergeCell ref="${ref}"/>`).join("")
    return file(
      zip({
        ...parts,
        [sheet]: parts[sheet]!.replace("</sheetData>", `</sheetData><mergeCells>${cells}</mergeCells>`),
      }),
      "xlsx",
    )
  }
  const data = row(2, text("Name"), text("Town"), text("Answer"), text("Remark"))
    + row(3, text("Ada"), text("London"), text("yes"), text("none"))
    + row(4, text("Bob"), text("Paris"), text("no"), text("none"))

  it("a merged row is not a header, whether it has one title or a title for each group of columns", async () => {
    const one = merged(row(1, "", text("Survey of 2024")) + data, "B1:D1")
    const groups = merged(row(1, text("Person"), "", text("Survey")) + data, "A1:B1", "C1:D1")
    for (const path of [one, groups]) {
      const all = await run(read(config(path)))
      expect(all.source.columns.map(({ title }) => title)).toEqual(["Name", "Town", "Answer", "Remark"])
      expect(all.rows).toHaveLength(2)
      expect(all.source.warnings.join()).toContain("seems to have its header in row 2")
    }
  })

  it("a merged row is not a header, even in a sheet of two columns or without rows", async () => {
    const two = merged(
      row(1, text("Survey")) + row(2, text("Name"), text("Town")) + row(3, text("Ada"), text("London")),
      "A1:B1",
    )
    const bare = merged(row(1, text("Survey")) + row(2, text("Name"), text("Town")), "A1:B1")
    expect(texts((await run(read(config(two)))).rows, 2)).toEqual([["Ada", "London"]])
    const empty = await run(read(config(bare)))
    expect(empty.source.columns.map(({ title }) => title)).toEqual(["Name", "Town"])
    expect(empty.rows).toEqual([])
  })

  it("a merged row is the header if data follows it", async () => {
    const path = merged(row(1, text("Name"), text("Points")) + row(2, text("Ada"), "><v>1</v>", "><v>2</v>"), "B1:C1")
    const all = await run(read(config(path)))
    expect(all.source.columns.map(({ title }) => title)).toEqual(["Name", "Points", "Points"])
  })
})

describe("a place outside any sheet", () => {
  const header = row(1, text("a"), text("b"))
  const places = [
    ["row 1,048,577", header + row(1_048_577, text("x"), text("y"))],
    ["row 4,294,967,297", header + row(4_294_967_297, text("x"), text("y"))],
    ["row 0", row(0, text("x")) + header],
    ["column XFE of row 2", header + `<row r="2"><c r="XFE2" ${text("x")}</c></row>`],
  ] as const

  it.each(places)("a place outside any sheet is refused, and the message names it: %s", async (place, rows) => {
    const book = file(zip(xlsx([{ name: "Rows", rows }])), "xlsx")
    expect(await refusal(config(book))).toContain(place)
  })

  it("the last row and column of a sheet are allowed", async () => {
    const rows = row(1, text("a")) + `<row r="1048576"><c r="A1048576" ${text("x")}</c></row>`
    const all = await run(read(config(file(zip(xlsx([{ name: "Rows", rows }])), "xlsx"))))
    expect(all.rows).toEqual([["x"]])
  })
})

describe("a record in JSON lines", () => {
  const nested = (depth: number) => `{"id":1,"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`

  it("a record in JSON lines is reported if it exceeds JSON's depth limit", async () => {
    const lines = file(`{"id":0,"deep":[]}\n${nested(498)}\n${nested(499)}\n${nested(5_000)}\n`, "jsonl")
    const all = await run(read(config(lines)))
    expect([...all.faults]).toEqual([3, 4].map((at) => [
      at,
      `Row ${at} (line ${at}) has values nested more than 500 deep. Export it in a flatter shape.`,
    ]))
    expect(await refusal(config(file(`[${nested(499)}]`, "json")))).toContain("nested more than 500 deep")
    expect((await run(read(config(file(`[${nested(498)}]`, "json"))))).rows).toHaveLength(1)
  })
})

describe("half of a surrogate pair", () => {
  const said = "half of a character"

  it.each(["json", "jsonl"])(
    "half of a surrogate pair is a fault of its row in .%s, both in a text and in a member's name",
    async (extension) => {
      const records = [
        '{"id":"a\\ud800","more":{"x":1}}',
        '{"id":"a\\ud801"}',
        '{"id":"b","more":{"\\udfff":[1]}}',
        '{"id":"c","more":{"x":[{"y":"\\ud83d"}]}}',
        '{"id":"d\\ud83d\\ude00"}',
        '{"id":"e😀"}',
      ]
      const content = extension === "json" ? `[${records.join(",")}]` : records.join("\n")
      const all = await run(read(config(file(content, extension))))
      expect([...all.faults.keys()]).toEqual([1, 2, 3, 4])
      expect(all.faults.get(1)).toContain(said)
      expect(all.rows[4]?.[0]).toBe("d😀")
    },
  )

  it("half of a surrogate pair is a fault of its row in a workbook", async () => {
    const rows = row(1, text("id"), text("x")) + row(2, text("_xD800_"), text("1")) + row(3, text("a😀"), text("2"))
    const book = file(zip(xlsx([{ name: "Rows", rows }])), "xlsx")
    const all = await run(read(config(book)))
    expect([...all.faults.keys()]).toEqual([1])
  })

  it("two references to halves of a surrogate pair are one character in a workbook, and one half is a fault of its row", async () => {
    const written = ["&#55357;&#56832;", "&#xD83D;&#xde00; &amp;#55357;", "&#55357;"]
    const rows = [text("id"), ...written.map(text)].map((cell, at) => row(at + 1, cell, text("1"))).join("")
    const book = file(zip(xlsx([{ name: "Rows", rows }])), "xlsx")
    const open = file(ods({ Rows: { rows: ["id", ...written].map((one) => odsRow(one, "1")).join("") } }), "ods")
    for (const path of [book, open]) {
      const all = await run(read(config(path)))
      expect(all.rows.slice(0, 2).map(([cell]) => cell)).toEqual(["😀", "😀 &#55357;"])
      expect([...all.faults.keys()]).toEqual([3])
    }
  })

  it.each(["&#0;", "&#x110000;"])(
    "a workbook is refused if it refers to the impossible character %s",
    async (written) => {
      const rows = row(1, text("id")) + row(2, text(written))
      expect(await refusal(config(file(zip(xlsx([{ name: "Rows", rows }])), "xlsx")))).toContain(
        `a reference to a character that does not exist, ${written}`,
      )
    },
  )

  it("half of a surrogate pair is a fault of its row in UTF-16", async () => {
    const content = Buffer.from("\ufeffid,x\r\na\ud800,1\r\na\ud801,2\r\nb,3\r\n", "utf16le")
    const all = await run(read(config(file(content))))
    expect([...all.faults.keys()]).toEqual([1, 2])
    expect(all.faults.get(2)).toContain("Row 2 (line 3) has damaged text")
  })
})
