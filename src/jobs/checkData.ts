import { Effect } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import { cut, type Problem, type ProblemCode } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { visible } from "../domain/visible.ts"
import { mentionedColumns } from "../mapping/ColumnBook.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { profiler } from "../mapping/suggest/ColumnProfile.ts"
import { suggestOwn } from "../mapping/suggest/recordColumns.ts"
import { collectUnknown } from "../mapping/suggest/unknownChoices.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { accountOf } from "../report/sentences.ts"
import { ownColumns } from "../source/columns.ts"
import { eachChunk } from "../source/eachChunk.ts"
import { accountForLines } from "../source/lineCount.ts"
import type { Source } from "../source/Source.ts"

/** Problems of one kind in one column, over all rows. */
interface DataProblem {
  readonly code: ProblemCode
  readonly column: string | undefined
  readonly question: string | undefined
  readonly rows: number
  readonly examples: ReadonlyArray<
    { readonly row: number; readonly value: string | undefined; readonly message: string }
  >
}

/** A question's choices that are no option of it, each with the number of cells that hold it. */
interface UnknownChoices {
  readonly question: string
  readonly column: string
  readonly choices: ReadonlyArray<{ readonly choice: string; readonly count: number }>
  /** Whether there are more than are listed. */
  readonly more: boolean
}

/** What reading all of a source through its mapping showed. Nothing is sent. */
export interface CheckedData {
  readonly rows: number
  /** Rows that the pipeline's `where` leaves out. */
  readonly filtered: number
  /** Rows that can't be sent as they are. */
  readonly invalid: number
  /** Where the lines of each file went, what was read with quotes as characters, and the longest cell, as sentences. */
  readonly accounts: ReadonlyArray<string>
  readonly problems: ReadonlyArray<DataProblem>
  readonly choices: ReadonlyArray<UnknownChoices>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const kept = 3
/** Columns that nothing in the pipeline speaks of. */
const unused = (pipeline: Pipeline, source: Source) => {
  const mentioned = new Set(mentionedColumns(pipeline).map(({ name }) => name))
  const blocks = new Set(source.blocks.flatMap(({ columns }) => columns.map(({ position }) => position)))
  return ownColumns(source.columns).filter(({ name, position }) =>
    name !== undefined && !mentioned.has(name) && !blocks.has(position)
  )
}

/**
 * Reads a whole source through its mapping: every problem of every row by kind and column, every choice that is no option, and a column of times
 * that the submission could keep and that nothing uses.
 */
export const checkData = (pipeline: Pipeline, source: Source, mapping: Mapping, form: Form) =>
  Effect.gen(function*() {
    const groups = new Map<
      string,
      { -readonly [M in keyof DataProblem]: DataProblem[M] } & { examples: Array<DataProblem["examples"][number]> }
    >()
    const note = (row: number, { code, column, message, question, value }: Problem): void => {
      const key = JSON.stringify([code, column, question])
      const group = groups.get(key) ?? { code, column, question, rows: 0, examples: [] }
      groups.set(key, group)
      group.rows++
      if (group.examples.length < kept) group.examples.push({ row, value, message })
    }
    const choices = choiceEntries(pipeline, mapping, form, source)
    const clean = source.tool?.clean ?? ((cells: Cells) => cells)
    const free = pipeline.mapping.submissionTime === undefined ? unused(pipeline, source) : []
    const profiles = profiler(free)
    const counts = { rows: 0, filtered: 0, invalid: 0 }
    yield* eachChunk(source.read(), (chunk) =>
      Effect.sync(() => {
        for (const [index, cells] of chunk.rows.entries()) {
          counts.rows++
          const row = chunk.firstRow + index
          const fault = chunk.faults.get(index)
          if (fault !== undefined) {
            counts.invalid++
            note(row, fault)
            continue
          }
          if (mapping.filtered(cells)) {
            counts.filtered++
            continue
          }
          const cleaned = clean(cells)
          for (const { columns, counter } of choices) {
            for (const { position } of columns) counter.add(cleaned[position] ?? null)
          }
          profiles.addRow(cleaned)
          const key = mapping.key(cells)
          const mapped = mapping.map(cells, key)
          const problems = "problems" in mapped ? mapped.problems : []
          for (const problem of problems) note(row, problem)
          const isKeyless = key === undefined && mapping.keyed === "columns"
          if (isKeyless) {
            note(row, { code: "missing-key", message: "The row has no row key: every column of `rowKey` is empty." })
          }
          if (problems.length > 0 || isKeyless) {
            counts.invalid++
          }
        }
      }))
    const files = yield* source.files
    yield* accountForLines(files)
    const unknown = choices.flatMap(({ counter, entry, oneCell, question, title }) => {
      const { counts: found, more } = counter.unknown()
      return found.length === 0 ? [] : [{
        entry,
        oneCell,
        choices: {
          question: question.name,
          column: title,
          choices: found.map(([choice, count]) => ({ choice, count })),
          more,
        },
      }]
    })
    const own = suggestOwn({ columns: free, profiles: profiles.profiles(), tool: source.tool, used: new Set() })
    const problems = [...groups.values()].toSorted((a, b) => b.rows - a.rows)
    const result: CheckedData = {
      ...counts,
      accounts: files.flatMap(({ file }) => accountOf(file, files.length > 1)),
      problems,
      choices: unknown.map((one) => one.choices),
      diagnostics: [
        ...unknown.map((one) => choicesFinding(pipeline, one.entry, one.choices, one.oneCell)),
        ...problems.filter(({ code, question }) =>
          code !== "not-an-option" || unknown.every(({ entry }) => !isEntryOf(entry, question, form))
        ).map((problem) => problemFinding(pipeline, form, problem, counts.rows)),
        ...(own.submissionTime === undefined ? [] : [timeFinding(pipeline, own.submissionTime.column.name ?? "")]),
      ],
    }
    return result
  })

/** Entries whose cells are choices, of one column or a grid's, held against the form's options. */
const choiceEntries = (pipeline: Pipeline, mapping: Mapping, form: Form, source: Source) => {
  const { defaults, questions } = pipeline.mapping
  const columnsOf = ({ input }: MappingEntry, kind: string): ReadonlyArray<Column> => {
    if (input._tag === "Block") {
      const block = source.blocks.find(({ title }) => title.trim() === input.title.trim())
      const positions = new Set(block?.columns.map(({ position }) => position))
      return kind === "matrix" ? source.columns.filter(({ position }) => positions.has(position)) : []
    }
    if (input._tag !== "Columns" || input.columns.length !== 1) return []
    const [name] = input.columns
    const column = source.columns.find((one) => one.name === name?.name)
    return column !== undefined && ["choice", "choices", "ranking"].includes(kind) ? [column] : []
  }
  return questions.flatMap((entry) => {
    const question = form.questions.find(({ id, name }) =>
      id === entry.id || (entry.id === undefined && name.trim() === entry.name?.trim())
    )
    const answer = mapping.answers.find(({ id, list }) => list === "questions" && id === question?.id)
    if (question === undefined || answer === undefined || entry.extract !== undefined || entry.when.length > 0) {
      return []
    }
    const columns = columnsOf(entry, answer.kind)
    const [column] = columns
    // A grid whose form tells no options takes every answer.
    if (column === undefined || (answer.kind === "matrix" && (question.options ?? []).length === 0)) return []
    const options: Readonly<Record<string, unknown>> = { ...defaults[answer.kind], ...entry.options }
    const counter = collectUnknown(
      answer.kind === "matrix" ? "choice" : answer.kind,
      options,
      question,
      new Set(pipeline.source.empty.map((text) => text.trim())),
    )
    const title = entry.input._tag === "Block" ? entry.input.title : column.name ?? column.title
    return counter === undefined ? [] : [{
      entry,
      question,
      columns,
      title,
      counter,
      oneCell: (answer.kind === "choices" || answer.kind === "ranking") && options["split"] === undefined,
    }]
  })
}

const listed = 20

const isEntryOf = ({ id, name }: MappingEntry, question: string | undefined, form: Form): boolean => {
  const found = form.questions.find((one) => one.id === question)
  return found !== undefined && (id === found.id || (id === undefined && name?.trim() === found.name.trim()))
}

const quote = (text: string): string => `"${cut(visible(text), 60)}"`

const choicesFinding = (
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

const problemFinding = (pipeline: Pipeline, form: Form, problem: DataProblem, all: number): Diagnostic => {
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

const timeFinding = (pipeline: Pipeline, column: string): Diagnostic =>
  diagnosticAt(
    pipeline.document,
    "warning",
    ["mapping"],
    `Nothing uses the times in the column "${column}", though the form would keep them as the time of each submission: without them every submission is as old as its import.`,
    `Write \`submissionTime: { from: ${column}, zone: … }\`; or list the column under \`ignore\`.`,
  )
