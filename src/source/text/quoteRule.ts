import { fits, type Width } from "../columns.ts"
import { afterLineEnd, isLineEnd, type MultilineCell, nextLineEnd, type ScannedRecord, scanRecord } from "./quotes.ts"

/** Facts about a file's records. They distinguish records from lines inside a cell (docs/decisions/0016-quotes.md). */
export interface QuoteRule {
  readonly width: Width
  /** Whether quotes may be ordinary characters. This is possible only if the pipeline doesn't say what they mean. */
  readonly open: boolean
  /** Positions of the cells that identify a record. */
  readonly key: ReadonlyArray<number>
  /** The numbers of cells in records that can be read with certainty. */
  readonly widths: ReadonlySet<number>
  /** Shapes of the keys of records that can be read with certainty. */
  readonly shapes: ReadonlySet<string>
  /** Whether there are few shapes and each contains a digit. Prose never looks like such a key. */
  readonly isRegular: boolean
  /** Whether cells of these records begin with a space, as after a comma in prose. */
  readonly spaced: boolean
}

/** Why a record's reading can't be decided: both readings fit, or neither does. */
export type Undecided = "both" | "neither"

/** How a record with questionable quotes is read. `end` is the offset after its last line end. */
export type Decision =
  /** More text is needed. */
  | { readonly _tag: "More" }
  /** The record's quotes enclose cells, as they should. */
  | {
    readonly _tag: "Quoted"
    readonly end: number
    readonly undecided: Undecided | undefined
    readonly spaced: boolean
  }
  /** The first line is a record in which quotes are ordinary characters. */
  | { readonly _tag: "Literal"; readonly end: number }
  /** The record's quotes are wrong, and it is uncertain where its cells end. */
  | { readonly _tag: "Faulty"; readonly end: number; readonly undecided: Undecided | undefined }
  /** The file ends inside a quoted cell of its last line. */
  | { readonly _tag: "CutShort"; readonly end: number }
  /** A quote opens and is never closed. */
  | { readonly _tag: "Unclosed"; readonly at: number }

/** Returns the shape of a key: its words, numbers and punctuation, and whether it contains a digit. */
const shapeOf = (cells: ReadonlyArray<string>, key: ReadonlyArray<number>): string | undefined => {
  const shapes = key.map((position) => {
    const text = (cells[position] ?? "").replaceAll('"', "").trim().slice(0, 80)
    return text === "" ? "" : `${text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, "w")}${/\p{N}/u.test(text) ? "9" : ""}`
  })
  return shapes.every((shape) => shape === "") ? undefined : shapes.join("\n")
}

const isSpaced = (cells: ReadonlyArray<string>) => cells.some((cell, at) => at > 0 && cell.startsWith(" "))

/**
 * Returns the column that most likely identifies a record: the first one that is always filled, and whose cells have few shapes and a digit. If there
 * is none, returns the first column.
 */
const likelyKey = (records: ReadonlyArray<ReadonlyArray<string>>, width: number): number => {
  for (let position = 0; position < width && records.length > 0; position++) {
    const shapes = new Set(records.map((record) => shapeOf(record, [position])))
    if (shapes.size <= 3 && [...shapes].every((shape) => shape?.endsWith("9") === true)) return position
  }
  return 0
}

/** Whether a cell has a quote at one end only. papaparse returns such a cell if a quoted cell contains a quote that is not doubled. */
const isBadlyQuoted = (cell: string) => /^[^"]*"[^"]*$/.test(cell)

/**
 * Learns what records look like from the first ones.
 *
 * @param records the first records below the header, read with quotes enclosing cells
 * @param key positions of the row key's columns, if the pipeline names them
 */
export const learnRecords = (
  records: ReadonlyArray<ReadonlyArray<string>>,
  { key, open, width }: { readonly width: Width; readonly open: boolean; readonly key: ReadonlyArray<number> },
): QuoteRule => {
  const isCertain = (record: ReadonlyArray<string>) =>
    fits(record, width) && record.some((cell) => cell !== "") && record.every((cell) => !/["\r\n]/.test(cell))
  // Below a torn or badly quoted record, lines of prose may look like records. So a shape counts only if it is common.
  const torn = records.findIndex((record) =>
    record.some((cell) => /[\r\n]/.test(cell)) && !fits(record, width) || record.some(isBadlyQuoted)
  )
  const before = (torn === -1 ? records : records.slice(0, torn)).filter(isCertain)
  const certain = records.filter(isCertain)
  const positions = key.length > 0 ? key : [likelyKey(before.length < 3 ? certain : before, width.header)]
  const counts = new Map<string, number>()
  for (const record of certain) {
    const shape = shapeOf(record, positions)
    if (shape !== undefined) counts.set(shape, (counts.get(shape) ?? 0) + 1)
  }
  const common = [...counts].flatMap(([shape, count]) => count > 1 && 10 * count >= certain.length ? shape : [])
  const shapes = new Set([...before.flatMap((record) => shapeOf(record, positions) ?? []), ...common])
  return {
    width,
    open,
    key: positions,
    widths: new Set(certain.length === 0 ? [width.header] : certain.map((record) => record.length)),
    shapes,
    isRegular: shapes.size > 0 && shapes.size <= 3 && [...shapes].every((shape) => shape.includes("9")),
    spaced: before.some(isSpaced),
  }
}

/**
 * Whether a cell starts and ends with a quote. Such a cell may be meant as quoted even if quotes are read as ordinary
 * characters.
 */
const isEnclosed = (cell: string) => /^".*"$/s.test(cell.trim())

/** Whether a quote closes a cell that did not open with one. Such a cell may be the rest of a torn cell. */
const closesOnly = (cell: string) => /^[^"].*"\s*$/.test(cell)

/** Yields the lines that are not blank in part of a text. */
function* filledLines(text: string, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const end = nextLineEnd(text, at)
    const line = text.slice(at, end)
    if (line.trim() !== "") yield line
    at = afterLineEnd(text, end)
  }
}

/** How a file is split into records and cells. */
export interface QuoteReading {
  readonly delimiter: string
  readonly rule: QuoteRule
  /** Returns the cells of a line that is a well-formed record. */
  readonly cellsOf: (line: string) => ReadonlyArray<string>
}

/**
 * Decides how to read the record at `start`, which `nextInQuestion` found, from its own text and the lines after it. The decision does not depend on how
 * much of the text is available.
 *
 * @param last whether `text` is the end of the file
 */
export const decideQuotes = (reading: QuoteReading, text: string, start: number, last: boolean): Decision =>
  new RecordInQuestion(reading, text, start, last).decide()

/** A record whose quotes are in question. Methods that depend on later text return undefined if more text is needed. */
class RecordInQuestion {
  readonly #delimiter: string
  readonly #rule: QuoteRule
  readonly #cellsOf: QuoteReading["cellsOf"]
  readonly #text: string
  readonly #start: number
  readonly #last: boolean
  readonly #record: ScannedRecord
  /** The end of the record's first line, and the start of the second one. */
  readonly #firstEnd: number
  readonly #second: number
  /** The result of `#own`, which most records don't need. */
  #known: { readonly own: string | undefined } | undefined

  constructor({ cellsOf, delimiter, rule }: QuoteReading, text: string, start: number, last: boolean) {
    this.#delimiter = delimiter
    this.#rule = rule
    this.#cellsOf = cellsOf
    this.#text = text
    this.#start = start
    this.#last = last
    this.#record = scanRecord(text, start, delimiter, true)
    this.#firstEnd = nextLineEnd(text, start)
    this.#second = afterLineEnd(text, this.#firstEnd)
  }

  decide(): Decision {
    const { bad, end, multiline, spaced, width } = this.#record
    if (end === undefined) return bad === undefined && !this.#last ? { _tag: "More" } : this.#decideMalformed()
    if (!this.#rule.open) return { _tag: "Quoted", end, undecided: undefined, spaced }
    if (this.#isRest()) return { _tag: "Quoted", end, undecided: "both", spaced }
    if (!multiline.some((cell) => this.#mayBeRecords(cell))) {
      const follows = this.#isFollowed(end)
      if (follows === undefined) return { _tag: "More" }
      return { _tag: "Quoted", end, undecided: follows ? undefined : "both", spaced }
    }
    const inner = this.#linesTo(end)
    const isLiteral = !this.#rule.widths.has(width) && inner.records === inner.lines && this.#fitsLiterally()
    return isLiteral ? { _tag: "Literal", end: this.#second } : { _tag: "Quoted", end, undecided: "both", spaced }
  }

  #decideMalformed(): Decision {
    const { isRegular, open, width: titles } = this.#rule
    if (open) {
      const isLiteral = this.#isLiteral()
      if (isLiteral === undefined) return { _tag: "More" }
      if (isLiteral) return { _tag: "Literal", end: this.#second }
    }
    // Scans the whole record as papaparse does, but only here. Elsewhere, text with a stray quote in each line would be scanned again for each line.
    const { end, width } = scanRecord(this.#text, this.#start, this.#delimiter)
    if (end === undefined) {
      if (!this.#last) return { _tag: "More" }
      return this.#second >= this.#text.length
        ? { _tag: "CutShort", end: this.#text.length }
        : { _tag: "Unclosed", at: this.#record.open ?? this.#start }
    }
    const next = this.#isNextRecord(end, true)
    if (next === undefined) return { _tag: "More" }
    const isInside = open && this.#linesTo(end).records > 0
    return {
      _tag: "Faulty",
      end,
      undecided: isInside ? "both" : next && (isRegular || width >= titles.titled) ? undefined : "neither",
    }
  }

  /** Whether the first line is a complete record and the lines after it are records, too. */
  #isLiteral(): boolean | undefined {
    const { bad } = this.#record
    const { length } = this.#text
    if (this.#firstEnd === length && !this.#last) return undefined
    if (!this.#fitsLiterally()) return false
    if (bad !== undefined && bad < this.#firstEnd) {
      // At the file's end, the last cell may be cut short.
      const isCut = this.#second >= length && this.#firstLine.split(this.#delimiter).at(-1)?.startsWith('"')
      return this.#last && isCut === true ? false : this.#isNextRecord(this.#second)
    }
    const badEnd = bad === undefined ? length : nextLineEnd(this.#text, bad)
    if (badEnd === length && !this.#last) return undefined
    const { lines, records } = this.#linesTo(badEnd)
    return lines > 0 && records === lines
  }

  get #firstLine(): string {
    return this.#text.slice(this.#start, this.#firstEnd)
  }

  /**
   * Whether the lines of a well-formed quoted cell could also be records. At least half of them must have the header's width, and keys like their
   * neighbours'. Keys may be different if the width is not a coincidence, or if keys have no common shape. In that case, spaces must not follow the
   * delimiters, as they do in prose.
   */
  #mayBeRecords({ end, open, position }: MultilineCell): boolean {
    const { isRegular, width } = this.#rule
    const ownWidth = this.#record.width
    const firstEnd = nextLineEnd(this.#text, open)
    const second = afterLineEnd(this.#text, firstEnd)
    const before = new Array<string>(position).fill("")
    const isFirst = this.#isWide([...before, ...this.#text.slice(open, firstEnd).split(this.#delimiter)], ownWidth)
    // The lines of most cells have no delimiter. To look for one takes a tenth of the time of splitting them.
    if (!isFirst && !this.#text.slice(second, end).includes(this.#delimiter)) return false
    const lines = [...filledLines(this.#text, second, end)]
    const wide = lines.map((line) => ({ line, cells: this.#cells(line) }))
      .filter(({ cells }) => this.#isWide(cells, ownWidth))
    if (wide.length === 0) return false
    // The line with the closing quote also contains the next cells of the outer record.
    const records = isFirst ? wide : wide.filter(({ line }) => !line.includes('"'))
    if (records.length === 0 || 2 * records.length < lines.length) return false
    const isAlike = 2 * records.filter(({ cells }) => this.#hasKey(cells)).length >= lines.length
    if (isRegular && isAlike) return true
    return (isAlike || isFirst && (width.header >= 4 || !isRegular)) && !this.#isProse(this.#text.slice(open + 1, end))
  }

  /**
   * Whether the record may be the rest of a torn one: a cell before the quote in question has an odd number of quotes and ends with one, and the
   * record's key is unlike its neighbours'.
   */
  #isRest(): boolean {
    const before = this.#text.slice(this.#start, this.#record.open ?? this.#start)
    if (!before.includes('"') || this.#own === undefined || this.#rule.shapes.has(this.#own)) return false
    const cells = before.split(this.#delimiter)
    return cells.some((cell) => closesOnly(cell) && cell.split('"').length % 2 === 0)
      && !cells.some((cell) => cell.startsWith('"'))
  }

  /** Whether most delimiters within a cell's text are followed by a space. */
  #isProse(cell: string): boolean {
    let spaced = 0
    let unspaced = 0
    for (const part of cell.split(this.#delimiter).slice(1)) {
      if (/^[^\S\r\n]/.test(part)) spaced++
      else if (!/^[\r\n]/.test(part)) unspaced++
    }
    return unspaced === 0 || unspaced < spaced
  }

  /** Whether a line has as many cells as other records, or as the record in question. */
  #isWide(cells: ReadonlyArray<string>, ownWidth?: number): boolean {
    const { length } = cells
    return length > 1 && (length === ownWidth || this.#rule.widths.has(length)) && fits(cells, this.#rule.width)
  }

  /** Whether the first line is a record if quotes are ordinary characters. */
  #fitsLiterally(): boolean {
    const cells = this.#firstLine.split(this.#delimiter)
    return this.#isWide(cells) && !cells.some(isEnclosed) && (this.#own !== undefined || this.#hasKey(cells))
  }

  /** Counts the lines from the second one on that are not blank, and how many of them look like records. */
  #linesTo(to: number) {
    const lines = [...filledLines(this.#text, this.#second, to)]
    return { lines: lines.length, records: lines.filter((line) => this.#isRecord(line)).length }
  }

  /**
   * Whether the text after a quoted record with line ends confirms that the record ends there. If a stray quote is closed by the next quote, the rest
   * of a cell remains. As a result the record is too short, or includes a line with a quote that begins like a record.
   */
  #isFollowed(end: number): boolean | undefined {
    const { width } = this.#record
    const from = this.#nextFilled(end)
    const isOver = from === undefined || from === this.#text.length
    const next = isOver ? undefined : scanRecord(this.#text, from, this.#delimiter, true)
    // Usually the next record shows it, which is faster to find out than the rest.
    if (next?.end !== undefined && next.width === width) return true
    const isShort = width < this.#rule.width.titled
    if (!isShort && !this.#hasQuotedKey(end)) return true
    if (isOver || next === undefined) return from === undefined ? undefined : true
    if (next.end === undefined && next.bad === undefined && !this.#last) return undefined
    if (!isShort) return next.end !== undefined && this.#rule.widths.has(next.width)
    return (next.open !== undefined && this.#isKey(this.#keyBefore(from, next)))
      || this.#isRecord(this.#text.slice(from, nextLineEnd(this.#text, from)))
  }

  /** Whether a line of the record that contains a quote begins like a record, with a key. */
  #hasQuotedKey(to: number): boolean {
    for (const line of filledLines(this.#text, this.#second, to)) {
      if (line.includes('"') && this.#hasKey(this.#cells(line, this.#keyEnd))) return true
    }
    return false
  }

  /** Returns the start of the next line that is not empty, or the text's length. */
  #nextFilled(from: number): number | undefined {
    const text = this.#text
    let at = from
    while (isLineEnd(text[at])) at = afterLineEnd(text, at)
    return !this.#last && nextLineEnd(text, at) === text.length ? undefined : at
  }

  /**
   * Whether the next line that is not empty looks like a record, or there is no such line.
   *
   * @param torn whether the line may be the rest of a torn cell: if so, a line with the cell's closing quote is not a
   * record
   */
  #isNextRecord(from: number, torn = false): boolean | undefined {
    const at = this.#nextFilled(from)
    if (at === undefined || at === this.#text.length) return at === undefined ? undefined : true
    const line = this.#text.slice(at, nextLineEnd(this.#text, at))
    return this.#isRecord(line) && !(torn && this.#cells(line).some(closesOnly))
  }

  /** Whether a line looks like a record: it has the header's number of cells and a key shaped like those of its neighbours, and it is not prose. */
  #isRecord(line: string): boolean {
    const cells = this.#cells(line)
    return this.#isWide(cells) && (this.#rule.spaced || !isSpaced(cells)) && this.#hasKey(cells)
  }

  #hasKey(cells: ReadonlyArray<string>): boolean {
    return this.#isKey(shapeOf(cells, this.#rule.key))
  }

  /** Whether a key has the shape of the record's own key, or of the file's keys. */
  #isKey(shape: string | undefined): boolean {
    return shape !== undefined && (this.#rule.shapes.has(shape) || shape === this.#own)
  }

  /** The shape of the record's key, if the key comes before the cell in question. */
  get #own(): string | undefined {
    this.#known ??= { own: this.#keyBefore(this.#start, this.#record) }
    return this.#known.own
  }

  /** The number of cells up to the end of the key. */
  get #keyEnd(): number {
    return Math.max(...this.#rule.key) + 1
  }

  /** Returns the cells of a line: all of them, or at least the first `most`. */
  #cells(line: string, most?: number): ReadonlyArray<string> {
    // A quote that is not at the start of a cell is an ordinary character.
    if (line.startsWith('"') || line.includes(`${this.#delimiter}"`)) {
      const scanned = scanRecord(`${line}\n`, 0, this.#delimiter, true)
      if (scanned.end !== undefined && scanned.open === undefined) return this.#cellsOf(line)
    }
    return line.split(this.#delimiter, most)
  }

  /** Returns the shape of the key of the record at `start`, if the key comes before the cell in question. */
  #keyBefore(start: number, { open }: ScannedRecord): string | undefined {
    const before = this.#cells(this.#text.slice(start, open ?? start), this.#keyEnd + 1).slice(0, -1)
    return this.#keyEnd <= before.length ? shapeOf(before, this.#rule.key) : undefined
  }
}
