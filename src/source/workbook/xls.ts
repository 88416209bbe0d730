/** Kinds of records in a .xls workbook (MS-XLS, section 2.3, and those of older versions), as ranges of their numbers. */
const ranges =
  "0-2b 2f 31-34 3c-3e 40-45 4d 50-52 55-56 59-61 63 65-66 69-6b 6d 70 72 7d-89 8c-8d 8f-92 94-9e a0-a1 a9 ab "
  + "ae-b2 b4-b6 b8-b9 bc-c3 c5-d3 d5-da dc-e3 e5 e9-ed ef-f2 f4-f9 fb-fd ff-100 103 122 137-138 13b 13d-140 14a-14b "
  + "14d-154 15f-162 191-198 1a5 1a9-1b2 1b5-1be 1c0-1c2 200-201 203-209 20b 218 221 223 225 231 236 23e 243 27e 293 406 "
  + "409 418 41e 43c 443 4bc 800-810 812-813 850-85a 862-868 86a-86d 871-87f 881 884-890 892-89f 8a3-8a7 8c0-8cb 8d6 "
  + "1001-1003 1006-1007 1009-100d 1014-1022 1024-1027 1032-1035 103a 103c-1041 1043-1046 1048 104a-104b 104e-1051 "
  + "105b-105d 105f-1068 7262"

const numbersOf = (list: string) =>
  new Set(
    list.split(" ").flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map((number) => Number.parseInt(number, 16))
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    }),
  )

/** Those that are the workbook's own, or stand before a sheet's cells: calculation, printing, sizes of rows and columns. */
const beforeCells =
  "c-11 14-15 22 25-2b 31 40 42 55 5c 5f 7d 80-85 8c-8d 92 9c a1 da e0-e2 fc ff 13d 200 20b 225 41e 293"

const known = numbersOf(ranges)
const early = numbersOf(beforeCells)

/** Whether any workbook has records of this kind. */
const isKnown = (type: number): boolean => known.has(type)

/** Whether records of this kind never stand behind a cell. */
const isBeforeCells = (type: number): boolean => early.has(type)

/** Numbers of the kinds of records that are looked into. */
const record = {
  eof: 0x0a,
  format: 0x41e,
  encrypted: 0x2f,
  continued: 0x3c,
  boundSheet: 0x85,
  mulRk: 0xbd,
  mulBlank: 0xbe,
  richLabel: 0xd6,
  xf: 0xe0,
  sharedStrings: 0xfc,
  labelSst: 0xfd,
  dimensions: 0x200,
  blank: 0x201,
  number: 0x203,
  label: 0x204,
  boolErr: 0x205,
  string: 0x207,
  row: 0x208,
  window: 0x23e,
  rk: 0x27e,
  bof: 0x809,
  xfCheck: 0x87c,
} as const

const isFormula = (type: number): boolean => type === 0x06 || type === 0x206 || type === 0x406

/** What may stand between a formula and its text: array, table, shared formula, and their continuation. */
const followsFormula = (type: number): boolean =>
  type === 0x21 || type === 0x221 || type === 0x36 || type === 0x236 || type === 0x4bc || type === record.continued

/** What else may stand among cells: pointers to rows, phonetic hints, a mark of what was not calculated, links, the end of formulas' changes. */
const amongCells = (type: number): boolean =>
  type === 0xd7 || type === 0xef || type === 0x5e || type === 0x1b8 || type === 0x800 || type === 0x1c2
  || type === record.row || type === record.string || followsFormula(type)

/** A workbook whose records can't be as any program wrote them. Its message is the end of a sentence: "it holds …". */
export class BadRecords extends Error {}

/** What the workbook says for all its sheets. */
export interface BookFacts {
  /** Shared texts, and formats of cells, that there are. */
  readonly texts: number
  readonly formats: number
  /** Whether texts are Unicode: since Excel 97. */
  readonly unicode: boolean
}

const mostColumns = 256

const hex = (type: number) => `0x${type.toString(16).padStart(4, "0")}`

const columnName = (column: number): string =>
  (column >= 26 ? columnName(Math.floor(column / 26) - 1) : "") + String.fromCharCode(65 + column % 26)

const place = (row: number, column: number) => `${columnName(column)}${row + 1}`

/** Cells of a row that hold a value, a bit each; of one that holds nothing but formats, no bits. */
type Filled = Uint8Array

/** The records of one sheet, seen one after the other: where its cells are, and whether they can be as they stand. */
export class SheetRecords {
  private readonly book: BookFacts
  private readonly bytes: Buffer
  private readonly rows = new Map<number, Filled>()
  /** What the sheet promises: the first column of a row, and the one behind its last. */
  private readonly promised = new Map<number, readonly [first: number, end: number]>()
  private readonly extents = new Map<number, readonly [first: number, end: number]>()
  private dimensions: { readonly rows: number; readonly columns: number } | undefined
  /** A record after a cell that is none: no more cells may come. */
  private odd: { readonly type: number; readonly at: number } | undefined
  private seenCell = false
  private windowed = false
  private waiting: string | undefined
  private last = -1
  private disorder = 0
  /** References to shared texts. */
  texts = 0
  /** What is wrong, as the end of "it holds …". */
  fault: string | undefined

  constructor(bytes: Buffer, book: BookFacts) {
    this.bytes = bytes
    this.book = book
  }

  /** Where values stand, by row. */
  values(): Iterable<readonly [row: number, filled: Filled]> {
    return this.rows
  }

  /** One record; embedded charts are not shown. */
  add(type: number, at: number, length: number): void {
    if (this.fault !== undefined) return
    const fault = this.look(type, at, length)
    if (fault !== undefined) this.fault = fault
  }

  private look(type: number, at: number, length: number): string | undefined {
    const { bytes } = this
    if (!isKnown(type)) return `a record of a kind that no workbook has (${hex(type)} at byte ${at})`
    if (this.waiting !== undefined && !followsFormula(type)) {
      if (type !== record.string) return `a formula whose text is lost, in ${this.waiting}`
      this.waiting = undefined
    }
    const cell = this.isCell(type)
    if (!cell && !amongCells(type)) {
      if (this.seenCell && (isBeforeCells(type) || (type === record.window && this.isNoWindow(length)))) {
        return `a record of another kind amid its cells (${hex(type)} at byte ${at})`
      }
      if (this.seenCell) this.odd ??= { type, at }
      if (type === record.dimensions && length >= 10) {
        const wide = length >= 14
        this.dimensions = {
          rows: wide ? bytes.readUInt32LE(at + 4) : bytes.readUInt16LE(at + 2),
          columns: bytes.readUInt16LE(at + (wide ? 10 : 6)),
        }
      }
      return undefined
    }
    if (type === record.row) {
      if (length !== 16) return `a row of a wrong size (byte ${at})`
      const [first, end] = [bytes.readUInt16LE(at + 2), bytes.readUInt16LE(at + 4)]
      if (end > first) this.promised.set(bytes.readUInt16LE(at), [first, end])
    }
    if (!cell) return undefined
    if (this.odd !== undefined) {
      return `a record of another kind amid its cells (${hex(this.odd.type)} at byte ${this.odd.at})`
    }
    this.seenCell = true
    return this.cell(type, at, length)
  }

  /** A window is told once, in a record of one size. */
  private isNoWindow(length: number): boolean {
    const again = this.windowed
    this.windowed = true
    return again || (this.book.unicode ? length < 14 : length !== 10)
  }

  private isCell(type: number): boolean {
    return type === record.labelSst || type === record.number || type === record.rk || type === record.mulRk
      || type === record.blank || type === record.mulBlank || type === record.boolErr || type === record.label
      || type === record.richLabel || isFormula(type)
  }

  private cell(type: number, at: number, length: number): string | undefined {
    const { book, bytes } = this
    const several = type === record.mulRk ? 6 : type === record.mulBlank ? 2 : 0
    const size = several > 0
      ? (length - 6) % several === 0 && length > 6
      : type === record.labelSst || type === record.rk
      ? length === 10
      : type === record.number
      ? length === 14
      : type === record.blank
      ? length === 6
      : type === record.boolErr
      ? length === 8
      : isFormula(type)
      ? length >= 20
      : length >= 8
    if (!size) return `a cell of a wrong size (${hex(type)} at byte ${at})`
    const [row, column] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)]
    const end = several === 0 ? column + 1 : column + (length - 6) / several
    if (end > mostColumns) return `a cell beyond the last column (row ${row + 1})`
    if (several > 0 && bytes.readUInt16LE(at + length - 2) !== end - 1) {
      return `cells whose number is not certain, from ${place(row, column)} on`
    }
    const step = type === record.mulRk ? 6 : 2
    for (let index = 0; index < end - column; index++) {
      const format = several === 0 ? bytes.readUInt16LE(at + 4) : bytes.readUInt16LE(at + 4 + step * index)
      if (book.unicode && format >= book.formats) return `a cell in a format that is not there, ${place(row, column)}`
    }
    if (type === record.labelSst) {
      this.texts++
      if (bytes.readUInt32LE(at + 6) >= book.texts) return `a text that is not there, in ${place(row, column)}`
    }
    if (type === record.label && !this.labelFits(at, length)) return `a text of a wrong size, in ${place(row, column)}`
    if (isFormula(type) && bytes.readUInt16LE(at + 12) === 0xffff) {
      const kind = bytes[at + 6] ?? 0
      if (kind > 3) return `a formula whose value is of no kind, in ${place(row, column)}`
      if (kind === 0) this.waiting = place(row, column)
    }
    return this.note(row, column, end, type !== record.blank && type !== record.mulBlank)
  }

  private labelFits(at: number, length: number): boolean {
    const characters = this.bytes.readUInt16LE(at + 6)
    if (!this.book.unicode) return 8 + characters <= length
    if (length < 9) return characters === 0
    return 9 + characters * ((this.bytes[at + 8] ?? 0) & 1 ? 2 : 1) <= length
  }

  private note(row: number, from: number, end: number, valued: boolean): string | undefined {
    const index = row * mostColumns + from
    if (index <= this.last) this.disorder++
    this.last = row * mostColumns + end - 1
    const extent = this.extents.get(row)
    this.extents.set(row, extent === undefined ? [from, end] : [Math.min(extent[0], from), Math.max(extent[1], end)])
    if (!valued) return undefined
    let filled = this.rows.get(row)
    if (filled === undefined) this.rows.set(row, filled = new Uint8Array(mostColumns / 8))
    for (let column = from; column < end; column++) {
      const bit = 1 << (column & 7)
      if (((filled[column >> 3] ?? 0) & bit) !== 0) return `two cells in one place, ${place(row, column)}`
      filled[column >> 3]! |= bit
    }
    return undefined
  }

  /** What does not add up, though some programs may write it so: the end of "may be damaged: …". */
  doubt(): string | undefined {
    for (const [row, [first, end]] of this.promised) {
      const found = this.extents.get(row)
      if (found === undefined) return `row ${row + 1} should hold cells, and has none`
      if (found[1] < end) return `row ${row + 1} should reach to column ${columnName(end - 1)}, and ends before`
      if (found[0] > first) return `row ${row + 1} should begin in column ${columnName(first)}, and begins behind it`
    }
    const { columns = 0, rows = 0 } = this.dimensions ?? {}
    for (const [row, [, end]] of this.extents) {
      if (this.promised.size > 0 && !this.promised.has(row)) {
        return `row ${row + 1} holds cells, but is not in its list of rows`
      }
      if (rows > 0 && (row >= rows || end > columns)) {
        return `${place(row, end - 1)} is beyond the ${rows} rows and ${columns} columns that it says it has`
      }
    }
    // Some programs write cells in any order; a few cells in a wrong place are another thing.
    return this.disorder > 0 && this.disorder < 5 ? "some of its cells are out of order" : undefined
  }
}

/** A part of the bytes: of one record, or of one that continues it. */
type Part = readonly [from: number, to: number]

/** What a workbook says of its shared texts. */
export interface SharedTexts {
  /** Cells that refer to them, as it counts. */
  readonly references: number
  readonly texts: number
}

/** Goes through the shared texts (MS-XLS, section 2.4.265): as many as are told have to end where their records do. Throws `BadRecords`. */
const checkSharedTexts = (bytes: Buffer, parts: ReadonlyArray<Part>): SharedTexts => {
  let part = 0
  let [at = 0, to = 0] = parts[0] ?? []
  const wrong = () => new BadRecords("texts whose sizes do not add up")
  const nextPart = () => {
    const next = parts[++part]
    if (next === undefined) throw wrong()
    ;[at, to] = next
  }
  const goOn = () => {
    for (;;) {
      if (at < to) return
      nextPart()
    }
  }
  const byte = (): number => {
    goOn()
    return bytes[at++]!
  }
  const number = (size: 2 | 4): number => {
    let value = 0
    for (let index = 0; index < size; index++) value += byte() * 256 ** index
    return value
  }
  const skip = (count: number) => {
    for (let left = count; left > 0;) {
      goOn()
      const step = Math.min(left, to - at)
      at += step
      left -= step
    }
  }
  const characters = (count: number, wide: boolean) => {
    for (let left = count, size = wide ? 2 : 1; left > 0;) {
      if (at >= to) {
        nextPart()
        // A text that goes on in another record says anew how wide its characters are.
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
    const flags = byte()
    const runs = (flags & 8) === 0 ? 0 : number(2)
    const extra = (flags & 4) === 0 ? 0 : number(4)
    characters(length, (flags & 1) === 1)
    skip(4 * runs + extra)
  }
  if (at < to || part < parts.length - 1) throw wrong()
  return { references, texts }
}

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
const checkRecords = (bytes: Buffer): CheckedBook | undefined => {
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

/** A stream of a compound file: its bytes, and how many its directory says. */
interface Stream {
  readonly size: number
  readonly content?: Uint8Array | ReadonlyArray<number>
}

/** As much of xlsx's reader of compound files as is needed. */
export interface CompoundFiles<File> {
  readonly read: (bytes: Buffer, options: { readonly type: "buffer" }) => File
  readonly find: (file: File, path: string) => Stream | null | undefined
}

/** What is known of a .xls workbook's sheets beside what xlsx reads of them. */
export interface XlsCheck {
  /** The workbook itself, out of its compound file: what else that holds (summaries, macros) is not to be read. */
  readonly content: Buffer
  /**
   * The sheet of that number, against the cells that were read of it. Throws `BadRecords` when it can't be sound.
   *
   * @param has whether there is a cell
   * @returns what does not add up, though some programs may write it so
   */
  readonly sheet: (index: number, has: (row: number, column: number) => boolean) => string | undefined
}

const allThere = (sheet: SheetRecords, has: (row: number, column: number) => boolean): boolean => {
  for (const [row, filled] of sheet.values()) {
    for (let column = 0; column < filled.length * 8; column++) {
      if (((filled[column >> 3]! >> (column & 7)) & 1) === 1 && !has(row, column)) return false
    }
  }
  return true
}

/** Goes through a .xls workbook's records. Undefined: it is none, or encrypted: xlsx will say so. Throws `BadRecords`. */
export const checkXls = <File>(content: Buffer, files: CompoundFiles<File>): XlsCheck | undefined => {
  const file = files.read(content, { type: "buffer" })
  const stream = files.find(file, "/Workbook") ?? files.find(file, "/Book")
  if (stream === null || stream === undefined) return undefined
  const bytes = Buffer.from(stream.content ?? [])
  if (bytes.length < stream.size) throw new BadRecords("no end: it is cut short")
  const book = checkRecords(bytes)
  return book && {
    content: bytes,
    sheet: (index, has) => {
      const sheet = book.sheets[index]
      if (sheet === undefined) throw new BadRecords("no records of it")
      if (sheet.fault !== undefined) throw new BadRecords(sheet.fault)
      if (!allThere(sheet, has)) throw new BadRecords("cells that can't be read")
      return sheet.doubt() ?? book.doubt
    },
  }
}
