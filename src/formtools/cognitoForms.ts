import type { FormTool, MetaColumn } from "./FormTool.ts"
import { evidence, meaningOf, type MetaTitles } from "./sample.ts"

const time = { format: "M/d/yyyy h:mm a" }

/** The tool's own columns, without the underscore or space in the middle of their names. */
const ownTitles: MetaTitles = {
  entrystatus: "status",
  entrydatecreated: { role: "started", ...time },
  entrydatesubmitted: { role: "submitted", ...time },
  entrydateupdated: { role: "lastUpdated", ...time },
}

const ownMeaning = (title: string) =>
  /^entry[_ ]/.test(title) ? meaningOf(ownTitles, title.replaceAll(/[_ ]/g, "")) : undefined

/** Cognito Forms: workbook. */
export const cognitoForms: FormTool = {
  name: "cognito-forms",
  title: "Cognito Forms",
  recognise: (sample) => {
    const found = sample.plain.filter((title) => ownMeaning(title) !== undefined).length
    if (found < 2) return undefined
    return evidence(
      [
        found > 2 ? 0.9 : 0.7,
        `there are columns "Entry_Status", "Entry_DateCreated", "Entry_DateSubmitted", "Entry_DateUpdated" (${found} of 4)`,
      ],
      /._id$/.test(sample.plain[0] ?? "") && [0.1, `the first column is "${sample.titles[0]}"`],
    )
  },
  layout: (sample) => ({
    labels: sample.titles.map((title) => title.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").trim()),
    meta: sample.plain.flatMap((title, position): ReadonlyArray<MetaColumn> => {
      if (position === 0 && /._id$/.test(title)) return [{ position, role: "id" }]
      const known = ownMeaning(title)
      return known === undefined ? [] : [{ position, ...known }]
    }),
  }),
}
