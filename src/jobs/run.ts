import { Effect, Schema } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Progress } from "../domain/progress.ts"
import type { RunReport } from "../domain/run.ts"
import { LedgerRefused } from "../ledger/Ledger.ts"
import type { Ledger, PipelineLedger } from "../ledger/Ledger.ts"
import { openLedger } from "../ledger/openLedger.ts"
import type { Project } from "../project/Project.ts"
import { openRunFolder } from "../report/openRunFolder.ts"
import { type PastRuns, readLatestReports } from "../report/pastRuns.ts"
import { columnNames } from "../run/content.ts"
import { execute } from "../run/Run.ts"
import { makeStop } from "../run/Stop.ts"
import { formFingerprint } from "../service/formFingerprint.ts"
import { isMended, ownColumns } from "../source/columns.ts"
import { findPipeline } from "./findPipeline.ts"
import { newRunId } from "./newRunId.ts"
import { prepare, type Prepared } from "./prepare.ts"

/** What `run` was asked to do. */
export interface RunOptions {
  readonly pipeline: string
  readonly to: string | undefined
  /** Another file to feed through the pipeline, absolute. */
  readonly source: string | undefined
  readonly dryRun: boolean
  readonly limit: number | undefined
  readonly retryRefused: boolean
  readonly acceptCanary: boolean
  readonly acceptLedger: boolean
  /** Asked before anything is sent to a service that wants to be confirmed. */
  readonly confirm: (service: string) => Effect.Effect<boolean>
  readonly progress: (event: Progress) => Effect.Effect<void>
  /** Findings that are no errors. */
  readonly warn: (warnings: ReadonlyArray<Diagnostic>) => Effect.Effect<void>
  /** Completes when the user interrupts. */
  readonly interrupted: Effect.Effect<"SIGINT" | "SIGTERM">
}

/** `run` against this service needs `--confirm NAME` (exit 2). */
export class ConfirmationMissing extends Schema.TaggedError<ConfirmationMissing>()("ConfirmationMissing", {
  service: Schema.String,
  pipeline: Schema.String,
}) {
  override get message() {
    return `Every write to ${this.service} is for ever, so it must be confirmed. Nothing was sent. `
      + `Run: formferry run ${this.pipeline} --confirm ${this.service}`
  }
}

/** Runs one pipeline of a project, from checking it to its report. */
export const runPipeline = (project: Project, options: RunOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const prepared = yield* prepare(project, pipeline, options)
      yield* options.warn(prepared.warnings)
      yield* confirmed(project, prepared, options)
      const ledger = yield* openLedger({ file: project.ledger })
      const past = yield* readLatestReports(project.reports, pipeline.name)
      if (!options.acceptLedger) yield* ledgerIsTheSame(ledger, past, pipeline.name)
      const view = yield* ledger.pipeline({
        pipeline: pipeline.name,
        destination: { service: prepared.opened.address, form: prepared.form.id },
        renamedFrom: pipeline.renamedFrom,
        alongside: pipeline.sink.alongside,
      })
      const id = yield* newRunId
      const session = options.dryRun ? undefined : yield* view.hold(id)
      const folder = yield* openRunFolder({ reports: project.reports, pipeline: pipeline.name, run: id })
      const stop = yield* makeStop
      yield* Effect.forkScoped(
        Effect.flatMap(options.interrupted, (signal) => stop.request({ _tag: "Interrupted", signal })),
      )
      const { mapping, source } = prepared
      return yield* execute({
        id,
        mode: options.dryRun ? "dry-run" : "run",
        pipeline,
        serviceName: prepared.opened.name,
        destination: view.destination,
        form: prepared.form,
        formFingerprint: formFingerprint(prepared.form),
        mapping,
        shape: columnNames(mapping.columns),
        keyColumns: pipeline.source.rowKey === "content" || pipeline.source.rowKey === undefined
          ? []
          : pipeline.source.rowKey.map((column) => column.name),
        source,
        columns: ownColumns(source.columns),
        mended: isMended(source.columns),
        service: prepared.opened.service,
        ledger,
        view,
        session,
        folder,
        stop,
        progress: options.progress,
        limit: options.limit,
        retryRefused: options.retryRefused,
        acceptCanary: options.acceptCanary,
        warnings: yield* warnings(prepared, view, past),
      })
    }),
  )

const confirmed = (project: Project, prepared: Prepared, options: RunOptions) =>
  Effect.gen(function*() {
    const service = project.services.get(prepared.target.service)
    if (options.dryRun || service?._tag !== "Live" || !service.confirm) return
    if (yield* options.confirm(service.name)) return
    return yield* new ConfirmationMissing({ service: service.name, pipeline: prepared.pipeline.name })
  })

/** A ledger that vanished, or that is older than the latest report says, is no first run (product.md, "The ledger"). */
const ledgerIsTheSame = (ledger: Ledger, past: PastRuns, pipeline: string) =>
  Effect.gen(function*() {
    const before = past.ledger
    if (before === undefined) return
    const lastIntent = yield* ledger.lastIntent
    const what = before.id !== ledger.id
      ? `The ledger ${ledger.file} is not the one that run ${before.run} of ${pipeline} wrote`
      : lastIntent < before.lastIntent
      ? `The ledger ${ledger.file} is older than run ${before.run} of ${pipeline}: it knows ${lastIntent} batches, the report ${before.lastIntent}`
      : undefined
    if (what === undefined) return
    return yield* new LedgerRefused({
      message: `${what}. Rows that were already imported would go in a second time, and for ever. `
        + "Put the right ledger and its key file back; or, if you are sure that nothing gets doubled, run with --accept-ledger.",
    })
  })

const warnings = (prepared: Prepared, view: PipelineLedger, past: PastRuns) =>
  Effect.map(view.isNew, (isNew) => [
    ...prepared.warnings.map((warning) => warning.message),
    ...prepared.source.warnings,
    ...past.warnings,
    ...(isNew && past.runs.some((run) => run.form.id !== prepared.form.id || run.form.service !== prepared.opened.name)
      ? [
        `${prepared.pipeline.name} was never imported into ${prepared.form.name} on ${prepared.opened.name}: it starts there from nothing.`,
      ]
      : []),
  ])
