import { Clock, DateTime, Effect, Stream } from "effect"
import type { Verdict } from "../domain/fate.ts"
import type { RunReport } from "../domain/run.ts"
import type { LedgerError, LedgerOvertaken, LedgerSession, SentRow } from "../ledger/Ledger.ts"
import { checkDrift } from "../reconcile/drift.ts"
import type { ReportError } from "../report/RunFolder.ts"
import { paged, pageSize } from "./paged.ts"
import { type CreatedRow, readBackOptions, readBackRows, type Reading, takeDown } from "./readBackRows.ts"
import type { RunContext } from "./RunContext.ts"
import { showProgress } from "./showProgress.ts"
import { writeSummary } from "./summary.ts"
import { Tally } from "./Tally.ts"

/** Pages of submissions that are read at the same time. */
const readingPages = 4

/**
 * Reads every submission of a pipeline back again. What was not verified yet is compared with what was sent; what was verified is compared with what came
 * back then, so that an edit since the import is told from an import error.
 */
export const reconcileAll = (
  run: RunContext & { readonly session: LedgerSession },
): Effect.Effect<RunReport, LedgerError | ReportError> =>
  Effect.gen(function*() {
    const startedAt = yield* now
    const { session } = run
    const tally = new Tally()
    tally.phase = "readBack"
    const reading: Reading = { run, session, tally, readBack: readBackOptions(run) }
    const standing = yield* run.view.standing
    tally.total = standing.imported
    tally.imported = standing.imported
    yield* session.startRun({ run: run.id, mode: run.mode, startedAt }).pipe(
      Effect.zipRight(
        Stream.runDrain(Stream.mapEffect(
          paged((after) => run.view.sent({ after, limit: pageSize })),
          (rows) => (run.stop.requested() ? Effect.void : readPage(reading, rows)),
          { concurrency: readingPages, unordered: true },
        )),
      ),
      Effect.catchTag("LedgerOvertaken", (error) => run.stop.request({ _tag: "Overtaken", because: error.message })),
    )
    return yield* writeSummary(run, {
      startedAt,
      finishedAt: yield* now,
      survey: undefined,
      review: undefined,
      tally,
      submissions: standing.imported,
    })
  })

const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.unsafeMake(millis)))

const readPage = (
  reading: Reading,
  rows: ReadonlyArray<SentRow>,
): Effect.Effect<void, LedgerError | LedgerOvertaken | ReportError> =>
  Effect.gen(function*() {
    const open: Array<CreatedRow> = []
    const verified: Array<SentRow & { readonly answers: NonNullable<SentRow["answers"]> }> = []
    for (const { answers, item, ...row } of rows) {
      if (item !== undefined) open.push({ ...row, item })
      else if (answers !== undefined) verified.push({ ...row, item, answers })
    }
    yield* readBackRows(reading, open, true)
    const { run, tally } = reading
    yield* Effect.forEach(verified, (row) =>
      Effect.suspend(() => (run.stop.requested() ? Effect.void : readAgain(reading, row))), {
      concurrency: "unbounded",
    })
    tally.read += rows.length
    yield* showProgress(run, tally)
  })

const verdictOf = { unchanged: "verified", drifted: "differing", missing: "missing" } as const satisfies Record<
  string,
  Verdict
>

const readAgain = (reading: Reading, row: SentRow & { readonly answers: NonNullable<SentRow["answers"]> }) =>
  checkDrift(row, reading.readBack).pipe(
    Effect.flatMap(({ comparisons, editLink, standing }) => {
      reading.tally.readBack(verdictOf[standing])
      if (standing !== "unchanged") reading.tally.fresh.drifted++
      return takeDown(reading, row, { comparisons, editLink, discarded: [] })
    }),
    Effect.catchTag(
      "ServiceUnusable",
      (error) => reading.run.stop.request({ _tag: "Unavailable", because: error.message }),
    ),
  )
