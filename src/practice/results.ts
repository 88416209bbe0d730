import { hash, timingSafeEqual } from "node:crypto"
import Papa from "papaparse"
import { percentDecoded } from "../domain/destination.ts"
import type { Form } from "../domain/form.ts"
import { isObject, type Json } from "../domain/json.ts"
import { submissionLists } from "../domain/submission.ts"
import { isFile } from "../kinds/files.ts"
import { json, notFound, type PracticeAnswer, refusal } from "./refusals.ts"
import { policy, resultsPage } from "./resultsPage.ts"
import type { PracticeStore, StoredSubmission } from "./store.ts"

/** A form's submissions as a table, like the results view of a real service. All cells are strings. */
export interface ResultsTable {
  readonly titles: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

interface Element {
  readonly id: string
  readonly name?: string
  readonly value: Json
}

/** A submission as `submit` writes it. Faults may have changed answers, but not this shape. */
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

/**
 * Returns a value as a cell. Strings stay unchanged, and lists are joined by `, `. Files are shown by their addresses,
 * other objects as JSON, and a missing answer as an empty string.
 */
export const cellOf = (value: Json | undefined): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(cellOf).join(", ")
  if (isFile(value)) return value.url
  if (isObject(value)) return JSON.stringify(value)
  return String(value)
}

/** Returns the table of a form's submissions, in the order of creation. URL parameters that the form does not declare also have columns. */
export const resultsTable = (form: Form, submissions: ReadonlyArray<StoredSubmission>): ResultsTable => {
  const stored = submissions.map(({ json }): Stored => JSON.parse(json))
  const declared = new Set(form.urlParameters.map(({ id }) => id))
  const others = new Map(
    stored.flatMap(({ urlParameters }) => urlParameters.filter(({ id }) => !declared.has(id)))
      .map((parameter) => [parameter.id, { id: parameter.id, name: parameter.name ?? parameter.id }]),
  )
  const elements = submissionLists.flatMap((list) =>
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
        submissionLists.flatMap((list) => submission[list].map(({ id, value }) => [`${list} ${id}`, value] as const)),
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

const pageSize = 100

const own = { "x-content-type-options": "nosniff", "cache-control": "no-store", "referrer-policy": "no-referrer" }

const html: PracticeAnswer = {
  status: 200,
  headers: { ...own, "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
  body: resultsPage,
}

/** Returns a name for the download that is valid on every system. */
const fileName = (form: Form): string => `${form.id.replaceAll(/[^\w-]+/g, "_")}-results.csv`

/** Returns the CSV file that `settle` and other programs read: a header, then a line per submission, in the order of creation, in UTF-8 with commas. */
const csv = (form: Form, store: Pick<PracticeStore, "all">): PracticeAnswer => {
  const { rows, titles } = resultsTable(form, store.all(form.id))
  return {
    status: 200,
    headers: {
      ...own,
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${fileName(form)}"`,
    },
    body: `${Papa.unparse([titles, ...rows] as Array<Array<string>>, { newline: "\r\n" })}\r\n`,
  }
}

const rows = (form: Form, store: Pick<PracticeStore, "all">, query: URLSearchParams): PracticeAnswer => {
  const table = resultsTable(form, store.all(form.id))
  const wanted = (query.get("filter") ?? "").trim().toLowerCase()
  const fitting = wanted === ""
    ? table.rows
    : table.rows.filter((row) => row.some((cell) => cell.toLowerCase().includes(wanted)))
  const page = Math.max(0, Math.trunc(Number(query.get("page"))) || 0)
  return json(
    200,
    JSON.stringify({
      titles: table.titles,
      rows: fitting.slice(page * pageSize, (page + 1) * pageSize),
      pageSize,
      fitting: fitting.length,
      all: table.rows.length,
    }),
  )
}

/** Whether two strings are equal, compared in constant time. */
const isSame = (a: string, b: string): boolean => {
  const digest = (text: string) => hash("sha256", text, "buffer")
  return timingSafeEqual(digest(a), digest(b))
}

/**
 * Responds to requests for the practice service's results page, `/results/TOKEN`, with its table, filter and CSV
 * download. Shows nothing without the token, because other users of the machine can also reach the port. The token is
 * in the path and not in a cookie, because a cookie would be sent to every port of the host. Returns undefined for any
 * other request.
 */
export const results = (
  request: { readonly method: string; readonly path: string },
  service: { readonly forms: ReadonlyArray<Form>; readonly store: Pick<PracticeStore, "all">; readonly token: string },
): PracticeAnswer | undefined => {
  const [path = "", query = ""] = request.path.split("?", 2)
  const [, root, token = "", id = "", what = "", ...more] = path.split("/")
  if (root !== "results" || request.method !== "GET") return undefined
  if (!isSame(token, service.token)) return refusal(403, "Open the results page with the link that formferry shows")
  const { forms, store } = service
  if (id === "" && query === "forms" && more.length === 0) {
    return json(200, JSON.stringify(forms.map(({ id, name }) => ({ id, name, submissions: store.all(id).length }))))
  }
  const form = forms.find((one) => one.id === percentDecoded(id))
  if (more.length > 0 || (id !== "" && form === undefined)) return notFound
  if (form === undefined || what === "") return html
  if (what === "csv") return csv(form, store)
  return what === "rows" ? rows(form, store, new URLSearchParams(query)) : notFound
}
