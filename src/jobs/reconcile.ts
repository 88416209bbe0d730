import { Clock, Duration, Effect, Either, Stream } from "effect"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { Reconciliation } from "../ledger/records.ts"
import { mentionedColumns } from "../mapping/ColumnBook.ts"
import { compile } from "../mapping/compile.ts"
import { ConfigurationInvalid } from "../project/errors.ts"
import type { Project } from "../project/Project.ts"
import { mappingOf } from "../run/history.ts"
import { reconcileAll } from "../run/reconcileAll.ts"
import { CurrentRun, RunLedger } from "../run/RunContext.ts"
import { readerVersion, type Source } from "../source/Source.ts"
import { asRun } from "./asRun.ts"
import { openRun, type RunSettings } from "./openRun.ts"
import { orInterrupted } from "./orInterrupted.ts"
import { chooseTarget, findPipeline, openTarget } from "./target.ts"

export interface ReconcileOptions extends Pick<RunSettings, "interrupted" | "progress" | "projectOption" | "redact"> {
  readonly pipeline: string
  readonly to: string | undefined
  /** Whether to read everything again, though an interrupted reconciliation has read a part. */
  readonly anew?: boolean
  /** After so many submissions it is recorded how far it is; default 1,000. */
  readonly pageRows?: number
}

/** An interrupted reconciliation that stood still for longer is not gone on with: what it has read may have changed. */
const freshFor = Duration.days(7)

/** Runs looked at for the last one that ended. */
const lookedAt = 20

/** A reconciliation reads no source: what was sent is in the ledger. */
const noSource: Source = {
  dialect: { format: "none", reader: readerVersion },
  columns: [],
  blocks: [],
  taken: [],
  format: "",
  warnings: [],
  read: () => Stream.empty,
  files: Effect.succeed([]),
}

/** Reads every submission of a pipeline back again and reports; goes on where an interrupted reconciliation stopped. */
export const reconcilePipeline = (project: Project, options: ReconcileOptions) =>
  asRun(
    { pipeline: options.pipeline, mode: "reconcile" },
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const target = yield* chooseTarget(pipeline, options.to)
      const opened = yield* openTarget(project, pipeline, target)
      const form = yield* orInterrupted(options.interrupted, opened.service.form(target.form))
      // A form tool's own id is known by its file only, and no row is asked for its key here.
      const keyed = {
        ...pipeline,
        source: { ...pipeline.source, rowKey: pipeline.source.rowKey ?? "content" },
      } as const
      const compiled = compile({ pipeline: keyed, form, columns: mentionedColumns(pipeline) })
      if (Either.isLeft(compiled)) return yield* new ConfigurationInvalid({ diagnostics: compiled.left })
      const { mapping, warnings } = compiled.right
      const run = openRun(project, {
        ...options,
        mode: "reconcile",
        pipeline,
        target,
        opened,
        form,
        mapping,
        source: noSource,
        warnings: warnings.map((warning) => warning.message),
      })
      const reconciliation = Effect.gen(function*() {
        const { view } = yield* RunLedger
        const begun = options.anew === true ? undefined : yield* unfinished(view)
        if (begun === undefined) yield* RunLedger.record((session) => session.record({ reconciled: "through" }))
        // Compiled without the source, the mapping has neither its form tool nor its blocks. No row is mapped here: the mapping is that of the last run.
        const fingerprint = (yield* view.runs({ limit: lookedAt })).flatMap((one) => mappingOf(one) ?? [])[0]
        return yield* Effect.updateService(reconcileAll(begun, options.pageRows), CurrentRun, (plan) => ({
          ...plan,
          warnings: [...plan.warnings, ...(begun === undefined ? [] : [goesOn(begun)])],
          mapping: fingerprint === undefined ? plan.mapping : { ...plan.mapping, fingerprint },
        }))
      })
      return yield* Effect.provide(reconciliation, run)
    }),
  )

const unfinished = (view: PipelineLedger) =>
  Effect.gen(function*() {
    const begun = yield* view.reconciliation
    const now = yield* Clock.currentTimeMillis
    return begun === undefined || now - Date.parse(begun.at) > Duration.toMillis(freshFor) ? undefined : begun
  })

const goesOn = ({ at, readBack, run }: Reconciliation): string => {
  const read = readBack.verified + readBack.differing + readBack.missing + readBack.unread
  return `This goes on with the reconciliation ${run}, which was interrupted at ${at} after ${read} submissions. `
    + "What it found of those is counted here and shown in its own report; --anew reads everything again."
}
