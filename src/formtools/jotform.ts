import { type Cell, cellText } from "../domain/cell.ts"
import { monthNumber } from "../domain/months.ts"
import type { Cells, Column } from "../domain/row.ts"
import { blocksOf } from "./blocks.ts"
import type { FormTool, RecordTool } from "./FormTool.ts"
import { ownColumn, type RecordColumn, recordLayout } from "./recordColumns.ts"
import { cellsOf, evidence, meaningOf, type MetaTitles } from "./sample.ts"

const row = /^(.*?)\s*>>\s*(.*)$/

const member = /^answers\.(\d+)\.(name|order|text|type|answer|prettyFormat)(?:\.(.+))?$/

const time = { format: "yyyy-MM-dd HH:mm:ss" }

const ownTitles: MetaTitles = {
  id: "id",
  form_id: "note",
  ip: "ip",
  created_at: { role: "submitted", ...time },
  updated_at: { role: "lastUpdated", ...time },
  status: "status",
  new: "note",
  flag: "note",
  notes: "note",
}

/** A question and the columns of its members. */
interface Question {
  readonly id: string
  text: string
  type: string
  /** The columns of its members, such as `text`, or `answer` if the answer is not an object. */
  readonly members: Map<string, number>
  /** The columns of an answer's members, if the answer is an object. */
  readonly parts: Map<string, number>
  /** Whether the parts of an answer can't be joined into one cell. */
  isDivided: boolean
}

const questionsOf = (columns: ReadonlyArray<Column>): ReadonlyArray<Question> => {
  const questions = new Map<string, Question>()
  for (const { position, title } of columns) {
    const [, id, name, part] = member.exec(title) ?? []
    if (id === undefined || name === undefined) continue
    const question = questions.get(id)
      ?? { id, text: "", type: "", members: new Map(), parts: new Map(), isDivided: false }
    questions.set(id, question)
    if (part === undefined) question.members.set(name, position)
    else if (name === "answer") question.parts.set(part, position)
  }
  return [...questions.values()]
}

/** The filled parts of an answer. */
type Parts = Readonly<Record<string, string>>

const dayOf = ({ day, month, year, ...others }: Parts): string | undefined =>
  day === undefined || month === undefined || year === undefined || Object.keys(others).length > 0
    ? undefined
    : `${year}-${String(monthNumber(month) ?? month).padStart(2, "0")}-${day.padStart(2, "0")}`

/** The functions that join the parts of an answer, by the question's type. They return undefined if a part would be lost. */
const joins = new Map<string, (parts: Parts) => string | undefined>([
  [
    "control_phone",
    ({ area, full, phone, ...others }) =>
      Object.keys(others).length > 0 ? undefined : full ?? [area, phone].filter((part) => part !== undefined).join(" "),
  ],
  // `prettyFormat` may contain two dates.
  ["control_datetime", ({ datetime, ...others }) => datetime ?? dayOf(others)],
  ["control_birthdate", dayOf],
])

const textAt = (row: Cells, at: number | undefined): string => at === undefined ? "" : cellText(row[at]).trim()

/** Returns an answer as one cell. Undefined if its parts can't be joined. */
const joined = ({ members, parts, type }: Question, row: Cells): Cell | undefined => {
  const filled = [...parts].map(([part, at]) => [part, textAt(row, at)] as const).filter(([, text]) => text !== "")
  return filled.length === 0 ? row[members.get("answer") ?? -1] ?? null : joins.get(type)?.(Object.fromEntries(filled))
}

/** Returns a question's columns: one if the parts of every answer can be joined. A heading or a button has none. */
const columnsOf = (question: Question): ReadonlyArray<RecordColumn<unknown>> => {
  const { id, isDivided, members, parts, text, type } = question
  const whole = members.get("answer")
  const title = text === "" ? `answers.${id}` : text
  if (joins.has(type) && !isDivided && (whole !== undefined || parts.size > 0)) {
    return [{ title, cell: (_, row) => joined(question, row) ?? null }]
  }
  return [
    ...(whole === undefined ? [] : [ownColumn(title, whole)]),
    ...[...parts].map(([part, at]) => ownColumn(`${title} [${part}]`, at)),
  ]
}

/** Jotform's API: the records in `content`. */
const jotformSubmissions: RecordTool = {
  recognise: (members) => {
    const answers = [...members].some((name) => /^answers\.\d+\.(?:name|text|type)$/.test(name))
    if (!answers || !members.has("created_at")) return undefined
    return evidence(
      [0.7, `records have numbered "answers" with texts and types`],
      members.has("form_id") && [0.3, `and "form_id"`],
    )
  },
  learn: (columns) => {
    const questions = questionsOf(columns)
    const kept = columns.filter(({ title }) => !member.test(title))
    return {
      add: (row) => {
        for (const question of questions) {
          question.text ||= textAt(row, question.members.get("text"))
          question.type ||= textAt(row, question.members.get("type"))
          question.isDivided ||= joined(question, row) === undefined
        }
      },
      layout: () =>
        recordLayout(
          [
            ...kept.map(({ position, title }) => ownColumn(title, position, meaningOf(ownTitles, title))),
            ...questions.flatMap(columnsOf),
          ],
          () => undefined,
          {
            variant: "API",
            notes: ["Jotform's times have no zone."],
          },
        ),
    }
  },
}

/** Jotform: CSV and workbook. */
export const jotform: FormTool = {
  name: "jotform",
  title: "Jotform",
  records: jotformSubmissions,
  recognise: (sample) => {
    if (sample.plain[0] !== "submission date") return undefined
    const lines = sample.titles.some((_, position) => cellsOf(sample, position).some((cell) => cell.includes("\n")))
    return evidence(
      [0.4, `the first column is "Submission Date", which other tools write too`],
      sample.titles.some((title) => title.includes(">>"))
        && [0.4, `titles contain ">>" between a question and its row`],
      sample.plain.includes("no label") && [0.3, `there is a column "No Label"`],
      lines && [0.1, "cells contain several lines"],
      sample.plain.includes("first name") && sample.plain.includes("last name")
        && [0.1, `there are columns "First Name" and "Last Name"`],
    )
  },
  layout: (sample) => ({
    meta: sample.plain[0] === "submission date"
      ? [{ position: 0, role: "submitted", format: ["yyyy-MM-dd HH:mm:ss", "dd-MMM-yy", "MMM d yyyy"] }]
      : [],
    blocks: blocksOf(sample.titles.flatMap((title, position) => {
      const [, question, option] = row.exec(title) ?? []
      return question === undefined || option === undefined || option === "" ? [] : [{ position, question, option }]
    })),
    notes: [
      "Jotform exports have no known column that identifies a response. For `rowKey`, name columns that do, or write `content`.",
    ],
  }),
}
