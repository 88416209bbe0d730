import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { fates, verdicts } from "../domain/fate.ts"
import { type Phase, phases, type ProgressEvent } from "../domain/progress.ts"
import type { RunReport } from "../domain/report.ts"
import { isoOf } from "../domain/times.ts"
import { counted } from "../domain/words.ts"
import { FormService } from "../service/FormService.ts"
import { measured } from "../service/telemetry.ts"
import { RunCounts } from "./RunCounts.ts"

/** Shows the progress of a run. */
export class Progress extends Context.Tag("formferry/Progress")<Progress, {
  readonly show: (event: ProgressEvent) => Effect.Effect<void>
}>() {
  /** Shows nothing. */
  static readonly layerTest = Layer.succeed(this, { show: () => Effect.void })
}

/** Shows the run's progress after each chunk of rows that it reads and after each batch that it sends. */
export const showProgress: Effect.Effect<void, never, Progress | FormService | RunCounts> = Effect.gen(function*() {
  const counts = yield* RunCounts
  const service = yield* FormService
  const { create, metadata, read, throttled } = yield* service.requests
  const { inDoubt } = counts.fresh
  yield* (yield* Progress).show({
    phase: counts.phase,
    // Counts sent rows over the whole run, as the totals of the sending phases do.
    read: phases[counts.phase].isSending === true ? counts.sent : counts.read,
    total: counts.total,
    sent: counts.sent,
    readBack: counts.verdicts(counts.imported),
    inDoubt,
    throttled,
    rate: undefined,
    requests: metadata + create + read,
    inFlight: yield* service.inFlight,
    fates: counts.fates?.byFate,
  })
})

/** Shows the progress of work other than a run, or before it, if the caller provides `Progress`. */
export const showWork = (phase: Phase, read = 0, total?: number): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(Progress),
    Option.match({
      onNone: () => Effect.void,
      onSome: ({ show }) =>
        show({
          phase,
          read,
          total,
          sent: 0,
          readBack: { verified: 0, differing: 0, missing: 0, unread: 0 },
          inDoubt: 0,
          throttled: 0,
          rate: undefined,
        }),
    }),
  )

/**
 * Waits, and says how long and until when.
 *
 * @param millis how long to wait
 * @param until what is true then, as a clause
 */
export const waitShown = (phase: Phase, millis: number, until: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const end = isoOf((yield* Clock.currentTimeMillis) + millis)
    yield* showWork(phase)
    yield* Effect.logInfo(
      `Waiting ${counted(Math.ceil(millis / 1_000), "second")}, until ${end}: then ${until}.`,
    )
    yield* Effect.sleep(millis)
  })

const rows = Metric.counter("formferry.rows", {
  description: "Rows of the sources, by the fate they had at the end of a run",
  incremental: true,
})
const submissions = Metric.counter("formferry.submissions", {
  description: "Submissions that runs created and reconciliations read, by verdict",
  incremental: true,
})
const runs = Metric.counter("formferry.runs", { description: "Runs, by outcome", incremental: true })
const inDoubt = Metric.gauge("formferry.in_doubt", {
  description: "All rows in doubt in the ledger after the last run",
})
const duration = Metric.gauge("formferry.run.duration", { description: "How long the last run took, in seconds" })
const sent = Metric.gauge("formferry.run.sent", { description: "Rows that the run in progress has sent so far" })
const fresh = Metric.gauge("formferry.run.in_doubt", {
  description: "Rows that the run in progress has sent so far with an unknown outcome",
})

/** Records metrics of a run's progress: once for each chunk of rows and each batch. */
export const measureProgress = (pipeline: string, event: ProgressEvent): Effect.Effect<void> =>
  measured(() =>
    Effect.zipRight(Metric.set(sent, event.sent), Metric.set(fresh, event.inDoubt)).pipe(
      Effect.tagMetrics({ pipeline }),
    )
  )

/** Records metrics of a run's result. */
export const measureRun = (report: RunReport): Effect.Effect<void> =>
  measured(() => {
    const { finishedAt, mode, outcome, pipeline, readBack, startedAt } = report
    const counted = Effect.all([
      ...fates.map((fate) => Metric.incrementBy(rows.pipe(Metric.tagged("fate", fate)), report.rows[fate])),
      ...verdicts.map((one) => Metric.incrementBy(submissions.pipe(Metric.tagged("verdict", one)), readBack[one])),
      Metric.incrementBy(runs.pipe(Metric.tagged("outcome", outcome)), 1),
    ], { discard: true }).pipe(Effect.tagMetrics({ mode }))
    return Effect.all([
      counted,
      Metric.set(inDoubt, report.inDoubt.reduce((sum, doubt) => sum + doubt.count, 0)),
      Metric.set(
        duration.pipe(Metric.tagged("unit", "s")),
        (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000,
      ),
    ], { discard: true }).pipe(Effect.tagMetrics({ pipeline }))
  })
