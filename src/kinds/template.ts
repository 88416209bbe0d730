import type { Form, Question } from "../domain/form.ts"
import { oneLine } from "../domain/words.ts"
import { kindOfType } from "./index.ts"

/** Kinds with a separate column for each part. */
const inParts: ReadonlySet<string> = new Set(["address", "dateRange", "location"])

const kindOf = ({ type }: Question) => kindOfType(type)

/** Returns the header of a form's template: the names of its questions. Adds the id to a name that is empty or not unique. */
export const templateOf = (form: Form) => {
  // Grids are omitted, because the form does not list their rows.
  const leftOut = form.questions.filter((question) => kindOf(question)?.named === "rows")
  const named = form.questions.filter((question) => !leftOut.includes(question)).flatMap((question) => {
    const kind = kindOf(question)
    const parts = kind !== undefined && inParts.has(kind.name) ? Object.keys(kind.parts ?? {}) : [undefined]
    return parts.map((part) => ({ name: oneLine(`${question.name} ${part ? `(${part})` : ""}`), question, part }))
  })
  const used = new Set<string>()
  const columns = named.map(({ name, part, question }) => {
    const isOthers = (title: string) =>
      used.has(title) || named.some((one) => one.name === title && one.question !== question)
    let title = name
    while (title === "" || isOthers(title)) title = `${title} (${question.id})`.trim()
    used.add(title)
    return { title, question, part }
  })
  let rowKey = "Row ID"
  while (used.has(rowKey)) rowKey = `Import ${rowKey}`
  return { rowKey, columns, leftOut }
}
