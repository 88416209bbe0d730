import type { SourceConfig } from "../project/Pipeline.ts"
import { mendedColumns } from "./columns.ts"
import { readRecords } from "./csvRecords.ts"
import { detectDelimiter, separatorLine } from "./delimiter.ts"
import type { Dialect } from "./delimiter.ts"
import { placeHeader } from "./headerPlace.ts"
import { mendHeader } from "./mendHeader.ts"
import type { MendedHeader } from "./mendHeader.ts"
import { afterLineEnd, nextLineEnd, scanRecord } from "./quotes.ts"

/** How a pipeline says that a text is to be read; what it leaves open is found in the text. */
export interface CsvSettings {
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  readonly headerRow?: number | undefined
  readonly quoteChar?: '"' | "none" | undefined
  readonly raggedRows?: "reject" | "pad" | undefined
  readonly rowKey?: SourceConfig["rowKey"]
}

/** Where a text's header stands and how its cells are set apart. */
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
