import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withoutParameters } from "../domain/item.ts"
import { fit } from "../kinds/submission.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import type { IntendedRow } from "../ledger/rows.ts"
import type { ReadBackOptions } from "../reconcile/ReadBack.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { ReportError } from "../report/partFiles.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { FormService } from "../service/FormService.ts"
import { traced } from "../service/telemetry.ts"
import {
  type BatchResult,
  makeSink,
  OutcomeUnrecorded,
  type RowResult,
  type Sink,
  type SinkFailure,
} from "../sink/Sink.ts"
import { columnNames } from "../source/columns.ts"
import { canarySize, evaluateCanary, recordCanary } from "./canary.ts"
import { idOf } from "./content.ts"
import { outgoing } from "./outgoing.ts"
import { showProgress } from "./Progress.ts"
import { type CreatedRow, readBackOptions, readBackRows } from "./readBackRows.ts"
import { addToReview, attentionRow, overLimit, type Review } from "./review.ts"
import { refusedProblem } from "./rowProblems.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"
import type { Survey } from "./survey.ts"

/** The number of batches whose submissions may be read back while others are sent. A submission that is not visible yet must not delay the others. */
const readingBatches = 32

/** The state of sending. */
interface Delivery {
  readonly survey: Survey
  readonly review: Review
  readonly sink: Sink
  readonly readBack: ReadBackOptions
  /** The number of rows that are new in this run. Shares in `stopWhen` refer to this number. */
  readonly newRows: number
}

type DeliveryFailure = SinkFailure | ReportError

/** Reads back the submissions that earlier runs left unread. Then sends the canary and, if it passed, the remaining rows. */
export const send = (session: LedgerSession, survey: Survey, review: Review) =>
  Effect.gen(function*() {
    const { columns, form, formFingerprint, limit, mapping, mayBeSent, mode, pipeline, serviceName, shape } =
      yield* CurrentRun
    const { ledger } = yield* RunLedger
    const stop = yield* Stop
    const counts = yield* RunCounts
    const delivery: Delivery = {
      survey,
      review,
      newRows: survey.fates.count("pending"),
      sink: makeSink({
        formId: form.id,
        service: yield* FormService,
        session,
        fit: (item, submission) => fit(item, submission, mapping.answers),
        intent: {
          columns: columnNames(columns),
          contentColumns: shape,
          mapping: mapping.fingerprint,
          resend: pipeline.sink.inDoubt === "resend",
        },
        form: formFingerprint,
        digestOf: (row) => ledger.digest.value(withoutParameters(row.item, mapping.origin)),
        retries: pipeline.sink.retries,
        stop: stop.sending,
      }),
      readBack: yield* readBackOptions,
    }
    // A rehearsal's service lacks the submissions of earlier runs.
    if (mode !== "rehearsal") yield* readUnread(delivery)
    const most = Math.min(limit ?? Number.POSITIVE_INFINITY, delivery.newRows)
    if (most === 0 || stop.requested()) return
    const size = yield* canarySize
    if (stop.requested()) return
    if (mayBeSent !== undefined && !(yield* mayBeSent(most))) {
      return yield* stop.request({ _tag: "Unconfirmed", service: serviceName })
    }
    const canary = canaryOf(survey, Math.min(size, most))
    if (canary.size > 0) {
      yield* RunCounts.start("canary")
      yield* recordCanary
      counts.total = canary.size
      yield* deliver(delivery, (row) => canary.has(row), canary.size)
      yield* evaluateCanary
      if (stop.requested()) return
    }
    // Loaded while requests are in flight, so that the run's end doesn't wait for it. Waits a second, because the first requests would be late.
    yield* Effect.forkScoped(Effect.delay((yield* RunFolder).loadWriter, "1 second"))
    yield* RunCounts.start("import")
    counts.total = most
    const isLeft = (row: number) => !canary.has(row) && survey.fates.get(row) === "pending"
    yield* deliver(delivery, isLeft, most - canary.size)
  }).pipe(Effect.scoped)

/** Returns the rows of the canary. If none of the chosen rows can be sent, returns the first rows that can. */
const canaryOf = (survey: Survey, size: number): ReadonlySet<number> => {
  const chosen = survey.canary.choose(size, (row) => survey.fates.get(row) === "pending")
  return new Set(chosen.length > 0 ? chosen : survey.fates.first("pending", size))
}

/** Reads back submissions that earlier runs created but did not read back. One that the service can't return doesn't block the others, or the new rows. */
const readUnread = ({ readBack }: Delivery) =>
  Effect.gen(function*() {
    const { view } = yield* RunLedger
    const stop = yield* Stop
    yield* Stream.runForEach(
      view.pages("sent", { verdicts: ["unread"] }),
      (rows) => {
        const unread = rows.flatMap(({ item, ...row }) => (item === undefined ? [] : [{ ...row, item }]))
        return stop.requested()
          ? Effect.void
          : readBackRows({ ...readBack, leavesUnreadable: true }, unread, "earlier runs")
      },
    )
  })

/**
 * Sends the chosen rows in batches, several in flight. Reads each submission back as soon as it is created, before further batches are sent. A failure stops the run. This function fails only after
 * everything in flight is finished, recorded and counted.
 */
const deliver = (delivery: Delivery, choose: (row: number) => boolean, count: number) =>
  Effect.scoped(Effect.gen(function*() {
    // The first batch may take long.
    yield* showProgress
    const { pipeline } = yield* CurrentRun
    const stop = yield* Stop
    const failures: Array<DeliveryFailure> = []
    const failed = (error: DeliveryFailure) => {
      failures.push(error)
      return stop.request({ _tag: "Failed" })
    }
    const sendBatch = (rows: ReadonlyArray<IntendedRow>) =>
      traced("batch", { "formferry.rows": rows.length }, delivery.sink.send(rows)).pipe(
        Effect.tap((result) => recordOutcomes(delivery, result)),
        Effect.map((result) => createdRows(result.rows)),
        Effect.catchAll((error) => Effect.as(failed(error), [])),
        Effect.uninterruptible,
      )
    const readBatch = (rows: ReadonlyArray<CreatedRow>) =>
      readBackRows(delivery.readBack, rows, "this run").pipe(
        Effect.zipRight(checkLimits(delivery)),
        Effect.catchAll(failed),
      )
    const next = yield* outgoing(delivery.survey, choose, count)
    const taking = yield* Effect.makeSemaphore(1)
    const sending = yield* Effect.makeSemaphore(pipeline.sink.concurrency)
    const taken = taking.withPermits(1)(Effect.catchAll(next, (error) => Effect.as(failed(error), undefined)))
    const sendNext = sending.withPermits(1)(
      Effect.flatMap(taken, (rows) => rows === undefined ? Effect.succeed(undefined) : sendBatch(rows)),
    )
    // Uses workers, because `Stream.mapEffect` would cause half of an import's operations. A worker releases a batch's cells before it reads back.
    const worker = Effect.gen(function*() {
      for (let created = yield* sendNext; created !== undefined; created = yield* sendNext) yield* readBatch(created)
    })
    const work = Effect.all(
      Array.from({ length: pipeline.sink.concurrency + readingBatches }, () => worker),
      { concurrency: "unbounded", discard: true },
    )
    yield* traced((yield* RunCounts).phase, {}, work)
    const failure = mostSevere(failures)
    if (failure !== undefined) return yield* failure
  }))

/** Picks the failure to report. Submissions missing from the ledger come first, and those of all batches are reported together. */
const mostSevere = (failures: ReadonlyArray<DeliveryFailure>): DeliveryFailure | undefined => {
  const unrecorded = failures.filter((one) => one._tag === "OutcomeUnrecorded")
  const [first] = unrecorded
  if (first !== undefined) {
    return new OutcomeUnrecorded({ batches: unrecorded.flatMap((one) => one.batches), reason: first.reason })
  }
  return failures.find((one) => one._tag !== "LedgerOvertaken") ?? failures[0]
}

/** Returns the created rows without their cells, to save memory while they wait to be read back. */
const createdRows = (rows: ReadonlyArray<RowResult>): ReadonlyArray<CreatedRow> =>
  rows.flatMap(({ row: { item, key, keyDigest, replaces, row }, outcome }) =>
    outcome._tag === "Imported"
      ? [{ keyDigest, key, row, item, submissionId: outcome.submissionId, replaces }]
      : []
  )

/** Counts the outcomes of a batch, records refused rows, and stops the run if a problem requires it. */
const recordOutcomes = (delivery: Delivery, result: BatchResult) =>
  Effect.gen(function*() {
    const { cells, fates } = delivery.survey
    const counts = yield* RunCounts
    const { mapping } = yield* CurrentRun
    const refused: Array<RejectedRow> = []
    for (const { row: sent, outcome } of result.rows) {
      const { cells: texts, content, item, key, row, supersedes } = sent
      if (outcome._tag === "NotCreated") {
        fates.keepPending(row)
        cells.endSending(row, "pending")
        continue
      }
      counts.sentItem(item)
      // If a resent row is refused, its first request may still have arrived, so the row stays in doubt.
      const fate = outcome._tag === "Imported"
        ? "imported"
        : outcome._tag === "InDoubt" || fates.has(row, "resends")
        ? "inDoubt"
        : "refused"
      fates.set(row, fate)
      cells.endSending(row, fate)
      if (outcome._tag === "Imported") counts.samples.add(sent, outcome.submissionId)
      if (fate === "imported") counts.imported++
      else counts.fresh[fate]++
      if (outcome._tag === "Refused" && fate === "refused") {
        const problem = refusedProblem(outcome.message, item, mapping.answers)
        counts.problem(row, problem)
        const was = supersedes ?? { key, content }
        const problems = [problem]
        refused.push({ id: idOf(was.content), row, key: was.key, fate, problems, cells: texts, needsReview: true })
      }
    }
    if (refused.length > 0) {
      yield* (yield* RunFolder).reject(refused)
      const attention = refused.map(attentionRow(yield* CurrentRun))
      yield* addToReview(delivery.review, attention)
      yield* RunLedger.write((session) => session.recordFacts({ attention }))
    }
    if (result.trouble !== undefined) yield* (yield* Stop).request(result.trouble)
    yield* checkLimits(delivery)
  })

/** Stops the run if it exceeds a limit of `stopWhen`. */
const checkLimits = ({ newRows }: Delivery) =>
  Effect.gen(function*() {
    const { stopWhen } = (yield* CurrentRun).pipeline.sink
    const { differing, inDoubt, refused } = (yield* RunCounts).fresh
    const stop = yield* Stop
    const because = overLimit("refused", stopWhen.refused, { rows: refused, of: newRows })
      ?? overLimit("differing or missing", stopWhen.differing, { rows: differing, of: newRows })
      ?? overLimit("in doubt", stopWhen.inDoubt, { rows: inDoubt, of: newRows })
    if (because !== undefined && !stop.requested()) yield* stop.request({ _tag: "Protected", because })
  })
