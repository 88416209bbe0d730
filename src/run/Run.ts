import { Clock, DateTime, Effect } from "effect"
import type { RunReport } from "../domain/report.ts"
import type { LedgerOvertaken } from "../ledger/Ledger.ts"
import type { Missed } from "../ledger/records.ts"
import type { ReportError } from "../report/partFiles.ts"
import { traced } from "../service/telemetry.ts"
import type { SinkFailure } from "../sink/Sink.ts"
import type { SourceChanged, SourceError } from "../source/Source.ts"
import { type Repeated, unchangedSince } from "./repeat.ts"
import { type Review, review } from "./review.ts"
import { roomForLedger } from "./roomForLedger.ts"
import { adoptKeys, checkKeys } from "./rowIdentity.ts"
import type { RunContext } from "./RunContext.ts"
import { send } from "./send.ts"
import { showProgress } from "./showProgress.ts"
import { surveyLimits } from "./stopWhen.ts"
import { writeSummary } from "./summary.ts"
import { type Survey, survey } from "./survey.ts"
import { Tally } from "./Tally.ts"
import { vanishedRows } from "./vanished.ts"

export type RunFailure = SourceError | Exclude<SinkFailure, LedgerOvertaken> | ReportError

/**
 * A run, step by step (product.md): survey, canary, import with reading back, report. Where nothing changed since the last run it only says so.
 * Whatever ends it early is told in its report; it fails only when the source can't be read at all, or when the ledger or the report can't be written.
 */
export const execute = (run: RunContext): Effect.Effect<RunReport, RunFailure> =>
  Effect.gen(function*() {
    const startedAt = yield* now
    const tally = new Tally()
    let surveyed: Survey | undefined
    let reviewed: Review | undefined
    let missed: Missed | undefined
    let repeated: Repeated | undefined
    yield* endsEarly(
      run,
      Effect.gen(function*() {
        repeated = yield* unchangedSince(run)
        const repeats = repeated !== undefined
        if (run.session !== undefined) yield* run.session.startRun({ run: run.id, mode: run.mode, startedAt, repeats })
        if (run.session !== undefined) yield* run.session.form(run.form)
        if (repeats) return
        if (run.session !== undefined && (yield* run.view.refused) !== undefined) yield* run.session.refused(undefined)
        yield* adoptKeys(run, run.recorder ?? run.session)
        if (run.stop.requested()) return
        surveyed = yield* traced("survey", {}, survey(run, tally))
        reviewed = yield* review(run, surveyed, tally)
        missed = yield* vanishedRows(run, surveyed)
        if (!run.stop.requested()) yield* checkKeys(run, surveyed)
        const tooMany = surveyLimits(run, surveyed, reviewed)
        if (tooMany !== undefined) yield* run.stop.request({ _tag: "Protected", because: tooMany })
        if (run.session === undefined || run.stop.requested()) return
        yield* roomForLedger(run, surveyed)
        yield* send(run, run.session, surveyed, tally)
      }),
    )
    // Rows in doubt that were not sent once more after all are in doubt still.
    for (const row of surveyed?.resending ?? []) {
      if (surveyed?.fates.get(row) === "pending") surveyed.fates.set(row, "inDoubt")
    }
    surveyed?.cells.close(surveyed.fates, surveyed.repeated)
    tally.phase = "report"
    yield* showProgress(run, tally)
    const ended = { startedAt, finishedAt: yield* now, survey: surveyed, review: reviewed, missed, repeated, tally }
    return yield* traced("report", {}, writeSummary(run, ended))
  })

const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.unsafeMake(millis)))

/** A source that changed, and another run that took over, are no failures of a run: they end it, and the report tells. */
const endsEarly = <E>(run: RunContext, steps: Effect.Effect<void, E | SourceChanged | LedgerOvertaken>) =>
  Effect.catchAll(steps, (error): Effect.Effect<void, Exclude<E, SourceChanged | LedgerOvertaken>> => {
    if (isEnd(error)) {
      return run.stop.request(
        error._tag === "SourceChanged"
          ? { _tag: "Unavailable", because: error.message }
          : { _tag: "Overtaken", because: error.message },
      )
    }
    return Effect.fail(error as Exclude<E, SourceChanged | LedgerOvertaken>)
  })

const isEnd = (error: unknown): error is SourceChanged | LedgerOvertaken =>
  typeof error === "object" && error !== null && "_tag" in error
  && (error._tag === "SourceChanged" || error._tag === "LedgerOvertaken")
