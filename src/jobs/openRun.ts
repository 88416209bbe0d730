import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import type { Form } from "../domain/form.ts"
import type { ProgressEvent } from "../domain/progress.ts"
import { maskOf } from "../domain/reportFields.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import { type AnyLedgerOptions, openLedger } from "../ledger/openLedger.ts"
import type { Project } from "../project/Project.ts"
import { newestPurposes, readReport, reportsRead } from "../report/pastRuns.ts"
import { openRunFolder, RunFolder } from "../report/RunFolder.ts"
import { measureProgress, Progress } from "../run/Progress.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import { CurrentRun, RunLedger, type RunRequest } from "../run/RunContext.ts"
import type { Rehearsed } from "../run/sinceRehearsal.ts"
import { type Signal, Stop } from "../run/Stop.ts"
import { FormService } from "../service/FormService.ts"
import { telemetryOn } from "../service/telemetry.ts"
import { isFixed } from "../source/fixed.ts"
import { collectTraps } from "./answerTraps.ts"
import { conditionFindings } from "./conditionFindings.ts"
import type { Prepared } from "./prepare.ts"
import { copyOfLedger, newRunId, openOwn, openPlace } from "./projectLedger.ts"
import { serviceToConfirm } from "./services.ts"
import { fetchReports, storeReport } from "./storedReports.ts"
import { collectStray } from "./strayRows.ts"
import type { Target } from "./target.ts"

export interface RunSettings
  extends
    Pick<RunRequest, "mode" | "pipeline" | "form" | "mapping" | "source" | "mayBeSent" | "warnings">,
    Pick<RunRequest, "otherSource" | "projectOption" | "limit" | "retryRefused" | "resendUndone">
{
  readonly target: Target
  readonly service: FormService
  /** The project's ledger, if the caller may have opened it already. */
  readonly ledger?: Prepared["ledger"] | undefined
  /** How to open the copy of the project's ledger that a rehearsal uses. */
  readonly copy?: AnyLedgerOptions | undefined
  readonly progress: (event: ProgressEvent) => Effect.Effect<void>
  /** Completes when the user interrupts. */
  readonly interrupted: Effect.Effect<Signal>
  /** Whether the report contains keyed digests instead of values. */
  readonly redact?: boolean | undefined
}

/** Opens what a run needs, until the scope closes: the ledger, the run's folder, and the handling of interrupts. Takes the pipeline's lock, except for a dry run. */
export const openRun = (project: Project, settings: RunSettings) =>
  Effect.gen(function*() {
    const { form, mode, pipeline, source, target } = settings
    const serviceName = target.service
    const ledger = settings.copy === undefined
      ? (yield* settings.ledger ?? Effect.succeed(undefined)) ?? (yield* openOwn(project, settings))
      : yield* openLedger(settings.copy)
    // After the ledger, so that a ledger that can't be opened is reported once.
    yield* fetchReports(project, pipeline.name, { newest: reportsRead, whole: [] })
    const past = yield* newestPurposes(project.reports, pipeline.name)
    const at = { project, pipeline, target }
    const view = yield* openPlace(at, ledger, form.id)
    yield* view.isNewest
    const id = yield* newRunId
    const folder = yield* openRunFolder({
      reports: project.reports,
      pipeline: pipeline.name,
      run: id,
      mask: settings.redact === true ? maskOf(ledger.digest.value) : undefined,
      others: {
        fetch: (run) => fetchReports(project, pipeline.name, { newest: 0, whole: [run] }),
        store: (run) => storeReport(project, pipeline.name, run),
      },
    })
    const stop = yield* Layer.build(Stop.layer(settings.interrupted))
    const isFirst = (yield* view.facts).firstColumns === undefined
    const startsFresh = isFirst
      && past.runs.some((run) => run.form.id !== form.id || run.form.service !== serviceName)
    const sends = mode === "run" || mode === "dry-run"
    const plan = CurrentRun.make({
      ...Struct.pick(settings, "mode", "pipeline", "form", "mapping", "source", "otherSource", "projectOption"),
      ...Struct.pick(settings, "mayBeSent", "limit", "retryRefused", "resendUndone"),
      id,
      target: target.target,
      serviceName,
      confirm: serviceToConfirm(project, serviceName),
      traps: trapsOf(settings, isFirst),
      rehearsed: sends
        ? yield* lastRehearsal(project.reports, pipeline.name, past, { service: serviceName, form })
        : undefined,
      warnings: [
        ...settings.warnings,
        ...source.warnings,
        ...past.warnings,
        ...(startsFresh
          ? [`${pipeline.name} was never imported into ${form.name} on ${serviceName}: all its rows are new there.`]
          : []),
      ],
    })
    const hold = view.hold(id).pipe(
      Effect.tap((session) => measureLease(pipeline.name, session)),
      Effect.map((session) => ({ ledger, view, session })),
    )
    /** A dry run writes nothing. If the rule for row keys has changed, it writes the new keys to a copy of the ledger, because only they identify the known rows. */
    const holdNothing = Effect.gen(function*() {
      if (!(yield* keysDiffer(plan, view))) return { ledger, view, session: undefined }
      const copy = yield* openLedger(yield* copyOfLedger(project, settings))
      const copied = yield* openPlace(at, copy, form.id)
      return { ledger: copy, view: copied, session: undefined, onCopy: yield* copied.hold(id) }
    })
    const show = (event: ProgressEvent) =>
      Effect.zipRight(measureProgress(pipeline.name, event), settings.progress(event))
    return stop.pipe(
      Context.add(CurrentRun, plan),
      Context.add(RunLedger, yield* mode === "dry-run" ? holdNothing : hold),
      Context.add(FormService, settings.service),
      Context.add(RunFolder, folder),
      Context.add(Progress, { show }),
    )
  })

/** The least number of rows that a run must compare with a condition of `where` before it reports that none meets it. */
const fewCompared = 20

/**
 * Finds traps and rows that are not records, for the report. A source that can't be read again has been reported.
 *
 * @param isFirst whether no row of the pipeline was imported. After that, the source may lack all that `where` selects
 */
const trapsOf = (
  { form, mapping, otherSource, pipeline, source }: RunSettings,
  isFirst: boolean,
): RunRequest["traps"] => {
  const isWhole = otherSource === undefined && !isFixed(source.columns) && source.increment?.mark === undefined
    && pipeline.source.vanished !== "ignore"
  const traps = collectTraps(pipeline, mapping, form)
  const stray = collectStray(pipeline, source, mapping)
  return {
    add: (row, cells, item) => {
      traps.add(item, cells)
      stray.add(cells, row)
    },
    findings: Effect.map(Effect.orElseSucceed(stray.findings, () => []), (rows) => [
      ...traps.findings(),
      ...rows,
      ...conditionFindings(pipeline, mapping, isFirst && isWhole ? { least: fewCompared, texts: false } : undefined),
    ]),
  }
}

/** Returns the latest rehearsal of a pipeline for a form. Undefined if a run followed it, because only the first run is compared with it. Ignores a report that can't be read. */
const lastRehearsal = (
  reports: string,
  pipeline: string,
  past: Effect.Effect.Success<ReturnType<typeof newestPurposes>>,
  target: { readonly service: string; readonly form: Form },
) =>
  Effect.gen(function*() {
    const before = past.runs.find((run) =>
      (run.mode === "rehearsal" || run.mode === "run")
      && run.form.id === target.form.id && run.form.service === target.service
    )
    if (before?.mode !== "rehearsal") return undefined
    return yield* readReport(reports, pipeline, before.run).pipe(
      Effect.map(({ report }): Rehearsed => report),
      Effect.catchTag("ReportUnreadable", () => Effect.succeed(undefined)),
    )
  })

const held = Metric.gauge("formferry.lease.held", {
  description: "1 while this process holds the lock of the pipeline, then 0",
})
const age = Metric.gauge("formferry.lease.age", {
  description: "Seconds since this process sent its last heartbeat for the lock of the pipeline",
}).pipe(Metric.tagged("unit", "s"))
const takeovers = Metric.counter("formferry.lease.takeovers", {
  description: "Locks that this process took over, because their holders had not released them",
  incremental: true,
})

/** Measures a run's lock each second until the scope closes. Does nothing if metrics are not exported. */
const measureLease = (
  pipeline: string,
  { lease: { host, isTakenOver, silentFor } }: Pick<LedgerSession, "lease">,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!(yield* FiberRef.get(telemetryOn))) return
    const tags = { pipeline, ...(host === undefined ? {} : { host }) }
    const record = (isHeld: boolean) =>
      Effect.all([
        Metric.set(held, isHeld ? 1 : 0),
        Metric.set(age, isHeld ? silentFor() / 1_000 : 0),
      ]).pipe(Effect.tagMetrics(tags))
    if (isTakenOver) yield* Effect.tagMetrics(Metric.increment(takeovers), tags)
    yield* Effect.acquireRelease(record(true), () => record(false))
    yield* record(true).pipe(Effect.delay("1 second"), Effect.forever, Effect.forkScoped)
  })
