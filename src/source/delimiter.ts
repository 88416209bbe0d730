import { readRecords, UnreadableRecord } from "./csvRecords.ts"

const candidates = [",", ";", "\t", "|"]

const shown: Readonly<Record<string, string>> = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe" }

/** A delimiter's name for people. */
export const delimiterName = (delimiter: string) => shown[delimiter] ?? JSON.stringify(delimiter)

/** A first line `sep=;`, by which Excel is told the delimiter. */
export const separatorLine = (text: string): string | undefined => /^sep=([^\r\n"])\r?\n/i.exec(text)?.[1]

const recordsLookedAt = 200

/** How well a delimiter cuts text into records of one width: the share of the records that have the width of most, and that width. */
const fit = (text: string, complete: boolean, delimiter: string, from: number) => {
  const widths = new Map<number, number>()
  let total = 0
  let spoilt = 0
  try {
    const { records, misquoted } = readRecords(delimiter).push(text, complete)
    for (let at = from; at < records.length && total < recordsLookedAt; at++) {
      const record = records[at]!
      if (record.length === 1 && record[0]!.trim() === "") continue
      total++
      if (misquoted.has(at)) spoilt++
      widths.set(record.length, (widths.get(record.length) ?? 0) + 1)
    }
  } catch (error) {
    if (error instanceof UnreadableRecord) return { share: 0, width: 1 }
    throw error
  }
  let width = 1
  let most = 0
  for (const [cells, times] of widths) {
    if (cells > 1 && (times > most || (times === most && cells > width))) {
      width = cells
      most = times
    }
  }
  return { share: total === 0 ? 0 : (most - spoilt) / total, width }
}

/**
 * The delimiter that cuts the first records most evenly, quoted cells being seen as such; of two that do it equally well the one with more
 * columns. Undefined when none cuts anything: a file of one column.
 *
 * @param complete whether `text` is the whole file
 * @param from index of the first record that counts: the header
 */
export const detectDelimiter = (text: string, complete: boolean, from: number): string | undefined => {
  let best: { readonly delimiter: string; readonly share: number; readonly width: number } | undefined
  for (const delimiter of candidates) {
    const { share, width } = fit(text, complete, delimiter, from)
    if (width < 2 || share <= 0) continue
    if (best === undefined || share > best.share || (share === best.share && width > best.width)) {
      best = { delimiter, share, width }
    }
  }
  return best?.delimiter
}
