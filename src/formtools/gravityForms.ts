import { blocksByCells } from "./blocks.ts"
import type { FormTool } from "./FormTool.ts"
import { countTitles, evidence, metaOf, type MetaTitles, unguarded } from "./sample.ts"

const time = { format: "yyyy-MM-dd HH:mm:ss" }

const ownTitles: MetaTitles = {
  "entry id": "id",
  "entry date": { role: "submitted", ...time },
  "source url": "url",
  "created by (user id)": "respondent",
  "transaction id": "payment",
  "payment amount": "payment",
  "payment date": { role: "payment", ...time },
  "payment status": "payment",
  "post id": "note",
  "user agent": "device",
  "user ip": "ip",
}

const typicalTitles = ["entry id", "entry date", "source url", "user ip", "created by (user id)", "transaction id"]

/** Gravity Forms: CSV. The person who exports chooses the columns, so their order means nothing. */
export const gravityForms: FormTool = {
  name: "gravity-forms",
  title: "Gravity Forms",
  recognise: (sample) => {
    const found = countTitles(sample, typicalTitles)
    const rest = countTitles(sample, ["payment status", "payment date", "payment amount", "post id", "user agent"])
    if (found < 2) return undefined
    return evidence(
      [
        Math.min(0.9, 0.25 * found + 0.1),
        `there are ${found} of the tool's ${typicalTitles.length} typical columns`,
      ],
      rest > 0 && [0.1, "and more of the tool's columns"],
    )
  },
  needsFacts: true,
  layout: (sample, facts = []) => {
    const own = metaOf(sample, ownTitles)
    return {
      meta: own,
      blocks: blocksByCells(sample.titles, facts, own),
      cleanAll: unguarded("="),
      notes: ["Entry Date is in the local time of the site, which the file does not name."],
    }
  },
}
