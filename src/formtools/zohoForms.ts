import type { FormTool } from "./FormTool.ts"
import { countTitles, evidence, metaOf, type MetaTitles } from "./sample.ts"

const meta: MetaTitles = {
  "added time": { role: "submitted", format: "dd-MMM-yyyy HH:mm:ss" },
  "referrer name": "url",
  "task owner": "note",
}

/** Zoho Forms: CSV and workbook. */
export const zohoForms: FormTool = {
  name: "zoho-forms",
  title: "Zoho Forms",
  recognise: (sample) => {
    const found = countTitles(sample, ["added time", "referrer name", "task owner"])
    if (found < 2) return undefined
    return evidence([
      found === 3 ? 0.95 : 0.8,
      `there are columns "Added Time", "Referrer Name", "Task Owner" (${found} of 3)`,
    ])
  },
  layout: (sample) => ({
    meta: metaOf(sample, meta),
    notes: [
      "Zoho exports have no known column that identifies an entry. For `rowKey`, name columns that do, or write `content`.",
    ],
  }),
}
