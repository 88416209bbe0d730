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
  /** The cells that the answer is made of. Empty for a constant. */
  readonly cells: ReadonlyArray<{ readonly column: string; readonly text: string }>
  /** The answer's value. Undefined if no answer is sent. */
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** One row as it would be sent, and its problems. */
export interface PreviewedRow {
  readonly row: number
  readonly key: string | undefined
  /** Whether the pipeline's `where` skips the row. */
  readonly filtered: boolean
  readonly valid: boolean
  readonly answers: ReadonlyArray<PreviewedAnswer>
  /** Problems of the row as a whole. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * Returns what would be sent for some rows of a pipeline's source: each cell, the answer made from it, and its problems. From the ledger, reads only the recorded form.
 *
 * @param options.row the number of the first row to show, from 1; default: 1
 * @param options.rows the number of rows to show; default: 5, or 1 with `row`
 */
export const preview = (
  project: Project,
  name: string,
  options: {
    readonly to: string | undefined
    readonly source: string | undefined
    readonly rows: number | undefined
    readonly row: number | undefined
  },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, name)
      const prepared = yield* prepare(project, pipeline, options)
      const first = options.row ?? 1
      const last = first + (options.rows ?? (options.row === undefined ? 5 : 1)) - 1
      const show = previewer(prepared)
      const rows: Array<PreviewedRow> = []
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
    // A dropped answer doesn't make the row invalid.
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
