import { oneLine } from "../domain/words.ts"
import { blocksOf, bracketed, isOther, type PartOf } from "./blocks.ts"
import type { FormTool, Sample } from "./FormTool.ts"
import { cleansAt, evidence, metaOf, nothingWhen, withoutTags } from "./sample.ts"
import { ownTitles, surveyMonkeyResponses } from "./surveyMonkeyResponses.ts"

/** The tool's own columns that every response fills. */
const filledTitles = new Set(["collector id", "collectorid", "start date", "startdate", "end date", "enddate"])

/** Whether titles span several columns: those on their right have no title of their own, but text in the record below. */
const isContinued = ({ records, titles }: Sample): boolean =>
  titles.some((title, at) => at > 0 && title === "" && oneLine(records[1]?.[at] ?? "") !== "")

/** Returns the number of columns with "Response" in the record below the header. */
const responsesIn = ({ records }: Sample): number =>
  records[1]?.filter((cell) => oneLine(cell) === "Response").length ?? 0

/** Whether the record below the header is a second header: it describes the columns, and has neither a respondent nor other data of a response. */
const hasSecondHeader = (sample: Sample): boolean => {
  const { plain, records, titles } = sample
  const second = records[1]?.map(oneLine) ?? []
  const filled = second.filter((cell) => cell !== "")
  if (filled.length === 0) return false
  const responses = responsesIn(sample)
  const isResponse = second.some((cell, at) => cell !== "" && filledTitles.has(plain[at] ?? ""))
  if (second[0] === "" && !isResponse && /^respondent ?id$/.test(plain[0] ?? "")) return true
  const isUsual = responses >= filled.length / 2 || (isContinued(sample) && !isResponse)
  return responses >= 2 && isUsual && titles.some((title) => title !== "")
}

interface Column {
  readonly question: string
  /** The text of the second header. Undefined if it is empty or "Response". */
  readonly sub: string | undefined
}

/** Returns the columns with their questions. A title also applies to the columns on its right, if these have text in the second header but no title of their own. */
const columnsOf = (sample: Sample): ReadonlyArray<Column> => {
  const [first = [], second = []] = sample.records
  let question = ""
  return Array.from({ length: Math.max(first.length, second.length) }, (_, position) => {
    const title = first[position] ?? ""
    const sub = oneLine(second[position] ?? "")
    if (oneLine(title) !== "" || sub === "") question = title
    return { question, sub: sub === "" || sub === "Response" ? undefined : sub }
  })
}

const expanded = (sample: Sample) => {
  const columns = columnsOf(sample)
  const parts = columns.flatMap(({ question, sub }, position): ReadonlyArray<PartOf> =>
    sub === undefined || oneLine(question) === ""
      ? []
      : [{ position, question, option: sub, role: isOther(sub) ? "other" : "option" }]
  )
  return {
    titles: columns.map(({ question, sub }) =>
      sub === undefined ? question : oneLine(question) === "" ? sub : `${question.trim()} [${sub}]`
    ),
    blocks: blocksOf(parts),
  }
}

/**
 * Splits `Question [Option]`, or `Question - Option` if several titles begin with the same text. People and formferry's own rejected.csv merge the
 * two header rows in these ways.
 */
const mergedParts = ({ titles }: Sample): ReadonlyArray<PartOf> => {
  const parts = titles.map((title) => {
    const inBrackets = bracketed(title)
    if (inBrackets !== undefined) return inBrackets.question === "" ? undefined : inBrackets
    const at = title.indexOf(" - ")
    return at <= 0 ? undefined : { question: title.slice(0, at).trim(), option: title.slice(at + 3).trim() }
  })
  const shared = (question: string) => parts.filter((part) => part?.question === question).length > 1
  return parts.flatMap((part, position): ReadonlyArray<PartOf> =>
    part === undefined || !shared(part.question)
      ? []
      : [{ position, ...part, role: isOther(part.option) ? "other" : "option" }]
  )
}

const isQuestion = (title: string) => title.endsWith("?") || title.split(" ").length >= 5

/** SurveyMonkey: CSV and workbook, with two header rows, or with an incomplete header. */
export const surveyMonkey: FormTool = {
  name: "surveymonkey",
  title: "SurveyMonkey",
  records: surveyMonkeyResponses,
  recognise: (sample) => {
    const respondent = /^respondent ?id$/.test(sample.plain[0] ?? "")
    const collector = /^collector ?id$/.test(sample.plain[1] ?? "")
    const second = hasSecondHeader(sample)
    const responses = responsesIn(sample)
    const continued = second && isContinued(sample)
    if (!respondent && !(second && responses >= 2)) return undefined
    return evidence(
      respondent && [0.3, `the first column is "${sample.titles[0]}"`],
      collector && [0.4, `the second column is "${sample.titles[1]}"`],
      second && [0.3, "the second row is also a header"],
      responses > 0 && [0.3, `it contains "Response" above ${responses === 1 ? "a column" : `${responses} columns`}`],
      continued && [0.1, "titles span several columns"],
      respondent && !second && mergedParts(sample).length > 0 && [0.2, "titles end in an option"],
      respondent && !second && sample.titles.some(isQuestion) && [0.1, "titles are questions"],
    )
  },
  layout: (sample) => {
    const two = hasSecondHeader(sample)
    const { blocks, titles } = two
      ? expanded(sample)
      : { titles: sample.records[0] ?? [], blocks: blocksOf(mergedParts(sample)) }
    const own = metaOf(sample, ownTitles).filter(({ position }) =>
      !two || oneLine(sample.records[1]?.[position] ?? "") === ""
    )
    const options = blocks.flatMap(({ columns }) => columns.map(({ position }) => position))
    return {
      variant: two ? "two header rows" : "one header row",
      headerRows: two ? 2 : 1,
      titles,
      labels: titles.map(withoutTags),
      meta: own,
      blocks,
      cleans: cleansAt(options, nothingWhen("Not selected")),
      notes: [
        "A SurveyMonkey file does not show whether a response is complete.",
      ],
    }
  },
}
