import * as Either from "effect/Either"
import { hash } from "node:crypto"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { canonicalJson, isObject } from "../domain/json.ts"
import { brief } from "../domain/problem.ts"
import { type Cells, type Column, type ColumnBlock, nameOrPosition } from "../domain/row.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { emptyTexts, keyColumns } from "../project/sourceSection.ts"
import { CellUses } from "./CellUses.ts"
import { columnBook, columnList, mentionedColumns } from "./ColumnBook.ts"
import { compileAnswers } from "./compileAnswers.ts"
import type { AnswerEntries, CompileContext, Fixed } from "./CompileContext.ts"
import { compileConditions } from "./conditions.ts"
import { coverage } from "./coverage.ts"
import { findingsIn } from "./Findings.ts"
import type { Mapping } from "./Mapping.ts"
import { blankProblem } from "./problems.ts"
import { rowKey, rowMap, type RowRules } from "./rowMap.ts"
import { checkStamps, originIdsOf, stampAnswer, stampsOf } from "./stamps.ts"
import { textRedirects } from "./textRedirects.ts"

/** Whether a pipeline names several columns, and the source has none of them. Such a source is probably the wrong file. */
const isOther = (pipeline: Pipeline, columns: ReadonlyArray<Column>): boolean => {
  const existing = new Set(columns.flatMap(({ name, title }) => [name ?? "", title.trim()]))
  const named = mentionedColumns(pipeline).flatMap(({ name }) => name?.trim() ?? [])
  // The names in `source.columns` are not titles of the source.
  return pipeline.source.columns.length === 0 && named.length > 2 && !named.some((name) => existing.has(name))
}

/** A form tool whose cells must be cleaned before they are read. */
interface CleaningTool {
  readonly name: string
  readonly clean: (cells: Cells) => Cells
}

/**
 * Makes a mapping clean the cells of a form tool first. Answers, keys and `where` use the cleaned cells. Content digests and rejected rows contain
 * the cells as they are in the file. The tool is part of the fingerprint, because the same cells could have a different meaning for a different tool.
 */
const overCleanCells = (mapping: Mapping, { clean, name }: CleaningTool): Mapping => {
  // The functions below are called one after the other with the same row.
  let last: Cells | undefined
  let cleaned: Cells = []
  const cleanOf = (cells: Cells): Cells => {
    if (cells !== last) {
      cleaned = clean(cells)
      last = cells
    }
    return cleaned
  }
  return {
    ...mapping,
    fingerprint: hash("sha256", `${mapping.fingerprint} ${name}`),
    key: (cells) => mapping.key(cleanOf(cells)),
    keyBy: (columns, empty) => {
      const key = mapping.keyBy(columns, empty)
      return (cells) => key(cleanOf(cells))
    },
    filtered: (cells) => mapping.filtered(cleanOf(cells)),
    map: (cells, key, run) => mapping.map(cleanOf(cells), key, run),
    check: (cells, answered, dropped) => mapping.check(cleanOf(cells), answered, dropped),
    explain: (cells, key) => mapping.explain(cleanOf(cells), key),
    uniques: mapping.uniques.map((unique) => ({ ...unique, value: (cells) => unique.value(cleanOf(cells)) })),
  }
}

/** Compiles a pipeline's mapping for a form and a source's columns. Returns the mapping and its warnings, or all errors at once, each with its place in the pipeline's file. */
export const compile = (input: {
  readonly pipeline: Pipeline
  readonly form: Form
  readonly columns: ReadonlyArray<Column>
  /** Undefined if there is no source. The columns are then those that the pipeline names, and blocks have no answers. */
  readonly blocks?: ReadonlyArray<ColumnBlock> | undefined
  /** Set if the source is a rejected.csv that a person fixed. */
  readonly fixed?: Fixed
  /** The form tool that wrote the source. */
  readonly tool?: CleaningTool | undefined
}): Either.Either<
  { readonly mapping: Mapping; readonly warnings: ReadonlyArray<Diagnostic> },
  ReadonlyArray<Diagnostic>
> => {
  const { columns, fixed, form, pipeline } = input
  const { mapping: config, source } = pipeline
  const findings = findingsIn(pipeline.document)
  if (form.questions.length === 0) {
    findings.error(
      pipeline.sink.targets[0]?.path ?? ["sink", "form"],
      `The form "${brief(form.name)}" (${form.id}) has no questions: there is nothing to fill.`,
      "Add questions to the form, or name a different form.",
    )
    return Either.left(findings.errors)
  }
  if (input.blocks !== undefined && isOther(pipeline, columns)) {
    findings.error(
      ["source", "file"],
      `The source has none of the columns that the pipeline names. ${
        columns.length === 1 ? "Its only column is" : `Its ${columns.length} columns are`
      }: ${columnList(columns)}.`,
      `Check that it is the right file${
        columns.length === 1 ? ", and correct `delimiter` or `headerRow`" : ", sheet and header row"
      }. \`formferry inspect FILE\` shows what is in it.`,
    )
    return Either.left(findings.errors)
  }
  const book = columnBook(input, source.columns, findings)
  const empty = new Set(emptyTexts(source))
  const context: CompileContext = {
    findings,
    columns: book,
    empty,
    defaults: config.defaults,
    form,
    redirects: textRedirects(form.questions, findings),
    fixed,
    uses: new CellUses(columns.reduce((width, { position }) => Math.max(width, position + 1), 0)),
  }
  const where = compileConditions("where", source.where, context)
  const answers = compileAnswers(pipeline, form, context)
  const declaredStamps = stampsOf(pipeline, form)
  checkStamps(declaredStamps, pipeline, form, findings)

  for (const column of config.ignore) book.ignore(column)
  if (source.rowKey === undefined) {
    findings.error(
      ["source"],
      "The source needs a `rowKey`: the column or columns that identify a row in later runs.",
      "Write `rowKey: [Column]`; or `rowKey: content` for a source to which rows are only ever added.",
    )
  }
  const keys = keyColumns(source).flatMap((name) => book.find(name, "keyOrCondition") ?? [])
  const stamps = declaredStamps.map((stamp) => ({ ...stamp, answer: stampAnswer(stamp, keys) }))
  const unanswered = coverage(pipeline, form, answers, columns, book, findings)
  if (findings.errors.length > 0) return Either.left([...findings.errors, ...findings.warnings])

  const read = new Set(answers.flatMap((answer) => answer.columns))
  const rules: RowRules = {
    where,
    uses: context.uses,
    redirects: context.redirects,
    // Without a source, answers from blocks are unknown.
    blank: pipeline.sink.blankRows === "allow" || input.blocks === undefined ? undefined : blankProblem,
  }
  const mapping: Mapping = {
    ...rowMap(answers, rules, stamps),
    columns: [...read].toSorted((a, b) => (nameOrPosition(a) < nameOrPosition(b) ? -1 : 1)),
    answers: [...answers, ...stamps].map(({ answer }) => answer),
    origin: originIdsOf(stamps),
    fingerprint: fingerprint(answers, empty, pipeline),
    keyed: source.rowKey === "content" ? "content" : "columns",
    key: source.rowKey === "content" ? () => undefined : rowKey(keys, empty),
    keyBy: rowKey,
    filtered: source.where.length === 0 ? () => false : (cells) => !where.holds(cells, []),
    nearConditions: where.near,
    unmetConditions: where.unmet,
    unanswered,
    columnUses: columns.map((column) => book.useOf(column)),
    cellUses: context.uses.most,
  }
  const { tool } = input
  return Either.right({
    mapping: tool === undefined ? mapping : overCleanCells(mapping, tool),
    warnings: findings.warnings,
  })
}

/** Returns an entry's content without its places in the file. Identifies columns by name, so that their order in the source does not matter. */
const withoutPlaces = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  if (!isObject(value)) return value
  const { at: _at, path: _path, ...rest } = value
  return Object.fromEntries(
    Object.entries(rest).map(([key, member]) => {
      // The members of `options` may have any name.
      const plain = key === "options" ? member : withoutPlaces(member)
      return [key, key === "parts" && Array.isArray(plain) ? plain.map(canonicalJson).toSorted() : plain]
    }),
  )
}

/**
 * Returns the SHA-256 digest, in hex, of everything that determines which item the cells produce: targets, kinds, options, defaults, inputs, and which
 * stamps are sent. The run's id and the pipeline's name are omitted, because rows stay the same in the next run and after the pipeline is renamed.
 */
const fingerprint = (
  filled: ReadonlyArray<AnswerEntries>,
  empty: ReadonlySet<string>,
  { mapping: { defaults }, sink: { stamp } }: Pick<Pipeline, "mapping" | "sink">,
): string => {
  const answers = filled.map(({ answer, entries, options }) =>
    canonicalJson({
      list: answer.list,
      id: answer.id,
      name: answer.list === "urlParameters" ? answer.name : undefined,
      kind: answer.kind,
      entries: entries.map(({ as: _as, id: _id, name: _name, ...entry }) => withoutPlaces(entry)),
      form: options?.map(({ value, label }) => [value, label]),
    })
  )
  const { pipeline, run, urlParameter } = stamp ?? {}
  const all = {
    answers: answers.toSorted(),
    empty: [...empty].toSorted(),
    defaults,
    stamp: urlParameter,
    run,
    pipeline,
  }
  return hash("sha256", canonicalJson(all))
}
