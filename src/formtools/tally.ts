import type { FormTool } from "./FormTool.ts"
import { countTitles, evidence, metaOf, type MetaTitles } from "./sample.ts"

const ownTitles: MetaTitles = {
  "submission id": "id",
  "respondent id": "respondent",
  "submitted at": { role: "submitted", format: "yyyy-MM-dd HH:mm:ss" },
}

/** Tally: CSV. */
export const tally: FormTool = {
  name: "tally",
  title: "Tally",
  recognise: (sample) => {
    const names = ["submission id", "respondent id", "submitted at"]
    const found = countTitles({ plain: sample.plain.slice(0, 3) }, names)
    if (found < 2) return undefined
    const inOrder = names.every((name, at) => sample.plain[at] === name)
    return evidence(
      inOrder
        ? [1, `the first columns are "Submission ID", "Respondent ID", "Submitted at"`]
        : [0.7, `its first columns include ${found} of "Submission ID", "Respondent ID", "Submitted at"`],
    )
  },
  layout: (sample) => ({
    meta: metaOf({ plain: sample.plain.slice(0, 3) }, ownTitles),
    notes: ["Options may contain commas. If the form lists the options, `split` looks for whole options first."],
  }),
}
