import { columnName } from "../../domain/words.ts"

/** A workbook with records that no program can have written. The message ends the sentence "it contains …". */
export class BadRecords extends Error {}

export const numbersOf = (list: string) =>
  new Set(
    list.split(" ").flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map((number) => Number.parseInt(number, 16))
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    }),
  )

/** All kinds of records (MS-XLS, section 2.3, and those of older versions). */
export const known = numbersOf(
  "0-2b 2f 31-34 3c-3e 40-45 4d 50-52 55-56 59-61 63 65-66 69-6b 6d 70 72 7d-89 8c-8d 8f-92 94-9e a0-a1 a9 ab ae-b2 b4-b6 b8-b9 "
    + "bc-c3 c5-d3 d5-da dc-e3 e5 e9-ed ef-f2 f4-f9 fb-fd ff-100 103 122 137-138 13b 13d-140 14a-14b 14d-154 15f-162 191-198 1a5 "
    + "1a9-1b2 1b5-1be 1c0-1c2 200-201 203-209 20b 218 221 223 225 231 236 23e 243 27d-27e 293 406 409 418 41e 43c 443 4bc 800-810 "
    + "812-813 850-85a 862-868 86a-86d 871-87f 881 884-890 892-89f 8a3-8a7 8c0-8cb 8d6 1001-1003 1006-1007 1009-100d 1014-1022 "
    + "1024-1027 1032-1035 103a 103c-1041 1043-1046 1048 104a-104b 104e-1051 105b-105d 105f-1068 7262",
)

/** Kinds that never follow a cell: they belong to the whole workbook, or list a sheet's rows before its cells. */
const neverBelow = numbersOf("e 22 31 40 42 5c 85 8c-8d 92 9c da e0-e2 fc ff 13d 20b 293 41e")

const anySize = 0

/**
 * Settings of a sheet, such as margins and widths of columns, with their sizes. Most programs write them before its cells, and a few after them. One with a
 * different size may be a cell whose kind was garbled.
 */
const settings = new Map(
  ([
    ["c-d f 11 25 2a-2b 55 5f 81-84", 2],
    ["225", 4],
    ["10 26-29 80", 8],
    ["7d", 12],
    ["a1", 34],
    ["14-15 200 27d", anySize],
  ] as const).flatMap(([list, size]) => Array.from(numbersOf(list), (type) => [type, size] as const)),
)

/**
 * Kinds that may come between a formula and its string result: arrays, tables, shared formulas, and their
 * continuations.
 */
const afterFormula = numbersOf("21 36 3c 221 236 4bc")

/**
 * Other kinds that may come between cells: rows, pointers to rows, string results of formulas, phonetic hints, links,
 * merged cells and marks.
 */
const amongCells = numbersOf("5e d7 e5 ef 1b8 1c2 207 208 800 21 36 3c 221 236 4bc")

export const kind = {
  eof: 0x0a,
  encrypted: 0x2f,
  codePage: 0x42,
  continued: 0x3c,
  boundSheet: 0x85,
  mulRk: 0xbd,
  mulBlank: 0xbe,
  merged: 0xe5,
  format: 0xe0,
  sharedTexts: 0xfc,
  sharedText: 0xfd,
  numberFormat: 0x41e,
  dimensions: 0x200,
  blank: 0x201,
  label: 0x204,
  string: 0x207,
  row: 0x208,
  window: 0x23e,
  viewStart: 0x1aa,
  viewEnd: 0x1ab,
  bof: 0x809,
} as const

const formulas = numbersOf("6 206 406")

/** Whether a cell's record has a possible size. Undefined if the record is not a cell. */
const fitsCell = (type: number, length: number): boolean | undefined => {
  if (formulas.has(type)) return length >= 20
  switch (type) {
    case kind.sharedText:
    case 0x27e: // a number in four bytes
      return length === 10
    case 0x203: // a number in eight bytes
      return length === 14
    case kind.blank:
      return length === 6
    case 0x205: // true, false or an error. LibreOffice writes a byte more
      return length === 8 || length === 9
    case kind.label:
    case 0xd6: // a text in several fonts
      return length >= 8
    case kind.mulRk:
      return length > 6 && (length - 6) % 6 === 0
    case kind.mulBlank:
      return length > 6 && (length - 6) % 2 === 0
    default:
      return undefined
  }
}

/** The flags of a formula that a program must always calculate, and when it opens the file. Only writers that don't calculate set both. */
const alwaysAndOnLoad = 3

const hex = (type: number) => `0x${type.toString(16).padStart(4, "0")}`
const place = (row: number, column: number) => `${columnName(column)}${row + 1}`
export const mostColumns = 256

/** What the workbook says about all its sheets. */
export interface BookFacts {
  /** How many cells refer to shared strings, according to the workbook. */
  references: number
  texts: number
  /** How many cell formats there are. */
  formats: number
  /** Whether strings are Unicode, as they have been since Excel 97. */
  readonly isUnicode: boolean
  /** The number of the encoding of strings that are not Unicode. */
  codePage: number | undefined
}

/** Checks the records of one sheet, in order: whether its cells are valid and at possible positions. */
export class SheetRecords {
  readonly #bytes: Buffer
  readonly #book: BookFacts
  /** Places of cells with a value, as numbers: row times `mostColumns`, plus column. */
  readonly values = new Set<number>()
  /** Those of `values` with a formula that was never calculated: its value is 0 or an empty text. */
  readonly uncalculated = new Set<number>()
  /**
   * For each row: the first column, and the column after the last one. `promised` is what the sheet states, `extents`
   * what was found.
   */
  readonly #promised = new Map<number, readonly [first: number, end: number]>()
  readonly #extents = new Map<number, readonly [first: number, end: number]>()
  #dimensions = { rows: 0, columns: 0 }
  /** The fault to report if another cell follows. Set when a record that is not a cell has followed a cell. */
  #odd: string | undefined
  /** The kind of the first settings below the cells. */
  #late: string | undefined
  #hasCells = false
  /** Whether the records are those of a custom view, which repeat settings of the sheet. */
  #isInView = false
  /** The formula whose string result must come next. */
  #waiting: string | undefined
  #last = -1
  #disorder = 0
  /** How many cells refer to shared strings. */
  texts = 0
  /** The fault that was found, as the end of "it contains …". */
  fault: string | undefined

  constructor(bytes: Buffer, book: BookFacts) {
    this.#bytes = bytes
    this.#book = book
  }

  add(type: number, at: number, length: number): void {
    this.fault ??= this.#look(type, at, length)
  }

  #look(type: number, at: number, length: number): string | undefined {
    const bytes = this.#bytes
    if (!known.has(type)) return `a record of a kind that no workbook has (${hex(type)} at byte ${at})`
    if (this.#waiting !== undefined && !afterFormula.has(type)) {
      if (type !== kind.string) return `a formula whose text is lost, in ${this.#waiting}`
      this.#waiting = undefined
    }
    const fits = fitsCell(type, length)
    const odd = `a record of a different kind among its cells (${hex(type)} at byte ${at})`
    if (fits !== undefined) {
      if (this.#odd !== undefined) return this.#odd
      this.#hasCells = true
      return fits ? this.#cell(type, at, length) : `a cell of the wrong size (${hex(type)} at byte ${at})`
    }
    if (type === kind.row) {
      if (length !== 16) return `a row of the wrong size (byte ${at})`
      const [first, end] = [bytes.readUInt16LE(at + 2), bytes.readUInt16LE(at + 4)]
      if (end > first) this.#promised.set(bytes.readUInt16LE(at), [first, end])
    } else if (type === kind.merged && length !== 2 + 8 * bytes.readUInt16LE(at)) return odd
    else if (this.#hasCells && !amongCells.has(type)) {
      if (type === kind.viewStart || type === kind.viewEnd) this.#isInView = type === kind.viewStart
      const isNoWindow = type === kind.window && (this.#book.isUnicode ? length < 14 : length !== 10)
      if (neverBelow.has(type) || isNoWindow) return odd
      const size = this.#isInView ? undefined : settings.get(type)
      if (size !== undefined) {
        if (size !== anySize && length !== size) return odd
        this.#late ??= hex(type)
      }
      this.#odd ??= odd
    }
    if (type === kind.dimensions && length >= 10) {
      this.#dimensions = length >= 14
        ? { rows: bytes.readUInt32LE(at + 4), columns: bytes.readUInt16LE(at + 10) }
        : { rows: bytes.readUInt16LE(at + 2), columns: bytes.readUInt16LE(at + 6) }
    }
    return undefined
  }

  #cell(type: number, at: number, length: number): string | undefined {
    const bytes = this.#bytes
    const { formats, isUnicode, texts } = this.#book
    const [row, column] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)]
    const here = place(row, column)
    const step = type === kind.mulRk ? 6 : type === kind.mulBlank ? 2 : 0
    const end = step === 0 ? column + 1 : column + (length - 6) / step
    if (end > mostColumns) return `a cell beyond the last column (row ${row + 1})`
    if (step > 0 && bytes.readUInt16LE(at + length - 2) !== end - 1) {
      return `cells whose number is not certain, from ${here} on`
    }
    for (let index = 0; index < end - column; index++) {
      const format = bytes.readUInt16LE(at + 4 + step * index)
      if (isUnicode && format >= formats) return `a cell with a format that does not exist, in ${here}`
    }
    if (type === kind.sharedText) {
      this.texts++
      if (bytes.readUInt32LE(at + 6) >= texts) return `a reference to a text that does not exist, in ${here}`
    }
    if (type === kind.label) {
      const characters = bytes.readUInt16LE(at + 6)
      const size = !isUnicode ? characters : characters === 0 ? 0 : 1 + characters * (bytes[at + 8]! & 1 ? 2 : 1)
      if (8 + size > length) return `a text of the wrong size, in ${here}`
    }
    const from = row * mostColumns + column
    if (formulas.has(type)) {
      const isNumber = bytes.readUInt16LE(at + 12) !== 0xffff
      const valueKind = bytes[at + 6] ?? 0
      if (!isNumber && valueKind > 3) return `a formula whose value has an unknown type, in ${here}`
      if (!isNumber && valueKind === 0) this.#waiting = here
      const isEmpty = isNumber ? bytes.readDoubleLE(at + 6) === 0 : valueKind === 3
      if (isEmpty && (bytes.readUInt16LE(at + 14) & alwaysAndOnLoad) === alwaysAndOnLoad) this.uncalculated.add(from)
    }
    if (from <= this.#last) this.#disorder++
    this.#last = row * mostColumns + end - 1
    const [first, last] = this.#extents.get(row) ?? [column, end]
    this.#extents.set(row, [Math.min(first, column), Math.max(last, end)])
    if (type === kind.blank || type === kind.mulBlank) return undefined
    for (let index = from; index <= this.#last; index++) {
      if (this.values.has(index)) return `two cells in one place, ${place(row, index % mostColumns)}`
      this.values.add(index)
    }
    return undefined
  }

  /** Returns what is inconsistent, as the end of "may be damaged: …". Some programs may write such sheets. */
  doubt(): string | undefined {
    for (const [row, [first, end]] of this.#promised) {
      const found = this.#extents.get(row)
      if (found === undefined) return `row ${row + 1} should contain cells, but has none`
      if (found[1] < end) return `row ${row + 1} should reach to column ${columnName(end - 1)}, but ends before it`
      if (found[0] > first) return `row ${row + 1} should start in column ${columnName(first)}, but starts after it`
    }
    const { columns, rows } = this.#dimensions
    for (const [row, [, end]] of this.#extents) {
      if (this.#promised.size > 0 && !this.#promised.has(row)) {
        return `row ${row + 1} contains cells, but is not in its list of rows`
      }
      if (rows > 0 && (row >= rows || end > columns)) {
        return `${place(row, end - 1)} is beyond the ${rows} rows and ${columns} columns that the sheet states`
      }
    }
    if (this.#late !== undefined) return `settings of the sheet are below its cells (${this.#late})`
    // Some programs write cells in any order. A few misplaced cells, however, are suspicious.
    return this.#disorder > 0 && this.#disorder < 5 ? "some of its cells are out of order" : undefined
  }
}
