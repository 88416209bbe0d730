import * as Effect from "effect/Effect"
import { isDifference } from "../domain/comparison.ts"
import type { AnswerChange } from "../domain/previewedRow.ts"
import type { ChangedAnswer } from "../domain/report.ts"
import { type Cells, shownName } from "../domain/row.ts"
import type { Submission } from "../domain/submission.ts"
import { compareSubmission } from "../kinds/submission.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { FormService } from "../service/FormService.ts"
import type { FateTable } from "./FateTable.ts"
import { CurrentRun } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

/** The maximum number of changed rows whose submissions a run reads: each costs a request. */
const mostChanged = 20

/** A row whose content differs from what was imported. */
export interface ChangedRow {
  readonly row: number
  readonly key: string
  readonly cells: Cells
  readonly submissionId: string
}

/** The first rows of a source that changed after they were imported. */
export class ChangedRows {
  private readonly rows: Array<ChangedRow> = []

  add(row: ChangedRow): void {
    if (this.rows.length < mostChanged) this.rows.push(row)
  }

  /** Returns the rows whose final fate is `changed`. */
  of(fates: FateTable): ReadonlyArray<ChangedRow> {
    return this.rows.filter(({ row }) => fates.get(row) === "changed")
  }
}

/** Returns the answers of a row that differ from its submission. Undefined if the row is not valid. */
export const changesOf = (
  mapping: Mapping,
  { cells, key }: Pick<ChangedRow, "cells" | "key">,
  submission: Submission,
): ReadonlyArray<AnswerChange> | undefined => {
  const mapped = mapping.map(cells, key)
  if ("problems" in mapped) return undefined
  const explained = mapping.explain(cells, key).answers
  return compareSubmission(mapping.answers, mapped.item, submission)
    .filter(({ question, verdict }) => !mapping.origin.has(question) && isDifference(verdict))
    .map(({ name, question, returned = null, sent = null }) => ({
      question,
      name,
      columns: explained.find(({ answer }) => answer.id === question)?.columns.map(shownName) ?? [],
      inForm: returned,
      now: sent,
    }))
}

/**
 * Returns what changed in changed rows. Reads their submissions, because the ledger has only digests of what was imported. Leaves out a row that is not valid, and a row whose submission can't be
 * read.
 */
export const readChanges = (rows: ReadonlyArray<ChangedRow>) =>
  Effect.gen(function*() {
    const { form, mapping } = yield* CurrentRun
    const service = yield* FormService
    const stop = yield* Stop
    if (stop.reading.aborted) return []
    const read = (one: ChangedRow) =>
      Effect.map(
        Effect.orElseSucceed(service.read(form.id, one.submissionId), () => undefined),
        (submission) => {
          const { key, row, submissionId } = one
          const changes = submission === undefined ? undefined : changesOf(mapping, one, submission)
          return (changes ?? []).map((change): ChangedAnswer => ({ row, key, submissionId, ...change }))
        },
      )
    const changes = yield* unlessAborted(Effect.forEach(rows, read, { concurrency: "unbounded" }), stop.reading)
    return (changes ?? []).flat()
  })
