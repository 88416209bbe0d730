import { readRecords, UnreadableRecord } from "./csvRecords.ts"

const candidates = [",", ";", "\t", "|"]

const shown: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe" }

/** A delimiter's name for people. */
export const delimiterName = (delimiter: string) => shown[delimiter] ?? JSON.stringify(delimiter)

/** A first line `sep=;`, by which Excel is told the delimiter; in quotes where a program took it for a cell. */
export const separatorLine = (text: string): string | undefined => /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i.exec(text)?.[1]

/** How cells are set apart. */
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
export const detectDelimiter = (
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
