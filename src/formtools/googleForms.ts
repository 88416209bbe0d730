import { blocksOf, bracketed } from "./blocks.ts"
import type { FormTool, MetaColumn, Sample } from "./FormTool.ts"
import { cellsOf, cleansAt, evidence, rewritten } from "./sample.ts"

/** Translations of "Timestamp" that were reported, but not confirmed by a file. They only support the evidence of the cells. */
const localised = new Set([
  "marca temporal",
  "horodateur",
  "zeitstempel",
  "carimbo de data/hora",
  "informazioni cronologiche",
  "タイムスタンプ",
])

const zipped = /^(\d{4})\/(\d\d)\/(\d\d) (\d{1,2}):(\d\d):(\d\d) ([AP]M) (?:GMT|UTC)(?:([+-])(\d{1,2})(?::(\d\d))?)?$/

/** Converts a time in the CSV file of the zip archive to ISO: 2026/09/27 3:00:00 PM GMT+3 → 2026-09-27T15:00:00+03:00. */
const isoOfZipped = (text: string): string => {
  const found = zipped.exec(text.trim())
  if (found === null) return text
  const [, year, month, day, hour = "0", minute, second, half, sign = "+", hours = "0", minutes = "00"] = found
  const hour24 = Number(hour) % 12 + (half === "PM" ? 12 : 0)
  const two = (value: number | string) => String(value).padStart(2, "0")
  return `${year}-${month}-${day}T${two(hour24)}:${minute}:${second}${sign}${two(hours)}:${minutes}`
}

/** Matches a date and a time as spreadsheets in many countries display them, or as a workbook's cell contains them. */
const dateAndTime = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[ T,]+\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s|$|[APap])/

const isSentence = (title: string) =>
  title.endsWith("?") || title.split(" ").length >= 3 || bracketed(title) !== undefined

const mail = (sample: Sample) => ["email address", "username"].includes(sample.plain[1] ?? "")

/** Google Forms: the linked sheet (CSV, TSV, workbook) and the zip archive of "Download responses". */
export const googleForms: FormTool = {
  name: "google-forms",
  title: "Google Forms",
  recognise: (sample) => {
    const [first = ""] = sample.plain
    const stamps = cellsOf(sample, 0)
    const fromZip = stamps.length > 0 && stamps.every((cell) => zipped.test(cell))
    const timed = stamps.length > 0 && stamps.every((cell) => dateAndTime.test(cell))
    const named = first === "timestamp"
    const word = localised.has(first)
    const sheet = sample.sheet !== undefined && /^form responses(?: \d+)?$/i.test(sample.sheet)
    if (first === "" || !(named || word || fromZip || sheet) || (stamps.length > 0 && !timed && !fromZip)) {
      return undefined
    }
    const grid = sample.titles.slice(1).some((title) => bracketed(title) !== undefined)
    const sentence = sample.titles.slice(1).some(isSentence)
    const other = ["email address", "username", "score"].includes(sample.plain[1] ?? "")
    return evidence(
      named && [0.2, `the first column is "Timestamp"`],
      word && [0.1, `the first column's title is probably Timestamp in another language`],
      (timed || fromZip) && [0.1, "its cells are dates with times"],
      fromZip && [0.5, `they are written as in the zip file that Google Forms exports, with "GMT" and an offset`],
      sheet && [0.5, `the sheet is called "${sample.sheet}"`],
      other && [0.3, `the second column is "${sample.titles[1]}"`],
      grid && [0.3, "titles end in a row's name in brackets"],
      sentence && !grid && [0.2, "titles are sentences"],
    )
  },
  layout: (sample) => {
    const meta: Array<MetaColumn> = []
    if (sample.titles[0] !== undefined) {
      const fromZip = cellsOf(sample, 0).some((cell) => zipped.test(cell))
      meta.push({ position: 0, role: "submitted", format: fromZip ? "iso" : "M/d/yyyy H:mm:ss" })
    }
    if (mail(sample)) meta.push({ position: 1, role: "email" })
    const after = mail(sample) ? 2 : 1
    if (sample.plain[after] === "score") meta.push({ position: after, role: "score" })
    return {
      meta,
      blocks: blocksOf(sample.titles.flatMap((title, position) => {
        const parts = bracketed(title)
        return parts === undefined ? [] : [{ position, ...parts }]
      })),
      cleans: cleansAt([0], rewritten(isoOfZipped)),
      notes: [
        "Google Forms does not number its responses. For `rowKey`, name a column such as the email address, or write `content`.",
      ],
    }
  },
}
