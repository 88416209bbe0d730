// Writes workbooks manually, so that their content does not depend on what the reader's own library would write.
import { crc32, deflateRawSync } from "node:zlib"

/** Returns a zip archive of these entries. `lie` puts a false unpacked size into its directory and headers. */
export const zip = (entries: Readonly<Record<string, string | Uint8Array>>, lie?: (size: number) => number): Buffer => {
  const parts: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const [path, text] of Object.entries(entries)) {
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const name = Buffer.from(path)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(lie?.(content.length) ?? content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from("PK\x03\x04", "latin1"), fields, name, packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), fields, tail, name)
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(entries).length, 4)
  end.writeUInt16LE(Object.keys(entries).length, 6)
  end.writeUInt32LE(directory.reduce((sum, part) => sum + part.length, 0), 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\x05\x06", "latin1"), end])
}

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const packages = "http://schemas.openxmlformats.org/package/2006"

/** A sheet with its rows as XML: `<row r="1"><c r="A1" …`. */
export interface HandmadeSheet {
  readonly name: string
  readonly rows: string
  readonly state?: "hidden" | "veryHidden"
}

/** Returns an .xlsx file. Style n of a cell is the n-th of `formats`, counting from 1. */
export const xlsx = (
  sheets: ReadonlyArray<HandmadeSheet>,
  { date1904 = false, formats = [] }: { readonly date1904?: boolean; readonly formats?: ReadonlyArray<string> } = {},
): Record<string, string> => {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
  return {
    "[Content_Types].xml":
      `<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/>`
      + `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`
      + `<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>`
      + `<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>`
      + sheets.map((_, at) =>
        `<Override PartName="/xl/worksheets/sheet${
          at + 1
        }.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`
      ).join("") + "</Types>",
    "_rels/.rels":
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml":
      `<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr${date1904 ? ' date1904="1"' : ""}/><sheets>`
      + sheets.map(({ name, state }, at) =>
        `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="s${at + 1}"${
          state === undefined ? "" : ` state="${state}"`
        }/>`
      ).join("") + "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${packages}/relationships">`
      + sheets.map((_, at) =>
        `<Relationship Id="s${at + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`
      ).join("")
      + `<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><numFmts count="${formats.length}">`
      + formats.map((format, at) => `<numFmt numFmtId="${170 + at}" formatCode="${escaped(format)}"/>`).join("")
      + `</numFmts><cellXfs count="${formats.length + 1}"><xf numFmtId="0"/>`
      + formats.map((_, at) => `<xf numFmtId="${170 + at}" applyNumberFormat="1"/>`).join("")
      + "</cellXfs></styleSheet>",
    ...Object.fromEntries(sheets.map(({ rows }, at) => [
      `xl/worksheets/sheet${at + 1}.xml`,
      `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
    ])),
  }
}

/** Returns a row of cells. Each is the XML of its attributes and content after its reference: `t="b"><v>1</v>`. */
export const row = (number: number, ...cells: ReadonlyArray<string>): string =>
  `<row r="${number}">${
    cells.map((cell, at) => cell === "" ? "" : `<c r="${String.fromCharCode(65 + at)}${number}" ${cell}</c>`).join("")
  }</row>`

/** Returns a text cell for `row`. */
export const text = (content: string) => `t="inlineStr"><is><t xml:space="preserve">${content}</t></is>`

const office = [
  "office",
  "style",
  "table",
  "text",
  "drawing",
  "calcext",
  "number",
].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ")

const mimetype = "application/vnd.oasis.opendocument.spreadsheet"

/** A sheet of `ods`: the name of its style, and its rows as XML. */
type OdsSheets = Readonly<Record<string, { readonly style?: string; readonly rows: string }>>

/**
 * Returns the parts of an .ods file. `styles` is the XML of its own styles, `common` is the XML of the styles that they inherit from, and `settings`
 * is the XML before the sheets.
 */
export const odsParts = (sheets: OdsSheets, styles = "", common = "", settings = ""): Record<string, string> => ({
  mimetype,
  "META-INF/manifest.xml":
    `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry m:full-path="/" m:media-type="${mimetype}"/>`
    + `<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>`,
  "styles.xml": `<office:document-styles ${office}><office:styles>${common}</office:styles></office:document-styles>`,
  "content.xml":
    `<office:document-content ${office}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${settings}`
    + Object.entries(sheets).map(([name, { rows, style }]) =>
      `<table:table table:name="${name}"${
        style === undefined ? "" : ` table:style-name="${style}"`
      }>${rows}</table:table>`
    ).join("") + "</office:spreadsheet></office:body></office:document-content>",
})

/** Returns an .ods file of these parts. */
export const ods = (...parts: Parameters<typeof odsParts>): Buffer => zip(odsParts(...parts))

/** Returns a row of texts for `ods`. */
export const odsRow = (...cells: ReadonlyArray<string>) =>
  `<table:table-row>${
    cells.map((cell) => `<table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell>`)
      .join("")
  }</table:table-row>`
