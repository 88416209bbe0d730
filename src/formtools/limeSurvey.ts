import { oneLine } from "../domain/words.ts"
import { blocksOf, bracketed, type PartOf } from "./blocks.ts"
import type { Clean, FormTool, Sample } from "./FormTool.ts"
import {
  cellsOf,
  cleansAt,
  completeBy,
  countTitles,
  evidence,
  foundTitles,
  metaOf,
  type MetaTitles,
  nothingWhen,
  sampleOf,
  unguarded,
  withoutTags,
} from "./sample.ts"

const time = { format: "yyyy-MM-dd HH:mm:ss" }

const ownTitles: MetaTitles = {
  id: "id",
  "response id": "id",
  submitdate: { role: "submitted", ...time },
  "date submitted": { role: "submitted", ...time },
  lastpage: "progress",
  "last page": "progress",
  startlanguage: "language",
  "start language": "language",
  seed: "note",
  startdate: { role: "started", ...time },
  "date started": { role: "started", ...time },
  datestamp: { role: "lastUpdated", ...time },
  "date last action": { role: "lastUpdated", ...time },
  ipaddr: "ip",
  refurl: "url",
  token: "respondent",
  interviewtime: "timing",
  "total time": "timing",
}

const codes = ["submitdate", "lastpage", "startlanguage"]
const vvCodes = ["id", ...codes]
const words = ["Date submitted", "Last page", "Start language"]

/** The codes that VV exports contain in place of characters that would break a line. They must be replaced in this order. */
const escapes = [[/^\{quote\}/, '"'], [/\{tab\}/g, "\t"], [/\{cr\}/g, "\r"], [/\{newline\}/g, "\n"], [
  /\{lbrace\}/g,
  "{",
]] as const

const unescaped: Clean = (cell) => {
  if (typeof cell !== "string" || !cell.includes("{")) return cell
  if (cell === notShown) return null
  return escapes.reduce((text, [escape, character]) => text.replace(escape, character), cell)
}

const notShown = "{question_not_shown}"

const hasNotShown = ({ records }: Sample): boolean => records.some((record) => record.includes(notShown))

/** Whether the first two records are the headers of a VV export, which has codes below texts. LimeSurvey's own columns always have a text, unlike questions or those below a heading. */
const isVv = ({ records, titles }: Sample): boolean => {
  const second = records[1]?.map(oneLine) ?? []
  return vvCodes.every((code) => (titles[second.indexOf(code)] ?? "") !== "")
}

const isTiming = (title: string) => /^(?:group|question) time:/i.test(title)

/** Splits `Question [Option]`, even with two pairs of brackets: `Question [Row][Scale 1]`. */
const partOf = (title: string, position: number): ReadonlyArray<PartOf> => {
  const last = isTiming(title) ? undefined : bracketed(title)
  if (last === undefined || last.question === "") return []
  const before = bracketed(last.question)
  const { question, option } = before === undefined || before.question === ""
    ? last
    : { question: before.question, option: `${before.option} [${last.option}]` }
  const role = /^other$/i.test(last.option) ? "other" : /comment$/i.test(last.option) ? "text" : "option"
  return [{ position, question, option, role }]
}

const yesNo = new Set(["Yes", "No", "N/A"])

/** LimeSurvey: CSV and workbook with codes or full texts as the header, and VV. */
export const limeSurvey: FormTool = {
  name: "limesurvey",
  title: "LimeSurvey",
  recognise: (sample) => {
    if (isVv(sample)) {
      return evidence(
        [1, `the second row names ${vvCodes.map((code) => `"${code}"`).join(", ")}`],
        sample.delimiter === "\t" && [0.2, "cells are separated by tabs"],
        hasNotShown(sample) && [0.3, `cells contain "${notShown}"`],
      )
    }
    const [byCode, byWord] = [foundTitles(sample, codes), foundTitles(sample, words)]
    const found = byCode.count >= byWord.count ? byCode : byWord
    if (found.count < 2) return undefined
    return evidence(
      [found.count === 3 ? 0.9 : 0.6, found.reason],
      countTitles(sample, ["id", "response id", "seed"]) > 0 && [0.1, "and the response's id or seed"],
    )
  },
  layout: (sample) => {
    const isWhole = isVv(sample)
    // If the pipeline names the row of codes as the header, the row of texts is above it.
    const vv = isWhole || hasNotShown(sample)
    const named = isWhole ? sampleOf(sample.records.slice(1), sample) : sample
    const own = [
      ...metaOf(named, ownTitles),
      ...named.titles.flatMap((title, position) => (isTiming(title) ? [{ position, role: "timing" } as const] : [])),
    ]
    const blocks = blocksOf(named.titles.flatMap(partOf))
    const ticked = blocks.flatMap(({ columns }) => columns).filter(({ position, role }) =>
      role === "option" && cellsOf(named, position).every((cell) => yesNo.has(cell))
      && cellsOf(named, position).some((cell) => cell !== "N/A")
    )
    const full = foundTitles(named, words).count > foundTitles(named, codes).count
    return {
      variant: vv ? "VV" : full ? "full texts" : "codes",
      headerRows: isWhole ? 2 : 1,
      titles: named.records[0] ?? [],
      labels: (isWhole ? sample.titles : named.titles).map(withoutTags),
      meta: own,
      blocks,
      cleanAll: vv ? unescaped : sample.isFixed ? (cell) => unescaped(unguarded("=")(cell)) : unguarded("="),
      cleans: cleansAt(ticked.map(({ position }) => position), nothingWhen("N/A")),
      ...completeBy(own, "submitted", "filled"),
    }
  },
}
