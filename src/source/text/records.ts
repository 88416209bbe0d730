import Papa from "papaparse"
import { count } from "../../domain/words.ts"
import { limits } from "../limits.ts"
import { lineEndsIn } from "./encoding.ts"
import { decideQuotes, type Decision, type QuoteRule, type Undecided } from "./quoteRule.ts"
import { beginsSpacedQuote, lineStart, nextInQuestion, normaliseLineEnds, scanRecord } from "./quotes.ts"
import { UnreadableText } from "./readText.ts"

/** The records that a piece of text completed. */
export interface Records {
  /** The cells of every record. An empty line counts as a record. */
  readonly records: Array<Array<string>>
  /** Indexes in `records` of records whose quotes don't show where cells end. */
  readonly misquoted: ReadonlySet<number>
  /** The number of the line, counting from 1, at which the first record starts. */
  readonly line: number
  /** Indexes in `records` of records with line ends inside their cells. */
  readonly multiline: ReadonlySet<number>
  /** Indexes in `records` of records with a quote that was meant to enclose a cell, but comes after white space. */
  readonly spacedQuotes: ReadonlySet<number>
}

/** Line numbers in the file, counting from 1. */
export interface Lines {
  readonly from: number
  readonly to: number
}

/** What was decided about quotes so far. */
export interface Quotes {
  /** How many records were read with quotes as ordinary characters, and the lines of the first ones. */
  readonly literal: number
  readonly literalLines: ReadonlyArray<number>
  /** How many records can't be read with certainty, and the lines of the first ones. */
  readonly undecided: number
  readonly undecidedLines: ReadonlyArray<Lines & { readonly because: Undecided }>
}

/** Splits text that arrives in pieces into records of cells. */
export interface RecordReader {
  /** Returns the records that `text` completes. `last` says whether this is the last piece. Throws `UnreadableText`. */
  readonly push: (text: string, last: boolean) => Records
  /** Returns the number, counting from 1, of the line at which the text passed so far ends. */
  readonly line: () => number
  readonly quotes: () => Quotes
}

/** How text is split into cells. */
export interface Dialect {
  readonly delimiter: string
  /** Whether quotes may enclose cells. If false, a quote is an ordinary character. */
  readonly quoted: boolean
}

/** How text is split into records. */
export interface Reading extends Dialect {
  /** The number of the line, counting from 1, at which the text starts. */
  readonly line?: number
  /**
   * The rule for records with questionable quotes. Undefined while a file's format is being detected. Quotes are then
   * read as papaparse reads them.
   */
  readonly rule?: QuoteRule | undefined
}

/** The maximum number of lines whose numbers are reported. */
const named = 10

/**
 * Splits text into records with papaparse's parser. Records end at LF, CRLF or CR, and line ends inside quoted cells
 * remain. Whether quotes in a record are ordinary characters is decided before parsing (docs/decisions/0016-quotes.md).
 * The decision does not depend on how the text is split into pieces.
 */
export const readRecords = ({ delimiter, line: firstLine = 1, quoted, rule }: Reading): RecordReader => {
  const setting = { delimiter, newline: "\n", quoteChar: '"', escapeChar: '"' } as const
  const quotedParser = new Papa.Parser(setting)
  const literalParser = new Papa.Parser({ ...setting, fastMode: true })
  const cellsOf = (record: string) => (quotedParser.parse(`${record}\n`, 0, true) as Parsed).data[0] ?? []
  const reading = rule && { delimiter, rule, cellsOf }
  let rest = ""
  /** The line at which `rest` begins. Within `push`, the line of offset `at`. */
  let line = firstLine
  /** Length of a `rest` in which no record ended. It is scanned again once it has doubled. */
  let stalled = 0
  let literal = 0
  let undecided = 0
  const literalLines: Array<number> = []
  const undecidedLines: Array<Quotes["undecidedLines"][number]> = []

  /** Reads a record up to where papaparse ends it. */
  const leniently = (text: string, start: number, last: boolean): Decision => {
    const { bad, end, open, spaced } = scanRecord(text, start, delimiter)
    if (end === undefined) return last ? { _tag: "Unclosed", at: open ?? start } : { _tag: "More" }
    return { _tag: bad === undefined ? "Quoted" : "Faulty", end, undecided: undefined, spaced }
  }

  const push = (text: string, last: boolean): Records => {
    let all = rest + text
    const records: Array<Array<string>> = []
    const misquoted = new Set<number>()
    const multiline = new Set<number>()
    const spacedQuotes = new Set<number>()
    const first = line
    const pushed = (): Records => ({ records, misquoted, line: first, multiline, spacedQuotes })
    if (!last && all.length < 2 * stalled && all.length <= limits.record) {
      rest = all
      return pushed()
    }
    // The LF of a CRLF may be in the next piece.
    const halved = !last && all.endsWith("\r")
    if (halved) all = all.slice(0, -1)
    if (last && all !== "" && !/[\r\n]$/.test(all)) all += "\n"

    /** Start of the text that is not yet parsed. */
    let from = 0
    const parse = (to: number, literally: boolean): void => {
      if (to === from) return
      const whole = all.slice(from, to)
      const carriage = whole.includes("\r")
      const alone = carriage && hasLoneCarriageReturn(whole)
      const normalised = !alone
        ? whole
        : literally
        ? whole.replaceAll(/\r\n?/g, "\n")
        : normaliseLineEnds(whole, delimiter)
      const parser = literally ? literalParser : quotedParser
      const { data, errors } = parser.parse(normalised, 0, true) as Parsed
      if (carriage && !alone) dropCarriageReturns(data)
      for (const { row } of errors) if (row !== undefined && row < data.length) misquoted.add(records.length + row)
      for (const record of data) records.push(record)
      from = to
    }

    let at = 0
    /** Index in `records` that the record at offset `at` will have. */
    let index = 0
    /** Moves `at` to an offset. Returns the number of line ends before it. */
    const advance = (to: number): number => {
      const lineEnds = lineEndsIn(all.slice(at, to))
      line += lineEnds
      at = to
      return lineEnds
    }
    for (;;) {
      let [counted, lines] = [at, index]
      const within = (quote: number) => {
        if (!beginsSpacedQuote(all, quote, at, delimiter)) return
        lines += lineEndsIn(all.slice(counted, quote))
        counted = quote
        spacedQuotes.add(lines)
      }
      const start = quoted ? nextInQuestion(all, at, delimiter, within) : -1
      if (start === -1) {
        advance(lineStart(all, at))
        break
      }
      index += advance(start)
      const full = all.length - start > limits.record
      const seen = full ? all.slice(0, lineStart(all, start, start + limits.record)) : all
      if (seen.length === start) throw tooLong(line)
      const decision = reading === undefined
        ? leniently(seen, start, last)
        : decideQuotes(reading, seen, start, last || full)
      if (decision._tag === "More") break
      if (decision._tag === "Unclosed" || (full && decision._tag === "CutShort")) {
        throw full || decision._tag === "CutShort"
          ? tooLong(line)
          : unclosed(line + lineEndsIn(all.slice(start, decision.at)))
      }
      const firstLine = line
      advance(decision.end)
      if (decision._tag === "Quoted" && decision.undecided === undefined) {
        if (decision.spaced) spacedQuotes.add(index)
        multiline.add(index++)
        continue
      }
      parse(start, false)
      parse(at, decision._tag === "Literal" || decision._tag === "CutShort")
      if (decision._tag === "Literal") {
        literal++
        if (literalLines.length < named) literalLines.push(firstLine)
      } else {
        for (let one = index; one < records.length; one++) {
          multiline.add(one)
          if (decision._tag !== "Quoted") misquoted.add(one)
        }
        if (decision._tag !== "CutShort" && decision.undecided !== undefined) {
          undecided++
          if (undecidedLines.length < named) {
            undecidedLines.push({ from: firstLine, to: line - 1, because: decision.undecided })
          }
        }
      }
      index = records.length
    }
    parse(at, !quoted)

    rest = all.slice(from) + (halved ? "\r" : "")
    stalled = from === 0 ? rest.length : 0
    if (rest.length > limits.record) throw tooLong(line)
    return pushed()
  }
  return {
    push,
    line: () => line + lineEndsIn(rest),
    quotes: () => ({ literal, literalLines, undecided, undecidedLines }),
  }
}

type Parsed = Papa.ParseResult<Array<string>>

const hasLoneCarriageReturn = (text: string) => {
  for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", at + 1)) {
    if (text.charCodeAt(at + 1) !== 0x0a) return true
  }
  return false
}

const tooLong = (line: number) =>
  new UnreadableText(
    `The record that begins at line ${line} is longer than ${count(limits.record)} characters. `
      + "Most likely a quote opens in it and is never closed: correct it, or set the file's `delimiter`, `quoteChar` and `encoding`.",
  )

const unclosed = (line: number) =>
  new UnreadableText(
    `A quote that opens on line ${line} is never closed, so all that follows would be one cell. Close it, or double it ("") if it is meant as a character. `
      + "If quotes are ordinary characters in this file, write `quoteChar: none` under `source`.",
  )

/** Removes the CR of a CRLF. papaparse splits at LF and leaves the CR in the last cell, if that is not quoted. */
const dropCarriageReturns = (records: ReadonlyArray<Array<string>>) => {
  for (const record of records) {
    const at = record.length - 1
    const cell = record[at]!
    if (cell.endsWith("\r")) record[at] = cell.slice(0, -1)
  }
}
