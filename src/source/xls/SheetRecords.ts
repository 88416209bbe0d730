import { amongCells, followsFormula, isBeforeCells, isFormula, isKnown, record } from "./recordTypes.ts"

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
