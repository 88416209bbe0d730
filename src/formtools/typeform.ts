import { blocksByCells } from "./blocks.ts"
import type { FormTool } from "./FormTool.ts"
import { cleansAt, completeBy, evidence, has, metaOf, positionOf, unguarded, withoutTags, withRole } from "./sample.ts"
import { typeformResponses } from "./typeformResponses.ts"
import { dayOnly, ownTitles } from "./typeformTitles.ts"

/** Typeform: CSV and workbook, in the current layout and in the one before 2024. */
export const typeform: FormTool = {
  name: "typeform",
  title: "Typeform",
  records: typeformResponses,
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
    const own = metaOf(sample, ownTitles).filter(({ position, role }) =>
      // A question may also be called "Tags" or "Ending". The tool's own columns are at the end.
      role === "id" ? position === 0 : last < 0 || position >= last
    )
    const owned = new Set(own.map(({ position }) => position))
    const answers = sample.titles.flatMap((_, position) => (owned.has(position) ? [] : [position]))
    return {
      variant: withRole(own, "status").length === 0 ? "the layout before 2024" : undefined,
      labels: sample.titles.map(withoutTags),
      meta: own,
      blocks: blocksByCells(sample.titles, facts, own),
      cleanAll: unguarded("=+-@"),
      cleans: cleansAt(answers, dayOnly),
      ...completeBy(own, "status", ["completed"]),
    }
  },
}
