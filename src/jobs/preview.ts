import { Effect, Stream } from "effect"
import { cellText } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"
import { missingKeyProblem } from "../mapping/problems.ts"
import type { Project } from "../project/Project.ts"
import { shownName } from "../source/columns.ts"
import { prepare, type Prepared } from "./prepare.ts"
import { findPipeline } from "./target.ts"

/** One answer of a row as it would be sent. */
interface PreviewedAnswer {
  readonly name: string
  readonly kind: string
  /** The cells that it is made of. A constant has none. */
  readonly cells: ReadonlyArray<{ readonly column: string; readonly text: string }>
  /** Undefined if no answer is sent. */
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** One row as it would be sent, and its problems. */
export interface PreviewedRow {
  readonly row: number
  readonly key: string | undefined
  /** Whether the pipeline's `where` skips it. */
  readonly filtered: boolean
  readonly valid: boolean
  readonly answers: ReadonlyArray<PreviewedAnswer>
  /** Problems of the row as a whole. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * Returns what would be sent for some rows of a pipeline's source: each cell, the answer it becomes, and its problems. Reads only the recorded form from the ledger.
 *
 * @param options.rows how many rows, from the first
 * @param options.row only this row. The first record is row 1
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
      return {
        rows,
        form: prepared.form,
        warnings: [...prepared.changed.diagnostics, ...prepared.warnings],
        notes: prepared.source.warnings,
      }
    }),
  )

const previewer =
  ({ mapping, pipeline }: Prepared) => (row: number, cells: Cells, fault: Problem | undefined): PreviewedRow => {
    const key = mapping.key(cells)
    const explained = mapping.explain(cells, key)
    const answers = explained.answers.map(({ answer, columns, value, problems }): PreviewedAnswer => ({
      name: answer.name,
      kind: answer.kind,
      cells: columns.map((column) => ({ column: shownName(column), text: cellText(cells[column.position]) })),
      value,
      problems,
    }))
    const problems: ReadonlyArray<Problem> = [
      ...(fault === undefined ? [] : [fault]),
      ...(key === undefined && mapping.keyed === "columns"
        ? [missingKeyProblem(pipeline)]
        : []),
      ...explained.problems,
    ]
    // The row stays valid without an answer that is dropped.
    const wrong = answers.some((answer) => answer.problems.some((problem) => problem.dropped !== true))
    return {
      row,
      key,
      filtered: fault === undefined && mapping.filtered(cells),
      valid: !wrong && problems.length === 0,
      answers,
      problems,
    }
  }
