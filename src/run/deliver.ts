import { Effect } from "effect"
import type { Scope } from "effect"
import type { IntendedRow } from "../ledger/records.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { ReportError } from "../report/partFiles.ts"
import { traced } from "../service/telemetry.ts"
import { OutcomeUnrecorded } from "../sink/Sink.ts"
import type { BatchResult, SentRow, Sink, SinkFailure, Trouble } from "../sink/Sink.ts"
import { type Batches, inTwoSteps } from "./inTwoSteps.ts"
import { type CreatedRow, readBackRows, type Reading } from "./readBackRows.ts"
import { attentionRow } from "./review.ts"
import type { RunContext } from "./RunContext.ts"
import { overLimit } from "./stopWhen.ts"
import type { Survey } from "./survey.ts"

/** Batches whose submissions are read back at the same time; a submission that is not visible yet must not hold up the others. */
const readingBatches = 32

export interface Delivery extends Reading {
  readonly run: RunContext
  readonly survey: Survey
  readonly sink: Sink
  /** Rows that are new in this run: what shares of `stopWhen` are taken of. */
  readonly newRows: number
}

/**
 * Sends batches, several in flight, and reads each submission back as soon as it was created, ahead of further batches. What fails stops the run, and nothing else: whatever else is in
 * flight is finished, recorded and counted before it fails in the end.
 */
export const deliver = (
  delivery: Delivery,
  batches: Effect.Effect<Batches<ReadonlyArray<IntendedRow>, DeliveryFailure>, never, Scope.Scope>,
): Effect.Effect<void, DeliveryFailure> =>
  Effect.scoped(Effect.gen(function*() {
    const failures: Array<DeliveryFailure> = []
    const failed = (error: DeliveryFailure) =>
      Effect.suspend(() => {
        failures.push(error)
        return delivery.run.stop.request({ _tag: "Failed" })
      })
    const lost = (error: DeliveryFailure) => Effect.as(failed(error), [])
    const send = (rows: ReadonlyArray<IntendedRow>): Effect.Effect<ReadonlyArray<CreatedRow>> =>
      Effect.uninterruptible(
        Effect.matchEffect(traced("batch", { "formferry.rows": rows.length }, delivery.sink.send(rows)), {
          onFailure: lost,
          onSuccess: (result) => {
            const rows = created(result.rows)
            const news = settled(delivery, result)
            return news === undefined
              ? Effect.succeed(rows)
              : Effect.matchEffect(news, { onFailure: lost, onSuccess: () => Effect.succeed(rows) })
          },
        }),
      )
    const read = (rows: ReadonlyArray<CreatedRow>) =>
      Effect.matchEffect(readBackRows(delivery, rows, true), {
        onFailure: failed,
        onSuccess: () => guard(delivery) ?? Effect.void,
      })
    const { last, more, next } = yield* batches
    const orFailed = <A>(batch: Effect.Effect<A, DeliveryFailure> | undefined) =>
      batch && Effect.catchAll(batch, (error) => Effect.as(failed(error), undefined))
    const all = inTwoSteps(
      { next: () => orFailed(next()), more, last: () => orFailed(last()) },
      { work: send, atOnce: delivery.run.pipeline.sink.concurrency },
      { work: read, atOnce: readingBatches },
    )
    yield* traced(delivery.tally.phase, {}, all)
    const gravest = gravestOf(failures)
    if (gravest !== undefined) return yield* gravest
  }))

type DeliveryFailure = SinkFailure | ReportError

/** The failure to tell: submissions that the ledger does not know above all, of all batches together. */
const gravestOf = (failures: ReadonlyArray<DeliveryFailure>): DeliveryFailure | undefined => {
  const unrecorded = failures.filter((one) => one._tag === "OutcomeUnrecorded")
  const [first] = unrecorded
  if (first !== undefined) {
    return new OutcomeUnrecorded({ batches: unrecorded.flatMap((one) => one.batches), reason: first.reason })
  }
  return failures.find((one) => one._tag !== "LedgerOvertaken") ?? failures[0]
}

const created = (rows: ReadonlyArray<SentRow>): ReadonlyArray<CreatedRow> => {
  const found: Array<CreatedRow> = []
  for (const { row: { item, key, keyDigest, replaces, row }, outcome } of rows) {
    // Without the row's cells: what waits to be read back keeps only what that needs.
    if (outcome._tag === "Imported") {
      found.push({ keyDigest, key, row, item, submissionId: outcome.submissionId, replaces })
    }
  }
  return found
}

/** Takes down what became of a batch. Gives what there is to write down of it, and whether the run has to stop: undefined for nearly all. */
const settled = (delivery: Delivery, result: BatchResult): Effect.Effect<void, DeliveryFailure> | undefined => {
  const { survey, tally } = delivery
  const refused: Array<RejectedRow> = []
  for (const { row, outcome } of result.rows) {
    if (outcome._tag !== "NotCreated") tally.sentItem(row.item)
    switch (outcome._tag) {
      case "Imported":
        survey.fates.set(row.row, "imported")
        survey.cells.settle(row.row, "imported")
        tally.imported++
        break
      case "InDoubt":
        survey.fates.set(row.row, "inDoubt")
        survey.cells.settle(row.row, "inDoubt")
        tally.fresh.inDoubt++
        break
      case "Refused": {
        // What was sent the first time may have landed all the same: the row is in doubt as it was.
        if (survey.resending.has(row.row)) {
          survey.fates.set(row.row, "inDoubt")
          survey.cells.settle(row.row, "inDoubt")
          tally.fresh.inDoubt++
          break
        }
        survey.fates.set(row.row, "refused")
        survey.cells.settle(row.row, "refused")
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
        survey.cells.settle(row.row, "pending")
        break
    }
  }
  return refused.length === 0 && result.trouble === undefined
    ? guard(delivery)
    : told(delivery, refused, result.trouble)
}

/** Writes refused rows down, and stops the run where there is trouble. */
const told = (
  delivery: Delivery,
  refused: ReadonlyArray<RejectedRow>,
  trouble: Trouble | undefined,
): Effect.Effect<void, DeliveryFailure> =>
  Effect.gen(function*() {
    const { run } = delivery
    if (refused.length > 0) {
      yield* run.folder.reject(refused)
      yield* delivery.session.attention(refused.map(attentionRow(run)))
    }
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
    yield* guard(delivery) ?? Effect.void
  })

/** What stops the run when a limit of `stopWhen` is passed; undefined: none is. */
const guard = ({ run, tally, newRows }: Delivery): Effect.Effect<void> | undefined => {
  const limits = run.pipeline.sink.stopWhen
  const among = "rows that are new in this run"
  const because = overLimit("refused", limits.refused, { rows: tally.fresh.refused, of: newRows, among })
    ?? overLimit("differing or missing", limits.differing, { rows: tally.fresh.differing, of: newRows, among })
    ?? overLimit("in doubt", limits.inDoubt, { rows: tally.fresh.inDoubt, of: newRows, among })
  return because === undefined || run.stop.requested() ? undefined : run.stop.request({ _tag: "Protected", because })
}
