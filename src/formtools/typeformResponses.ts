import { type Cell, cellText, JsonCell } from "../domain/cell.ts"
import { isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { MetaColumn, RecordTool, Role } from "./FormTool.ts"
import { listOf, textIn } from "./recordColumns.ts"
import { cleansAt, evidence, nothingWhen } from "./sample.ts"
import { nameOf, typeformTitles } from "./typeformTitles.ts"

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

/** Typeform's Responses API: the records in `items`. With the form's definition, they are arranged like an export. */
export const typeformResponses: RecordTool = {
  recognise: (members) => {
    const has = (name: string) => members.includes(name)
    if (!has("answers") || !has("submitted_at") || !(has("landed_at") || has("token"))) return undefined
    return evidence(
      [0.6, `records have "answers" and "submitted_at"`],
      has("landed_at") && [0.2, `and "landed_at"`],
      (has("token") || has("response_id")) && [0.2, `and "token" or "response_id"`],
    )
  },
  learn: (columns, definition) => {
    const titled = typeformTitles(columns, definition)
    if (titled !== undefined) return titled
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
