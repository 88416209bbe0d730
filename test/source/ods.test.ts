// OpenDocument sheets that were written manually after the specification, with everything that spreadsheet programs may
// write and a reader may lose.
import { describe, expect, it } from "vitest"
import { type Cell, cellText, DateCell, ErrorCell, PercentCell } from "../../src/domain/cell.ts"
import { config, file, read, refusal, run } from "./opening.ts"
import { ods, odsParts, odsRow, zip } from "./workbooks.ts"

const header = odsRow("a", "b")

/** Returns an .ods file with two columns and these rows. */
const book = (...rows: ReadonlyArray<string>) => ods({ S: { rows: header + rows.join("") } })

const open = (content: Uint8Array, said = {}) => run(read(config(file(content, "ods"), said)))

const row = (...cells: ReadonlyArray<string>) => `<table:table-row>${cells.join("")}</table:table-row>`
const shown = (content: string, attributes = 'office:value-type="string"') =>
  `<table:table-cell ${attributes}>${content}</table:table-cell>`
const typed = (type: string, attribute: string, value: string, text = "shown") =>
  shown(`<text:p>${text}</text:p>`, `office:value-type="${type}" office:${attribute}="${value}"`)

/** Returns the first cell of a row whose first cell has this XML. */
const cell = async (xml: string): Promise<Cell | undefined> =>
  (await open(book(row(xml, shown("<text:p>end</text:p>"))))).rows[0]?.[0]

describe("the text of a cell in an OpenDocument sheet", () => {
  it.each<readonly [string, string]>([
    [`<text:p>a<text:s text:c="3"/>b<text:s/>c<text:s text:c="2" ></text:s>d</text:p>`, "a   b c  d"],
    ["<text:p>a<text:tab/>b<text:line-break/>c</text:p>", "a\tb\nc"],
    ["<text:p>one</text:p><text:p/><text:p></text:p><text:p>two</text:p>", "one\n\n\ntwo"],
    ["<text:p>\n  a  \n\t b\n</text:p>", "a b"],
    ["<text:p>one <text:span> two</text:span> <text:a>three</text:a></text:p>", "one  two three"],
    // LibreOffice 7.4 writes spaces like this in cells of several lines, and reads them all.
    ["<text:p>a   b</text:p><text:p>  c  </text:p>", "a   b\n  c  "],
    ["<text:p>a <text:span>\n b</text:span> \n</text:p>", "a b"],
    ["<text:p>a &amp; <![CDATA[<b> & ]]>c<!-- not this --></text:p>", "a & <b> & c"],
    ["<text:h>Title</text:h><text:p>text</text:p>", "Title\ntext"],
    ["<text:list><text:list-item><text:p>1</text:p></text:list-item></text:list><text:p>2</text:p>", "1\n2"],
    [
      "<text:p>漢<text:ruby><text:ruby-base>字</text:ruby-base><text:ruby-text>ji</text:ruby-text></text:ruby></text:p>",
      "漢字",
    ],
    ["<office:annotation><text:p>a note</text:p></office:annotation><text:p>text</text:p>", "text"],
    ["<text:p>text</text:p><drawing:frame><text:p>in a picture</text:p></drawing:frame>", "text"],
    [
      "<text:p>te<drawing:frame><drawing:text-box><text:p>in a box</text:p></drawing:text-box></drawing:frame>xt</text:p>",
      "text",
    ],
  ])("the text of a cell is complete, and nothing else is part of it: %s", async (xml, text) => {
    expect(await cell(shown(xml))).toBe(text)
  })

  it("the text of a cell is its stored text if it has one, even without a paragraph", async () => {
    const stored = 'office:value-type="string" office:string-value="stored"'
    expect(await cell(shown("<text:p>shown</text:p>", stored))).toBe("stored")
    expect(await cell(`<table:table-cell ${stored}/>`)).toBe("stored")
    const empty = 'office:value-type="string" office:string-value=""'
    expect(await cell(shown("<text:p>shown</text:p>", empty))).toBe("shown")
    expect(await cell(shown("<text:p>untyped</text:p>", ""))).toBe("untyped")
  })
})

describe("the value of a cell in an OpenDocument sheet", () => {
  it.each<readonly [string, string, string, Cell]>([
    ["float", "value", "007.50", 7.5],
    ["float", "value", "1E21", 1e21],
    ["float", "value", "123456789012345678", "123456789012345678"],
    ["percentage", "value", "0.125", new PercentCell(12.5)],
    ["currency", "value", "-1234.5", -1234.5],
    ["boolean", "boolean-value", "false", false],
    ["boolean", "boolean-value", "1", true],
    ["boolean", "boolean-value", "", false],
    ["date", "date-value", "2020-01-02", new DateCell("2020-01-02")],
    ["date", "date-value", "2020-03-29T02:30:14.999999999", new DateCell("2020-03-29T02:30:15")],
    ["date", "date-value", "1890-05-06", new DateCell("1890-05-06")],
    ["date", "date-value", "1900-02-28", new DateCell("1900-02-28")],
    ["date", "date-value", "0099-01-01", new DateCell("0099-01-01")],
    ["date", "date-value", "-0044-03-15", new ErrorCell("-0044-03-15, not a date or time")],
    ["time", "time-value", "PT13H30M15.4S", new DateCell("13:30:15")],
    ["time", "time-value", "PT5M", new DateCell("00:05:00")],
    ["time", "time-value", "-PT1H", new ErrorCell("-PT1H, a negative time")],
  ])("a value has the type and the value that the file states: %s %s %s", async (type, attribute, value, expected) => {
    expect(await cell(typed(type, attribute, value))).toEqual(expected)
    // A paragraph is optional.
    expect(await cell(`<table:table-cell office:value-type="${type}" office:${attribute}="${value}"/>`)).toEqual(
      expected,
    )
  })

  const formats =
    `<number:date-style style:name="D"><number:day/><number:text>.</number:text><number:month/></number:date-style>`
    + `<number:time-style style:name="T"><number:hours/></number:time-style>`
    + `<number:time-style style:name="H" number:truncate-on-overflow="false"><number:hours/></number:time-style>`
    + `<number:number-style style:name="Z"><number:number number:min-integer-digits="5" number:decimal-places="0"/></number:number-style>`
    + `<number:number-style style:name="N"><number:number number:min-integer-digits="3"/><number:text>x</number:text></number:number-style>`
    + `<style:style style:name="postcode" style:family="table-cell" style:data-style-name="Z"/>`
    + `<style:style style:name="text" style:family="table-cell" style:data-style-name="N"/>`
    + `<number:number-style style:name="P"><number:number number:min-integer-digits="10"><number:embedded-text number:position="2"> </number:embedded-text></number:number></number:number-style>`
    + `<style:style style:name="phone" style:family="table-cell" style:data-style-name="P"/>`
    + `<number:number-style style:name="C"><number:number number:min-integer-digits="3"/><style:map style:condition="value()&gt;=0" style:apply-style-name="T"/></number:number-style>`
    + `<style:style style:name="conditional" style:family="table-cell" style:data-style-name="C"/>`
    + `<style:style style:name="hours" style:family="table-cell" style:data-style-name="H"/>`
    + `<style:style style:name="time" style:family="table-cell" style:data-style-name="T"/>`
  const common = `<style:style style:name="day" style:family="table-cell" style:data-style-name="D"/>`
  const based = `<style:style style:name="based" style:family="table-cell" style:parent-style-name="day"/>`
  const first = "1904-01-01"
  const settings =
    `<table:calculation-settings><table:null-date table:date-value="${first}"/></table:calculation-settings>`

  it.each<readonly [string, string, Cell]>([
    ["hours", `office:value-type="time" office:time-value="PT36H00M00S"`, "36:00:00"],
    ["hours", `office:value-type="float" office:value="0.25"`, new DateCell("06:00:00")],
    ["unknown", `office:value-type="time" office:time-value="PT36H00M00S"`, "36:00:00"],
    ["time", `office:value-type="time" office:time-value="P1DT12H"`, new DateCell("1904-01-02T12:00:00")],
    ["time", `office:value-type="float" office:value="0.5"`, new DateCell("12:00:00")],
    ["based", `office:value-type="float" office:value="1.0"`, new DateCell("1904-01-02")],
    ["based", `office:value-type="float" office:value="-1"`, new DateCell("1903-12-31")],
    ["unknown", `office:value-type="float" office:value="1.0"`, 1],
    ["postcode", `office:value-type="float" office:value="1067"`, "01067"],
    ["text", `office:value-type="float" office:value="7"`, "007"],
    ["phone", `office:value-type="float" office:value="612345678"`, "0612345678"],
    ["conditional", `office:value-type="float" office:value="7"`, 7],
  ])(
    "a number is what its format shows (%s), whether its cell, row or column has the format: %s",
    async (style, value, expected) => {
      const cells = (own: string) => `<table:table-cell ${value}${own}/>${shown("<text:p>end</text:p>")}`
      const rows = `<table:table-column/><table:table-column table:default-cell-style-name="${style}"/>${header}`
        + `<table:table-row>${cells(` table:style-name="${style}"`)}</table:table-row>`
        + `<table:table-row table:default-cell-style-name="${style}">${cells("")}</table:table-row>`
        + `<table:table-row><table:table-cell/><table:table-cell ${value}/></table:table-row>`
      const all = await open(ods({ S: { rows } }, formats + based, common, settings))
      expect([all.rows[0]?.[0], all.rows[1]?.[0], all.rows[2]?.[1]]).toEqual([expected, expected, expected])
    },
  )

  it.each<readonly [string, string, Cell]>([
    ["time", `office:value-type="time" office:time-value="PT36H30M00S"`, new DateCell("1899-12-31T12:30:00")],
    ["time", `office:value-type="time" office:time-value="PT24H00M00S"`, new DateCell("1899-12-31T00:00:00")],
    ["time", `office:value-type="float" office:value="1.5"`, new DateCell("1899-12-31T12:00:00")],
    ["time", `office:value-type="float" office:value="0.5"`, new DateCell("12:00:00")],
    ["time", `office:value-type="float" office:value="0.999999"`, new DateCell("23:59:59")],
    ["time", `office:value-type="float" office:value="-0.25"`, new ErrorCell("-0.25, a negative time")],
    ["hours", `office:value-type="float" office:value="-0.25"`, new ErrorCell("-0.25, a negative time")],
  ])("a time keeps its days and its sign if its format hides them (%s): %s", async (style, value, expected) => {
    const rows = header + row(`<table:table-cell ${value} table:style-name="${style}"/>`)
    expect((await open(ods({ S: { rows } }, formats))).rows[0]?.[0]).toEqual(expected)
  })

  it("an error, and a formula without a stored value, are errors of their row", async () => {
    const error = `table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"`
    expect(await cell(shown("<text:p>#DIV/0!</text:p>", error))).toEqual(new ErrorCell("#DIV/0!"))
    expect(await cell(shown("<text:p>Err:502</text:p>", error))).toEqual(new ErrorCell("Err:502"))
    const ofExcel = `table:formula="msoxl:=1/0" office:value-type="string"`
    expect(await cell(shown("<text:p>#DIV/0!</text:p>", ofExcel))).toEqual(new ErrorCell("#DIV/0!"))
    expect(await cell(shown("<text:p>#N/A</text:p>"))).toBe("#N/A")
    expect(await cell(`<table:table-cell table:formula="of:=1+1"/>`))
      .toEqual(new ErrorCell("formula without a stored value"))
    expect(await cell(`<table:table-cell table:formula="of:=A2" office:value-type="string" office:string-value=""/>`))
      .toBeNull()
  })

  it.each([
    [typed("float", "value", "7,5"), /a number that is "7,5"/],
    [typed("float", "value", "0x1F"), /a number that is "0x1F"/],
    [typed("boolean", "boolean-value", "yes"), /a truth value that is "yes"/],
    [`<table:table-cell office:value-type="boolean"/>`, /a truth value that is ""/],
    [`<table:table-cell office:value-type="boolean" office:boolean-value="" table:formula="of:=NOT([.A1])"/>`, /is ""/],
    [typed("point", "value", "1"), /a cell of an unknown type, "point"/],
    [shown(`<table:table table:name="T"><table:table-row/></table:table>`), /a table in a cell/],
    [`<table:table-cell table:number-columns-repeated="two"/>`, /the number of repetitions "two"/],
  ])("a value that would be lost or guessed is refused: %s", async (xml, message) => {
    expect(await refusal(config(file(book(row(xml)), "ods")))).toMatch(message)
  })
})

describe("the place of a cell in an OpenDocument sheet", () => {
  it("repeated rows and cells are read as often as they are repeated, and only if they are filled", async () => {
    const all = await open(book(
      `<table:table-row table:number-rows-repeated="3">${
        shown("<text:p>x</text:p>")
      }<table:table-cell/></table:table-row>`,
      row(shown("<text:p>y</text:p>", 'office:value-type="string" table:number-columns-repeated="2"')),
      `<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
      row(`<table:table-cell table:number-columns-repeated="1"/>`, shown("<text:p>z</text:p>")),
      `<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
    ))
    expect(all.rows).toEqual([["x"], ["x"], ["x"], ["y", "y"], [null, "z"]])
    expect(all.files[0]?.file.taken).toContainEqual({ what: "empty rows", value: "2 omitted, first above row 5" })
  })

  it("a row may be repeated many times, but not if that makes far too many cells", async () => {
    const repeated = (rows: number, cells: number) =>
      `<table:table-row table:number-rows-repeated="${rows}">${
        shown("<text:p>x</text:p>", `office:value-type="string" table:number-columns-repeated="${cells}"`)
      }</table:table-row>`
    const below = ods({ S: { rows: repeated(400_000, 2) + header + odsRow("1", "2") } })
    expect((await open(below, { range: "A400001:B400002" })).rows).toEqual([["1", "2"]])
    expect(await refusal(config(file(book(repeated(1_048_000, 1000)), "ods")))).toContain(
      "1,000 cells in row 2 that are repeated 1,048,000 times",
    )
  })

  it("rows in groups, rows that repeat on each page, and hidden rows are read, and hidden ones are reported", async () => {
    const all = await open(ods({
      S: {
        rows:
          `<table:table-column-group><table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/></table:table-column-group>`
          + `<table:table-header-rows>${header}</table:table-header-rows>`
          + `<table:table-row-group table:display="false">${odsRow("1", "2")}</table:table-row-group>`
          + `<table:table-row table:visibility="filter">${shown("<text:p>3</text:p>")}</table:table-row>`,
      },
    }))
    expect(all.rows).toEqual([["1", "2"], ["3"]])
    expect(all.source.warnings.join()).toContain("has 1 hidden row and 1 hidden column")
  })

  it("covered cells are read like all others, and merged cells are known", async () => {
    const merged = 'office:value-type="string" table:number-columns-spanned="2" table:number-rows-spanned="1"'
    const all = await open(ods({
      S: {
        rows: row(shown("<text:p>A report</text:p>", merged), "<table:covered-table-cell/>") + header + odsRow("1", "2")
          + row(
            shown("<text:p>x</text:p>", merged),
            `<table:covered-table-cell office:value-type="float" office:value="5"/>`,
          ),
      },
    }))
    expect(all.source.columns.map(({ title }) => title)).toEqual(["a", "b"])
    expect(all.rows).toEqual([["1", "2"], ["x", 5]])
  })

  it("only tables in the list of sheets are sheets", async () => {
    const before = `<table:tracked-changes><table:deletion><table:table table:name="Old"><table:table-row>${
      shown("<text:p>old</text:p>")
    }</table:table-row></table:table></table:deletion></table:tracked-changes>`
    const all = await open(
      ods(
        {
          S: {
            rows: `<table:shapes><drawing:frame><text:p>s</text:p></drawing:frame></table:shapes>${header}${
              odsRow("1", "2")
            }`,
          },
        },
        "",
        "",
        before,
      ),
    )
    expect(all.rows).toEqual([["1", "2"]])
    expect(all.files[0]?.file.taken).toContainEqual({ what: "sheet", value: "S (the only one)" })
  })
})

describe("the parts of an OpenDocument workbook", () => {
  const parts = odsParts({ S: { rows: header + odsRow("1", "2") } })

  it.each<readonly [string, ReadonlyArray<string>]>([
    ["without styles and a manifest", ["mimetype", "content.xml"]],
    ["with only the content", ["content.xml"]],
    ["in a different order", ["META-INF/manifest.xml", "styles.xml", "content.xml", "mimetype"]],
  ])("a workbook %s is read", async (_, names) => {
    const content = zip(Object.fromEntries(names.map((name) => [name, parts[name] ?? ""])))
    expect((await open(content)).rows.map((cells) => cells.map(cellText))).toEqual([["1", "2"]])
  })

  it("a workbook with a password, or without sheets, is refused", async () => {
    const locked = { ...parts, "META-INF/manifest.xml": "<m:file-entry><m:encryption-data/></m:file-entry>" }
    expect(await refusal(config(file(zip(locked), "ods")))).toContain("is protected by a password")
    const whole = { ...locked, mimetype: parts["mimetype"] ?? "", "encrypted-package": "x" }
    delete (whole as Record<string, string>)["content.xml"]
    expect(await refusal(config(file(zip(whole), "ods")))).toContain("is protected by a password")
    expect(await refusal(config(file(ods({}), "ods")))).toContain("it lists no sheets")
  })
})
