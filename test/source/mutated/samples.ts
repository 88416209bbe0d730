// The files that are mutated: a small file of each format.
import iconv from "iconv-lite"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as XLSX from "xlsx"
import { row, text, xlsx, zip } from "../workbooks.ts"

const table = [
  "id;Name;Bemerkung;Zahl",
  '1;Jürgen Müller;"über den Wolken; ""nie"" sagt er";12,5',
  "2;Ulrike Weiß;zwei Wörter;3",
  '3;Äpfel;"zwei\r\nZeilen";4',
  "4;Öl;;",
  ";;;",
  "5;Größe;groß;6",
].join("\r\n")

const people = Array.from(
  { length: 12 },
  (_, at) => ({ id: at, name: `Ada ${at}`, a: { mail: `a${at}@x.org`, list: [at, "x"] } }),
)
const libreOffice = (name: string) => readFileSync(join(import.meta.dirname, "../libreoffice", name))

const workbook = (bookType: XLSX.BookType) => {
  const book = XLSX.utils.book_new()
  const rows = people.map(({ id, name }) => [id + 1, name, id % 3 === 0 ? null : `ä${id}`, id / 4, id % 2 === 0])
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["id", "Name", "Wort", "Zahl", "Ja"], ...rows]), "Rows")
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["a"], ["other"]]), "Other")
  return new Uint8Array(XLSX.write(book, { type: "array", bookType, compression: true }) as ArrayBuffer)
}

/**
 * How a mutated file is checked. The content of `text`, `json` and `jsonl` files is computed independently. `sealed`
 * files have checksums, and `xls` files have neither.
 */
type Kind = "text" | "json" | "jsonl" | "sealed" | "xls"

export interface Sample {
  readonly name: string
  readonly extension: string
  readonly kind: Kind
  readonly bytes: Buffer
}

export const samples: ReadonlyArray<Sample> = [
  { name: "UTF-8", extension: "csv", kind: "text", bytes: Buffer.from(table) },
  { name: "UTF-8 with a mark", extension: "csv", kind: "text", bytes: Buffer.from(`\ufeff${table}`) },
  { name: "Windows-1252", extension: "csv", kind: "text", bytes: iconv.encode(table, "windows-1252") },
  { name: "UTF-16LE", extension: "csv", kind: "text", bytes: iconv.encode(table, "utf-16le", { addBOM: true }) },
  {
    name: "commas",
    extension: "csv",
    kind: "text",
    bytes: Buffer.from('a,b,c\n1,"x, y",z\n2,"it ""is""",\n3,,"l\nm"\n'.repeat(4)),
  },
  { name: "tabs", extension: "tsv", kind: "text", bytes: Buffer.from(table.replaceAll(";", "\t")) },
  { name: "LibreOffice's CSV", extension: "csv", kind: "text", bytes: libreOffice("sheet.macroman.csv") },
  { name: "JSON", extension: "json", kind: "json", bytes: Buffer.from(JSON.stringify(people)) },
  {
    name: "JSON lines",
    extension: "jsonl",
    kind: "jsonl",
    bytes: Buffer.from(people.map((one) => JSON.stringify(one)).join("\n")),
  },
  { name: "gzip", extension: "csv.gz", kind: "sealed", bytes: gzipSync(table) },
  { name: "zip", extension: "zip", kind: "sealed", bytes: zip({ "a.csv": table }) },
  {
    name: ".xlsx",
    extension: "xlsx",
    kind: "sealed",
    bytes: zip(
      xlsx([{
        name: "Rows",
        rows: row(1, text("id"), text("n")) + row(2, text("1"), "><v>2</v>") + row(3, text("2"), "><v>3</v>"),
      }]),
    ),
  },
  { name: "LibreOffice's .xlsx", extension: "xlsx", kind: "sealed", bytes: libreOffice("sheet.xlsx") },
  { name: "LibreOffice's .ods", extension: "ods", kind: "sealed", bytes: libreOffice("sheet.ods") },
  { name: "xlsx's .xlsb", extension: "xlsb", kind: "sealed", bytes: Buffer.from(workbook("xlsb")) },
  { name: "xlsx's .ods", extension: "ods", kind: "sealed", bytes: Buffer.from(workbook("ods")) },
  { name: "LibreOffice's .xls", extension: "xls", kind: "xls", bytes: libreOffice("sheet.xls") },
  { name: "xlsx's .xls", extension: "xls", kind: "xls", bytes: Buffer.from(workbook("xls")) },
  { name: "Excel 95's .xls", extension: "xls", kind: "xls", bytes: Buffer.from(workbook("biff5")) },
]
