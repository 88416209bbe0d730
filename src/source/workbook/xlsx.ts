import * as Effect from "effect/Effect"
import { posix } from "node:path"
import { count } from "../../domain/words.ts"
import { damaged, entryBytes } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import { packedStart, unpack, type ZipEntry } from "../zip.ts"
import { commonFormat } from "./cells.ts"
import {
  checkParts,
  type MakeReader,
  openRows,
  type Packed,
  partName,
  type Parts,
  readPart,
  sound,
} from "./readRows.ts"
import { sharedTextsReader } from "./sharedTexts.ts"
import { chooseSheet, type OpenSheet, withoutRows } from "./Sheet.ts"
import { sheetRowsReader } from "./sheetRows.ts"
import type { CellContext } from "./xlsxCell.ts"
import { attributesOf, isTrue, xmlScanner } from "./xml.ts"

/** Calls a function with each element of a small part and its attributes, in order. */
const elementsOf = (
  file: string,
  content: Buffer,
  entry: ZipEntry | undefined,
  see: (element: string, of: (attribute: string) => string) => void,
): Effect.Effect<void, SourceError> =>
  Effect.gen(function*() {
    if (entry === undefined) return
    if (entry.unpacked > limits.unpackedFreely) return yield* damaged(file)
    const text = yield* Effect.tryPromise({ try: () => unpack(content, entry), catch: () => damaged(file) })
    const scanner = xmlScanner({ open: (name, xml, from, to) => see(name, attributesOf(xml, from, to)) })
    yield* Effect.mapError(
      sound(file, () => {
        scanner.write(text)
        scanner.end()
      }),
      () => damaged(file),
    )
  })

/** Returns a part's relations to other parts: their kinds, and the names of the parts. */
const relationsOf = (file: string, content: Buffer, parts: Parts, part: string) =>
  Effect.gen(function*() {
    const { base, dir } = posix.parse(part)
    const relations: Array<{ readonly id: string; readonly kind: string; readonly target: string }> = []
    yield* elementsOf(file, content, parts.get(posix.join(dir, "_rels", `${base}.rels`)), (element, of) => {
      if (element !== "Relationship") return
      const target = posix.resolve("/", dir, partName(of("Target"))).slice(1)
      relations.push({ id: of("Id"), kind: of("Type").replace(/^.*\//, ""), target })
    })
    return relations
  })

/** Returns the part with the list of sheets. Its name ends with .xml, or with .bin in an .xlsb workbook. Undefined if the archive is neither. */
export const bookPart = (file: string, content: Buffer, parts: Parts) =>
  Effect.map(relationsOf(file, content, parts, ""), (relations) => {
    const named = relations.find(({ kind }) => kind === "officeDocument")?.target
    return [named ?? "xl/workbook.xml", "xl/workbook.bin"].find((part) =>
      /\.(?:xml|bin)$/.test(part) && parts.has(part)
    )
  })

/** The built-in number formats that show a date or a time (ECMA-376, part 1, section 18.8.30). */
const knownFormats: Readonly<Record<number, string>> = {
  14: "m/d/yy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "m/d/yy h:mm",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mmss.0",
}

/** The content of a workbook's small parts: its sheets, its number formats, and the first day of its dates. */
const readBook = (file: string, content: Buffer, parts: Parts, book: string) =>
  Effect.gen(function*() {
    const sheets: Array<{ readonly name: string; readonly hidden: boolean; readonly id: string }> = []
    let date1904 = false
    let calculatesOnLoad = false
    yield* elementsOf(file, content, parts.get(book), (element, of) => {
      if (element === "sheet") {
        sheets.push({ name: of("name"), hidden: !["", "visible"].includes(of("state")), id: of("id") })
      } else if (element === "workbookPr") date1904 = isTrue(of("date1904"))
      else if (element === "calcPr") calculatesOnLoad = isTrue(of("fullCalcOnLoad"))
    })
    const relations = yield* relationsOf(file, content, parts, book)
    const named = (kind: string) => relations.find((one) => one.kind === kind)?.target
    const own = new Map<string, string>()
    const formats: Array<string> = []
    let inCells = false
    yield* elementsOf(file, content, parts.get(named("styles") ?? "xl/styles.xml"), (element, of) => {
      const id = of("numFmtId")
      if (element === "numFmt") own.set(id, of("formatCode"))
      else if (element === "cellXfs") inCells = true
      else if (element === "cellStyles" || element === "dxfs" || element === "cellStyleXfs") inCells = false
      else if (element === "xf" && inCells) {
        formats.push(own.get(id) ?? knownFormats[commonFormat(Number(id))] ?? "General")
      }
    })
    return {
      sheets,
      date1904,
      calculatesOnLoad,
      formats,
      texts: parts.get(named("sharedStrings") ?? "xl/sharedstrings.xml"),
      relationOf: (id: string) => relations.find((one) => one.id === id),
    }
  })

/** Makes the readers of a sheet's rows. This is a separate function, so that its closure doesn't keep the workbook's bytes. */
const readerOf = (context: CellContext): MakeReader => (notes) => sheetRowsReader(context, notes)

/**
 * Opens one sheet of an .xlsx workbook, to be read row by row. Keeps the shared strings in memory, but neither the rows
 * nor the file itself.
 *
 * @param packed the workbook's bytes, from which its small parts are read
 * @param book the part with the list of sheets
 * @param wanted the number of rows that `first` must contain, unless the sheet has fewer
 */
export const openXlsx = (
  bytes: Bytes,
  packed: Packed,
  book: string,
  asked: string | number | undefined,
  wanted: number,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const { content, fingerprint, parts } = packed
    yield* checkParts(file, packed, [])
    const { calculatesOnLoad, date1904, formats, relationOf, sheets, texts } = yield* readBook(
      file,
      content,
      parts,
      book,
    )
    const names = sheets.map(({ name }) => name)
    const { at, ...chosen } = yield* chooseSheet(file, names, (index) => sheets[index]?.hidden === true, asked)
    const relation = relationOf(sheets[at]?.id ?? "")
    if (relation !== undefined && relation.kind !== "worksheet") return yield* withoutRows(file, chosen.name)
    const entry = parts.get(relation?.target ?? "")
    if (entry === undefined) return yield* damaged(file)
    yield* checkParts(file, packed, texts === undefined ? [entry] : [entry, texts])
    let strings: ReadonlyArray<string> = []
    if (texts !== undefined) {
      if (texts.unpacked > limits.sharedStrings) {
        return yield* refusing(file)(
          `contains ${count(texts.unpacked)} bytes of texts, more than the limit of ${
            count(limits.sharedStrings)
          } for workbooks. Save its sheet as CSV.`,
        )
      }
      const reader = sharedTextsReader()
      yield* readPart(file, entryBytes(bytes, texts, packedStart(content, texts) ?? 0), reader.write)
      strings = yield* sound(file, reader.end)
    }
    const sheet = entryBytes(bytes, entry, packedStart(content, entry) ?? 0)
    const isSmall = entry.unpacked < limits.lookedSheet
    const context: CellContext = { strings, formats, date1904, calculatesOnLoad }
    return {
      ...chosen,
      date1904,
      ...yield* openRows(file, sheet, fingerprint, readerOf(context), wanted, isSmall),
    }
  })
