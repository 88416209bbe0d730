import { cellText, JsonCell } from "../domain/cell.ts"
import type { Cell } from "../domain/cell.ts"
import { isObject } from "../domain/json.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import { blocksByCells } from "./blocks.ts"
import type { FormTool, MetaColumn, RecordTool, Role } from "./FormTool.ts"
import {
  cellsOf,
  cleansAt,
  evidence,
  has,
  metaOf,
  nothingWhen,
  positionOf,
  rewritten,
  unguarded,
  withoutTags,
} from "./sample.ts"
import type { MetaTitles } from "./sample.ts"

const time = { format: "yyyy-MM-dd HH:mm:ss", zone: "UTC" }

const meta: MetaTitles = {
  "#": "id",
  "response type": "status",
  "start date (utc)": { role: "started", ...time },
  "stage date (utc)": { role: "note", ...time },
  "submit date (utc)": { role: "submitted", ...time },
  "network id": "note",
  tags: "note",
  ending: "note",
}

/** Returns only the day of an answer to a date question, without a time. */
const dayOnly = rewritten((text) => text.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z$/, "$1"))

const listOf = (cell: Cell | undefined): ReadonlyArray<Json> =>
  cell instanceof JsonCell && Array.isArray(cell.value) ? cell.value as ReadonlyArray<Json> : []

const textIn = (
  value: Json | undefined,
): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Returns the name of an answer's field: the reference that the form's author gave, otherwise its id. */
const nameOf = (answer: JsonObject): string | undefined => {
  const field = answer["field"]
  return isObject(field) ? textIn(field["ref"]) ?? textIn(field["id"]) : undefined
}

/** Returns the value of an answer, which is in a member named after the answer's type. */
const answerCell = (answer: JsonObject): Cell => {
  const type = textIn(answer["type"])
  const value = type === undefined ? undefined : answer[type]
  if (value === undefined || value === null) return null
  if (type === "choice" && isObject(value)) return textIn(value["label"]) ?? textIn(value["other"]) ?? null
  if (type === "choices" && isObject(value)) {
    const labels = Array.isArray(value["labels"]) ? value["labels"] as ReadonlyArray<Json> : []
    const other = textIn(value["other"])
    const all = other === undefined ? labels : [...labels, other]
    return all.length === 0 ? null : new JsonCell(all)
  }
  // Older exports contain a meaningless time after a day.
  if (type === "date" && typeof value === "string") {
    return value.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z$/, "$1")
  }
  return typeof value === "object" ? new JsonCell(value) : value
}

const variableCell = (variable: JsonObject): Cell => {
  const type = textIn(variable["type"])
  const value = type === undefined ? undefined : variable[type]
  return value === undefined || value === null || typeof value === "object" ? null : value
}

const roles: Readonly<Record<string, Role>> = {
  response_id: "id",
  token: "note",
  landing_id: "note",
  landed_at: "started",
  submitted_at: "submitted",
  "calculated.score": "score",
  event_id: "note",
  event_type: "note",
}

/** The members that are split into columns: the lists of all answers and of all variables. */
const lists = new Set(["answers", "variables"])

const roleOf = (title: string): Role | undefined =>
  title.startsWith("hidden.")
    ? "url"
    : title.startsWith("metadata.")
    ? "device"
    : Object.hasOwn(roles, title)
    ? roles[title]
    : undefined

/** Typeform's Responses API: the records in `items`. */
const typeformResponses: RecordTool = {
  recognise: (members) => {
    const has = (name: string) => members.includes(name)
    if (!has("answers") || !has("submitted_at") || !(has("landed_at") || has("token"))) return undefined
    return evidence(
      [0.6, `records have "answers" and "submitted_at"`],
      has("landed_at") && [0.2, `and "landed_at"`],
      (has("token") || has("response_id")) && [0.2, `and "token" or "response_id"`],
    )
  },
  learn: (columns) => {
    const position = (title: string) => columns.findIndex((column) => column.title === title)
    const [answersAt, variablesAt] = [position("answers"), position("variables")]
    const kept = columns.filter(({ title }) => !lists.has(title))
    const fields = new Map<string, number>()
    const variables = new Map<string, number>()
    const note = (names: Map<string, number>, name: string | undefined) => {
      if (name !== undefined && !names.has(name)) names.set(name, names.size)
    }
    const key = (variable: Json) => (isObject(variable) ? textIn(variable["key"]) : undefined)
    return {
      add: (row) => {
        for (const answer of listOf(row[answersAt])) if (isObject(answer)) note(fields, nameOf(answer))
        for (const variable of listOf(row[variablesAt])) note(variables, key(variable))
      },
      layout: () => {
        const titles = [
          ...kept.map(({ title }) => title),
          ...fields.keys(),
          ...[...variables.keys()].map((name) => `variables.${name}`),
        ]
        const meta = kept.flatMap(({ title }, at): ReadonlyArray<MetaColumn> => {
          const role = roleOf(title)
          if (role === undefined) return []
          return [
            role === "submitted" || role === "started" ? { position: at, role, format: "iso" } : { position: at, role },
          ]
        })
        const id = kept.findIndex(({ title }) => title === "response_id")
        const token = kept.findIndex(({ title }) => title === "token")
        const times = meta.flatMap((
          column,
        ) => (column.role === "submitted" || column.role === "started" ? [column.position] : []))
        const submitted = meta.find(({ role }) => role === "submitted")?.position
        const firstField = kept.length
        const firstVariable = kept.length + fields.size
        return {
          variant: "Responses API",
          titles,
          meta: id < 0 && token >= 0
            ? meta.map((column) => (column.position === token ? { ...column, role: "id" as const } : column))
            : meta,
          key: id >= 0 ? [id] : token >= 0 ? [token] : [],
          // The service writes this time for a response that was never submitted.
          cleans: cleansAt(times, nothingWhen("0001-01-01T00:00:00Z")),
          answers: { several: { columns: false }, other: "in the cell" },
          ...(submitted === undefined ? {} : { complete: { position: submitted, is: "filled" as const } }),
          notes: ["Columns are named by the questions' references or ids: the Responses API does not return titles."],
          cells: (row) => {
            const cells: Array<Cell> = [
              ...kept.map((column) => row[column.position] ?? null),
              ...Array<Cell>(fields.size + variables.size).fill(null),
            ]
            for (const answer of listOf(row[answersAt])) {
              const at = isObject(answer) ? fields.get(nameOf(answer) ?? "") : undefined
              if (at !== undefined && isObject(answer)) cells[firstField + at] = answerCell(answer)
            }
            for (const variable of listOf(row[variablesAt])) {
              const at = variables.get(key(variable) ?? "")
              if (at !== undefined && isObject(variable)) cells[firstVariable + at] = variableCell(variable)
            }
            return cells.map((cell) => (cell !== null && cellText(cell) === "" ? null : cell))
          },
        }
      },
    }
  },
}

/** Typeform: CSV and workbook, in the current layout and in the one before 2024. */
export const typeform: FormTool = {
  name: "typeform",
  title: "Typeform",
  records: typeformResponses,
  recognise: (sample) => {
    if (has(sample, "submission id") || has(sample, "respondent id")) return undefined
    const submit = has(sample, "submit date (utc)")
    const start = has(sample, "start date (utc)")
    const network = has(sample, "network id")
    if (!submit && !(start && network)) return undefined
    return evidence(
      sample.titles[0] === "#" && [0.4, `the first column is "#"`],
      submit && [0.4, `there is a column "Submit Date (UTC)"`],
      start && [0.2, `there is a column "Start Date (UTC)"`],
      network && [0.2, `there is a column "Network ID"`],
    )
  },
  needsFacts: true,
  layout: (sample, facts = []) => {
    const last = positionOf(sample, "response type", "start date (utc)", "submit date (utc)", "network id")
    const own = metaOf(sample, meta).filter(({ position, role }) =>
      // A question may also be called "Tags" or "Ending". The tool's own columns are at the end.
      role === "id" ? position === 0 : last < 0 || position >= last
    )
    const owned = new Set(own.map(({ position }) => position))
    const status = own.find(({ role }) => role === "status")?.position
    const answers = sample.titles.flatMap((_, position) => (owned.has(position) ? [] : [position]))
    const slashed = answers.some((position) => cellsOf(sample, position).some((cell) => /^\/ .+ \/ /.test(cell)))
    return {
      variant: status === undefined ? "the layout before 2024" : undefined,
      labels: sample.titles.map(withoutTags),
      meta: own,
      blocks: blocksByCells(sample.titles, facts, (position) => !owned.has(position)),
      cleanAll: unguarded("=+-@"),
      cleans: cleansAt(answers, dayOnly),
      answers: {
        several: { columns: true, ...(slashed ? { separator: " / " } : {}) },
        other: "in a column of its own",
        yesNo: { true: ["1"], false: ["0"] },
      },
      ...(status === undefined ? {} : { complete: { position: status, is: ["completed"] } }),
    }
  },
}
