import type { Diagnostic } from "../../domain/diagnostic.ts"
import type { Form } from "../../domain/form.ts"
import { cut } from "../../domain/problem.ts"
import { visible } from "../../domain/visible.ts"
import { diagnosticAt } from "../../project/errors.ts"
import type { MappingEntry, Pipeline } from "../../project/Pipeline.ts"
import type { DataProblem, UnknownChoices } from "./DataProblem.ts"

const listed = 20

export const isEntryOf = ({ id, name }: MappingEntry, question: string | undefined, form: Form): boolean => {
  const found = form.questions.find((one) => one.id === question)
  return found !== undefined && (id === found.id || (id === undefined && name?.trim() === found.name.trim()))
}

const quote = (text: string): string => `"${cut(visible(text), 60)}"`

export const choicesFinding = (
  pipeline: Pipeline,
  { input, path }: MappingEntry,
  found: UnknownChoices,
  /** Whether a cell is taken for one choice of a question that takes several. */
  oneCell: boolean,
): Diagnostic => {
  const { choices, column, more, question } = found
  const shown = choices.slice(0, listed).map(({ choice, count }) => `${quote(choice)} (${count} ×)`).join(", ")
  const rest = more ? " and many more" : choices.length > listed ? ` and ${choices.length - listed} more` : ""
  return diagnosticAt(
    pipeline.document,
    "warning",
    [...path, "from"],
    `${choices.length}${more ? " and more" : ""} ${choices.length === 1 ? "choice" : "choices"} in the ${
      input._tag === "Block" ? "columns of" : "column"
    } "${column}" ${choices.length === 1 ? "is" : "are"} no option of "${question}": ${shown}${rest}.`,
    `${
      oneCell ? 'If a cell holds several, say what stands between them, such as `split: ","`. ' : ""
    }Put them under \`values\`, each with its option or null for no answer; or say with \`otherwise\` what becomes of them.`,
  )
}

export const problemFinding = (pipeline: Pipeline, form: Form, problem: DataProblem, all: number): Diagnostic => {
  const { code, column, examples, question, rows } = problem
  const { mapping } = pipeline
  const entries = [...mapping.questions, ...mapping.urlParameters, ...mapping.scheduling, ...mapping.payments]
  const entry = entries.find((one) => one.id !== undefined && one.id === question)
    ?? entries.find((one) => isEntryOf(one, question, form))
  const own = question === "submissionTime" || question === "lastUpdatedAt" || question === "login"
    ? mapping[question]
    : undefined
  const path = entry?.path ?? own?.path
    ?? (code === "missing-key" && pipeline.source.rowKey !== undefined ? ["source", "rowKey"] : ["source"])
  const [first] = examples
  const where = column === undefined ? "" : ` in the column "${column}"`
  return diagnosticAt(
    pipeline.document,
    "warning",
    path,
    `${code}${where}: ${rows} of ${all} rows, such as row ${
      examples.map(({ row, value }) => value === undefined ? String(row) : `${row} (${quote(value)})`).join(", ")
    }.`,
    first?.message ?? "Mend the rows, or the entry.",
  )
}

export const timeFinding = (pipeline: Pipeline, column: string): Diagnostic =>
  diagnosticAt(
    pipeline.document,
    "warning",
    ["mapping"],
    `Nothing uses the times in the column "${column}", though the form would keep them as the time of each submission: without them every submission is as old as its import.`,
    `Write \`submissionTime: { from: ${column}, zone: … }\`; or list the column under \`ignore\`.`,
  )
