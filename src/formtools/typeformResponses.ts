import { type Cell, cellOf } from "../domain/cell.ts"
import { isObject, type JsonObject } from "../domain/json.ts"
import type { Cells } from "../domain/row.ts"
import type { RecordTool } from "./FormTool.ts"
import { itemsIn, listOf, metaIn, ownColumn, type RecordColumn, recordLayout, textIn } from "./recordColumns.ts"
import { cleansAt, completeBy, evidence, meaningOf, type MetaTitles, nothingWhen, withRole } from "./sample.ts"
import { dayOnly, nameOf, typeformTitles, valueIn } from "./typeformTitles.ts"

const answerCell = (answer: JsonObject): Cell => {
  const { type } = answer
  const value = valueIn(answer)
  if (type === "choice" && isObject(value)) return cellOf(textIn(value["label"]) ?? textIn(value["other"]))
  if (type === "choices" && isObject(value)) {
    const other = textIn(value["other"])
    const all = [...itemsIn(value["labels"]), ...(other === undefined ? [] : [other])]
    return all.length === 0 ? null : cellOf(all)
  }
  // Older exports contain a meaningless time after a day.
  return type === "date" && typeof value === "string" ? dayOnly(value) : cellOf(value)
}

const variableCell = (variable: JsonObject): Cell => {
  const value = valueIn(variable)
  return typeof value === "object" ? null : cellOf(value)
}

const ownTitles: MetaTitles = {
  response_id: "id",
  token: "note",
  landing_id: "note",
  landed_at: { role: "started", format: "iso" },
  submitted_at: { role: "submitted", format: "iso" },
  "calculated.score": "score",
  event_id: "note",
  event_type: "note",
}

/** The members that are split into columns: the lists of all answers and of all variables. */
const lists = new Set(["answers", "variables"])

const metaOf = (title: string): RecordColumn<unknown>["meta"] => {
  if (title.startsWith("hidden.")) return { role: "url" }
  return title.startsWith("metadata.") ? { role: "device" } : meaningOf(ownTitles, title)
}

/** The answers and variables of a response by name. */
interface Found {
  readonly fields: ReadonlyMap<string | undefined, JsonObject>
  readonly variables: ReadonlyMap<string | undefined, JsonObject>
}

/** Typeform's Responses API: the records in `items`. With the form's definition, they are arranged like an export. */
export const typeformResponses: RecordTool = {
  recognise: (members) => {
    const [landed, token] = [members.has("landed_at"), members.has("token")]
    if (!members.has("answers") || !members.has("submitted_at") || !(landed || token)) return undefined
    return evidence(
      [0.6, `records have "answers" and "submitted_at"`],
      landed && [0.2, `and "landed_at"`],
      (token || members.has("response_id")) && [0.2, `and "token" or "response_id"`],
    )
  },
  learn: (columns, definition) => {
    const titled = typeformTitles(columns, definition)
    if (titled !== undefined) return titled
    const at = (title: string) => columns.findIndex((column) => column.title === title)
    const [answersAt, variablesAt] = [at("answers"), at("variables")]
    const names = { fields: new Set<string>(), variables: new Set<string>() }
    const find = (row: Cells): Found => {
      const [answers, variables] = [listOf(row[answersAt]).filter(isObject), listOf(row[variablesAt]).filter(isObject)]
      return {
        fields: new Map(answers.map((answer) => [nameOf(answer), answer])),
        variables: new Map(variables.map((variable) => [textIn(variable["key"]), variable])),
      }
    }
    return {
      add: (row) => {
        const { fields, variables } = find(row)
        for (const name of fields.keys()) if (name !== undefined) names.fields.add(name)
        for (const name of variables.keys()) if (name !== undefined) names.variables.add(name)
      },
      layout: () => {
        const key = at("response_id") >= 0 ? "response_id" : "token"
        const made: ReadonlyArray<RecordColumn<Found>> = [
          ...columns.filter(({ title }) => !lists.has(title)).map(({ position, title }) =>
            ownColumn(title, position, title === key ? { role: "id" } : metaOf(title))
          ),
          ...[...names.fields].map((title): RecordColumn<Found> => ({
            title,
            cell: ({ fields }) => answerCell(fields.get(title) ?? {}),
          })),
          ...[...names.variables].map((name): RecordColumn<Found> => ({
            title: `variables.${name}`,
            cell: ({ variables }) => variableCell(variables.get(name) ?? {}),
          })),
        ]
        const meta = metaIn(made)
        return recordLayout(made, find, {
          variant: "Responses API",
          // The service writes this time for a response that was never submitted.
          cleans: cleansAt(withRole(meta, "submitted", "started"), nothingWhen("0001-01-01T00:00:00Z")),
          ...completeBy(meta, "submitted", "filled"),
          notes: ["Columns are named by the questions' references or ids: the Responses API does not return titles."],
        })
      },
    }
  },
}
