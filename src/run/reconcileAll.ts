import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { submissionsIn, type Verdict, verdicts } from "../domain/fate.ts"
import { isoOf } from "../domain/times.ts"
import type { SentRow } from "../ledger/pages.ts"
import type { SeenAgain } from "../ledger/rows.ts"
import type { Reconciliation } from "../ledger/standing.ts"
import { checkDrift, compareWithVerified, type DriftResult } from "../reconcile/drift.ts"
import { type ReadBackOptions, unlessUnreadable } from "../reconcile/ReadBack.ts"
import { RunFolder } from "../report/RunFolder.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { pageRows } from "../service/FormService.ts"
import { showProgress } from "./Progress.ts"
import { countComparisons, type CreatedRow, readBackOptions, readBackRows } from "./readBackRows.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { Stop } from "./Stop.ts"
import { writeSummary } from "./summary.ts"
import { compareWholeForm, type WholeForm } from "./wholeForm.ts"

/** The number of pages that are read at the same time, and of submissions per page. Small enough that an interrupt doesn't wait for a long queue, but large enough to use the service's full rate. */
const readingPages = 2
const readingRows = 16

/** The maximum number of verified submissions that can't be read. If there are more, the service counts as unavailable. */
const mostUnreadable = 20

/**
 * Reads back every submission of a pipeline again. Compares an unverified submission with what was sent. Compares a verified one with what came back when it was verified, to distinguish a later edit
 * from an import error. Records the progress in the ledger after every page.
 *
 * @param unfinished an interrupted reconciliation: continues after the rows that it has read, and keeps their counts
 * @param isWholeForm whether the form's whole list is compared with the ledger first
 * @param recordedEvery the number of submissions after which the progress is recorded
 */
export const reconcileAll = (unfinished: Reconciliation | undefined, isWholeForm: boolean, recordedEvery = 1_000) =>
  Effect.gen(function*() {
    const { id, mode } = yield* CurrentRun
    const { view } = yield* RunLedger
    const stop = yield* Stop
    const counts = yield* RunCounts
    const startedAt = isoOf(yield* Clock.currentTimeMillis)
    const options = { ...(yield* readBackOptions), leavesUnreadable: true }
    const { imported } = yield* view.standing
    counts.imported = imported
    const read = unfinished?.readBack
    for (const verdict of verdicts) if (verdict !== "unread") counts.readBack(verdict, read?.[verdict] ?? 0)
    let whole = true
    const pages = view.pages("sent", { after: unfinished?.after, size: recordedEvery })
      .pipe(
        Stream.filter((rows) => rows.length > 0),
        // The order is kept, because a page counts as read only after all pages before it.
        Stream.mapEffect(
          (rows) => (stop.requested() ? Effect.succeed(undefined) : readPage(options, rows)),
          { concurrency: readingPages },
        ),
      )
    let wholeForm: WholeForm | undefined
    const steps = Effect.gen(function*() {
      yield* RunLedger.write((session) => session.startRun({ run: id, mode, startedAt }))
      if (isWholeForm) {
        wholeForm = yield* compareWholeForm
        yield* RunCounts.start("readBack")
      }
      counts.total = imported
      if (read !== undefined) counts.read = submissionsIn(read)
      yield* Stream.runForEach(pages, (upTo) => {
        whole &&= upTo !== undefined
        return upTo === undefined || !whole
          ? Effect.void
          : RunLedger.write((session) => session.recordFacts({ reconciled: upTo }))
      })
      if (stop.requested()) return
      yield* RunLedger.write((session) => session.recordFacts({ reconciled: "through" }))
    })
    yield* Effect.catchTag(steps, "LedgerOvertaken", stop.overtaken)
    yield* RunCounts.start("report")
    yield* showProgress
    return yield* writeSummary({
      startedAt,
      finishedAt: isoOf(yield* Clock.currentTimeMillis),
      submissions: imported,
      wholeForm,
    })
  }).pipe(Effect.scoped, Effect.provideServiceEffect(RunCounts, RunCounts.make(isWholeForm ? "list" : "readBack")))

/** Reads the submissions of a page. Returns the number of its last row, or undefined if some were not read, so that the next reconciliation reads the page again if this one is interrupted. */
const readPage = (options: ReadBackOptions, rows: ReadonlyArray<SentRow>) =>
  Effect.gen(function*() {
    const stop = yield* Stop
    const counts = yield* RunCounts
    const unread: Array<CreatedRow> = []
    const unproven: Array<CreatedRow> = []
    const verified: Array<VerifiedRow> = []
    for (const { answers, item, ...row } of rows) {
      if (item !== undefined) (row.verdict === "unread" ? unread : unproven).push({ ...row, item })
      else if (answers !== undefined) verified.push({ ...row, item, answers })
    }
    // Submissions that were read earlier have had time to become visible.
    const atOnce = { ...options, visibleWithin: Duration.zero }
    const { listing } = options
    const together = listing === undefined ? readingRows : pageRows
    for (const [patient, rows] of [[options, unread], [atOnce, unproven]] as const) {
      for (const some of Arr.chunksOf(rows, together)) {
        counts.read += some.length
        yield* readBackRows(patient, some, "this run")
      }
    }
    const compared = unread.length + unproven.length === 0 || !stop.requested()
    const unchanged = new Map<VerifiedRow, DriftResult>()
    if (listing !== undefined && !stop.requested()) {
      yield* unlessAborted(
        listing.find(verified.map(({ submissionId }) => submissionId), false, (index, submission) => {
          const row = verified[index]
          const result = row === undefined ? undefined : compareWithVerified(row.answers, submission, options)
          if (row === undefined || result?.standing !== "unchanged") return false
          unchanged.set(row, result)
          return true
        }),
        stop.sending,
      )
    }
    const seen = yield* Effect.forEach(
      verified,
      (row) =>
        Effect.suspend(() =>
          stop.requested() ? Effect.succeed(undefined) : readAgain(options, row, unchanged.get(row))
        ),
      { concurrency: readingRows },
    )
    const news = verified.flatMap((row, index) => {
      const one = seen[index]
      return one === undefined || (one.standing === "unchanged" && row.drift === undefined) ? [] : [one]
    })
    if (news.length > 0) yield* RunLedger.write((session) => session.recordVerdicts(news))
    return compared && seen.every((one) => one !== undefined) ? rows.at(-1)?.at : undefined
  })

type VerifiedRow = SentRow & { readonly answers: NonNullable<SentRow["answers"]> }

const verdictOf = { unchanged: "verified", edited: "differing", gone: "missing" } as const satisfies Record<
  string,
  Verdict
>

/**
 * Reads a verified submission again, and compares it with what came back when it was verified. Returns undefined if it can't be read, or the run stopped in the meantime.
 *
 * @param listed the result if the list shows the submission unchanged; then it is not read
 */
const readAgain = (options: ReadBackOptions, row: VerifiedRow, listed: DriftResult | undefined) =>
  Effect.gen(function*() {
    const stop = yield* Stop
    const counts = yield* RunCounts
    const checked = unlessUnreadable(checkDrift(row, options), row.submissionId, options)
    const result = listed ?? (yield* unlessAborted(checked, stop.sending).pipe(
      Effect.catchTag("ServiceUnusable", stop.unavailable),
    ))
    if (result === undefined) return undefined
    if (result === "unreadable") {
      counts.unreadable.add(row.at)
      if (counts.unreadable.size <= mostUnreadable) return undefined
      return yield* stop.unavailable({
        message: `More than ${mostUnreadable} submissions can't be read, although the service returns the form.`,
      })
    }
    counts.readBack(verdictOf[result.standing])
    counts.read++
    const differences = countComparisons(counts, row, result)
    if (differences.length > 0) yield* (yield* RunFolder).differ(differences)
    yield* showProgress
    return { keyDigest: row.keyDigest, standing: result.standing, seen: result.seen } satisfies SeenAgain
  })
