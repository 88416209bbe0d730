import { Effect, Option, Stream } from "effect"
import { Parser } from "htmlparser2"
import type { Bytes } from "../bytes.ts"
import { limits, thousands } from "../limits.ts"
import { SourceError } from "../Source.ts"
import type { Fingerprint } from "../Source.ts"
import { BadArchive, unpack, zipDirectory } from "../zip.ts"
import type { ZipEntry } from "../zip.ts"
import { damaged, heldPart, streamedPart } from "./part.ts"
import type { Part } from "./part.ts"
import { sharedStringsReader } from "./sharedStrings.ts"
import type { SharedStrings } from "./sharedStrings.ts"
import { chooseSheet, parseRange } from "./Sheet.ts"
import type { CellRange, OpenSheet } from "./Sheet.ts"
import { sheetRowsReader } from "./sheetRows.ts"
import type { CellContext, SheetNotes, SheetRow } from "./sheetRows.ts"
import { BadSheet, XmlAttributes, xmlScanner } from "./xml.ts"

const isLargePart = (name: string) => /^xl\/(?:worksheets\/[^/]+\.xml|sharedStrings\.xml)$/i.test(name)

/** Whether a workbook's sheets and texts are too much to be held: only .xlsx and .xlsm can be read otherwise. */
export const isLarge = (content: Buffer, held: number): boolean => {
  if (content.length < 4 || content.readUInt16BE(0) !== 0x504b) return false
  try {
    const entries = zipDirectory(content)
    return entries.some(({ name }) => name === "xl/workbook.xml")
      && entries.reduce((sum, { name, unpacked }) => isLargePart(name) ? sum + unpacked : sum, 0) >= held
  } catch (error) {
    if (error instanceof BadArchive) return false
    throw error
  }
}

const noTexts: SharedStrings = { at: () => undefined }

const stringsOf = <E>(file: string, part: Part<E> | undefined): Effect.Effect<SharedStrings, SourceError | E> =>
  Effect.scoped(Effect.gen(function*() {
    if (part === undefined) return noTexts
    const reader = sharedStringsReader()
    if (part.entry.unpacked > limits.sharedStrings) {
      const message = `${file} holds ${thousands(part.entry.unpacked)} bytes of texts, more than the ${
        thousands(limits.sharedStrings)
      } that are read of a workbook. Save its sheet as CSV.`
      return yield* new SourceError({ file, message })
    }
    const next = yield* part.bytes
    for (let bytes = yield* next; bytes !== undefined; bytes = yield* next) {
      const piece = bytes
      yield* sound(file, () => reader.write(piece))
    }
    return yield* sound(file, () => reader.end())
  }))

/** Runs what may find that a sheet is none. */
const sound = <A>(file: string, run: () => A): Effect.Effect<A, SourceError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      if (!(error instanceof BadSheet)) return Effect.die(error)
      const message =
        `${file} can't be read on: its sheet has ${error.message}. Open it in a spreadsheet program and save it again.`
      return new SourceError({ file, message })
    }
  })

/** The sheet's rows below each other, in lots; `ended` with what is known at the end. */
const rowLots = <E>(
  file: string,
  part: Part<E>,
  context: CellContext,
  ended: (notes: SheetNotes) => void,
): Stream.Stream<ReadonlyArray<SheetRow>, SourceError | E> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const next = yield* part.bytes
    const reader = sheetRowsReader(context)
    return Stream.repeatEffectOption(Effect.gen(function*() {
      const bytes = yield* Effect.mapError(next, Option.some)
      if (bytes !== undefined) return yield* Effect.mapError(sound(file, () => reader.write(bytes)), Option.some)
      yield* Effect.mapError(sound(file, () => reader.end()), Option.some)
      ended(reader.notes)
      return yield* Effect.fail(Option.none())
    }))
  }))

/** Merged cells stand behind all rows: what is before is passed over. */
const mergesOf = (file: string, part: Part) =>
  Effect.scoped(Effect.gen(function*() {
    const merges: Array<CellRange> = []
    const attributes = new XmlAttributes()
    const scanner = xmlScanner({
      open: (name, xml, from, to) => {
        if (name !== "mergeCell") return
        attributes.over(xml, from, to)
        while (attributes.next()) {
          const merge = attributes.name === "ref" ? parseRange(attributes.text) : undefined
          if (merge !== undefined) merges.push(merge)
        }
      },
      text: () => undefined,
      close: () => undefined,
    })
    const next = yield* part.bytes
    for (let bytes = yield* next; bytes !== undefined; bytes = yield* next) {
      const piece = bytes
      yield* sound(file, () => scanner.write(piece))
    }
    return merges
  }))

const noNotes: SheetNotes = { hiddenRows: 0, hiddenColumns: 0, hiddenSomewhere: false }

/** Texts that unpack to as many bytes are kept from the first look on; more are read again each time. */
const keptTexts = 64 * 1024 * 1024

/** The sheet's rows, read anew. Stands alone, so that nothing of the first look is held on to. */
const readAgain = <E>(
  file: string,
  part: Part<E>,
  contextOf: Effect.Effect<CellContext, SourceError | E>,
) => {
  let notes = noNotes
  return {
    rows: Stream.unwrap(
      Effect.map(contextOf, (context) => rowLots(file, part, context, (found) => void (notes = found))),
    ),
    notes: () => notes,
  }
}

/** A sheet or its texts that unpack to more than any honest ones do. */
const isBomb = ({ packed, unpacked }: ZipEntry) =>
  unpacked > limits.streamed || (unpacked > limits.unpackedFreely && unpacked > limits.ratio * Math.max(packed, 1))

/**
 * Opens one sheet of a large .xlsx workbook, to be read row by row. Its texts are held, its rows and the file itself are not.
 *
 * @param content the workbook's bytes, for looking at its beginning
 * @param fingerprint of these bytes: each reading proves that they are the same still
 * @param rowsWanted how many rows `first` has to reach down, if there are as many
 */
export const streamSheet = (
  bytes: Bytes,
  content: Buffer,
  fingerprint: Fingerprint,
  asked: string | number | undefined,
  rowsWanted: number,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.gen(function*() {
    const { file } = bytes
    const refuse = (message: string) => new SourceError({ file, message: `${file} ${message}` })
    const entries: Entries = new Map(zipDirectory(content).map((entry) => [entry.name.toLowerCase(), entry]))
    const { date1904, formats, sheets, strings, targets } = yield* bookOf(file, content, entries)
    const names = sheets.map(({ name }) => name)
    const at = chooseSheet(names, (index) => sheets[index]?.hidden === true, asked)
    if (typeof at === "string") return yield* refuse(at)
    const name = names[at] ?? ""
    const entry = entries.get(targets.get(sheets[at]?.id ?? "")?.toLowerCase() ?? "")
    if (entry === undefined || !/worksheets\//i.test(entry.name)) {
      return yield* refuse(`has no rows in "${name}", which is no sheet of cells. Name another one: \`source.sheet\`.`)
    }
    const texts = entries.get(strings.toLowerCase())
    const bomb = [entry, ...(texts === undefined ? [] : [texts])].find(isBomb)
    if (bomb !== undefined) {
      return yield* refuse(
        `unpacks to ${
          thousands(Math.round(bomb.unpacked / Math.max(bomb.packed, 1)))
        } times its size, which no ordinary workbook does. If you trust it, save its sheet as CSV.`,
      )
    }
    const held = heldPart(file, content, entry)
    const context: CellContext = {
      strings: yield* stringsOf(file, texts && heldPart(file, content, texts)),
      formats,
      date1904,
    }
    const first: Array<SheetRow> = []
    yield* Stream.runForEachWhile(rowLots(file, held, context, () => undefined), (rows) =>
      Effect.sync(() => {
        first.push(...rows)
        return (first.at(-1)?.row ?? 0) <= rowsWanted
      }))
    const textsAgain = texts === undefined || texts.unpacked <= keptTexts
      ? undefined
      : streamedPart(bytes, fingerprint, content, texts)
    return {
      name,
      names,
      hidden: sheets.filter((sheet) => sheet.hidden).map((sheet) => sheet.name),
      date1904,
      first,
      merges: mergesOf(file, held),
      ...readAgain(
        file,
        streamedPart(bytes, fingerprint, content, entry),
        textsAgain === undefined ? Effect.succeed(context) : textsFrom(file, textsAgain, { formats, date1904 }),
      ),
    }
  })

/** Texts that are too many to be kept between readings. */
const textsFrom = <E>(file: string, part: Part<E>, rest: Omit<CellContext, "strings">) =>
  Effect.map(stringsOf(file, part), (strings): CellContext => ({ strings, ...rest }))

/** A workbook's parts by name, in small letters. */
export type Entries = ReadonlyMap<string, ZipEntry>

/** The name of an element without its namespace's prefix. */
const localName = (name: string): string => {
  const at = name.indexOf(":")
  return at === -1 ? name : name.slice(at + 1)
}

/** Attributes of the elements of a small part, element by element. */
const elementsOf = (
  file: string,
  content: Buffer,
  entries: Entries,
  name: string,
  see: (element: string, attributes: Readonly<Record<string, string>>) => void,
) =>
  Effect.gen(function*() {
    const entry = entries.get(name.toLowerCase())
    if (entry === undefined) return
    if (entry.unpacked > limits.unpackedFreely) return yield* damaged(file)
    const text = yield* Effect.tryPromise({ try: () => unpack(content, entry), catch: () => damaged(file) })
    const parser = new Parser({
      onopentag: (element, attributes) => see(localName(element), attributes),
    }, { xmlMode: true })
    parser.end(text.toString("utf8").replace(/^\ufeff/, ""))
  })

/** A part's name from where another part refers to it. */
const targetOf = (target: string) => target.startsWith("/") ? target.slice(1) : `xl/${target.replace(/^\.\//, "")}`

const attributeOf = (attributes: Readonly<Record<string, string>>, local: string) =>
  Object.entries(attributes).find(([name]) => localName(name) === local)?.[1]

/** What a workbook's small parts say: its sheets, number formats, and the start of its dates. */
export const bookOf = (file: string, content: Buffer, entries: Entries) =>
  Effect.gen(function*() {
    const sheets: Array<{ readonly name: string; readonly hidden: boolean; readonly id: string }> = []
    let date1904 = false
    yield* elementsOf(file, content, entries, "xl/workbook.xml", (element, attributes) => {
      if (element === "sheet") {
        const state = attributes["state"] ?? "visible"
        sheets.push({
          name: attributes["name"] ?? "",
          hidden: state !== "visible",
          id: attributeOf(attributes, "id") ?? "",
        })
      } else if (element === "workbookPr") date1904 = /^(?:1|true)$/.test(attributes["date1904"] ?? "")
    })
    const targets = new Map<string, string>()
    let strings = "xl/sharedStrings.xml"
    yield* elementsOf(file, content, entries, "xl/_rels/workbook.xml.rels", (element, attributes) => {
      if (element !== "Relationship") return
      const target = targetOf(attributes["Target"] ?? "")
      targets.set(attributes["Id"] ?? "", target)
      if (attributes["Type"]?.endsWith("/sharedStrings") === true) strings = target
    })
    const xlsx = yield* Effect.promise(() => import("xlsx"))
    const known = new Map(Object.entries(xlsx.SSF.get_table() as Readonly<Record<string, string>>))
    const formats: Array<string> = []
    let inCells = false
    yield* elementsOf(file, content, entries, "xl/styles.xml", (element, attributes) => {
      if (element === "numFmt") known.set(attributes["numFmtId"] ?? "", attributes["formatCode"] ?? "General")
      else if (element === "cellXfs") inCells = true
      else if (element === "cellStyles" || element === "dxfs" || element === "cellStyleXfs") inCells = false
      else if (element === "xf" && inCells) formats.push(known.get(attributes["numFmtId"] ?? "0") ?? "General")
    })
    return { sheets, date1904, targets, formats, strings }
  })
