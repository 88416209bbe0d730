import iconv from "iconv-lite"
import { gzipSync } from "node:zlib"
import Papa from "papaparse"
import * as XLSX from "xlsx"
import { conforms } from "./conformance.ts"
import type { Container } from "./conformance.ts"
import { zip } from "./workbooks.ts"

const csv = (
  encode: (text: string) => Uint8Array,
  said: Container["said"] = {},
  unparse: { readonly delimiter?: string; readonly newline?: string } = {},
): Container => ({
  extension: "csv",
  said,
  streamed: true,
  write: (table) => encode(Papa.unparse(table.map((row) => [...row]), { quotes: true, ...unparse })),
})

const encoded = (encoding: string, addBOM = false) => (text: string) => iconv.encode(text, encoding, { addBOM })

conforms("UTF-8 CSV", csv(encoded("utf-8"), { delimiter: "," }))
conforms(
  "UTF-8 CSV with a byte order mark, semicolons and LF",
  csv(encoded("utf-8", true), {}, { delimiter: ";", newline: "\n" }),
)
conforms("Windows-1252 CSV", csv(encoded("windows-1252"), { encoding: "windows-1252" }, { delimiter: ";" }))
conforms("ISO-8859-15 CSV with tabs", csv(encoded("iso-8859-15"), { encoding: "ISO-8859-15" }, { delimiter: "\t" }))
conforms("UTF-16LE CSV with a byte order mark", csv(encoded("utf-16le", true), {}, { delimiter: "|" }))
conforms(
  "UTF-16BE CSV with a byte order mark and CR",
  csv(encoded("utf-16be", true), { delimiter: "," }, { newline: "\r" }),
)

for (const encoding of ["windows-1252", "macroman"]) {
  // Said here: a table of a few signs made up at random is no text of any language.
  conforms(`${encoding} CSV with semicolons`, csv(encoded(encoding), { encoding }, { delimiter: ";" }))
}

const packed = (extension: string, pack: (content: Uint8Array) => Uint8Array): Container => ({
  ...csv((text) => pack(Buffer.from(text)), { delimiter: "," }),
  extension,
  packed: true,
})

conforms("CSV in a gzip archive", packed("csv.gz", (content) => gzipSync(content)))
conforms(
  "CSV in a zip archive",
  packed("zip", (content) => zip({ "answers/rows.csv": content, "__MACOSX/rows.csv": "x" })),
)

const members = ["id", "  Full   name", "__proto__", "a.b", "x y"]
const record = (titles: ReadonlyArray<string>, row: ReadonlyArray<string>) =>
  `{${titles.map((title, at) => `${JSON.stringify(title)}:${JSON.stringify(row[at] ?? "")}`).join(",")}}`
const json = (
  extension: string,
  join: (records: ReadonlyArray<string>) => string,
  said: Container["said"] = {},
): Container => ({
  extension,
  said,
  streamed: true,
  header: members,
  // Without a record there are no members: one whose members are all empty is none, and shows them.
  write: ([titles = [], ...rows]) =>
    Buffer.from(join((rows.length === 0 ? [[]] : rows).map((row) => record(titles, row)))),
})

conforms("JSON", json("json", (records) => `[${records.join(",\n")}]`))
conforms(
  "JSON with its records at a place",
  json("json", (records) => `{"meta":{"n":[1]},"items":[${records.join(",")}]}`, { records: "/items" }),
)
conforms("JSON lines", json("jsonl", (records) => `${records.join("\n")}\n`))

const workbook = (bookType: XLSX.BookType, loses: ReadonlyArray<string>): Container => ({
  extension: bookType,
  loses,
  streamed: false,
  write: (table) => {
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(
      book,
      XLSX.utils.aoa_to_sheet(table.map((row) => row.map((text) => text === "" ? null : text))),
      "Rows",
    )
    return new Uint8Array(XLSX.write(book, { type: "array", bookType, compression: true }) as ArrayBuffer)
  },
})

conforms("A workbook (.xlsx)", workbook("xlsx", ["\r\n"]))
conforms("A workbook (.xlsx) read row by row", { ...workbook("xlsx", ["\r\n"]), held: 0, packed: true })
conforms("A workbook (.xlsb)", workbook("xlsb", []))
conforms("A workbook (.xls)", workbook("xls", []))
conforms("A workbook (.ods)", workbook("ods", ["\r\n", "\n", "\t", " "]))
