import { type Cell, cellText } from "../domain/cell.ts"
import { monthNumber } from "../domain/months.ts"
import type { Cells, Column } from "../domain/row.ts"
import { blocksOf } from "./blocks.ts"
import type { FormTool, RecordTool } from "./FormTool.ts"
import { cellsOf, evidence, metaOf, type MetaTitles } from "./sample.ts"

const row = /^(.*?)\s*>>\s*(.*)$/

const member = /^answers\.(\d+)\.(name|order|text|type|answer|prettyFormat)(?:\.(.+))?$/

const time = { format: "yyyy-MM-dd HH:mm:ss" }

const meta: MetaTitles = {
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
  readonly text_at: number | undefined
  readonly type_at: number | undefined
  /** The column of the answer itself, if the answer is not an object. */
  readonly whole: number | undefined
  /** The columns of an answer's members, if the answer is an object. */
  readonly parts: ReadonlyMap<string, number>
  readonly pretty: number | undefined
}

const questionsOf = (columns: ReadonlyArray<Column>): ReadonlyArray<Question> => {
  const ids = new Map<string, Map<string, number>>()
  for (const { position, title } of columns) {
    const [, id, name, part] = member.exec(title) ?? []
    if (id === undefined || name === undefined) continue
    const members = ids.get(id) ?? new Map<string, number>()
    members.set(part === undefined ? name : `${name}.${part}`, position)
    ids.set(id, members)
  }
  return [...ids].map(([id, members]) => ({
    id,
    text: "",
    type: "",
    text_at: members.get("text"),
    type_at: members.get("type"),
    whole: members.get("answer"),
    parts: new Map(
      [...members].flatMap(([name, at]) => name.startsWith("answer.") ? [[name.slice(7), at] as const] : []),
    ),
    pretty: members.get("prettyFormat"),
  }))
}

/** Returns the function that joins the parts of an answer into one cell. Undefined if the parts remain separate columns. */
const oneCell = (question: Question): ((row: Cells) => Cell) | undefined => {
  const { parts, whole } = question
  const text = (row: Cells, part: string) => cellText(row[parts.get(part) ?? -1]).trim()
  switch (question.type) {
    case "control_phone":
      return (row) =>
        text(row, "full") || [text(row, "area"), text(row, "phone")].filter((part) => part !== "").join(" ") || null
    case "control_datetime":
      // `prettyFormat` may contain two dates.
      return (row) => text(row, "datetime") || dayOf(text(row, "year"), text(row, "month"), text(row, "day"))
    case "control_birthdate":
      return (row) => dayOf(text(row, "year"), text(row, "month"), text(row, "day"))
    default:
      return parts.size === 0 && whole !== undefined ? (row) => row[whole] ?? null : undefined
  }
}

const dayOf = (year: string, month: string, day: string): Cell => {
  const number = String(monthNumber(month) ?? month)
  return year === "" || number === "" || day === ""
    ? null
    : `${year}-${number.padStart(2, "0")}-${day.padStart(2, "0")}`
}

/** Jotform's API: the records in `content`. */
const jotformSubmissions: RecordTool = {
  recognise: (members) => {
    const answers = members.some((name) => /^answers\.\d+\.(?:name|text|type)$/.test(name))
    if (!answers || !members.includes("created_at")) return undefined
    return evidence(
      [0.7, `records have numbered "answers" with texts and types`],
      members.includes("form_id") && [0.3, `and "form_id"`],
    )
  },
  learn: (columns) => {
    const questions = questionsOf(columns)
    const kept = columns.filter(({ title }) => !member.test(title))
    return {
      add: (row) => {
        for (const question of questions) {
          if (question.text === "" && question.text_at !== undefined) {
            question.text = cellText(row[question.text_at]).trim()
          }
          if (question.type === "" && question.type_at !== undefined) {
            question.type = cellText(row[question.type_at]).trim()
          }
        }
      },
      layout: () => {
        const made = questions.flatMap(
          (question): ReadonlyArray<{ readonly title: string; readonly cell: (row: Cells) => Cell }> => {
            // A heading or a button has no answer.
            if (question.whole === undefined && question.parts.size === 0) return []
            const title = question.text === "" ? `answers.${question.id}` : question.text
            const one = oneCell(question)
            if (one !== undefined) return [{ title, cell: one }]
            const { whole } = question
            return [
              ...(whole === undefined ? [] : [{ title, cell: (row: Cells): Cell => row[whole] ?? null }]),
              ...[...question.parts].map(([part, at]) => ({
                title: `${title} [${part}]`,
                cell: (row: Cells): Cell => row[at] ?? null,
              })),
            ]
          },
        )
        return {
          variant: "API",
          titles: [...kept.map(({ title }) => title), ...made.map(({ title }) => title)],
          meta: metaOf({ plain: kept.map(({ title }) => title) }, meta),
          answers: { several: { columns: false } },
          notes: ["Jotform's times have no zone."],
          cells: (row) => [...kept.map(({ position }) => row[position] ?? null), ...made.map(({ cell }) => cell(row))],
        }
      },
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
    answers: { several: { columns: false, separator: "\n" }, grid: "a column a row" },
    notes: [
      "Jotform exports have no known column that identifies a response. For `rowKey`, name columns that do, or write `content`.",
    ],
  }),
}
