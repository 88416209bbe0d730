import { Effect, Option, Stream } from "effect"
import { Parser } from "htmlparser2"
import { crc32 } from "node:zlib"
import type { CellRange } from "./cellRange.ts"
import { limits, thousands } from "./limits.ts"
import { chooseSheet } from "./OpenSheet.ts"
import type { OpenSheet } from "./OpenSheet.ts"
import { localName, sharedStringsReader } from "./sharedStrings.ts"
import type { SharedStrings } from "./sharedStrings.ts"
import { BadSheet, mergeOf, sheetRowsReader } from "./sheetRows.ts"
import type { CellContext, SheetNotes, SheetRow } from "./sheetRows.ts"
import { SourceError } from "./Source.ts"
import type { SourceChanged } from "./Source.ts"
import { inflating } from "./unpacked.ts"
import { BadArchive, packedData, unpack, zipDirectory } from "./zip.ts"
import type { ZipEntry } from "./zip.ts"

type Entries = ReadonlyMap<string, ZipEntry>

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

const damaged = (file: string) =>
  new SourceError({ file, message: `${file} can't be opened. It is damaged or cut short. Fetch or export it again.` })

/** Bytes that are unpacked at a time. */
const pieceBytes = 16 * 1024

/** An entry's text, piece by piece, `undefined` at its end; its size and sum are checked by then. */
const partText = (file: string, content: Buffer, entry: ZipEntry) =>
  Effect.gen(function*() {
    const data = packedData(content, entry)
    if (data === undefined || (entry.method !== 0 && entry.method !== 8)) return yield* damaged(file)
    const inflate = entry.method === 8 ? yield* inflating(file, "deflate") : undefined
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let at = 0
    let given = 0
    let sum = 0
    let ended = false
    let carriageReturn = ""
    /** Line ends of XML are line feeds; a CRLF may be cut in two. */
    const lineFeeds = (piece: string, last: boolean) => {
      const all = carriageReturn + piece
      carriageReturn = ""
      if (!all.includes("\r")) return all
      if (!last && all.endsWith("\r")) carriageReturn = "\r"
      return all.slice(0, all.length - carriageReturn.length).replaceAll(/\r\n?/g, "\n")
    }
    const decode = (parts: ReadonlyArray<Uint8Array>) =>
      Effect.suspend(() => {
        try {
          let text = ""
          for (const part of parts) {
            given += part.length
            sum = crc32(part, sum)
            text += decoder.decode(part, { stream: true })
          }
          return given > entry.unpacked ? damaged(file) : Effect.succeed(lineFeeds(text, ended))
        } catch {
          return damaged(file)
        }
      })
    const next: Effect.Effect<string | undefined, SourceError> = Effect.gen(function*() {
      if (ended) return undefined
      if (at < data.length) {
        const piece = data.subarray(at, at + pieceBytes)
        at += pieceBytes
        return yield* decode(inflate === undefined ? [piece] : yield* inflate.push(piece))
      }
      ended = true
      const last = yield* decode(inflate === undefined ? [] : yield* inflate.end)
      return given === entry.unpacked && sum === entry.crc ? last : yield* damaged(file)
    })
    return next
  })

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
const bookOf = (file: string, content: Buffer, entries: Entries) =>
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

const stringsOf = (
  file: string,
  content: Buffer,
  entry: ZipEntry | undefined,
): Effect.Effect<SharedStrings, SourceError> =>
  Effect.scoped(Effect.gen(function*() {
    const reader = sharedStringsReader()
    if (entry === undefined) return reader.end()
    if (entry.unpacked > limits.sharedStrings) {
      const message = `${file} holds ${thousands(entry.unpacked)} bytes of texts, more than the ${
        thousands(limits.sharedStrings)
      } that are read of a workbook. Save its sheet as CSV.`
      return yield* new SourceError({ file, message })
    }
    const next = yield* partText(file, content, entry)
    for (let text = yield* next; text !== undefined; text = yield* next) reader.write(text)
    return reader.end()
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
const rowLots = (
  file: string,
  content: Buffer,
  entry: ZipEntry,
  context: CellContext,
  ended: (notes: SheetNotes) => void,
): Stream.Stream<ReadonlyArray<SheetRow>, SourceError> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const next = yield* partText(file, content, entry)
    const reader = sheetRowsReader(context)
    return Stream.repeatEffectOption(Effect.gen(function*() {
      const text = yield* Effect.mapError(next, Option.some)
      if (text === undefined) {
        reader.end()
        ended(reader.notes)
        return yield* Effect.fail(Option.none())
      }
      return yield* Effect.mapError(sound(file, () => reader.write(text)), Option.some)
    }))
  }))

/** Merged cells stand behind all rows: what is before is unpacked and left unread. */
const mergesOf = (file: string, content: Buffer, entry: ZipEntry) =>
  Effect.scoped(Effect.gen(function*() {
    const next = yield* partText(file, content, entry)
    const merges: Array<CellRange> = []
    let tail = ""
    for (let text = yield* next; text !== undefined; text = yield* next) {
      const all = tail + text
      for (const [, reference = ""] of all.matchAll(/<(?:\w+:)?mergeCell\b[^>]*?\bref="([^"]+)"[^>]*>/g)) {
        const merge = mergeOf(reference)
        if (merge !== undefined) merges.push(merge)
      }
      // An element that is cut here begins after the last one that is complete.
      tail = all.slice(Math.max(all.lastIndexOf(">") + 1, all.length - 200))
    }
    return merges
  }))

const noNotes: SheetNotes = { hiddenRows: 0, hiddenColumns: 0, hiddenSomewhere: false }

type ContextReader = (content: Buffer) => Effect.Effect<CellContext, SourceError>

/** Texts that unpack to as many bytes are kept from the first look on; more are read again each time. */
const keptTexts = 64 * 1024 * 1024

const contextReader = (
  file: string,
  texts: ZipEntry | undefined,
  rest: Omit<CellContext, "strings">,
): ContextReader => {
  let kept: SharedStrings | undefined
  return (content) =>
    kept !== undefined
      ? Effect.succeed({ strings: kept, ...rest })
      : Effect.map(stringsOf(file, content, texts), (strings) => {
        if ((texts?.unpacked ?? 0) <= keptTexts) kept = strings
        return { strings, ...rest }
      })
}

/** The sheet's rows, read anew. Stands alone, so that nothing of the first look is held on to. */
const readAgain = (
  file: string,
  entry: ZipEntry,
  again: Effect.Effect<Buffer, SourceError | SourceChanged>,
  contextOf: ContextReader,
): Pick<OpenSheet, "rows" | "notes"> => {
  let notes = noNotes
  return {
    rows: Stream.unwrap(Effect.gen(function*() {
      const content = yield* again
      return rowLots(file, content, entry, yield* contextOf(content), (found) => void (notes = found))
    })),
    notes: () => notes,
  }
}

/**
 * Opens one sheet of a large .xlsx workbook, to be read row by row. The packed file is held while it is read, its texts too, its rows never.
 *
 * @param content the workbook's bytes, for looking at its beginning
 * @param rowsWanted how many rows `first` has to reach down, if there are as many
 * @param again the same bytes again, proven to be the same
 */
export const streamSheet = (
  file: string,
  content: Buffer,
  asked: string | number | undefined,
  rowsWanted: number,
  again: Effect.Effect<Buffer, SourceError | SourceChanged>,
): Effect.Effect<OpenSheet, SourceError> =>
  Effect.gen(function*() {
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
    const bomb = [entry, ...(texts === undefined ? [] : [texts])].find(({ packed, unpacked }) =>
      unpacked > limits.streamed || (unpacked > limits.unpackedFreely && unpacked > limits.ratio * Math.max(packed, 1))
    )
    if (bomb !== undefined) {
      return yield* refuse(
        `unpacks to ${
          thousands(Math.round(bomb.unpacked / Math.max(bomb.packed, 1)))
        } times its size, which no ordinary workbook does. If you trust it, save its sheet as CSV.`,
      )
    }
    const contextOf = contextReader(file, texts, { formats, date1904 })
    const first: Array<SheetRow> = []
    const context = yield* contextOf(content)
    yield* Stream.runForEachWhile(rowLots(file, content, entry, context, () => undefined), (rows) =>
      Effect.sync(() => {
        first.push(...rows)
        return (first.at(-1)?.row ?? 0) <= rowsWanted
      }))
    return {
      name,
      names,
      hidden: sheets.filter((sheet) => sheet.hidden).map((sheet) => sheet.name),
      date1904,
      first,
      merges: mergesOf(file, content, entry),
      ...readAgain(file, entry, again, contextOf),
    }
  })
