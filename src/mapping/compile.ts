import { Either } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { Column, ColumnBlock } from "../domain/row.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { CellUses } from "./CellUses.ts"
import { columnBook } from "./ColumnBook.ts"
import { compileAnswers } from "./compileAnswers.ts"
import { compileConditions } from "./conditions.ts"
import { coverage } from "./coverage.ts"
import { explainRow, uniqueAnswers } from "./explain.ts"
import type { Findings } from "./Findings.ts"
import { findingsIn } from "./Findings.ts"
import { fingerprint } from "./fingerprint.ts"
import type { MappedAnswer, Mapping } from "./Mapping.ts"
import { blankProblem } from "./problems.ts"
import { rowKey } from "./rowKey.ts"
import type { RowRules, Stamp } from "./rowMap.ts"
import { rowCheck, rowMap } from "./rowMap.ts"
import { makeSpills } from "./Spills.ts"
import type { Mended, Workshop } from "./Workshop.ts"

/** The pipeline's target in the file, to point at when the form itself is at fault. */
const formPath = (pipeline: Pipeline) => pipeline.sink.targets[0]?.path ?? ["sink", "form"]

/** A column's name to sort and compare by; one without a name by its place. */
const sortName = ({ name, position }: Column): string => name ?? `#${position + 1}`

/** The URL parameter that carries the row key, as far as the form declares it. */
const stampOf = (
  pipeline: Pipeline,
  form: Form,
  findings: Findings,
): (Pick<Stamp, "id" | "name"> & { readonly declared: boolean }) | undefined => {
  const { stamp } = pipeline.sink
  if (stamp === undefined) return undefined
  const declared = form.urlParameters.find(({ name }) => name.trim() === stamp.urlParameter.trim())
  if (declared === undefined) {
    findings.warning(
      stamp.path,
      `The form does not declare the URL parameter "${stamp.urlParameter}": whether the service keeps the row key is not known.`,
      suggest(stamp.urlParameter, form.urlParameters.map(({ name }) => name), "Its URL parameters are")
        ?? "Add it to the form.",
    )
  } else if (
    pipeline.mapping.urlParameters.some(({ id, name }) => id === declared.id || name?.trim() === declared.name.trim())
  ) {
    findings.error(stamp.path, `The URL parameter "${declared.name}" is filled by the mapping already.`)
  }
  return {
    id: declared?.id ?? stamp.urlParameter,
    name: declared?.name ?? stamp.urlParameter,
    declared: declared !== undefined,
  }
}

/**
 * Compiles a pipeline's mapping against a form's metadata and a source's columns. All findings at once, each with its place in the pipeline's
 * file: errors, when there are any; else the mapping and what people should know about it.
 */
export const compile = (input: {
  readonly pipeline: Pipeline
  readonly form: Form
  readonly columns: ReadonlyArray<Column>
  /** Absent: no source is at hand; the columns are those that the pipeline names, and what comes from blocks gives no answer. */
  readonly blocks?: ReadonlyArray<ColumnBlock> | undefined
  /** The source is a mended rejected.csv. */
  readonly mended?: Mended
}): Either.Either<
  { readonly mapping: Mapping; readonly warnings: ReadonlyArray<Diagnostic> },
  ReadonlyArray<Diagnostic>
> => {
  const { columns, form, mended, pipeline } = input
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
  const book = columnBook(input, source.columns, findings)
  const empty = new Set(source.empty.map((text) => text.trim()).filter((text) => text !== ""))
  const workshop: Workshop = {
    findings,
    columns: book,
    empty,
    defaults: config.defaults,
    form,
    spills: makeSpills(form.questions, findings),
    mended,
    uses: new CellUses(columns.reduce((width, { position }) => Math.max(width, position + 1), 0)),
  }
  const where = compileConditions(source.where, workshop)
  const answers = compileAnswers(pipeline, form, workshop)
  const stamp = stampOf(pipeline, form, findings)

  for (const column of config.ignore) book.ignore(column)
  const keys = source.rowKey
  if (keys === undefined) {
    findings.error(
      ["source"],
      "The source needs a `rowKey`: the column, or columns, that make a row the same row tomorrow.",
      "Write `rowKey: [Column]`; or `rowKey: content` for a source to which rows are only ever added.",
    )
  }
  const keyColumns = keys === undefined || keys === "content"
    ? []
    : keys.flatMap((name) => book.find(name, "keyOrCondition") ?? [])
  const unanswered = coverage(pipeline, form, answers, columns, book, findings)
  if (findings.errors.length > 0) return Either.left([...findings.errors, ...findings.warnings])

  const read = new Set(answers.flatMap((answer) => answer.columns))
  const stamped: MappedAnswer | undefined = stamp === undefined ? undefined : {
    id: stamp.id,
    name: stamp.name,
    kind: "text",
    list: "urlParameters",
    tolerated: stamp.declared ? undefined : "the form does not declare this URL parameter",
  }
  const rules: RowRules = {
    where,
    uses: workshop.uses,
    // Without a source nobody knows what its blocks give.
    blank: pipeline.sink.blankRows === "allow" || input.blocks === undefined ? undefined : blankProblem,
  }
  const mapping: Mapping = {
    columns: [...read].toSorted((a, b) => (sortName(a) < sortName(b) ? -1 : 1)),
    answers: [...answers.map((answer) => answer.answer), ...(stamped === undefined ? [] : [stamped])],
    fingerprint: fingerprint(answers, empty, pipeline),
    keyed: keys === "content" ? "content" : "columns",
    key: keys === "content" ? () => undefined : rowKey(keyColumns, empty),
    keyBy: rowKey,
    filtered: source.where.length === 0 ? () => false : (cells) => !where.holds(cells, []),
    map: rowMap(answers, rules, stamp === undefined ? undefined : { id: stamp.id, name: stamp.name, of: keyColumns }),
    check: rowCheck(answers, rules),
    uniques: uniqueAnswers(answers),
    explain: explainRow(answers, rules, stamped),
    unanswered,
    columnUses: columns.map((column) => book.useOf(column)),
    cellUses: workshop.uses.most,
  }
  return Either.right({ mapping, warnings: findings.warnings })
}
