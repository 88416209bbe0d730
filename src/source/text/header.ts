import type { SourceConfig } from "../../project/Pipeline.ts"
import { mendedColumns, placeHeader } from "../columns.ts"
import { afterLineEnd, nextLineEnd, scanRecord } from "./quotes.ts"
import { readRecords, UnreadableRecord } from "./records.ts"

/** How a pipeline says that a text is to be read; what it leaves open is found in the text. */
export interface CsvSettings {
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  readonly headerRow?: number | undefined
  readonly quoteChar?: '"' | "none" | undefined
  readonly raggedRows?: "reject" | "pad" | undefined
  readonly rowKey?: SourceConfig["rowKey"]
}

/** Where a text's header is, and its delimiter and quotes. */
export interface Header extends Dialect {
  readonly titles: ReadonlyArray<string>
  readonly delimiterBecause: string
  /** Line or record of the header, from 1. */
  readonly row: number
  /** Records above it, `sep=` lines aside, if any of them hold something and were left out without the pipeline saying so. */
  readonly above: number
  /** The first records of the text, those above the header among them. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  /** Whether the first line was mended, for its quotes do not tell its cells apart. */
  readonly mended: boolean
  /** The text up to the first line below the header. */
  readonly text: string
}

/** Records that are wanted below the header, to recognise a form tool by, as long as they stand in the first `headMost` characters. */
const headRecords = 12
const headMost = 4_000_000
/** Records that are kept at most. */
const headKept = 200

/** What is said of a text in which nothing sets cells apart. */
export const oneColumn = "none: one column"

/** What became of looking for a header: found, more text is needed, or there is none. */
export type HeaderSearch =
  | { readonly _tag: "Found"; readonly header: Header }
  | { readonly _tag: "More" }
  | { readonly _tag: "None"; readonly message: string }

const isEmpty = (record: ReadonlyArray<string>) => record.every((cell) => cell === "")

/**
 * Looks for the header: the record of the number given, else the first that is not empty, unless it is obvious that it is a heading.
 *
 * @param text the file's first characters
 * @param complete whether they are all of the file
 * @param asked what the pipeline says
 */
export const findHeader = (
  text: string,
  complete: boolean,
  asked: Pick<CsvSettings, "delimiter" | "headerRow" | "quoteChar">,
): HeaderSearch => {
  const separator = separatorLine(text)
  const quoted = asked.quoteChar !== "none"
  const above = asked.headerRow !== undefined ? asked.headerRow - 1 : separator === undefined ? 0 : 1
  const separated = asked.delimiter ?? separator ?? detectDelimiter(text, complete, above, quoted)
  const [delimiter, delimiterBecause] = asked.delimiter !== undefined
    ? [asked.delimiter, "as the pipeline says"]
    : separator !== undefined
    ? [separator, "by the file's sep= line"]
    : separated === undefined
    ? [",", oneColumn]
    : [separated, "detected"]
  const mended = above === 0 && quoted ? mendHeader(text, delimiter, complete) : undefined
  const sound = mended === undefined ? text : mended.mended + text.slice(mended.original.length)
  const reader = readRecords({ delimiter, quoted })
  // A quote that is not closed leaves the records before it: what it means is decided when the rows are read.
  const { records } = reader.push(complete && !/[\r\n]$/.test(sound) ? `${sound}\n` : sound, false)
  const placed = asked.headerRow === undefined ? placeHeader(records.slice(above, above + headKept)) : 0
  const at = placed === -1
    ? records.findIndex((record, index) => index >= above && !isEmpty(record))
    : above + placed
  const titles = records[at]
  if (titles === undefined) {
    if (!complete) return { _tag: "More" }
    reader.push("", true)
    const message = asked.headerRow === undefined
      ? "It holds nothing but empty lines. Give a file whose first line names its columns."
      : `It has fewer than ${asked.headerRow} lines, but \`headerRow: ${asked.headerRow}\` says where its header stands. Correct \`source.headerRow\`.`
    return { _tag: "None", message }
  }
  if (isEmpty(titles)) {
    const message = `Line ${at + 1} is empty, but \`headerRow: ${
      at + 1
    }\` says that it is the header. Correct \`source.headerRow\`.`
    return { _tag: "None", message }
  }
  const end = endOf(text, { delimiter, quoted, records: at + 1, mended, complete })
  if (!complete && (end === undefined || (records.length < at + 1 + headRecords && text.length < headMost))) {
    return { _tag: "More" }
  }
  return {
    _tag: "Found",
    header: {
      titles,
      delimiter,
      delimiterBecause,
      quoted,
      row: at + 1,
      above: asked.headerRow === undefined && records.slice(above, at).some((record) => !isEmpty(record))
        ? at - above
        : 0,
      records: records.slice(0, at + headKept),
      mended: mended !== undefined,
      text: text.slice(0, end),
    },
  }
}

/** The place after the first records of a text; undefined: it ends before, and there is more of the file. */
const endOf = (
  text: string,
  { complete, delimiter, mended, quoted, records }: {
    readonly delimiter: string
    readonly quoted: boolean
    readonly records: number
    readonly mended: MendedHeader | undefined
    readonly complete: boolean
  },
): number | undefined => {
  let at = 0
  for (let record = 0; record < records; record++) {
    const bare = !quoted || (record === 0 && mended !== undefined)
    const end = bare ? nextLineEnd(text, at) : scanRecord(text, at, delimiter).end
    if (end === undefined || end === text.length) return complete ? text.length : end
    at = bare ? afterLineEnd(text, end) : end
  }
  return at
}

/** The delimiter of a text whose first record is the header of a rejected.csv; spreadsheet programs may have changed it. */
export const mendedDelimiter = (text: string): string | undefined =>
  [",", ";", "\t"].find((delimiter) => {
    // Only the first record counts; the line end completes it where the text is nothing but a header.
    const first = readRecords({ delimiter, quoted: true }).push(`${text}\n`, false).records[0] ?? []
    return mendedColumns.every((name, at) => first.at(at - mendedColumns.length) === name)
  })

/** A header line whose quotes do not tell its cells apart, and the same as it must have been meant. */
export interface MendedHeader {
  /** The line unchanged, without its line end. */
  readonly original: string
  readonly mended: string
}

/** Records below the header that tell how many cells there are. */
const recordsBelow = 50

/** Ways that are tried to cut a line; a header of some hundred columns has few. */
const mostSteps = 200_000

/** The number of cells that all records below the header have; undefined where they do not agree. */
const widthBelow = (text: string, delimiter: string, complete: boolean): number | undefined => {
  try {
    const { records } = readRecords({ delimiter, quoted: true }).push(text, complete)
    const widths = new Set(
      records.slice(0, recordsBelow).filter((record) => record.some((cell) => cell !== "")).map(({ length }) => length),
    )
    const [width] = widths
    return widths.size === 1 ? width : undefined
  } catch (error) {
    if (error instanceof UnreadableRecord) return undefined
    throw error
  }
}

/**
 * The ways to cut a line into so many cells, two at most: a quoted cell may have bare quotes inside, but those that end it stand before a delimiter that
 * no space follows, as one does in prose.
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

/**
 * A header in the first line in which bare quotes stand before delimiters (`"Do you say "yes", or no?"`), as some form tools write titles. It is mended
 * where all records below have one number of cells, the line does not have it, and there is but one way to cut it so.
 */
const mendHeader = (text: string, delimiter: string, complete: boolean): MendedHeader | undefined => {
  const end = /\r\n|\r|\n/.exec(text)
  if (end === null || !text.slice(0, end.index).includes('"')) return undefined
  const line = text.slice(0, end.index)
  const width = widthBelow(text.slice(end.index + end[0].length), delimiter, complete)
  if (width === undefined || width < 2) return undefined
  try {
    const { records } = readRecords({ delimiter, quoted: true }).push(`${line}\n`, true)
    if (records[0]?.length === width) return undefined
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error
  }
  const [way, ...others] = waysToCut(line, delimiter, width)
  return way === undefined || others.length > 0
    ? undefined
    : { original: line, mended: way.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) }
}

const candidates = [",", ";", "\t", "|"]

const shown: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe" }

/** A delimiter's name for people. */
export const delimiterName = (delimiter: string) => shown[delimiter] ?? JSON.stringify(delimiter)

/** Returns the delimiter of a first line `sep=;`, which Excel reads; it has quotes if a program wrote it as a cell. */
const separatorLine = (text: string): string | undefined => /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i.exec(text)?.[1]

/** How cells are delimited. */
export interface Dialect {
  readonly delimiter: string
  /** Whether cells may stand in quotes; else a quote is a character like any other. */
  readonly quoted: boolean
}

const recordsLookedAt = 200

/** How well a dialect cuts text into records of one width: share of the records that have the width of most, and that width. */
const fit = (text: string, complete: boolean, { delimiter, quoted }: Dialect, from: number) => {
  const widths = new Map<number, number>()
  let total = 0
  let spoilt = 0
  let first: ReadonlyArray<string> | undefined
  const reader = readRecords({ delimiter, quoted })
  try {
    // A quote that is not closed leaves the records before it to be looked at.
    const { records, misquoted } = reader.push(complete ? `${text}\n` : text, false)
    for (let at = from; at < records.length && total < recordsLookedAt; at++) {
      const record = records[at]!
      if (record.length === 1 && record[0]!.trim() === "") continue
      first ??= record
      total++
      // The header may have quotes inside of quotes: some form tools write titles so.
      if (misquoted.has(at) && total > 1) spoilt++
      widths.set(record.length, (widths.get(record.length) ?? 0) + 1)
    }
    if (complete) reader.push("", true)
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error
    total++
    spoilt++
  }
  let width = 1
  let most = 0
  for (const [cells, times] of widths) {
    if (cells > 1 && (times > most || (times === most && cells > width))) {
      width = cells
      most = times
    }
  }
  const share = total === 0 ? 0 : Math.max(0.01, (most - spoilt) / total)
  // In prose a space follows a comma; titles rarely begin with one.
  const prose = first === undefined
    ? 0
    : first.filter((title, at) => at > 0 && /^ \S/.test(title)).length / first.length
  return { share, width, score: share - prose / 10 - (first?.length === width ? 0 : 0.2) }
}

/**
 * The delimiter that cuts the first records most evenly, quoted cells being seen as such; of two that do it equally well the one with more
 * columns. Undefined when none cuts anything: a file of one column.
 *
 * @param complete whether `text` is the whole file
 * @param from index of the first record that counts: the header
 */
const detectDelimiter = (
  text: string,
  complete: boolean,
  from: number,
  quoted: boolean,
): string | undefined => {
  let best: { readonly delimiter: string; readonly score: number; readonly width: number } | undefined
  for (const delimiter of candidates) {
    const { score, share, width } = fit(text, complete, { delimiter, quoted }, from)
    if (width < 2 || share <= 0) continue
    if (best === undefined || score > best.score || (score === best.score && width > best.width)) {
      best = { delimiter, score, width }
    }
  }
  return best?.delimiter
}
