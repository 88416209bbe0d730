import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isoOf } from "../domain/times.ts"
import type { Vanished } from "../ledger/pages.ts"
import { traced } from "../service/telemetry.ts"
import { adoptKeys } from "./adoptKeys.ts"
import { checkKeys } from "./changedKeys.ts"
import { readChanges } from "./changedRows.ts"
import { type PullStart, startPull } from "./mark.ts"
import { showProgress } from "./Progress.ts"
import { type Repeated, unchangedSince } from "./repeat.ts"
import { type Review, reviewSurvey, roomForLedger, surveyLimits, vanishedRows } from "./review.ts"
import { CurrentRun, RunLedger } from "./RunContext.ts"
import { RunCounts } from "./RunCounts.ts"
import { send } from "./send.ts"
import { type SettledFirst, settleDoubts, settlesFirst } from "./settleDoubts.ts"
import { Stop } from "./Stop.ts"
import { writeSummary } from "./summary.ts"
import { type Survey, survey } from "./survey.ts"

/**
 * Runs a pipeline: settling rows in doubt, survey, canary, import with reading back, report. If nothing has changed since the last run, reports
 * only that. If the run ended early, the report says why. Fails only if the source can't be read at all, or if the
 * ledger or the report can't be written.
 */
export const execute = Effect.gen(function*() {
  const { form, id, isUnscheduled, mode } = yield* CurrentRun
  const { session } = yield* RunLedger
  const stop = yield* Stop
  const startedAt = isoOf(yield* Clock.currentTimeMillis)
  let surveyed: Survey | undefined
  let review: Review | undefined
  let missed: Vanished | undefined
  let repeated: Repeated | undefined
  let settled: SettledFirst | undefined
  let pull: PullStart | undefined
  const steps = Effect.gen(function*() {
    if ((yield* RunCounts).phase === "settle") {
      settled = yield* traced("settle", {}, settleDoubts)
      yield* RunCounts.start("survey")
    }
    repeated = yield* unchangedSince
    const repeats = repeated !== undefined
    yield* RunLedger.write((session) => session.startRun({ run: id, mode, startedAt, counts: { isUnscheduled } }))
    yield* RunLedger.write((session) => session.recordFacts({ form, ...(repeats ? {} : { refused: null }) }))
    if (repeats) return
    pull = yield* startPull
    yield* adoptKeys
    if (stop.requested()) return
    surveyed = yield* traced("survey", {}, survey)
    review = yield* reviewSurvey(surveyed)
    missed = yield* vanishedRows(surveyed)
    if (!stop.requested()) yield* checkKeys(surveyed)
    const exceeded = yield* surveyLimits(surveyed, review)
    if (exceeded !== undefined) yield* stop.request({ _tag: "Protected", because: exceeded })
    if (session === undefined || stop.requested()) return
    yield* roomForLedger(surveyed)
    yield* send(session, surveyed, review)
  })
  yield* Effect.catchTags(steps, {
    SourceChanged: stop.unavailable,
    LedgerOvertaken: stop.overtaken,
  })
  // A rehearsal's service lacks the submissions of earlier runs.
  const changes = surveyed === undefined || mode === "rehearsal" ? [] : yield* readChanges(surveyed.changed)
  surveyed?.fates.endSending()
  surveyed?.cells.close(surveyed.fates)
  yield* RunCounts.start("report")
  yield* showProgress
  const ended = { startedAt, survey: surveyed, review, missed, repeated, changes, settled, pull }
  return yield* traced("report", {}, writeSummary({ ...ended, finishedAt: isoOf(yield* Clock.currentTimeMillis) }))
}).pipe(
  Effect.provideServiceEffect(
    RunCounts,
    Effect.flatMap(settlesFirst, (settles) => RunCounts.make(settles ? "settle" : "survey")),
  ),
)
