import { Effect, Stream } from "effect"
import type { Item } from "../domain/item.ts"
import type { IntendedRow, LedgerError, LedgerOvertaken, LedgerSession, ReadBack } from "../ledger/Ledger.ts"
import { readBack, type ReadBackOptions, type ReadBackResult } from "../reconcile/ReadBack.ts"
import type { RejectedRow, ReportError } from "../report/RunFolder.ts"
import type { BatchResult, SentRow, Sink, SinkFailure } from "../sink/Sink.ts"
import { attentionRow } from "./review.ts"
import type { RunContext } from "./RunContext.ts"
import { showProgress } from "./showProgress.ts"
import { overLimit } from "./stopWhen.ts"
import type { Survey } from "./survey.ts"
import type { Tally } from "./Tally.ts"

/** Batches whose submissions are read back at the same time; a submission that is not visible yet must not hold up the others. */
const readingBatches = 32

export interface Delivery {
  readonly run: RunContext
  readonly session: LedgerSession
  readonly survey: Survey
  readonly sink: Sink
  readonly tally: Tally
  readonly readBack: ReadBackOptions
  /** Rows that are new in this run: what shares of `stopWhen` are taken of. */
  readonly newRows: number
}

/** Sends batches, several in flight, and reads each submission back as soon as it was created, ahead of further batches. */
export const deliver = <E>(
  delivery: Delivery,
  batches: Stream.Stream<ReadonlyArray<IntendedRow>, E>,
): Effect.Effect<void, E | SinkFailure | ReportError> =>
  batches.pipe(
    Stream.mapEffect(
      (rows) => Effect.flatMap(delivery.sink.send(rows), (result) => Effect.as(settled(delivery, result), result)),
      { concurrency: delivery.run.pipeline.sink.concurrency, unordered: true },
    ),
    Stream.mapEffect((result) => readBackRows(delivery, created(result.rows)), {
      concurrency: readingBatches,
      unordered: true,
    }),
    Stream.runDrain,
    Effect.tapError(() => delivery.run.stop.request({ _tag: "Failed" })),
  )

/** A created submission that is to be read back. */
export interface CreatedRow {
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly item: Item
  readonly submissionId: string
}

const created = (rows: ReadonlyArray<SentRow>): ReadonlyArray<CreatedRow> =>
  rows.flatMap((
    { row, outcome },
  ) => (outcome._tag === "Imported" ? [{ ...row, submissionId: outcome.submissionId }] : []))

/** Takes down what became of a batch, and stops the run where it must. */
const settled = (delivery: Delivery, result: BatchResult) =>
  Effect.gen(function*() {
    const { run, survey, tally } = delivery
    const refused: Array<RejectedRow> = []
    for (const { row, outcome } of result.rows) {
      if (outcome._tag !== "NotCreated") tally.sentItem(row.item)
      switch (outcome._tag) {
        case "Imported":
          survey.fates.set(row.row, "imported")
          tally.imported++
          break
        case "InDoubt":
          survey.fates.set(row.row, "inDoubt")
          tally.fresh.inDoubt++
          break
        case "Refused": {
          survey.fates.set(row.row, "refused")
          tally.fresh.refused++
          const problem = { code: "refused", message: outcome.message } as const
          tally.problem(row.row, problem)
          refused.push({
            row: row.row,
            key: row.key,
            fate: "refused",
            problems: [problem],
            cells: row.cells,
            quiet: false,
          })
          break
        }
        case "NotCreated":
          break
      }
    }
    if (refused.length > 0) {
      yield* run.folder.reject(refused)
      yield* delivery.session.attention(refused.map(attentionRow(run)))
    }
    const { trouble } = result
    if (trouble?._tag === "Unusable") {
      yield* run.stop.request({ _tag: "Unavailable", because: trouble.error.message })
    } else if (trouble?._tag === "Unreachable") {
      yield* run.stop.request({
        _tag: "Unavailable",
        because: `The service could not be reached in ${trouble.attempts} attempts: ${trouble.reason}.`,
      })
    } else if (trouble?._tag === "AllRefused") {
      yield* run.stop.request({
        _tag: "Protected",
        because:
          `The service refuses every row for the same reason, so that the mapping or the form is to blame: ${trouble.message}`,
      })
    }
    yield* guard(delivery)
  })

/** Stops the run when a limit of `stopWhen` is passed. */
const guard = ({ run, tally, newRows }: Delivery) =>
  Effect.suspend(() => {
    const limits = run.pipeline.sink.stopWhen
    const among = "rows that are new in this run"
    const because = overLimit("refused", limits.refused, { rows: tally.fresh.refused, of: newRows, among })
      ?? overLimit("differing or missing", limits.differing, { rows: tally.fresh.differing, of: newRows, among })
      ?? overLimit("in doubt", limits.inDoubt, { rows: tally.fresh.inDoubt, of: newRows, among })
    return because === undefined || run.stop.requested()
      ? Effect.void
      : run.stop.request({ _tag: "Protected", because })
  })

/** Whether what is not read back yet stays unread: the next run reads it first. */
const readingEnds = (run: RunContext): boolean => run.stop.reasons().some((reason) => reason._tag !== "Protected")

/** Reads created submissions back, records their verdicts, and takes the differences down. */
export const readBackRows = (
  delivery: Delivery,
  rows: ReadonlyArray<CreatedRow>,
  ofThisRun = true,
): Effect.Effect<void, LedgerError | LedgerOvertaken | ReportError> =>
  Effect.gen(function*() {
    const { run, session, tally } = delivery
    const results = yield* Effect.forEach(
      rows,
      (row) =>
        Effect.suspend(() => readingEnds(run) ? Effect.succeed(undefined) : readBack(row, delivery.readBack)).pipe(
          Effect.map((result) => ({ row, result })),
          Effect.catchTag(
            "ServiceUnusable",
            (error) =>
              Effect.as(run.stop.request({ _tag: "Unavailable", because: error.message }), { row, result: undefined }),
          ),
        ),
      { concurrency: "unbounded" },
    )
    const read = results.flatMap(({ row, result }) => (result === undefined ? [] : [{ row, result }]))
    if (read.length > 0) {
      yield* session.readBack(read.map(({ row, result }): ReadBack => ({
        keyDigest: row.keyDigest,
        verdict: result.verdict,
        answers: result.answers,
      })))
    }
    for (const { row, result } of read) {
      if (ofThisRun) tally.readBack(result.verdict)
      yield* takeDown(delivery, row, result)
    }
    yield* guard(delivery)
    yield* showProgress(run, tally)
  })

const takeDown = ({ run, tally }: Delivery, row: CreatedRow, result: ReadBackResult) => {
  tally.compared(result.comparisons)
  tally.discard(result.discarded)
  const differences = result.comparisons.flatMap((one) =>
    one.verdict === "same" || one.verdict === "equivalent"
      ? []
      : [{
        row: row.row,
        key: row.key,
        submissionId: row.submissionId,
        question: one.question,
        name: one.name,
        verdict: one.verdict,
        sent: one.sent,
        returned: one.returned,
        editLink: result.editLink,
      }]
  )
  for (const difference of differences) tally.difference(difference)
  return differences.length === 0 ? Effect.void : run.folder.differ(differences)
}
