import type { Form } from "../domain/form.ts"
import { groupBy } from "../domain/groupBy.ts"
import { brief } from "../domain/problem.ts"
import type { Column } from "../domain/row.ts"
import { counted, firstOf, listed } from "../domain/words.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { quoted, suggest } from "../project/suggestion.ts"
import { type ColumnBook, columnList } from "./ColumnBook.ts"
import type { CompiledAnswer } from "./CompileContext.ts"
import { meantBy } from "./findElement.ts"
import type { Findings } from "./Findings.ts"
import type { Mapping } from "./Mapping.ts"
import { isRespondents } from "./rowMap.ts"

/** Returns the message about questions or columns that are not mapped, and what to do. */
const notMapped = (left: number, all: string, names: string, key: string) =>
  [
    `${left} of ${all} ${left === 1 ? "is" : "are"} not mapped: ${names}.`,
    `Map ${left === 1 ? "it, or list it" : "them, or list them"} under \`${key}\`.`,
  ] as const

/** Returns the questions that get no answer. Adds a warning about those that are not mapped. */
const unansweredIn = (
  pipeline: Pipeline,
  form: Form,
  answers: ReadonlyArray<CompiledAnswer>,
  findings: Findings,
): Mapping["unanswered"] => {
  const mapped = new Set(answers.filter(({ answer }) => answer.list === "questions").map(({ answer }) => answer.id))
  const ignored = new Set<string>()
  for (const { name, path } of pipeline.mapping.ignoreQuestions) {
    const meant = meantBy(name, form.questions)
    const left = meant.filter(({ id }) => !mapped.has(id))
    for (const { id } of left) ignored.add(id)
    if (meant.length === 0) {
      findings.warning(
        path,
        `The form has no question called "${brief(name)}".`,
        suggest(name, form.questions.map((question) => question.name), "Its questions are"),
      )
    } else if (left.length === 0) {
      findings.error(path, `"${brief(name)}" is mapped, but also listed as ignored.`, "Remove one of the two.")
    }
  }
  const unanswered = form.questions.filter(({ id }) => !mapped.has(id)).map(({ id, name }) => ({
    id,
    name,
    state: ignored.has(id) ? "ignored" as const : "notMapped" as const,
  }))
  const forgotten = unanswered.filter(({ state }) => state === "notMapped")
  if (forgotten.length > 0) {
    findings.warning(
      ["mapping"],
      ...notMapped(
        forgotten.length,
        `${counted(form.questions.length, "question")} of the form`,
        firstOf(forgotten.map(({ name }) => brief(name)), 12),
        "ignoreQuestions",
      ),
    )
  }
  return unanswered
}

/** Returns the column that is the only source of an entry's answer, in every row. */
const wholeColumn = ({ extract, input, when }: MappingEntry): string | undefined =>
  input._tag === "Columns" && input.columns.length === 1 && extract === undefined && when.length === 0
    ? input.columns[0]?.name.trim()
    : undefined

/** Adds a warning about a column that alone answers several questions. The cause is often that an entry was copied, but its column was not changed. */
const findShared = (pipeline: Pipeline, answers: ReadonlyArray<CompiledAnswer>, findings: Findings): void => {
  const whole = answers.flatMap(({ answer: { kind, list, name }, entries: [entry] }) => {
    const column = entry === undefined || list !== "questions" ? undefined : wholeColumn(entry)
    return entry === undefined || column === undefined ? [] : [{ name, kind, entry, column }]
  })
  for (const [first, ...others] of groupBy(whole, ({ column, kind }) => JSON.stringify([column, kind])).values()) {
    const last = others.at(-1)
    if (last === undefined) continue
    const places = [first, ...others].map(({ entry, name }) =>
      `${quoted(name)} (line ${pipeline.document.at(entry.path).line})`
    )
    findings.warning(
      [...last.entry.path, "from"],
      `The column "${brief(first.column)}" is the whole answer to ${places.length} questions: ${listed(places)}.`,
      "If that is a mistake, correct `from` in one of them.",
    )
  }
}

/** Finds columns of the source that the pipeline does not mention. */
const findUnmapped = (
  { mapping: { unmapped } }: Pipeline,
  columns: ReadonlyArray<Column>,
  book: ColumnBook,
  findings: Findings,
): void => {
  const left = columns.filter((column) => book.useOf(column) === "notMapped")
  if (left.length === 0 || unmapped === "ignore") return
  const note = unmapped === "error" ? findings.error : findings.warning
  note(["mapping"], ...notMapped(left.length, counted(columns.length, "column"), columnList(left), "ignore"))
}

/**
 * Finds columns and questions that a mapping omits, and columns that it uses twice. Adds an error if no answer comes from a column.
 *
 * @returns the form's questions that get no answer
 */
export const coverage = (
  pipeline: Pipeline,
  form: Form,
  answers: ReadonlyArray<CompiledAnswer>,
  columns: ReadonlyArray<Column>,
  book: ColumnBook,
  findings: Findings,
): Mapping["unanswered"] => {
  findUnmapped(pipeline, columns, book, findings)
  // An entry with a mistake has no answer, but its mistake was already reported.
  if (findings.errors.length > 0) return []
  if (!answers.some((answer) => isRespondents(answer) && answer.fromCells)) {
    findings.error(
      ["mapping"],
      "No answer is read from a column: every submission would be blank, or the same.",
      "Map at least one question to a column: `- name: QUESTION` with `from: COLUMN` under `questions`.",
    )
  }
  findShared(pipeline, answers, findings)
  return unansweredIn(pipeline, form, answers, findings)
}
