import type { FormTool, MetaColumn, Role } from "./FormTool.ts"
import { evidence } from "./sample.ts"

/** The tool's own columns, without the underscore or space in the middle of their names. */
const roles: Readonly<Record<string, Role>> = {
  entrystatus: "status",
  entrydatecreated: "started",
  entrydatesubmitted: "submitted",
  entrydateupdated: "lastUpdated",
}

const bare = (title: string) => title.replaceAll(/[_ ]/g, "")

const roleOf = (title: string): Role | undefined => {
  const name = bare(title)
  return /^entry[_ ]/.test(title) && Object.hasOwn(roles, name) ? roles[name] : undefined
}

/** Cognito Forms: workbook. */
export const cognitoForms: FormTool = {
  name: "cognito-forms",
  title: "Cognito Forms",
  recognise: (sample) => {
    const found = sample.plain.filter((title) => roleOf(title) !== undefined).length
    if (found < 2) return undefined
    return evidence(
      [
        found > 2 ? 0.9 : 0.7,
        `there are columns "Entry_Status", "Entry_DateCreated", "Entry_DateSubmitted", "Entry_DateUpdated" (${found} of 4)`,
      ],
      /._id$/.test(sample.plain[0] ?? "") && [0.1, `the first column is "${sample.titles[0]}"`],
    )
  },
  layout: (sample) => {
    const meta = sample.plain.flatMap((title, position): ReadonlyArray<MetaColumn> => {
      if (position === 0 && /._id$/.test(title)) return [{ position, role: "id" }]
      const role = roleOf(title)
      if (role === undefined) return []
      return [role === "status" ? { position, role } : { position, role, format: "M/d/yyyy h:mm a" }]
    })
    return {
      labels: sample.titles.map((title) => title.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").trim()),
      meta,
      answers: { several: { columns: false } },
    }
  },
}
