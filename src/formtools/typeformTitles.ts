import { type Cell, cellOf, cellText, JsonCell } from "../domain/cell.ts"
import { isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { RecordLearner } from "./FormTool.ts"
import {
  itemsIn,
  listOf,
  memberOf,
  metaIn,
  objectsIn,
  type RecordColumn,
  recordLayout,
  textIn,
  undefinedNote,
} from "./recordColumns.ts"
import { cleansAt, completeBy, meaningOf, type MetaTitles, rewritten, unguarded } from "./sample.ts"

const time = { format: "yyyy-MM-dd HH:mm:ss", zone: "UTC" }

/** The tool's own columns in an export. */
export const ownTitles: MetaTitles = {
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
export const dayOnly = rewritten((text) => text.replace(/^(\d{4}-\d\d-\d\d)T00:00:00(?:\.000)?Z$/, "$1"))

/** A question of the form. */
interface Field {
  readonly title: string
  readonly options: ReadonlyArray<{ readonly id: string; readonly ref: string; readonly label: string }>
  /** Whether there is a column for each option. */
  readonly isSeveral: boolean
  readonly hasOther: boolean
}

/** An answer, and what was chosen if it is a choice. */
interface Answer {
  readonly json: JsonObject
  readonly chosen: { readonly labels: ReadonlyArray<string>; readonly other: string | undefined } | undefined
}

/** What is looked up in a response: the answers by field, those to other fields by name, and the variables by name. */
interface Found {
  readonly answers: ReadonlyMap<Field, Answer>
  readonly others: ReadonlyMap<string, Answer>
  readonly variables: ReadonlyMap<string, JsonObject>
}

type TypeformColumn = RecordColumn<Found>

/** Returns the form's questions in order, and a function that finds the one of an answer. Questions in groups are questions of their own. */
const fieldsIn = (definition: Json | undefined) => {
  const fields: Array<Field> = []
  const byName = new Map<string, Field>()
  const add = (list: Json | undefined) => {
    for (const one of objectsIn(list)) {
      const properties = one["properties"]
      const nested = memberOf(properties, "fields")
      if (objectsIn(nested).length > 0) {
        add(nested)
        continue
      }
      if (one["type"] === "statement") continue
      const options = objectsIn(memberOf(properties, "choices")).map((choice) => ({
        id: textIn(choice["id"]) ?? "",
        ref: textIn(choice["ref"]) ?? "",
        label: textIn(choice["label"]) ?? "",
      })).filter(({ label }) => label !== "")
      const field: Field = {
        title: textIn(one["title"]) ?? textIn(one["ref"]) ?? textIn(one["id"]) ?? "",
        options,
        isSeveral: options.length > 0 && memberOf(properties, "allow_multiple_selection") === true,
        hasOther: memberOf(properties, "allow_other_choice") === true,
      }
      fields.push(field)
      for (const name of [textIn(one["id"]), textIn(one["ref"])]) {
        if (name !== undefined && !byName.has(name)) byName.set(name, field)
      }
    }
  }
  add(memberOf(definition, "fields"))
  return {
    fields,
    fieldOf: (answer: JsonObject): Field | undefined => {
      const field = answer["field"]
      return byName.get(textIn(memberOf(field, "id")) ?? "") ?? byName.get(textIn(memberOf(field, "ref")) ?? "")
    },
  }
}

/** Returns the name of an answer's field if the definition lacks the field: the reference that the form's author gave, otherwise its id. */
export const nameOf = (answer: JsonObject): string | undefined => {
  const field = answer["field"]
  return isObject(field) ? textIn(field["ref"]) ?? textIn(field["id"]) : undefined
}

/** Returns the labels that were chosen, and the text of "Other". The labels are those of the form if it still has these options. Undefined if the answer is not a choice. */
const chosenIn = (answer: JsonObject, options: Field["options"]): Answer["chosen"] => {
  const type = textIn(answer["type"]) ?? ""
  if (type !== "choice" && type !== "choices") return undefined
  const value = answer[type]
  const list = (name: string) => textsIn(memberOf(value, name))
  const given = type === "choices"
    ? list("labels").map((label, at) => ({ label, id: list("ids")[at], ref: list("refs")[at] }))
    : [{
      label: textIn(memberOf(value, "label")),
      id: textIn(memberOf(value, "id")),
      ref: textIn(memberOf(value, "ref")),
    }]
  const labels = given.flatMap(({ id, label, ref }) => {
    const option = options.find((one) => one.id !== "" && one.id === id)
      ?? options.find((one) => one.ref !== "" && one.ref === ref)
    return option?.label ?? label ?? []
  })
  return { labels, other: textIn(memberOf(value, "other")) }
}

const textsIn = (value: Json | undefined) => itemsIn(value).map(textIn)

/** Returns the value of an answer or a variable, which is in a member named after its type. */
export const valueIn = (one: JsonObject): Json | undefined => one[textIn(one["type"]) ?? ""]

/** Returns the value of an answer as an export contains it, or as JSON if it has several parts. */
const exportedCell = (answer: JsonObject): Cell => {
  const { type } = answer
  const value = valueIn(answer)
  if (typeof value === "boolean") return value ? "1" : "0"
  if (type === "date" && typeof value === "string") {
    return value.replace(/^(\d{4}-\d\d-\d\d)(?:T00:00:00(?:\.000)?Z)?$/, "$1T00:00:00.000Z")
  }
  // An export guards the plus sign against formulas.
  return type === "phone_number" && typeof value === "string" && value.startsWith("+") ? `'${value}` : cellOf(value)
}

/** Returns an answer as one cell. Several choices are a list. */
const wholeCell = ({ chosen, json }: Answer, hasOther = false): Cell => {
  if (chosen === undefined) return exportedCell(json)
  const all = chosen.other === undefined || hasOther ? chosen.labels : [...chosen.labels, chosen.other]
  return all.length > 1 || json["type"] === "choices" ? cellOf(all.length === 0 ? null : all) : all[0] ?? null
}

const columnsOf = (field: Field): ReadonlyArray<TypeformColumn> => {
  const chosen = ({ answers }: Found) => answers.get(field)?.chosen
  const { hasOther, isSeveral, options, title } = field
  const other = (block?: { readonly title: string }): ReadonlyArray<TypeformColumn> =>
    !hasOther ? [] : [{
      title: "Other",
      ...(block && { part: { block, option: "Other", role: "other" as const } }),
      cell: (found) => chosen(found)?.other ?? null,
    }]
  if (isSeveral) {
    // An export does not contain the question, so its block is named after its options.
    const block = { title: `${options[0]?.label} … ${options.at(-1)?.label}` }
    return [
      ...options.map(({ label }): TypeformColumn => ({
        title: label,
        part: { block, option: label },
        cell: (found) => (chosen(found)?.labels.includes(label) === true ? label : null),
      })),
      ...other(block),
    ]
  }
  return [
    {
      title,
      cell: (found) => {
        const answer = found.answers.get(field)
        return answer === undefined ? null : wholeCell(answer, hasOther)
      },
    },
    ...other(),
  ]
}

/** Returns what an answer contains beyond the columns of its question: labels of options that were removed from the form, and an "Other" that is no longer offered. */
const beyond = ({ chosen, json }: Answer, { hasOther, isSeveral, options }: Field): ReadonlyArray<string> => {
  if (!isSeveral) return []
  if (chosen === undefined) return [cellText(exportedCell(json))]
  return [
    ...chosen.labels.filter((label) => !options.some((option) => option.label === label)),
    ...(chosen.other === undefined || hasOther ? [] : [chosen.other]),
  ]
}

/** Returns a UTC time as an export contains it. The service writes the year 1 for a response that was never submitted. */
const exportedTime = (cell: Cell | undefined): Cell => {
  const text = cellText(cell)
  if (text.startsWith("0001-01-01T")) return null
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2")
}

/** Numbers of variables have two decimals in an export. */
const variableCell = (variable: JsonObject): Cell => {
  const value = valueIn(variable)
  return typeof value === "number" && Number(value.toFixed(2)) === value ? value.toFixed(2) : cellOf(value)
}

/** The members that become columns with the titles of an export. */
const arranged = new Set([
  "answers",
  "variables",
  "response_id",
  "token",
  "response_type",
  "landed_at",
  "staged_at",
  "submitted_at",
  "metadata.network_id",
  "tags",
])

/**
 * Reads responses with the form's definition: the columns, their order and their cells are those of an export. What an export does not contain follows
 * after its columns. Returns undefined if the definition has no questions.
 */
export const typeformTitles = (
  columns: ReadonlyArray<Column>,
  definition: Json | undefined,
): RecordLearner | undefined => {
  const { fieldOf, fields } = fieldsIn(definition)
  if (fields.length === 0) return undefined
  const at = (title: string) => columns.findIndex((column) => column.title === title)
  const [answersAt, variablesAt] = [at("answers"), at("variables")]
  const declared = memberOf(definition, "variables")
  const variables = new Set(isObject(declared) ? Object.keys(declared) : [])
  const others = new Set<string>()
  const widened = new Set<Field>()
  const find = (row: Cells): Found => {
    const answers = new Map<Field, Answer>()
    const unknown = new Map<string, Answer>()
    for (const json of listOf(row[answersAt]).filter(isObject)) {
      const field = fieldOf(json)
      const answer = { json, chosen: chosenIn(json, field?.options ?? []) }
      if (field !== undefined && !answers.has(field)) answers.set(field, answer)
      else unknown.set(nameOf(json) ?? "answer", answer)
    }
    const values = listOf(row[variablesAt]).filter(isObject).map((one) => [textIn(one["key"]) ?? "", one] as const)
    return { answers, others: unknown, variables: new Map(values) }
  }
  return {
    add: (row) => {
      const found = find(row)
      for (const name of found.variables.keys()) variables.add(name)
      for (const name of found.others.keys()) others.add(name)
      for (const [field, answer] of found.answers) if (beyond(answer, field).length > 0) widened.add(field)
    },
    layout: () => {
      const cell = (...titles: ReadonlyArray<string>) => {
        const places = titles.map(at).filter((place) => place >= 0)
        return (row: Cells): Cell => places.map((place) => row[place] ?? null).find((one) => one !== null) ?? null
      }
      const submitted = cell("submitted_at")
      const own = (
        title: string,
        read: (row: Cells) => Cell,
        meta = meaningOf(ownTitles, title),
      ): TypeformColumn => ({ title, ...(meta && { meta }), cell: (_, row) => read(row) })
      const hidden = new Set([
        ...textsIn(memberOf(definition, "hidden")).flatMap((name) => name ?? []),
        ...columns.flatMap(({ title }) => title.startsWith("hidden.") ? [title.slice("hidden.".length)] : []),
      ])
      const [landed, staged, tags, type] = [cell("landed_at"), cell("staged_at"), cell("tags"), cell("response_type")]
      const made: ReadonlyArray<TypeformColumn> = [
        own("#", cell("response_id", "token")),
        ...fields.flatMap(columnsOf),
        ...[...hidden].map((name) => own(name, cell(`hidden.${name}`), { role: "url" })),
        ...[...variables].map((name): TypeformColumn => ({
          title: name,
          cell: ({ variables }) => variableCell(variables.get(name) ?? {}),
        })),
        own(
          "Response Type",
          (row) => type(row) ?? (cellText(exportedTime(submitted(row))) === "" ? null : "completed"),
        ),
        own("Start Date (UTC)", (row) => exportedTime(landed(row))),
        own("Stage Date (UTC)", (row) => exportedTime(staged(row))),
        own("Submit Date (UTC)", (row) => exportedTime(submitted(row))),
        own("Network ID", cell("metadata.network_id")),
        own("Tags", (row) => {
          const list = listOf(tags(row))
          return list.length === 0 ? null : list.map((tag) => textIn(tag) ?? JSON.stringify(tag)).join(", ")
        }),
        ...[...widened].map((field): TypeformColumn => ({
          title: `${field.title} (no longer an option)`,
          cell: ({ answers }) => {
            const answer = answers.get(field)
            const more = answer === undefined ? [] : beyond(answer, field)
            return more.length === 0 ? null : new JsonCell(more)
          },
        })),
        ...[...others].map((name): TypeformColumn => ({
          title: name,
          cell: ({ others }) => {
            const answer = others.get(name)
            return answer === undefined ? null : wholeCell(answer)
          },
        })),
        ...columns
          .filter(({ title }) => !arranged.has(title) && !title.startsWith("hidden."))
          .map(({ title }) => own(title, cell(title), { role: title === "calculated.score" ? "score" : "note" })),
      ]
      const answered = made.flatMap(({ meta }, position) => (meta === undefined ? [position] : []))
      return recordLayout(made, find, {
        variant: "Responses API, arranged like an export",
        cleanAll: unguarded("=+-@"),
        cleans: cleansAt(answered, dayOnly),
        ...completeBy(metaIn(made), "status", ["completed"]),
        notes: undefinedNote([...others]),
      })
    },
  }
}
