import { Effect } from "effect"
import type { Form } from "../domain/form.ts"
import type { Progress } from "../domain/progress.ts"
import type { Mode } from "../domain/run.ts"
import { openLedger } from "../ledger/openLedger.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Project } from "../project/Project.ts"
import { readLatestReports } from "../report/pastRuns.ts"
import { maskOf } from "../report/reportFile.ts"
import { openRunFolder } from "../report/RunFolder.ts"
import { columnNames } from "../run/content.ts"
import { measureProgress } from "../run/metrics.ts"
import { keysDiffer } from "../run/rowIdentity.ts"
import type { RunContext } from "../run/RunContext.ts"
import { makeStop, type Signal } from "../run/Stop.ts"
import { formFingerprint } from "../service/codec.ts"
import { isMended, ownColumns } from "../source/columns.ts"
import type { Source } from "../source/Source.ts"
import { lastRehearsal } from "./lastRehearsal.ts"
import { ledgerOf, newRunId, openPlace, rehearsalLedgerOf, temporaryCopy } from "./projectLedger.ts"
import { type OpenedService, serviceToConfirm } from "./services.ts"
import type { Target } from "./target.ts"

/** What a job brings to a run, checked. */
export interface RunSettings {
  readonly mode: Mode
  readonly pipeline: Pipeline
  readonly target: Target
  readonly opened: OpenedService
  readonly form: Form
  readonly mapping: Mapping
  readonly source: Source
  /** Another file that is fed through the pipeline, absolute. */
  readonly otherSource?: string | undefined
  /** `--project` as typed, for the command to run next. */
  readonly projectOption?: string | undefined
  /** Asks whether so many rows may be sent; absent: they may. */
  readonly mayBeSent?: ((rows: number) => Effect.Effect<boolean>) | undefined
  /** Another file than the project's ledger: the copy that a rehearsal works on. */
  readonly ledger?: string | undefined
  readonly progress: (event: Progress) => Effect.Effect<void>
  /** Completes when the user interrupts. */
  readonly interrupted: Effect.Effect<Signal>
  readonly limit?: number | undefined
  readonly retryRefused?: boolean
  /** Whether the report is to hold keyed digests in the place of values. */
  readonly redact?: boolean | undefined
  readonly warnings: ReadonlyArray<string>
}

/** How many of a pipeline's latest reports a run looks at. */
const lately = 50

/**
 * Opens the ledger, makes the run's folder, and listens for interrupts: what a run works with, until the scope closes. The pipeline's lock is
 * for the caller to take (`view.hold`), who knows whether anything is to be written.
 */
export const openRun = (project: Project, settings: RunSettings) =>
  Effect.gen(function*() {
    const { form, mapping, opened, pipeline, source } = settings
    const asker = { pipeline: pipeline.name, target: settings.target.target }
    const past = yield* readLatestReports(project.reports, pipeline.name, lately)
    const ledger = yield* openLedger(
      settings.ledger === undefined ? ledgerOf(project, asker) : rehearsalLedgerOf(project, settings.ledger, asker),
    )
    const view = yield* openPlace(project, ledger, pipeline, settings.target, form.id)
    yield* view.isNewest
    const id = yield* newRunId
    const folder = yield* openRunFolder({
      reports: project.reports,
      pipeline: pipeline.name,
      run: id,
      mask: settings.redact === true ? maskOf(ledger.digest.value) : undefined,
    })
    const stop = yield* makeStop
    yield* Effect.forkScoped(
      Effect.flatMap(settings.interrupted, (signal) => stop.request({ _tag: "Interrupted", signal })),
    )
    const keys = pipeline.source.rowKey
    const startsAnew = (yield* view.isNew)
      && past.runs.some((run) => run.form.id !== form.id || run.form.service !== opened.name)
    const sends = settings.mode === "run" || settings.mode === "dry-run"
    const rehearsed = sends
      ? yield* lastRehearsal(project.reports, pipeline.name, past, { service: opened.name, form })
      : undefined
    const context: Omit<RunContext, "session"> = {
      id,
      mode: settings.mode,
      pipeline,
      target: settings.target.target,
      serviceName: opened.name,
      destination: view.destination,
      form,
      formFingerprint: formFingerprint(form),
      mapping,
      shape: columnNames(mapping.columns),
      keyColumns: keys === "content" || keys === undefined ? [] : keys.map((column) => column.name),
      source,
      columns: ownColumns(source.columns),
      ownSource: settings.mode !== "reconcile" && settings.otherSource === undefined,
      mended: isMended(source.columns),
      service: opened.service,
      ledger,
      view,
      folder,
      stop,
      mayBeSent: settings.mayBeSent,
      carried: {
        project: settings.projectOption,
        to: settings.target.target,
        source: settings.otherSource,
        confirm: serviceToConfirm(project, opened.name),
      },
      progress: (event) => Effect.zipRight(measureProgress(pipeline.name, event), settings.progress(event)),
      limit: settings.limit,
      retryRefused: settings.retryRefused ?? false,
      rehearsed,
      warnings: [
        ...settings.warnings,
        ...source.warnings,
        ...past.warnings,
        ...(startsAnew
          ? [`${pipeline.name} was never imported into ${form.name} on ${opened.name}: it starts there from nothing.`]
          : []),
      ],
    }
    // A dry run writes nothing, and rows whose keys are made otherwise now are known by their new keys only once these are written.
    if (settings.mode !== "dry-run" || !(yield* keysDiffer(context))) return context
    const copy = yield* openLedger({ file: yield* temporaryCopy(project.ledger) })
    const copied = yield* openPlace(project, copy, pipeline, settings.target, form.id)
    return { ...context, ledger: copy, view: copied, recorder: yield* copied.hold(id) }
  })
