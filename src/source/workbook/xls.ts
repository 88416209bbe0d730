import iconv from "iconv-lite"
import { isAscii } from "node:buffer"
import { commonFormat } from "./cells.ts"
import { BadRecords, type BookFacts, kind, known, mostColumns, numbersOf, SheetRecords } from "./xlsSheet.ts"

/** Kinds of the workbook's own records that are numbered in sequence. If a record is missing, the next one gets its number. */
const inOneRun = numbersOf("85 e0 41e")

/** Texts that can't be decoded. The message ends the sentence "has texts …". */
export class UnknownText extends Error {}

/** Code pages that iconv-lite has under a different name. */
const codePages: Readonly<Record<number, string>> = {
  367: "ascii",
  10_000: "macroman",
  10_006: "macgreek",
  10_007: "maccyrillic",
  10_029: "maccenteuro",
  10_081: "macturkish",
  0x8000: "macroman",
  0x8001: "cp1252",
}

/** Returns a text whose bytes were read as Latin-1, as xlsx reads texts of a code page. Throws `UnknownText`. */
const decodeText = (text: string, codePage: number | undefined): string => {
  const bytes = Buffer.from(text, "latin1")
  if (isAscii(bytes)) return text
  if (codePage === undefined) throw new UnknownText("in an encoding that it does not state")
  const encoding = codePages[codePage] ?? `cp${codePage}`
  const decoded = iconv.encodingExists(encoding) ? iconv.decode(bytes, encoding) : "\ufffd"
  if (decoded.includes("\ufffd")) throw new UnknownText(`that can't be decoded as code page ${codePage}`)
  return decoded
}

const cutShort = () => new BadRecords("no end: it is cut short")

/**
 * Counts the shared strings (MS-XLS, section 2.4.265). There must be as many as stated, and the last must end where the
 * records end.
 */
const countTexts = (bytes: Buffer, parts: ReadonlyArray<readonly [from: number, to: number]>) => {
  let part = 0
  let [at = 0, to = 0] = parts[0] ?? []
  const wrong = () => new BadRecords("texts whose sizes are inconsistent")
  const nextPart = () => {
    const next = parts[++part]
    if (next === undefined) throw wrong()
    ;[at, to] = next
  }
  const advance = (): void => {
    if (at < to) return
    nextPart()
    advance()
  }
  const number = (size: number): number => {
    let value = 0
    for (let index = 0; index < size; index++) {
      advance()
      value += bytes[at++]! * 256 ** index
    }
    return value
  }
  const skip = (count: number) => {
    for (let left = count; left > 0;) {
      advance()
      const step = Math.min(left, to - at)
      at += step
      left -= step
    }
  }
  const characters = (count: number, isWide: boolean) => {
    for (let left = count, size = isWide ? 2 : 1; left > 0;) {
      if (at >= to) {
        nextPart()
        // If a string continues in the next record, that record states the width of the characters again.
        size = (bytes[at++]! & 1) === 1 ? 2 : 1
      }
      const step = Math.min(left, Math.floor((to - at) / size))
      if (step === 0) throw wrong()
      at += step * size
      left -= step
    }
  }
  const references = number(4)
  const texts = number(4)
  for (let text = 0; text < texts; text++) {
    const length = number(2)
    const flags = number(1)
    const runs = (flags & 8) === 0 ? 0 : number(2)
    const extra = (flags & 4) === 0 ? 0 : number(4)
    characters(length, (flags & 1) === 1)
    skip(4 * runs + extra)
  }
  if (at < to || part < parts.length - 1) throw wrong()
  return { references, texts }
}

/** Checks the records of a workbook's stream. Returns undefined if the workbook is encrypted. */
const readRecords = (bytes: Buffer) => {
  if (bytes.length < 8 || bytes.readUInt16LE(0) !== kind.bof || bytes.readUInt16LE(6) !== 5) {
    throw new BadRecords("no start of a workbook")
  }
  const book: BookFacts = {
    references: 0,
    texts: 0,
    formats: 0,
    isUnicode: bytes.readUInt16LE(4) >= 0x600,
    codePage: undefined,
  }
  const textParts: Array<readonly [number, number]> = []
  const places: Array<number> = []
  const ended = new Set<number>()
  /** The numbers of formats that the workbook defines itself. */
  const own = new Set<number>()
  let before = 0

  /** Adds one of the workbook's own records. */
  const add = (type: number, at: number, length: number) => {
    if (!known.has(type)) throw new BadRecords(`a record of a kind that no workbook has (byte ${at})`)
    if (type !== before && inOneRun.has(before)) ended.add(before)
    if (ended.has(type)) throw new BadRecords(`records of other kinds among those that belong together (byte ${at})`)
    if (type === kind.boundSheet && length >= 6) places.push(bytes.readUInt32LE(at))
    else if (type === kind.numberFormat && length >= 2) own.add(bytes.readUInt16LE(at))
    else if (type === kind.format) {
      book.formats++
      const id = length >= 4 ? bytes.readUInt16LE(at + 2) : 0
      // xlsx only knows the common formats.
      if (!own.has(id) && commonFormat(id) !== id) bytes.writeUInt16LE(commonFormat(id), at + 2)
    }
    // Records that continue the shared strings belong to them.
    const isText = type === kind.sharedTexts || (type === kind.continued && before === kind.sharedTexts)
    if (isText) textParts.push([at, at + length])
    before = isText ? kind.sharedTexts : type
  }

  const sheets = new Map<number, SheetRecords>()
  let sheet: SheetRecords | undefined
  let isBook = true
  let depth = 0
  let from = 0
  while (from + 4 <= bytes.length) {
    const [type, length, at] = [bytes.readUInt16LE(from), bytes.readUInt16LE(from + 2), from + 4]
    if (at + length > bytes.length) throw cutShort()
    // The longest possible record.
    if (length > 8224) throw new BadRecords(`a record that is longer than the format allows (byte ${from})`)
    if (type === kind.bof) {
      if (depth === 0 && !isBook) sheets.set(from, sheet = new SheetRecords(bytes, book))
      depth++
    } else if (depth === 0) break
    else if (type === kind.eof) {
      if (length !== 0) throw new BadRecords(`a damaged end (byte ${from})`)
      depth--
      if (depth === 0 && isBook) {
        isBook = false
        if (textParts.length > 0) Object.assign(book, countTexts(bytes, textParts))
      }
    } else if (depth === 1) {
      if (isBook && type === kind.encrypted) return undefined
      // Visual FoxPro only states it in the sheet.
      if (type === kind.codePage && length >= 2) book.codePage ??= bytes.readUInt16LE(at)
      if (sheet === undefined) add(type, at, length)
      else sheet.add(type, at, length)
    }
    from = at + length
  }
  if (depth > 0) throw cutShort()
  // After the last sheet, only zeros may follow, which fill the file.
  if (bytes.subarray(from).some((byte) => byte !== 0)) {
    throw new BadRecords(`records after the end of its last sheet (byte ${from})`)
  }
  const listed = places.toSorted((a, b) => a - b).flatMap((at) => sheets.get(at) ?? [])
  const lacksSheet = [...sheets.values()].some((one) => one.values.size > 0 && !listed.includes(one))
  if (listed.length !== places.length || new Set(listed).size !== places.length || lacksSheet) {
    throw new BadRecords("sheets that are not in their stated places")
  }
  return { book, sheets: listed }
}

/** A stream of a compound file: its bytes, and its length as stated in the directory. */
interface Stream {
  readonly size: number
  readonly content?: Uint8Array | ReadonlyArray<number>
}

/** Throws if sectors of a compound file form a loop, which xlsx would follow until memory is full (MS-CFB, section 2). */
const requireEnds = (file: Buffer): void => {
  const size = 2 ** file.readUInt16LE(30)
  const sectors = file.length / size
  const sector = (number: number) => file.subarray((number + 1) * size, (number + 2) * size)
  const numbersIn = (bytes: Buffer) => Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readInt32LE(4 * at))
  const lists = numbersIn(file.subarray(76, 512))
  for (let at = file.readInt32LE(68), left = sectors; at >= 0 && left > 0; left--) {
    const numbers = numbersIn(sector(at))
    at = numbers.pop() ?? -1
    lists.push(...numbers)
  }
  /** The sector after each one. Negative after the last one. Lists of sectors beyond the file are not read, because a damaged file may name any number of them. */
  const next = lists.filter((number) => number >= 0).slice(0, Math.ceil(4 * sectors / size))
    .flatMap((number) => numbersIn(sector(number)))
  const ending = new Set<number>()
  for (const first of next.keys()) {
    const chain = new Set<number>()
    for (let at = first; at >= 0 && at < next.length && !ending.has(at); at = next[at]!) {
      if (chain.has(at)) throw new BadRecords("sectors that form a loop")
      chain.add(at)
    }
    for (const at of chain) ending.add(at)
  }
}

/** The parts of xlsx's reader for compound files that are needed here. */
export interface CompoundFiles<File> {
  readonly read: (bytes: Buffer, options: { readonly type: "buffer" }) => File
  readonly find: (file: File, path: string) => Stream | null | undefined
}

/** What is known about an .xls workbook's sheets, apart from what xlsx reads. */
export interface XlsCheck {
  /** The workbook's stream, extracted from its compound file, with common number formats instead of those that xlsx does not know. Its other content (summaries, macros) is not read. */
  readonly content: Buffer
  /** Decodes a text. xlsx reads each byte of a code page as one character. Throws `UnknownText`. */
  readonly decode: (text: string) => string
  /**
   * Compares the sheet at this index with the cells that were read. Throws `BadRecords` if the sheet is certainly
   * damaged.
   *
   * @param has whether there is a cell
   * @returns what is inconsistent but might not be damage, because some programs may write it; and whether a cell has a formula that was never calculated
   */
  readonly sheet: (index: number, has: (row: number, column: number) => boolean) => {
    readonly doubt: string | undefined
    readonly isUncalculated: (row: number, column: number) => boolean
  }
}

/**
 * Checks all records of an .xls workbook, which has no checksums. Each record must have a known kind, and sheets must
 * end where their records say. Strings and cells must have possible sizes, and no two cells may have the same position.
 * xlsx silently ignores most of this damage, and so loses rows. Throws `BadRecords`.
 *
 * @returns undefined if the file is not such a workbook, or is encrypted. xlsx will report that
 */
export const checkXls = <File>(content: Buffer, files: CompoundFiles<File>): XlsCheck | undefined => {
  requireEnds(content)
  const file = files.read(content, { type: "buffer" })
  const stream = files.find(file, "/Workbook") ?? files.find(file, "/Book")
  if (stream === null || stream === undefined) return undefined
  const bytes = Buffer.from(stream.content ?? [])
  if (bytes.length < stream.size) throw cutShort()
  const records = readRecords(bytes)
  return records && {
    content: bytes,
    decode: (text) => records.book.isUnicode ? text : decodeText(text, records.book.codePage),
    sheet: (index, has) => {
      const { book: { references }, sheets } = records
      const sheet = sheets[index]
      if (sheet === undefined) throw new BadRecords("no records of the sheet")
      if (sheet.fault !== undefined) throw new BadRecords(sheet.fault)
      for (const at of sheet.values) {
        if (!has(Math.floor(at / mostColumns), at % mostColumns)) throw new BadRecords("cells that can't be read")
      }
      const texts = sheets.reduce((sum, one) => sum + one.texts, 0)
      return {
        doubt: sheet.doubt()
          ?? (references > texts ? `it states ${references} cells of text, but there are ${texts}` : undefined),
        isUncalculated: (row, column) => sheet.uncalculated.has(row * mostColumns + column),
      }
    },
  }
}
