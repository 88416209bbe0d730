import * as XLSX from "xlsx"
import { isLong } from "../../long.ts"
import { conforms, type Container } from "../conformance.ts"

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

conforms("A workbook (.xlsx)", { ...workbook("xlsx", ["\r\n"]), packed: true })
if (isLong) conforms("A workbook (.xlsb)", workbook("xlsb", []))
conforms("A workbook (.xls)", workbook("xls", []))
// The library's paragraphs may begin or end with a space that does not count.
conforms("A workbook (.ods)", { ...workbook("ods", ["\r\n", "\n"]), packed: true })
