import type { SourceConfig } from "../../project/Pipeline.ts"
import { addedAt } from "../fixed.ts"
import { headKept, numberedTitles, placeHeader, usualWidth } from "../headerRow.ts"
import { afterLineEnd, nextLineEnd, scanRecord } from "./quotes.ts"
import { UnreadableText } from "./readText.ts"
import { type Dialect, readRecords } from "./records.ts"

/** The pipeline's settings for reading a text file. Missing settings are detected. */
export type CsvSettings = Partial<
  Pick<SourceConfig, "encoding" | "delimiter" | "headerRow" | "quoteChar" | "raggedRows" | "rowKey">
>

/** The header, the delimiter and the use of quotes in a text file. */
export interface Header extends Dialect {
  readonly titles: ReadonlyArray<string>
  readonly delimiterBecause: string
  /** Line or record number of the header, counting from 1. Without a header, the number of records before the first row. */
  readonly row: number
  /** Number of records above the header, not counting `sep=` lines. 0 if all of them are empty, or if the pipeline said to skip them. */
  readonly above: number
  /** The first records of the text, including those above the header. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  /** Whether the first line was repaired because its quotes do not separate its cells. */
  readonly isRepaired: boolean
  /** The text before the first line below the header. */
  readonly text: string
}

/** How many records below the header are kept to recognise a form tool, if they are within the first `headMost` characters. */
const headRecords = 12
const headMost = 4_000_000

/** What is reported about text without a delimiter. */
export const oneColumn = "none: one column"

const isEmpty = (record: ReadonlyArray<string>) => record.every((cell) => cell === "")

/**
 * Returns the header: the record with the given number, or else the first record that is neither empty nor obviously a heading. If the pipeline says that
 * there is none, its titles are numbered. Returns undefined if more text is needed, and sentences that say why if no header is found.
 *
 * @param text the file's first characters
 * @param complete whether `text` is the whole file
 * @param asked the pipeline's settings
 */
export const findHeader = (
  text: string,
  complete: boolean,
  asked: Pick<CsvSettings, "delimiter" | "headerRow" | "quoteChar">,
): Header | string | undefined => {
  const separator = separatorLine(text)
  const quoted = asked.quoteChar !== "none"
  const isNone = asked.headerRow === "none"
  const above = typeof asked.headerRow === "number" ? asked.headerRow - 1 : separator === undefined ? 0 : 1
  const separated = asked.delimiter ?? separator ?? detectDelimiter(text, complete, above, quoted)
  const [delimiter, delimiterBecause] = asked.delimiter !== undefined
    ? [asked.delimiter, "as given"]
    : separator !== undefined
    ? [separator, "by the file's sep= line"]
    : separated === undefined
    ? [",", oneColumn]
    : [separated, "detected"]
  const repaired = above === 0 && quoted && !isNone ? repairHeader(text, delimiter, complete) : undefined
  const sound = repaired === undefined ? text : repaired.line + text.slice(repaired.original.length)
  const reader = readRecords({ delimiter, quoted })
  // If a quote is not closed, only the records before it are used. What the quote means is decided when the rows are read.
  const { misquoted, records } = reader.push(complete && !/[\r\n]$/.test(sound) ? `${sound}\n` : sound, false)
  const placed = asked.headerRow === undefined ? placeHeader(records.slice(above, above + headKept)) : 0
  const at = isNone
    ? above - 1
    : placed === -1
    ? records.findIndex((record, index) => index >= above && !isEmpty(record))
    : above + placed
  const rows = records.slice(above, above + headKept).filter((record) => !isEmpty(record))
  const titles = isNone ? numberedTitles(usualWidth(rows.map(({ length }) => length))) : records[at]
  if (titles === undefined || titles.length === 0) {
    if (!complete) return undefined
    reader.push("", true)
    return typeof asked.headerRow !== "number"
      ? "It contains only empty lines. Use a file that contains rows."
      : `It has fewer than ${asked.headerRow} lines, but \`headerRow: ${asked.headerRow}\` says where its header is. Correct \`source.headerRow\`.`
  }
  if (isEmpty(titles)) {
    return `Line ${at + 1} is empty, but \`headerRow: ${
      at + 1
    }\` says that it is the header. Correct \`source.headerRow\`.`
  }
  if (misquoted.has(at) && titles.some((title) => /[\r\n]/.test(title))) {
    return `Its quotes are wrong: a title on line ${
      at + 1
    } starts with a quote that is closed only on a later line, so that rows may be part of the title. `
      + 'Double the quotes inside quoted titles (""). If quotes are ordinary characters in this file, write `quoteChar: none` under `source`.'
  }
  const end = endOf(text, { delimiter, quoted, records: at + 1, repaired, complete })
  if (!complete && (end === undefined || (records.length < at + 1 + headRecords && text.length < headMost))) {
    return undefined
  }
  return {
    titles,
    delimiter,
    delimiterBecause,
    quoted,
    row: at + 1,
    above: asked.headerRow === undefined && records.slice(above, at).some((record) => !isEmpty(record))
      ? at - above
      : 0,
    records: records.slice(0, at + headKept),
    isRepaired: repaired !== undefined,
    text: text.slice(0, end),
  }
}

/** Returns the offset after the first records of a text. Undefined if the text ends before that, and the file has more. */
const endOf = (
  text: string,
  { complete, delimiter, repaired, quoted, records }: Dialect & {
    readonly records: number
    readonly repaired: RepairedHeader | undefined
    readonly complete: boolean
  },
): number | undefined => {
  let at = 0
  for (let record = 0; record < records; record++) {
    const bare = !quoted || (record === 0 && repaired !== undefined)
    const end = bare ? nextLineEnd(text, at) : scanRecord(text, at, delimiter).end
    if (end === undefined || end === text.length) return complete ? text.length : end
    at = bare ? afterLineEnd(text, end) : end
  }
  return at
}

/**
 * Returns the delimiter of a text file whose first record is the header of a rejected.csv. A spreadsheet program may
 * have changed it from a comma.
 */
export const fixedDelimiter = (text: string): string | undefined =>
  [",", ";", "\t"].find((delimiter) => {
    // Only the first record counts. If the text is only a header, the added line end completes it.
    const first = readRecords({ delimiter, quoted: true }).push(`${text}\n`, false).records[0] ?? []
    return addedAt(first) >= 0
  })

/** A header line whose quotes do not separate its cells, and the repaired line. */
export interface RepairedHeader {
  /** The original line, without its line end. */
  readonly original: string
  readonly line: string
}

/** How many records below the header are used to find the number of cells. */
const recordsBelow = 50

/** The maximum number of steps for splitting a line. A header with a few hundred columns needs few. */
const mostSteps = 200_000

/** Returns the records of a text. None if the text can't be split into records. */
const recordsIn = (text: string, delimiter: string, complete: boolean): ReadonlyArray<ReadonlyArray<string>> => {
  try {
    return readRecords({ delimiter, quoted: true }).push(text, complete).records
  } catch (error) {
    if (error instanceof UnreadableText) return []
    throw error
  }
}

/** Returns the number of cells that all records below the header have, or undefined if the records differ. */
const widthBelow = (records: ReadonlyArray<ReadonlyArray<string>>): number | undefined => {
  const filled = records.slice(0, recordsBelow).filter((record) => !isEmpty(record))
  const widths = new Set(filled.map(({ length }) => length))
  const [width] = widths
  return widths.size === 1 ? width : undefined
}

/**
 * Returns up to two ways to split a line into this many cells. A quoted cell may have bare quotes inside. Its closing quote is followed by a
 * delimiter without a space after it, because in prose a space follows.
 */
const waysToCut = (line: string, delimiter: string, width: number): ReadonlyArray<ReadonlyArray<string>> => {
  const ways: Array<ReadonlyArray<string>> = []
  let steps = 0
  const cut = (from: number, cells: ReadonlyArray<string>): void => {
    if (ways.length > 1 || ++steps > mostSteps) return
    const more = (cell: string, next: number) => {
      const all = [...cells, cell]
      if (next > line.length) {
        if (all.length === width) ways.push(all)
      } else if (all.length < width) cut(next, all)
    }
    if (line[from] !== '"') {
      const at = line.indexOf(delimiter, from)
      const end = at === -1 ? line.length : at
      return more(line.slice(from, end), end + delimiter.length)
    }
    for (let quote = line.indexOf('"', from + 1); quote !== -1; quote = line.indexOf('"', quote + 1)) {
      const next = quote + 1 + delimiter.length
      const ends = quote === line.length - 1 || (line.startsWith(delimiter, quote + 1) && !/\s/.test(line[next] ?? ""))
      if (ends) more(line.slice(from + 1, quote).replaceAll('""', '"'), next)
    }
  }
  cut(0, [])
  return steps > mostSteps ? [] : ways
}

/** Splits a line at each delimiter, if quotes that don't enclose a title only begin it (`"Other" comments`). */
const cutLiterally = (line: string, delimiter: string): ReadonlyArray<string> | undefined => {
  const cells = line.split(delimiter)
  if (cells.some((cell) => /^[^"].*"$/.test(cell))) return undefined
  return cells.map((cell) => /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell)
}

/**
 * Repairs a header in the first line, in which bare quotes come before delimiters (`"Do you say "yes", or no?"`) or at the start of a title
 * (`"Other" comments`). Some form tools write such titles. The header is repaired only if all records below it have the same number of cells and the
 * header has a different one. There must be only one way to split it into that number of cells.
 */
const repairHeader = (text: string, delimiter: string, complete: boolean): RepairedHeader | undefined => {
  const end = /\r\n|\r|\n/.exec(text)
  if (end === null || !text.slice(0, end.index).includes('"')) return undefined
  const line = text.slice(0, end.index)
  const width = widthBelow(recordsIn(text.slice(end.index + end[0].length), delimiter, complete))
  if (width === undefined || width < 2) return undefined
  if (recordsIn(`${line}\n`, delimiter, true)[0]?.length === width) return undefined
  const [way = cutLiterally(line, delimiter), ...others] = waysToCut(line, delimiter, width)
  return way?.length !== width || others.length > 0
    ? undefined
    : { original: line, line: way.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) }
}

const candidates = [",", ";", "\t", "|"]

const shown: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe" }

/** Returns a delimiter's name for messages. */
export const delimiterName = (delimiter: string) => shown[delimiter] ?? JSON.stringify(delimiter)

/** Returns the delimiter of a first line such as `sep=;`, which Excel reads. The line has quotes if a program wrote it as a cell. */
const separatorLine = (text: string): string | undefined => /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i.exec(text)?.[1]

const recordsLookedAt = 200

/** Returns how well a dialect splits text into records of equal width: the most frequent width, and the share of records with this width. */
const fit = (text: string, complete: boolean, { delimiter, quoted }: Dialect, from: number) => {
  const widths = new Map<number, number>()
  let total = 0
  let damaged = 0
  let first: ReadonlyArray<string> | undefined
  const reader = readRecords({ delimiter, quoted })
  try {
    // If a quote is not closed, only the records before it are used.
    const { records, misquoted } = reader.push(complete ? `${text}\n` : text, false)
    for (let at = from; at < records.length && total < recordsLookedAt; at++) {
      const record = records[at]!
      if (record.length === 1 && record[0]!.trim() === "") continue
      first ??= record
      total++
      // The header may have bare quotes inside quoted titles, because some form tools write them.
      if (misquoted.has(at) && total > 1) damaged++
      widths.set(record.length, (widths.get(record.length) ?? 0) + 1)
    }
    if (complete) reader.push("", true)
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    total++
    damaged++
  }
  let width = 1
  let most = 0
  for (const [cells, times] of widths) {
    if (cells > 1 && (times > most || (times === most && cells > width))) {
      width = cells
      most = times
    }
  }
  const share = total === 0 ? 0 : Math.max(0.01, (most - damaged) / total)
  // In prose, a space follows a comma, but titles rarely begin with a space.
  const prose = first === undefined
    ? 0
    : first.filter((title, at) => at > 0 && /^ \S/.test(title)).length / first.length
  return { share, width, score: share - prose / 10 - (first?.length === width ? 0 : 0.2) }
}

/**
 * Returns the delimiter that splits the first records most evenly. Quoted cells are not split. If two delimiters are equally good, returns the one
 * that gives more columns. Undefined if no delimiter splits anything, because the file has one column.
 *
 * @param complete whether `text` is the whole file
 * @param from index of the first record that counts, the header
 */
const detectDelimiter = (text: string, complete: boolean, from: number, quoted: boolean): string | undefined => {
  const [best] = candidates.map((delimiter) => ({ delimiter, ...fit(text, complete, { delimiter, quoted }, from) }))
    .filter(({ share, width }) => width > 1 && share > 0)
    .toSorted((a, b) => b.score - a.score || b.width - a.width)
  return best?.delimiter
}
