import type { FormTool, MetaColumn, Role, Sample } from "./FormTool.ts"
import { cleansAt, evidence, nothingWhen } from "./sample.ts"

/** The titles of the first columns, in the languages seen so far. */
const languages: ReadonlyArray<readonly [id: string, start: string, end: string, email: string, name: string]> = [
  ["id", "start time", "completion time", "email", "name"],
  ["id", "hora de inicio", "hora de finalización", "correo electrónico", "nombre"],
]

const roles: ReadonlyArray<Role> = ["id", "started", "submitted", "email", "name"]

const formats = ["M/d/yy H:mm:ss", "M/d/yyyy H:mm:ss", "M/d/yyyy H:mm"]

/** The tool's own columns that may follow the first five. */
const later = new Map<string, Role>([
  ["total points", "score"],
  ["quiz feedback", "note"],
  ["last modified time", "lastUpdated"],
])

/** Returns the tool's own columns among the first of a sample, in the language that names most of them. */
const ownOf = (sample: Sample): ReadonlyArray<MetaColumn> => {
  let best: ReadonlyArray<MetaColumn> = []
  for (const words of languages) {
    const found = words.flatMap((word, index): ReadonlyArray<MetaColumn> => {
      const position = sample.plain.slice(0, words.length).indexOf(word)
      const role = roles[index]
      if (position < 0 || role === undefined) return []
      return [role === "started" || role === "submitted" ? { position, role, format: formats } : { position, role }]
    })
    if (found.length > best.length) best = found
  }
  return best
}

/** Microsoft Forms: workbook and CSV. */
export const microsoftForms: FormTool = {
  name: "microsoft-forms",
  title: "Microsoft Forms",
  recognise: (sample) => {
    const own = ownOf(sample)
    const of = (role: Role) => own.some((column) => column.role === role)
    if (!of("started") || !of("submitted")) return undefined
    const inOrder = own.every((column, index) => index === 0 || column.position > (own[index - 1]?.position ?? -1))
    if (!inOrder) return undefined
    return evidence(
      [0.5, "the first five columns include the times of start and completion"],
      of("id") && [0.2, `the first column is "${sample.titles[0]}"`],
      of("email") && [0.15, "they include the respondent's email address"],
      of("name") && [0.15, "they include the respondent's name"],
    )
  },
  layout: (sample) => {
    const first = ownOf(sample)
    const meta: Array<MetaColumn> = [...first]
    let position = Math.max(-1, ...first.map((column) => column.position)) + 1
    for (;; position++) {
      const role = later.get(sample.plain[position] ?? "")
      if (role === undefined) break
      meta.push(role === "lastUpdated" ? { position, role, format: formats } : { position, role })
    }
    sample.titles.forEach((title, at) => {
      const question = /^(?:Points|Feedback) - (.+)$/.exec(title)?.[1]
      if (question !== undefined && sample.titles.includes(question)) {
        meta.push({ position: at, role: title.startsWith("Points") ? "score" : "note" })
      }
    })
    const persons = first.filter(({ role }) => role === "email" || role === "name").map((column) => column.position)
    return {
      // An Excel table can't contain the same title twice, so Excel adds a number to the second one.
      labels: sample.titles.map((title) => {
        const base = /^(.*\D)\d$/.exec(title)?.[1]
        return base !== undefined && sample.titles.includes(base) ? base : title
      }),
      meta,
      cleans: cleansAt(persons, nothingWhen("anonymous", "Anonymous")),
    }
  },
}
