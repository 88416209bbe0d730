import { Array as Arr, Clock, DateTime, Duration, Effect, Stream } from "effect"
import type { Verdict } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import type { LedgerError, LedgerOvertaken, LedgerSession } from "../ledger/Ledger.ts"
import type { Reconciliation, SeenAgain, SentRow } from "../ledger/records.ts"
import { checkDrift, type DriftOptions } from "../reconcile/drift.ts"
import type { ReportError } from "../report/partFiles.ts"
import { unlessUnwanted } from "../service/Unwanted.ts"
import { paged, pageSize } from "./paged.ts"
import { type CreatedRow, readBackOptions, readBackRows, type Reading, takeDown } from "./readBackRows.ts"
import type { RunContext } from "./RunContext.ts"
import { showProgress } from "./showProgress.ts"
import { writeSummary } from "./summary.ts"
import { Tally } from "./Tally.ts"

/**
 * Pages of submissions that are read at the same time, and submissions of a page. Few enough that an interrupt does not have to wait for a long queue, enough to
 * keep the service's own limit busy.
 */
const readingPages = 2
const readingRows = 16

/**
 * Reads every submission of a pipeline back again. What was not verified yet is compared with what was sent; what was verified is compared with what came
 * back then, so that an edit since the import is told from an import error. How far it is stands in the ledger after every page.
 *
 * @param pageRows after so many submissions it is recorded how far it is
 * @param begun a reconciliation that was interrupted: goes on behind the rows that it has read, and counts them as it left them
 */
export const reconcileAll = (
  run: RunContext & { readonly session: LedgerSession },
  begun: Reconciliation | undefined,
  pageRows = pageSize,
): Effect.Effect<RunReport, LedgerError | ReportError> =>
  Effect.gen(function*() {
    const startedAt = yield* now
    const { session } = run
    const tally = new Tally()
    tally.phase = "readBack"
    const again: Again = {
      reading: { run, session, tally, readBack: readBackOptions(run) },
      drift: {
        ...readBackOptions(run),
        names: new Map(run.mapping.answers.map(({ id, name }) => [id, name])),
      },
    }
    const standing = yield* run.view.standing
    tally.total = standing.imported
    tally.imported = standing.imported
    if (begun !== undefined) takeOver(tally, begun)
    let whole = true
    yield* session.startRun({ run: run.id, mode: run.mode, startedAt }).pipe(
      Effect.zipRight(Stream.runForEach(
        // In order: a page counts as read when all before it are.
        Stream.mapEffect(
          Stream.filter(
            paged((after) => run.view.sent({ after, limit: pageRows }), { from: begun?.after, size: pageRows }),
            (rows) => rows.length > 0,
          ),
          (rows) => (run.stop.requested() ? Effect.succeed(undefined) : readPage(again, rows)),
          { concurrency: readingPages },
        ),
        (upTo) => {
          whole &&= upTo !== undefined
          return upTo === undefined || !whole ? Effect.void : session.reconciled(upTo)
        },
      )),
      Effect.zipRight(
        Effect.suspend(() => whole && !run.stop.requested() ? session.reconciled("through") : Effect.void),
      ),
      Effect.catchTag("LedgerOvertaken", (error) => run.stop.request({ _tag: "Overtaken", because: error.message })),
    )
    tally.phase = "report"
    yield* showProgress(run, tally)
    return yield* writeSummary(run, {
      startedAt,
      finishedAt: yield* now,
      survey: undefined,
      review: undefined,
      tally,
      submissions: standing.imported,
    })
  })

interface Again {
  readonly reading: Reading
  readonly drift: DriftOptions
}

const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.unsafeMake(millis)))

const takeOver = (tally: Tally, { readBack }: Reconciliation): void => {
  const { differing, missing, verified } = readBack
  tally.readBack("verified", verified)
  tally.readBack("differing", differing)
  tally.readBack("missing", missing)
  tally.read = verified + differing + missing + readBack.unread
}

/** Reads the submissions of a page; gives its last row, or nothing when the run stopped meanwhile. */
const readPage = (
  again: Again,
  rows: ReadonlyArray<SentRow>,
): Effect.Effect<Buffer | undefined, LedgerError | LedgerOvertaken | ReportError> =>
  Effect.gen(function*() {
    const { reading } = again
    const unread: Array<CreatedRow> = []
    const unproven: Array<CreatedRow> = []
    const verified: Array<VerifiedRow> = []
    for (const { answers, item, ...row } of rows) {
      if (item !== undefined) (row.verdict === "unread" ? unread : unproven).push({ ...row, item })
      else if (answers !== undefined) verified.push({ ...row, item, answers })
    }
    const { run, session, tally } = reading
    // What was read before has had its time to become visible.
    const atOnce = { ...reading, readBack: { ...reading.readBack, visibleWithin: Duration.zero } }
    for (const [how, rows] of [[reading, unread], [atOnce, unproven]] as const) {
      for (const some of Arr.chunksOf(rows, readingRows)) {
        tally.read += some.length
        yield* readBackRows(how, some, true)
      }
    }
    const compared = unread.length + unproven.length === 0 || !run.stop.requested()
    const seen = yield* Effect.forEach(verified, (row) =>
      Effect.suspend(() => (run.stop.requested() ? Effect.succeed(undefined) : readAgain(again, row))), {
      concurrency: readingRows,
    })
    const news = verified.flatMap((row, index) => {
      const one = seen[index]
      return one === undefined || (one.standing === "unchanged" && row.drift === undefined) ? [] : [one]
    })
    if (news.length > 0) {
      yield* session.seenAgain(news)
    }
    const whole = compared && seen.every((one) =>
      one !== undefined
    )
    return whole ? rows.at(-1)?.keyDigest : undefined
  })

type VerifiedRow = SentRow & { readonly answers: NonNullable<SentRow["answers"]> }

const verdictOf = { unchanged: "verified", edited: "differing", gone: "missing" } as const satisfies Record<
  string,
  Verdict
>

const readAgain = (
  { drift, reading }: Again,
  row: VerifiedRow,
): Effect.Effect<SeenAgain | undefined, ReportError> =>
  unlessUnwanted(checkDrift(row, drift), reading.run.stop.sending).pipe(
    Effect.flatMap((result) => {
      if (result === undefined) return Effect.succeed(undefined)
      const { run, tally } = reading
      tally.readBack(verdictOf[result.standing])
      tally.read++
      return (takeDown(reading, row, result) ?? Effect.void).pipe(
        Effect.zipRight(showProgress(run, tally)),
        Effect.as({ keyDigest: row.keyDigest, standing: result.standing, seen: result.seen }),
      )
    }),
    Effect.catchTag(
      "ServiceUnusable",
      (error) => Effect.as(reading.run.stop.request({ _tag: "Unavailable", because: error.message }), undefined),
    ),
  )
