import { blocksByCells } from "./blocks.ts"
import { cleansAt, rewritten, unguarded } from "./clean.ts"
import type { FormTool } from "./FormTool.ts"
import { cellsOf, evidence, has, metaOf, type MetaTitles, positionOf, withoutTags } from "./sample.ts"

const time = { format: "yyyy-MM-dd HH:mm:ss", zone: "UTC" }

const meta: MetaTitles = {
  "#": "id",
  "response type": "status",
  "start date (utc)": { role: "started", ...time },
  "stage date (utc)": { role: "note", ...time },
  "submit date (utc)": { role: "submitted", ...time },
  "network id": "note",
  tags: "note",
  ending: "note",
}

/** A date question's answer: a day, whatever the time behind it says. */
const dayOnly = rewritten((text) => text.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z$/, "$1"))

/** Typeform, CSV and workbook: the layout of today and that of before 2024. */
export const typeform: FormTool = {
  name: "typeform",
  title: "Typeform",
  recognise: (sample) => {
    if (has(sample, "submission id") || has(sample, "respondent id")) return undefined
    const submit = has(sample, "submit date (utc)")
    const start = has(sample, "start date (utc)")
    const network = has(sample, "network id")
    if (!submit && !(start && network)) return undefined
    return evidence(
      sample.titles[0] === "#" && [0.4, `the first column is "#"`],
      submit && [0.4, `there is a column "Submit Date (UTC)"`],
      start && [0.2, `there is a column "Start Date (UTC)"`],
      network && [0.2, `there is a column "Network ID"`],
    )
  },
  needsFacts: true,
  layout: (sample, facts = []) => {
    const last = positionOf(sample, "response type", "start date (utc)", "submit date (utc)", "network id")
    const own = metaOf(sample, meta).filter(({ position, role }) =>
      // A question may be called "Tags" or "Ending" too: the tool's own stand at the end.
      role === "id" ? position === 0 : last < 0 || position >= last
    )
    const owned = new Set(own.map(({ position }) => position))
    const status = own.find(({ role }) => role === "status")?.position
    const answers = sample.titles.flatMap((_, position) => (owned.has(position) ? [] : [position]))
    const slashed = answers.some((position) => cellsOf(sample, position).some((cell) => /^\/ .+ \/ /.test(cell)))
    return {
      variant: status === undefined ? "the layout of before 2024" : undefined,
      headerRows: 1,
      titles: sample.records[0] ?? [],
      labels: sample.titles.map(withoutTags),
      meta: own,
      blocks: blocksByCells(sample.titles, facts, (position) => !owned.has(position)),
      key: own.flatMap(({ position, role }) => (role === "id" ? [position] : [])),
      cleanAll: unguarded("=+-@"),
      cleans: cleansAt(answers, dayOnly),
      answers: {
        several: { columns: true, ...(slashed ? { separator: " / " } : {}) },
        other: "in a column of its own",
        yesNo: { true: ["1"], false: ["0"] },
      },
      ...(status === undefined ? {} : { complete: { position: status, is: ["completed"] } }),
    }
  },
}
