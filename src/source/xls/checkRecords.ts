import { isKnown, record } from "./recordTypes.ts"
import { checkSharedTexts } from "./sharedTexts.ts"
import type { SharedTexts } from "./sharedTexts.ts"
import { BadRecords, SheetRecords } from "./SheetRecords.ts"

/** The longest record there is, in bytes, and the longest of before Excel 97. */
const longest = 8224

const cutShort = () => new BadRecords("no end: it is cut short")

/** Shows each record: its kind, and where its content stands. Throws `BadRecords` when one does not follow on the other to the very end. */
const eachRecord = (bytes: Buffer, see: (type: number, at: number, length: number) => boolean): void => {
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length) throw cutShort()
    const [type, length] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)]
    if (at + 4 + length > bytes.length) throw cutShort()
    if (length > longest) throw new BadRecords(`a record that is longer than one can be (byte ${at})`)
    if (see(type, at + 4, length)) return
    at += 4 + length
  }
  throw cutShort()
}

/** Kinds of records that stand one behind the other, all of them: one that is gone from among them would give its number to the next. */
const inOneRun = new Set<number>([record.format, record.xf, record.boundSheet])

/** The workbook's own records, before those of its sheets. */
class BookRecords {
  private readonly bytes: Buffer
  private readonly textParts: Array<readonly [number, number]> = []
  private readonly ended = new Set<number>()
  private before = 0
  private formats = 0
  private shared: SharedTexts = { references: 0, texts: 0 }
  readonly unicode: boolean
  readonly sheets: Array<number> = []
  encrypted = false

  constructor(bytes: Buffer, unicode: boolean) {
    this.bytes = bytes
    this.unicode = unicode
  }

  add(type: number, at: number, length: number): void {
    const { before, bytes, ended } = this
    if (!isKnown(type)) throw new BadRecords(`a record of a kind that no workbook has (byte ${at})`)
    if (type !== before && inOneRun.has(before)) ended.add(before)
    if (ended.has(type)) throw new BadRecords(`records of other kinds amid those that belong together (byte ${at})`)
    if (type === record.encrypted) this.encrypted = true
    else if (type === record.boundSheet && length >= 6) this.sheets.push(bytes.readUInt32LE(at))
    else if (type === record.xf) this.formats++
    else if (type === record.xfCheck && length >= 16 && bytes.readUInt16LE(at + 14) !== this.formats) {
      throw new BadRecords("fewer formats of cells than it says")
    } else if (type === record.sharedStrings || (type === record.continued && before === record.sharedStrings)) {
      this.textParts.push([at, at + length])
      // What continues the texts belongs to them.
      this.before = record.sharedStrings
      return
    }
    this.before = type
  }

  end(): void {
    if (this.encrypted || this.textParts.length === 0) return
    this.shared = checkSharedTexts(this.bytes, this.textParts)
  }

  facts() {
    return { ...this.shared, formats: this.formats, unicode: this.unicode }
  }
}

/** What a workbook's records show of its sheets, by their number in the order in which they stand; undefined: it is encrypted. */
export interface CheckedBook {
  readonly sheets: ReadonlyArray<SheetRecords>
  /** What does not add up over all sheets. */
  readonly doubt: string | undefined
}

/**
 * Goes through all records of a .xls workbook, which has no check sums: whether each is of a kind that there is, sheets end where their records say,
 * texts and cells have their sizes, and no two cells have one place. xlsx passes over much of that in silence, and with it over rows.
 *
 * @param bytes the workbook's stream out of its compound file
 * @returns undefined when it is encrypted. Throws `BadRecords` when it can't be as any program wrote it
 */
export const checkRecords = (bytes: Buffer): CheckedBook | undefined => {
  if (bytes.length < 8 || bytes.readUInt16LE(0) !== record.bof || bytes.readUInt16LE(6) !== 5) {
    throw new BadRecords("no beginning of a workbook")
  }
  const book = new BookRecords(bytes, bytes.readUInt16LE(4) >= 0x600)
  const sheets = new Map<number, SheetRecords>()
  let facts = book.facts()
  let sheet: SheetRecords | undefined
  let depth = 0
  let ended = false
  eachRecord(bytes, (type, at, length) => {
    if (type === record.bof) {
      if (depth === 0 && ended) {
        sheet = new SheetRecords(bytes, facts)
        sheets.set(at - 4, sheet)
      }
      depth++
    } else if (depth === 0) {
      // Behind the last sheet there may be nothing but zeros that fill the file up.
      if (bytes.subarray(at - 4).some((byte) => byte !== 0)) {
        throw new BadRecords(`an end amid its records (byte ${at - 4})`)
      }
      return true
    } else if (type === record.eof) {
      if (length !== 0) throw new BadRecords(`an end that is none (byte ${at - 4})`)
      depth--
      if (depth === 0 && !ended) {
        ended = true
        book.end()
        facts = book.facts()
      }
    } else if (depth === 1) {
      if (sheet === undefined) book.add(type, at, length)
      else sheet.add(type, at, length)
    }
    return book.encrypted || (depth === 0 && at + length === bytes.length)
  })
  if (book.encrypted) return undefined
  const places = [...book.sheets].sort((a, b) => a - b)
  if (
    places.length !== sheets.size || places.some((place) => !sheets.has(place)) || new Set(places).size < sheets.size
  ) {
    throw new BadRecords("sheets that are not where it says")
  }
  const listed = places.flatMap((place) => sheets.get(place) ?? [])
  const texts = listed.reduce((sum, one) => sum + one.texts, 0)
  return {
    sheets: listed,
    doubt: facts.references > texts
      ? `it counts ${facts.references} cells of text, and ${texts} are there`
      : undefined,
  }
}
