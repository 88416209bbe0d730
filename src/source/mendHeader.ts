import { readRecords, UnreadableRecord } from "./csvRecords.ts"

/** A header line whose quotes do not tell its cells apart, and the same as it must have been meant. */
export interface MendedHeader {
  /** The line as it stands, without its line end. */
  readonly original: string
  readonly mended: string
}

/** Records below the header that tell how many cells there are. */
const recordsLookedAt = 50

/** Ways that are tried to cut a line; a header of some hundred columns has few. */
const mostSteps = 200_000

/** The number of cells that all records below the header have; undefined where they do not agree. */
const widthBelow = (text: string, delimiter: string, complete: boolean): number | undefined => {
  try {
    const { records } = readRecords({ delimiter, quoted: true }).push(text, complete)
    const widths = new Set(
      records.slice(0, recordsLookedAt).filter((record) => record.some((cell) => cell !== "")).map(({ length }) =>
        length
      ),
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
export const mendHeader = (text: string, delimiter: string, complete: boolean): MendedHeader | undefined => {
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
