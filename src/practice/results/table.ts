import type { Form } from "../../domain/form.ts"
import { isObject } from "../../domain/json.ts"
import type { Json } from "../../domain/json.ts"
import type { StoredSubmission } from "../store.ts"

/** A form's submissions as a table, like a service's own results view. Cells are texts. */
export interface ResultsTable {
  readonly titles: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

interface Element {
  readonly id: string
  readonly name?: string
  readonly value: Json
}

/** As `submit` writes it; faults may have touched answers, never this shape. */
interface Stored {
  readonly submissionId: string
  readonly submissionTime: string
  readonly lastUpdatedAt: string
  readonly questions: ReadonlyArray<Element>
  readonly calculations: ReadonlyArray<Element>
  readonly urlParameters: ReadonlyArray<Element>
  readonly scheduling: ReadonlyArray<Element>
  readonly payments: ReadonlyArray<Element>
  readonly login?: { readonly email: string }
}

/** Returns a value as a cell: texts as they are, lists joined by `, `, files by their addresses, other objects as JSON, no answer as an empty text. */
export const cellOf = (value: Json | undefined): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(cellOf).join(", ")
  if (isObject(value)) {
    return typeof value["url"] === "string" && "filename" in value ? value["url"] : JSON.stringify(value)
  }
  return String(value)
}

const lists = ["questions", "calculations", "scheduling", "payments", "urlParameters"] as const

/** Returns the table of a form's submissions, in the order of creation. URL parameters that the form does not declare also have columns. */
export const resultsTable = (form: Form, submissions: ReadonlyArray<StoredSubmission>): ResultsTable => {
  const stored = submissions.map(({ json }): Stored => JSON.parse(json))
  const declared = new Set(form.urlParameters.map(({ id }) => id))
  const others = new Map(
    stored.flatMap(({ urlParameters }) => urlParameters.filter(({ id }) => !declared.has(id)))
      .map((parameter) => [parameter.id, { id: parameter.id, name: parameter.name ?? parameter.id }]),
  )
  const elements = lists.flatMap((list) =>
    [...form[list], ...list === "urlParameters" ? others.values() : []].map(({ id, name }) => ({ list, id, name }))
  )
  const hasLogin = stored.some(({ login }) => login !== undefined)
  return {
    titles: [
      "Submission ID",
      "Submission time",
      "Last updated",
      ...elements.map(({ name }) => name),
      ...hasLogin ? ["Login"] : [],
    ],
    rows: stored.map((submission) => {
      const values = new Map(
        lists.flatMap((list) => submission[list].map(({ id, value }) => [`${list} ${id}`, value] as const)),
      )
      return [
        submission.submissionId,
        submission.submissionTime,
        submission.lastUpdatedAt,
        ...elements.map(({ id, list }) => cellOf(values.get(`${list} ${id}`))),
        ...hasLogin ? [submission.login?.email ?? ""] : [],
      ]
    }),
  }
}
