import { Either } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { Column } from "../domain/row.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { columnBook, columnList } from "./ColumnBook.ts"
import { compileAnswers } from "./compileAnswers.ts"
import { findingsIn } from "./Findings.ts"
import { fingerprint } from "./fingerprint.ts"
import type { Mapping } from "./Mapping.ts"
import { rowKey } from "./rowKey.ts"
import { rowCheck, rowMap } from "./rowMap.ts"

/** The pipeline's target in the file, to point at when the form itself is at fault. */
const formPath = (pipeline: Pipeline) => pipeline.sink.targets[0]?.path ?? ["sink", "form"]

/**
 * Compiles a pipeline's mapping against a form's metadata and a source's columns. All findings at once, each with its place in the pipeline's
 * file: errors, when there are any; else the mapping and what people should know about it.
 */
export const compile = (input: {
  readonly pipeline: Pipeline
  readonly form: Form
  readonly columns: ReadonlyArray<Column>
}): Either.Either<
  { readonly mapping: Mapping; readonly warnings: ReadonlyArray<Diagnostic> },
  ReadonlyArray<Diagnostic>
> => {
  const { columns, form, pipeline } = input
  const { mapping: config, source } = pipeline
  const findings = findingsIn(pipeline.document)
  if (form.questions.length === 0) {
    findings.error(
      formPath(pipeline),
      `The form "${form.name}" (${form.id}) has no questions: there is nothing to fill.`,
      "Add questions to the form, or name another form.",
    )
    return Either.left(findings.errors)
  }
  const book = columnBook(columns, findings)
  const empty = new Set(source.empty.map((text) => text.trim()).filter((text) => text !== ""))
  const answers = compileAnswers(pipeline, form, { findings, columns: book, empty })

  for (const column of config.ignore) book.mention(column)
  const keys = source.rowKey
  if (keys === undefined) {
    findings.error(
      ["source"],
      "The source needs a `rowKey`: the column, or columns, that make a row the same row tomorrow.",
      "Write `rowKey: [Column]`; or `rowKey: content` for a source to which rows are only ever added.",
    )
  }
  const keyColumns = keys === undefined || keys === "content" ? [] : keys.flatMap((name) => book.find(name) ?? [])
  const untouched = book.untouched()
  if (untouched.length > 0 && config.unmapped !== "ignore") {
    const note = config.unmapped === "error" ? findings.error : findings.warning
    note(
      ["mapping"],
      `${untouched.length} of ${columns.length} columns ${untouched.length === 1 ? "is" : "are"} not mapped: ${
        columnList(untouched)
      }.`,
      "Map them, or list them under `ignore`.",
    )
  }
  if (findings.errors.length > 0) return Either.left([...findings.errors, ...findings.warnings])

  const read = new Set(answers.flatMap((answer) => answer.columns))
  const name = (column: Column) => column.name ?? ""
  const mapping: Mapping = {
    columns: [...read].toSorted((a, b) => (name(a) < name(b) ? -1 : 1)),
    answers: answers.map((answer) => answer.answer),
    fingerprint: fingerprint(answers, empty),
    keyed: keys === "content" ? "content" : "columns",
    key: keys === "content" ? () => undefined : rowKey(keyColumns, empty),
    filtered: () => false,
    map: rowMap(answers),
    check: rowCheck(answers),
  }
  return Either.right({ mapping, warnings: findings.warnings })
}
