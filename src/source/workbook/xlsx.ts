import * as Effect from "effect/Effect"
import { posix } from "node:path"
import { count } from "../../domain/words.ts"
import { damaged } from "../archive.ts"
import { limits } from "../limits.ts"
import { refusing, type SourceError } from "../Source.ts"
import type { ZipEntry } from "../zip.ts"
import { commonFormat } from "./cells.ts"
import { checkParts, type Packed, partName, readPart, sound, unpackedPart, type XmlSheet } from "./readRows.ts"
import { sharedTextsReader } from "./sharedTexts.ts"
import { chooseSheet, withoutRows } from "./Sheet.ts"
import { sheetRowsReader } from "./sheetRows.ts"
import type { CellContext } from "./xlsxCell.ts"
import { isTrue, xmlScanner } from "./xml.ts"

/** Calls a function with each element of a small part and its attributes, in order. Skips extensions, in which names such as `workbookPr` have other meanings. */
const elementsOf = (
  packed: Packed,
  entry: ZipEntry | undefined,
  see: (element: string, of: (attribute: string) => string) => void,
): Effect.Effect<void, SourceError> =>
  Effect.gen(function*() {
    if (entry === undefined) return
    const { file } = packed.bytes
    const text = yield* unpackedPart(packed, entry)
    /** How many lists of extensions are open. */
    let extensions = 0
    const scanner = xmlScanner({
      open: (name, attributes) => {
        if (name === "extLst") extensions++
        else if (extensions === 0) see(name, attributes.byName())
      },
      close: (name) => {
        if (name === "extLst") extensions--
      },
    })
    yield* Effect.mapError(
      sound(file, () => {
        scanner.write(text)
        scanner.end()
      }),
      () => damaged(file),
    )
  })

/** Returns a part's relations to other parts: their kinds, and the names of the parts. */
const relationsOf = (packed: Packed, part: string) =>
  Effect.gen(function*() {
    const { base, dir } = posix.parse(part)
    const relations: Array<{ readonly id: string; readonly kind: string; readonly target: string }> = []
    yield* elementsOf(packed, packed.parts.get(posix.join(dir, "_rels", `${base}.rels`)), (element, of) => {
      if (element !== "Relationship") return
      const target = posix.resolve("/", dir, partName(of("Target"))).slice(1)
      relations.push({ id: of("Id"), kind: of("Type").replace(/^.*\//, ""), target })
    })
    return relations
  })

/** Returns the part with the list of sheets. Its name ends with .xml, or with .bin in an .xlsb workbook. Undefined if the archive is neither. */
export const bookPart = (packed: Packed) =>
  Effect.map(relationsOf(packed, ""), (relations) => {
    const named = relations.find(({ kind }) => kind === "officeDocument")?.target
    return [named ?? "xl/workbook.xml", "xl/workbook.bin"].find((part) =>
      /\.(?:xml|bin)$/.test(part) && packed.parts.has(part)
    )
  })

/** The built-in number formats that show a percentage, a date or a time (ECMA-376, part 1, section 18.8.30). */
const knownFormats: Readonly<Record<number, string>> = {
  9: "0%",
  10: "0.00%",
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
const readBook = (packed: Packed, book: string) =>
  Effect.gen(function*() {
    const { parts } = packed
    const sheets: Array<{ readonly name: string; readonly hidden: boolean; readonly id: string }> = []
    let date1904 = false
    let calculatesOnLoad = false
    yield* elementsOf(packed, parts.get(book), (element, of) => {
      if (element === "sheet") {
        sheets.push({ name: of("name"), hidden: !["", "visible"].includes(of("state")), id: of("id") })
      } else if (element === "workbookPr") date1904 = isTrue(of("date1904"))
      else if (element === "calcPr") calculatesOnLoad = isTrue(of("fullCalcOnLoad"))
    })
    const relations = yield* relationsOf(packed, book)
    const named = (kind: string) => relations.find((one) => one.kind === kind)?.target
    const own = new Map<string, string>()
    const formats: Array<string> = []
    let inCells = false
    yield* elementsOf(packed, parts.get(named("styles") ?? "xl/styles.xml"), (element, of) => {
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

/** This is a separate function, so that its closure doesn't keep the workbook's bytes. */
const readerOf = (context: CellContext): XmlSheet["makeReader"] => (found) => sheetRowsReader(context, found)

/**
 * Finds one sheet of an .xlsx workbook. Keeps the shared strings in memory, but neither the rows nor the file itself.
 *
 * @param packed the workbook's bytes, from which its small parts are read
 * @param book the part with the list of sheets
 */
export const xlsxSheet = (
  packed: Packed,
  book: string,
  asked: string | number | undefined,
): Effect.Effect<XmlSheet, SourceError> =>
  Effect.gen(function*() {
    const { file } = packed.bytes
    yield* checkParts(packed, [])
    const { calculatesOnLoad, date1904, formats, relationOf, sheets, texts } = yield* readBook(packed, book)
    const names = sheets.map(({ name }) => name)
    const chosen = yield* chooseSheet(file, names, (index) => sheets[index]?.hidden === true, asked)
    const relation = relationOf(sheets[chosen.at]?.id ?? "")
    if (relation !== undefined && relation.kind !== "worksheet") return yield* withoutRows(file, chosen.name)
    const part = packed.parts.get(relation?.target ?? "")
    if (part === undefined) return yield* damaged(file)
    yield* checkParts(packed, texts === undefined ? [part] : [part, texts])
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
      yield* readPart(packed, texts, reader.write)
      strings = yield* sound(file, reader.end)
    }
    return { chosen, date1904, part, makeReader: readerOf({ strings, formats, date1904, calculatesOnLoad }) }
  })
