import Papa from "papaparse"
import { lineEndsIn } from "./encoding.ts"
import { limits, thousands } from "./limits.ts"
import { settleLineEnds } from "./lineEnds.ts"

/** A text that can't be cut into records. Its message is a sentence or two, without the file's name. */
export class UnreadableRecord extends Error {}

/** The records that a piece of text completed. */
export interface Records {
  /** Cells of every line, empty lines included. */
  readonly records: Array<Array<string>>
  /** Indexes in `records` of those in which a quote stands where none may stand. */
  readonly misquoted: ReadonlySet<number>
}

const none: Records = { records: [], misquoted: new Set() }

/** Cuts text that comes in pieces into records of cells. */
export interface RecordReader {
  /** The records that `text` completes; `last` with the last piece. Throws `UnreadableRecord`. */
  readonly push: (text: string, last: boolean) => Records
  /** Line of the file, from 1, at which the text pushed so far ends. */
  readonly line: () => number
}

/**
 * papaparse's own parser, fed as its streaming does it: each piece after what the last record left over. Records end at LF, CRLF and CR
 * alike; line ends inside quoted cells stay as they are.
 *
 * @param quoted whether cells may stand in quotes; else a quote is a character like any other
 */
export const readRecords = (delimiter: string, quoted = true): RecordReader => {
  const parser = new Papa.Parser({
    delimiter,
    newline: "\n",
    quoteChar: '"',
    escapeChar: '"',
    ...(quoted ? {} : { fastMode: true }),
  })
  let rest = ""
  /** Line at which `rest` begins. */
  let line = 1
  /** Length of a `rest` in which no record ended: it is looked at again once there is twice as much. */
  let stalled = 0

  const push = (text: string, last: boolean): Records => {
    let all = rest + text
    if (!last && all.length < 2 * stalled && all.length <= limits.record) {
      rest = all
      return none
    }
    // The second half of a CRLF may be in the next piece.
    const halved = !last && all.endsWith("\r")
    if (halved) all = all.slice(0, -1)
    const alone = hasLoneCarriageReturn(all)
    if (alone) all = quoted ? settleLineEnds(all, delimiter) : all.replaceAll(/\r\n?/g, "\n")

    const { data, errors, meta } = parser.parse(all, 0, !last) as Papa.ParseResult<Array<string>>
    const misquoted = new Set<number>()
    for (const error of errors) {
      if (error.row === undefined || error.row >= data.length) continue
      if (error.code === "MissingQuotes") throw unclosed(line + lineEndsIn(all.slice(0, error.index)))
      misquoted.add(error.row)
    }
    if (!alone && all.includes("\r")) dropCarriageReturns(data)

    // After a last line end papaparse sees one more line.
    if (last && all.endsWith("\n")) data.pop()

    const end = last ? all.length : meta.cursor
    line += lineEndsIn(all.slice(0, end))
    rest = all.slice(end) + (halved ? "\r" : "")
    stalled = end === 0 ? rest.length : 0
    if (rest.length > limits.record) {
      throw new UnreadableRecord(
        `The record that begins at line ${line} is longer than ${thousands(limits.record)} characters. `
          + "Most likely a quote opens in it and is never closed: correct it, or say which `delimiter` and `encoding` the file has.",
      )
    }
    return { records: data, misquoted }
  }
  return { push, line: () => line + lineEndsIn(rest) }
}

const hasLoneCarriageReturn = (text: string) => {
  for (let at = text.indexOf("\r"); at !== -1; at = text.indexOf("\r", at + 1)) {
    if (text.charCodeAt(at + 1) !== 0x0a) return true
  }
  return false
}

const unclosed = (line: number) =>
  new UnreadableRecord(
    `A quote that opens in line ${line} is never closed, so all that follows would be one cell. Close it, or double it ("") where it is meant as a character.`,
  )

/** Of a CRLF papaparse, splitting at LF, leaves the CR on an unquoted last cell. */
const dropCarriageReturns = (records: ReadonlyArray<Array<string>>) => {
  for (const record of records) {
    const at = record.length - 1
    const cell = record[at]!
    if (cell.endsWith("\r")) record[at] = cell.slice(0, -1)
  }
}
