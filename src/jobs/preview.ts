import { Effect, Either, Stream } from "effect"
import { cellText } from "../domain/cell.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import { compile } from "../mapping/compile.ts"
import type { MappedAnswer, Mapping } from "../mapping/Mapping.ts"
import { overCleanCells } from "../mapping/overCleanCells.ts"
import type { MappingConfig, MappingEntry } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { findPipeline } from "./findPipeline.ts"
import { prepare, type Prepared } from "./prepare.ts"

/** One answer of a row as it would be sent. */
export interface PreviewedAnswer {
  readonly name: string
  readonly kind: string
  /** The cells that it is made of; none for a constant. */
  readonly cells: ReadonlyArray<{ readonly column: string; readonly text: string }>
  /** Undefined: no answer is sent. */
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** One row as it would be sent, or why not. */
export interface PreviewedRow {
  readonly row: number
  readonly key: string | undefined
  readonly valid: boolean
  readonly answers: ReadonlyArray<PreviewedAnswer>
  /** Problems that are no single answer's. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * What would be sent for some rows of a pipeline's source: each cell beside the answer it becomes, problems included. The ledger is not asked.
 *
 * @param options.rows how many rows, from the first; `options.row`: this one only, the first record being 1
 */
export const preview = (
  project: Project,
  name: string,
  options: {
    readonly to: string | undefined
    readonly source: string | undefined
    readonly rows: number
    readonly row: number | undefined
  },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, name)
      const prepared = yield* prepare(project, pipeline, options)
      const first = options.row ?? 1
      const last = options.row ?? options.rows
      const show = previewer(prepared)
      const rows: Array<PreviewedRow> = []
      if (last >= first) {
        yield* prepared.source.read().pipe(
          Stream.takeUntil((chunk) => chunk.firstRow + chunk.rows.length > last),
          Stream.runForEach((chunk) =>
            Effect.sync(() => {
              for (const [index, cells] of chunk.rows.entries()) {
                const row = chunk.firstRow + index
                if (row >= first && row <= last) rows.push(show(row, cells, chunk.faults.get(index)))
              }
            })
          ),
        )
      }
      return { rows, form: prepared.form, warnings: prepared.warnings, notes: prepared.source.warnings }
    }),
  )

/** A mapped answer, its entry in the pipeline, and a mapping of it alone, which tells its value though others have problems. */
interface Part {
  readonly answer: MappedAnswer
  readonly columns: ReadonlyArray<string>
  readonly alone: Mapping | undefined
}

const previewer = (prepared: Prepared) => {
  const { mapping, source } = prepared
  const columns = new Map(
    source.columns.flatMap((column) => (column.name === undefined ? [] : [[column.name, column]])),
  )
  const parts = partsOf(prepared)
  return (row: number, cells: Cells, fault: Problem | undefined): PreviewedRow => {
    const mapped = mapping.map(cells)
    const problems = "problems" in mapped ? mapped.problems : []
    const key = mapping.key(cells)
    const blamed = new Set<Problem>()
    const answers = parts.map(({ answer, columns: names, alone }): PreviewedAnswer => {
      const own = problems.filter((problem) => problem.question === answer.id && !blamed.has(problem))
      for (const problem of own) blamed.add(problem)
      const single = "item" in mapped ? mapped : alone?.map(cells)
      return {
        name: answer.name,
        kind: answer.kind,
        cells: names.map((column) => ({ column, text: textOf(columns.get(column), cells) })),
        value: single !== undefined && "item" in single ? valueIn(single.item, answer) : undefined,
        problems: own,
      }
    })
    const others: ReadonlyArray<Problem> = [
      ...(fault === undefined ? [] : [fault]),
      ...(key === undefined && mapping.keyed === "columns"
        ? [{ code: "missing-key" as const, message: "The row has no row key: every column of `rowKey` is empty." }]
        : []),
      ...problems.filter((problem) => !blamed.has(problem)),
    ]
    return { row, key, valid: problems.length + others.length === 0, answers, problems: others }
  }
}

const textOf = (column: Column | undefined, cells: Cells): string =>
  column === undefined ? "" : cellText(cells[column.position])

/** The entries of a mapping in the order of its answers. */
const entriesOf = (config: MappingConfig): ReadonlyArray<MappingEntry> => [
  ...config.questions,
  ...config.urlParameters,
  ...[config.submissionTime, config.lastUpdatedAt, config.login].filter((entry) => entry !== undefined),
  ...config.scheduling,
  ...config.payments,
]

const partsOf = ({ pipeline, mapping, form, source }: Prepared): ReadonlyArray<Part> => {
  const entries = entriesOf(pipeline.mapping)
  return mapping.answers.map((answer, index) => {
    const entry = entries[index]
    if (entry === undefined) return { answer, columns: [], alone: undefined }
    const only = compile({
      pipeline: {
        ...pipeline,
        mapping: keepOnly(pipeline.mapping, entry),
        reconcile: { ...pipeline.reconcile, tolerate: [] },
      },
      form,
      columns: source.columns,
    })
    const inputs = entry.input._tag === "Parts" ? entry.input.parts.map(({ input }) => input) : [entry.input]
    const columns = inputs.flatMap((input) => input._tag === "Value" ? [] : input.columns.map(({ name }) => name))
    return {
      answer,
      columns: [...new Set(columns)],
      alone: Either.isRight(only) ? overCleanCells(only.right.mapping, source.tool?.clean) : undefined,
    }
  })
}

const keepOnly = (config: MappingConfig, entry: MappingEntry): MappingConfig => {
  const kept = (entries: ReadonlyArray<MappingEntry>) => entries.filter((one) => one === entry)
  const own = (one: MappingEntry | undefined) => (one === entry ? one : undefined)
  return {
    questions: kept(config.questions),
    urlParameters: kept(config.urlParameters),
    submissionTime: own(config.submissionTime),
    lastUpdatedAt: own(config.lastUpdatedAt),
    login: own(config.login),
    scheduling: kept(config.scheduling),
    payments: kept(config.payments),
    ignore: [],
    unmapped: "ignore",
  }
}

const valueIn = (item: Item, { id, list }: MappedAnswer): Json | undefined => {
  switch (list) {
    case "questions":
      return item.questions.find((one) => one.id === id)?.value
    case "urlParameters":
      return item.urlParameters?.find((one) => one.id === id)?.value
    case "scheduling":
      return asJson(item.scheduling?.find((one) => one.id === id)?.value)
    case "payments":
      return asJson(item.payments?.find((one) => one.id === id)?.value)
    case "own":
      if (id === "login") return item.login?.email
      return id === "submissionTime" ? item.submissionTime : item.lastUpdatedAt
  }
}

const asJson = (value: object | undefined): Json | undefined => (value === undefined ? undefined : { ...value } as Json)
