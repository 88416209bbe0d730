import type { FormTool } from "./FormTool.ts"
import { evidence, foundTitles, metaOf, type MetaTitles } from "./sample.ts"

const ownTitles: MetaTitles = {
  "added time": { role: "submitted", format: "dd-MMM-yyyy HH:mm:ss" },
  "referrer name": "url",
  "task owner": "note",
}

/** Zoho Forms: CSV and workbook. */
export const zohoForms: FormTool = {
  name: "zoho-forms",
  title: "Zoho Forms",
  recognise: (sample) => {
    const found = foundTitles(sample, ["Added Time", "Referrer Name", "Task Owner"])
    return found.count < 2 ? undefined : evidence([found.count === 3 ? 0.95 : 0.8, found.reason])
  },
  layout: (sample) => ({
    meta: metaOf(sample, ownTitles),
    notes: [
      "Zoho exports have no known column that identifies an entry. For `rowKey`, name columns that do, or write `content`.",
    ],
  }),
}
