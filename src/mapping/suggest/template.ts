import type { Form, Question } from "../../domain/form.ts"
import { oneLine } from "../../domain/words.ts"
import { kindOfType } from "../../kinds/index.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import type { Suggestion } from "./Suggestion.ts"

/** A column of a form's template. */
interface TemplateColumn {
  readonly title: string
  readonly question: Question
  /** The part of the answer; undefined if the column contains all of it. */
  readonly part: string | undefined
}

/** The header of a form's template. */
interface Template {
  /** The title of the first column, which contains a different text in each row. */
  readonly rowKey: string
  /** In the form's order. */
  readonly columns: ReadonlyArray<TemplateColumn>
  /** Grids, which are omitted because the form does not list their rows. */
  readonly leftOut: ReadonlyArray<Question>
}

/** Kinds with a separate column for each part. */
const inParts: ReadonlySet<string> = new Set(["address", "dateRange", "location"])

const kindOf = ({ type }: Question) => type === undefined ? undefined : kindOfType(type)

const partsOf = (question: Question): ReadonlyArray<string | undefined> => {
  const kind = kindOf(question)
  return kind !== undefined && inParts.has(kind.name) ? Object.keys(kind.parts ?? {}) : [undefined]
}

/** Returns the header of a form's template: the names of its questions. Adds the id to a name that is empty or not unique. */
export const templateOf = (form: Form): Template => {
  const leftOut = form.questions.filter((question) => kindOf(question)?.named === "rows")
  const asked = form.questions.filter((question) => !leftOut.includes(question))
  const named = asked.flatMap((question) =>
    partsOf(question).map((part) => {
      const name = oneLine(question.name)
      return { name: part === undefined ? name : `${name} (${part})`.trim(), question, part }
    })
  )
  const used = new Set<string>()
  const columns = named.map(({ name, part, question }): TemplateColumn => {
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

/**
 * Returns suggestions for a source that has all columns of a form's template. Each column answers the question that it
 * was made for. Empty for any other source.
 */
export const suggestFromTemplate = (form: Form, columns: ReadonlyArray<ProfiledColumn>): ReadonlyArray<Suggestion> => {
  const template = templateOf(form)
  const byTitle = new Map(columns.map((one) => [one.column.name, one]))
  const found = template.columns.flatMap(({ part, question, title }) => {
    // In a CSV template, an apostrophe prevents spreadsheets from reading a title as a formula.
    const one = byTitle.get(title) ?? byTitle.get(`'${title}`)
    return one === undefined ? [] : [{ ...one, part, question }]
  })
  const isComplete = new Set(found.map(({ column }) => column)).size === template.columns.length
  if (!byTitle.has(template.rowKey) || !isComplete) return []
  return form.questions.flatMap((question): ReadonlyArray<Suggestion> => {
    const own = found.filter((one) => one.question === question)
    const [first] = own
    if (first === undefined) return []
    return [{
      question,
      origin: first.part === undefined ? { _tag: "Column", ...first } : { _tag: "Joined", columns: own },
      confidence: 1,
      because: ["the template has this column for the question"],
    }]
  })
}
