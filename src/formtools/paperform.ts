import type { FormTool } from "./FormTool.ts"
import { cellsOf, evidence, has, metaOf, type MetaTitles, positionOf, rewritten } from "./sample.ts"

const ownTitles: MetaTitles = {
  id: "id",
  "submitted at": { role: "submitted", format: "yyyy-MM-dd HH:mm:ss" },
}

/** Paperform: CSV. */
export const paperform: FormTool = {
  name: "paperform",
  title: "Paperform",
  recognise: (sample) => {
    if (!has(sample, "id") || !has(sample, "submitted at")) return undefined
    const ids = cellsOf(sample, positionOf(sample, "id"))
    const tokens = ids.length > 0 && ids.every((id) => /^[0-9a-f]{24}$/.test(id))
    return evidence(
      [0.3, `there are columns "ID" and "Submitted At"`],
      tokens && [0.6, "the ids are 24 hexadecimal digits"],
    )
  },
  layout: (sample) => ({
    meta: metaOf(sample, ownTitles),
    // In one export, phone numbers had this prefix.
    cleanAll: rewritten((text) => text.replace(/^ph: (?=\+?[\d(])/, "")),
  }),
}
