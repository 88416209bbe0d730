import { type Cell, cellOf, cellText, JsonCell } from "../domain/cell.ts"
import type { Json, JsonObject } from "../domain/json.ts"
import type { Cells } from "../domain/row.ts"
import { oneLine } from "../domain/words.ts"
import type { RecordTool } from "./FormTool.ts"
import {
  itemsIn,
  listOf,
  memberOf,
  metaIn,
  objectsIn,
  ownColumn,
  type RecordColumn,
  recordLayout,
  textIn,
  undefinedNote,
} from "./recordColumns.ts"
import { completeBy, evidence, meaningOf, type MetaTitles } from "./sample.ts"

/** A choice, row, column or "Other" of a question. */
interface Item {
  readonly id: string
  readonly text: string
}

/** A column of a question: how it is titled, and which of the question's answers it contains. */
interface Part {
  /** The text of the second header. */
  readonly sub: string | undefined
  readonly role: "option" | "other"
  readonly isHere: (answer: JsonObject) => boolean
  /** Returns the cell of an answer that is here. */
  readonly cell: (answer: JsonObject) => Cell
}

interface Question {
  readonly id: string
  readonly title: string
  readonly parts: ReadonlyArray<Part>
}

const idIn = (answer: JsonObject, name: "choice_id" | "row_id" | "col_id" | "other_id"): string | undefined => {
  const id = textIn(answer[name])
  return id === "0" ? undefined : id
}

/** Returns the visible items of a list. */
const itemsOf = (list: Json | undefined): ReadonlyArray<Item> =>
  objectsIn(list).flatMap((one) => {
    const id = textIn(one["id"])
    // A star has no text, only its weight.
    const text = textIn(one["text"]) ?? textIn(one["weight"]) ?? ""
    return id === undefined || one["visible"] === false ? [] : [{ id, text }]
  })

/** Returns the text that was entered, or the address of a file. */
const entered = (answer: JsonObject): Cell => cellOf(textIn(answer["download_url"]) ?? textIn(answer["text"]))

/** Returns the columns of a question in the order of an export. */
const partsOf = (question: JsonObject): ReadonlyArray<Part> => {
  const { answers, family, subtype } = question
  const rows = itemsOf(memberOf(answers, "rows"))
  const cols = itemsOf(memberOf(answers, "cols"))
  const choices = itemsOf(memberOf(answers, "choices"))
  const nested = objectsIn(memberOf(answers, "cols")).flatMap((column) => itemsOf(memberOf(column, "choices")))
  const labels = new Map([...choices, ...nested].map(({ id, text }) => [id, text]))
  const [other] = itemsOf([memberOf(answers, "other") ?? null])
  const isAnswerChoice = memberOf(memberOf(answers, "other"), "is_answer_choice") === true
  const isMain = (answer: JsonObject) => idIn(answer, "other_id") === undefined
  const chosen = (answer: JsonObject): Cell => {
    const choice = idIn(answer, "choice_id")
    return choice === undefined ? entered(answer) : labels.get(choice) ?? choice
  }
  const option = (sub: string, isHere: Part["isHere"]): Part => ({ sub, role: "option", isHere, cell: chosen })
  const ofRows = (items: ReadonlyArray<Item>, name: "col_id" | "choice_id") =>
    rows.flatMap((row) =>
      items.map(({ id, text }) =>
        option(`${row.text} - ${text}`, (answer) => idIn(answer, "row_id") === row.id && idIn(answer, name) === id)
      )
    )
  const main = (): ReadonlyArray<Part> => {
    if (rows.length > 0 && cols.length > 0) return ofRows(cols, "col_id")
    if (rows.length > 0 && family === "matrix" && subtype === "multi") return ofRows(choices, "choice_id")
    if (rows.length > 0) {
      return rows.map(({ id, text }) => option(text, (answer) => isMain(answer) && idIn(answer, "row_id") === id))
    }
    if (family === "multiple_choice") {
      return choices.map(({ id, text }) => option(text, (answer) => idIn(answer, "choice_id") === id))
    }
    if (family === "presentation") return []
    const sub = family === "open_ended" ? "Open-Ended Response" : undefined
    return [{
      sub,
      role: "option",
      isHere: (answer) => family === "single_choice" ? isMain(answer) || isAnswerChoice : isMain(answer),
      // "Other" is also the answer to a question with a single choice.
      cell: (answer) => isMain(answer) ? chosen(answer) : other?.text ?? entered(answer),
    }]
  }
  const parts = main()
  return other === undefined || parts.length === 0 ? parts : [...parts, {
    sub: other.text,
    role: "other",
    isHere: (answer) => idIn(answer, "other_id") === other.id,
    cell: entered,
  }]
}

/** Returns the questions of a survey. A heading or a picture is none. */
const questionsIn = (definition: Json | undefined): ReadonlyArray<Question> =>
  objectsIn(memberOf(definition, "pages")).flatMap((page) =>
    objectsIn(page["questions"]).flatMap((question) => {
      const id = textIn(question["id"])
      const [heading] = itemsIn(question["headings"])
      const parts = partsOf(question)
      return id === undefined || parts.length === 0
        ? []
        : [{ id, title: textIn(memberOf(heading, "heading")) ?? id, parts }]
    })
  )

/** The answers of a response by the id of the question. */
type Found = ReadonlyMap<string, ReadonlyArray<JsonObject>>

type SurveyColumn = RecordColumn<Found>

const answersIn = (pages: Cell | undefined): Found => {
  const found = new Map<string, ReadonlyArray<JsonObject>>()
  for (const page of listOf(pages)) {
    for (const question of objectsIn(memberOf(page, "questions"))) {
      const id = textIn(question["id"])
      if (id === undefined) continue
      found.set(id, [...found.get(id) ?? [], ...objectsIn(question["answers"])])
    }
  }
  return found
}

/** Returns cells as one: the only one, or a list. */
const joined = (cells: ReadonlyArray<Cell>): Cell => {
  const filled = cells.filter((cell) => cell !== null)
  return filled.length <= 1 ? filled[0] ?? null : new JsonCell(filled.map((cell) => cellText(cell)))
}

const columnsOf = ({ id, parts, title }: Question): ReadonlyArray<SurveyColumn> => {
  const block = { title }
  return parts.map(({ cell, isHere, role, sub = "" }) => {
    const option = oneLine(sub)
    return {
      title: option === "" ? title : `${title.trim()} [${option}]`,
      ...(option !== "" && { part: { block, option, role } }),
      cell: (found) => joined((found.get(id) ?? []).filter(isHere).map(cell)),
    }
  })
}

/** Returns an answer that no column of the question contains: a choice that was removed from the survey. */
const shownAnswer = (answer: JsonObject): Json => {
  const text = textIn(answer["simple_text"]) ?? textIn(answer["text"])
  const ids = ["row_id", "col_id", "choice_id", "other_id"] as const
  const only = ids.every((name) => name === "choice_id" || idIn(answer, name) === undefined)
  return text !== undefined && only ? text : only ? idIn(answer, "choice_id") ?? answer : answer
}

const time = { format: ["M/d/yy H:mm", "M/d/yyyy h:mm:ss a", "M/d/yyyy H:mm:ss"] }

/** The tool's own columns in an export. */
export const ownTitles: MetaTitles = {
  "respondent id": "id",
  respondentid: "id",
  "collector id": "note",
  collectorid: "note",
  "start date": { role: "started", ...time },
  startdate: { role: "started", ...time },
  "end date": { role: "submitted", ...time },
  enddate: { role: "submitted", ...time },
  "ip address": "ip",
  "email address": "email",
  "first name": "name",
  "last name": "name",
  lastname: "name",
  "custom data": "url",
  "custom data 1": "url",
}

/** The tool's own columns in the order of an export, with the members that contain them. */
const ownColumns = [
  ["Respondent ID", ["id"]],
  ["Collector ID", ["collector_id"]],
  ["Start Date", ["date_created"]],
  ["End Date", ["date_modified"]],
  ["IP Address", ["ip_address"]],
  ["Email Address", ["metadata.contact.email.value", "metadata.contact.email"]],
  ["First Name", ["metadata.contact.first_name.value", "metadata.contact.first_name"]],
  ["Last Name", ["metadata.contact.last_name.value", "metadata.contact.last_name"]],
  ["Custom Data 1", ["custom_value"]],
] as const

/** Returns the meaning of a column of an export. In the API, its times have a different format. */
const meaningInApi = (title: string) => {
  const meaning = meaningOf(ownTitles, title)
  return meaning?.format === undefined ? meaning : { ...meaning, format: "iso" }
}

/** SurveyMonkey's API: the records in `data` of bulk responses. With the survey's details, they are arranged like an export. */
export const surveyMonkeyResponses: RecordTool = {
  recognise: (members) => {
    if (!members.has("pages") || !members.has("collector_id")) return undefined
    return evidence(
      [0.6, `records have "pages" and "collector_id"`],
      members.has("response_status") && [0.2, `and "response_status"`],
      members.has("date_modified") && [0.2, `and "date_modified"`],
    )
  },
  learn: (columns, definition) => {
    const at = (names: ReadonlyArray<string>) => columns.findIndex(({ title }) => names.includes(title))
    const pagesAt = at(["pages"])
    const questions = questionsIn(definition)
    const known = new Map(questions.map((question) => [question.id, question]))
    const find = (row: Cells) => answersIn(row[pagesAt])
    const beyond = (id: string, answers: ReadonlyArray<JsonObject>) => {
      const parts = known.get(id)?.parts ?? []
      return answers.filter((answer) => !parts.some(({ isHere }) => isHere(answer)))
    }
    /** The titles of questions with answers that no column contains, by id. */
    const others = new Map<string, string>()
    return {
      add: (row) => {
        for (const [id, answers] of find(row)) {
          if (!others.has(id) && beyond(id, answers).length > 0) others.set(id, known.get(id)?.title ?? id)
        }
      },
      layout: () => {
        const taken = new Set(["pages", ...ownColumns.flatMap(([, names]): ReadonlyArray<string> => names)])
        const made: ReadonlyArray<SurveyColumn> = [
          ...ownColumns.map(([title, names]) => ownColumn(title, at(names), meaningInApi(title))),
          ...questions.flatMap(columnsOf),
          ...[...others].map(([id, title]): SurveyColumn => ({
            title: known.has(id) ? `${oneLine(title)} (no longer an option)` : `question ${id}`,
            cell: (found) => {
              const answers = beyond(id, found.get(id) ?? []).map(shownAnswer)
              return answers.length > 1 ? new JsonCell(answers) : cellOf(answers[0])
            },
          })),
          ...columns.flatMap(({ position, title }): ReadonlyArray<SurveyColumn> =>
            taken.has(title)
              ? []
              : [ownColumn(title, position, { role: title === "response_status" ? "status" : "note" })]
          ),
        ]
        const unknown = [...others.keys()].filter((id) => !known.has(id))
        return recordLayout(made, find, {
          variant: questions.length > 0 ? "API, arranged like an export" : "API",
          ...completeBy(metaIn(made), "status", ["completed"]),
          notes: questions.length > 0 ? undefinedNote(unknown) : [
            "Columns are named by the questions' ids: SurveyMonkey's responses contain no titles. In a pull, they come with `labels`.",
          ],
        })
      },
    }
  },
}
