import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { cellText } from "../domain/cell.ts"
import { calledName } from "../domain/form.ts"
import type { PreviewedAnswer, PreviewedRow, RowChange } from "../domain/previewedRow.ts"
import { maySkip, type Problem } from "../domain/problem.ts"
import { type Cells, shownName } from "../domain/row.ts"
import type { Project } from "../project/Project.ts"
import { changesOf } from "../run/changedRows.ts"
import { contentDigest } from "../run/content.ts"
import { ownColumns } from "../source/fixed.ts"
import { collectTraps } from "./answerTraps.ts"
import { prepare, type Prepared, type PrepareOptions } from "./prepare.ts"
import { viewOf } from "./projectLedger.ts"
import { findRepeated } from "./repeatedRows.ts"
import { findPipeline, type OfPipeline } from "./target.ts"

/**
 * Returns what would be sent for some rows of a pipeline's source: each cell, the answer made from it, and its problems. For a row that was imported
 * with different content, also reads its submission. `read` is the number of the source's rows if it has none of the wanted ones.
 *
 * @param options.row the number of the first row to show; default: 1
 * @param options.rows the number of rows to show; default: 5, or 1 with `row`
 */
export const preview = (
  project: Project,
  options: OfPipeline & Pick<PrepareOptions, "services" | "source"> & {
    readonly rows: number | undefined
    readonly row: number | undefined
  },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const prepared = yield* prepare(project, pipeline, options)
      const first = options.row ?? 1
      const last = first + (options.rows ?? (options.row === undefined ? 5 : 1)) - 1
      const show = previewer(prepared)
      const repeatedBy = repeats(prepared)
      const changeOf = yield* changes(project, prepared)
      const traps = collectTraps(prepared.pipeline, prepared.mapping, prepared.form)
      const rows: Array<PreviewedRow> = []
      let read = 0
      yield* prepared.source.read().pipe(
        Stream.takeUntil((chunk) => chunk.firstRow + chunk.rows.length > last),
        Stream.runForEach((chunk) =>
          Effect.gen(function*() {
            read = chunk.firstRow + chunk.rows.length - 1
            for (const [index, cells] of chunk.rows.entries()) {
              const row = chunk.firstRow + index
              if (row > last) break
              const fault = chunk.faults.get(index)
              const repeated = repeatedBy(row, cells, fault)
              if (row < first) continue
              const shown = show(row, cells, fault, repeated)
              const mapped = shown.valid && !shown.filtered ? prepared.mapping.map(cells) : undefined
              if (mapped !== undefined && "item" in mapped) traps.add(mapped.item, cells)
              const change = shown.filtered || repeated.length > 0 ? undefined : yield* changeOf(cells)
              rows.push(change === undefined ? shown : { ...shown, change })
            }
          })
        ),
      )
      return {
        rows,
        read,
        form: prepared.form,
        warnings: [...prepared.changed.diagnostics, ...prepared.warnings, ...traps.findings()],
        notes: prepared.source.warnings,
      }
    }),
  )

/** Returns a function that finds out how a row differs from its submission. The function returns undefined if the row has no submission, or has the same content. */
const changes = (project: Project, { form, ledger: opening, mapping, pipeline, service, source, target }: Prepared) =>
  Effect.map(opening, (ledger) => {
    const view = ledger && viewOf({ project, pipeline, target }, ledger, form.id)
    const columns = ownColumns(source.columns)
    return (cells: Cells) =>
      Effect.gen(function*() {
        const key = mapping.keyed === "columns" ? mapping.key(cells) : undefined
        if (ledger === undefined || view === undefined || key === undefined) return undefined
        const [known] = yield* view.lookUp([ledger.digest.key(key)])
        if (known?.state !== "imported" || known.submissionId === undefined) return undefined
        const digestOver = (names: ReadonlyArray<string>) => contentDigest(names, columns, ledger.digest)(cells)
        const isKnown = known.content.equals(digestOver(known.columns))
        if (isKnown || known.superseded.some((one) => one.content.equals(digestOver(one.columns)))) return undefined
        const { submissionId } = known
        const none = (note: string): RowChange => ({ submissionId, answers: [], note })
        const submission = yield* Effect.either(service.read(form.id, submissionId))
        if (Either.isLeft(submission)) return none(`The submission ${submissionId} can't be read.`)
        if (submission.right === undefined) return none(`The submission ${submissionId} is no longer in the form.`)
        const answers = changesOf(mapping, { cells, key }, submission.right)
        if (answers === undefined) {
          return none(`The row is not valid, so it can't be compared with the submission ${submissionId}.`)
        }
        return answers.length > 0
          ? { submissionId, answers }
          : none(`No answer differs from the submission ${submissionId}: only the cells are written differently.`)
      })
  })

/** Returns a function that must receive all rows in order. It returns the problems that `findRepeated` finds in a row that is mapped. */
const repeats = ({ mapping, pipeline, source }: Prepared) => {
  const repeated = findRepeated(pipeline, source, mapping)
  return (row: number, cells: Cells, fault: Problem | undefined): ReadonlyArray<Problem> => {
    if (fault !== undefined || mapping.filtered(cells)) return []
    const key = mapping.key(cells)
    return repeated(row, cells, key, !("problems" in mapping.map(cells, key)))
  }
}

const previewer =
  ({ mapping }: Prepared) =>
  (row: number, cells: Cells, fault: Problem | undefined, repeated: ReadonlyArray<Problem>): PreviewedRow => {
    const key = mapping.key(cells)
    const explained = mapping.explain(cells, key)
    const answers = explained.answers.map(({ answer, columns, value, problems }): PreviewedAnswer => ({
      name: calledName(answer),
      kind: answer.kind,
      cells: columns.map((column) => ({ column: shownName(column), text: cellText(cells[column.position]) })),
      value,
      problems,
    }))
    const problems: ReadonlyArray<Problem> = [
      ...(fault === undefined ? [] : [fault]),
      ...repeated,
      ...explained.problems,
    ]
    // A dropped answer doesn't make the row invalid.
    const wrong = answers.some((answer) => answer.problems.some((problem) => problem.dropped !== true))
    return {
      row,
      key,
      filtered: maySkip(fault) && mapping.filtered(cells),
      valid: !wrong && problems.length === 0,
      answers,
      problems,
    }
  }
