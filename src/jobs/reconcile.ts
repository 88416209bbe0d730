import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { submissionsIn } from "../domain/fate.ts"
import { counted } from "../domain/words.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { Reconciliation } from "../ledger/standing.ts"
import { ConfigurationInvalid, diagnosticAt } from "../project/errors.ts"
import type { Project } from "../project/Project.ts"
import { reconcileAll } from "../run/reconcileAll.ts"
import { CurrentRun, RunLedger } from "../run/RunContext.ts"
import { mappingOf } from "../run/runRecord.ts"
import { readerVersion, type Source } from "../source/Source.ts"
import { openRun, type RunSettings } from "./openRun.ts"
import { compileWithoutSource, orInterrupted } from "./prepare.ts"
import { asRun } from "./run.ts"
import { can } from "./services.ts"
import { findTarget, type OfPipeline, openTarget } from "./target.ts"

export interface ReconcileOptions
  extends OfPipeline, Pick<RunSettings, "interrupted" | "progress" | "projectOption" | "redact">
{
  /** Whether to read everything again, even if an interrupted reconciliation could be resumed. */
  readonly restart?: boolean
  /** Whether the form's whole list is compared with the ledger, too. Needs a service that can list. */
  readonly wholeForm?: boolean
  /** The number of submissions after which progress is recorded. Default: 1,000. */
  readonly pageRows?: number
}

/** How long an interrupted reconciliation can be resumed. After that, what it has read may have changed. */
const freshFor = Duration.days(7)

/** The number of runs that are searched for the last completed one. */
const searched = 20

/** A reconciliation reads no source, because the ledger contains what was sent. */
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

/** Reads back every submission of a pipeline again, and writes a report. Resumes an interrupted reconciliation. */
export const reconcilePipeline = (project: Project, options: ReconcileOptions) =>
  asRun(
    { pipeline: options.pipeline, mode: "reconcile" },
    Effect.gen(function*() {
      const at = yield* findTarget(project, options)
      const { pipeline, target } = at
      const { service: name } = target
      if (options.wholeForm === true && !can(project, name, "list")) {
        return yield* new ConfigurationInvalid({
          diagnostics: [diagnosticAt(
            pipeline.document,
            "error",
            target.path,
            `The project does not say that ${name} can list submissions, so the whole form can't be compared with the ledger. Nothing was read.`,
            `If the service can list, add \`capabilities: [list]\` to \`services.${name}\` in config/formferry.yaml. Otherwise, omit --whole-form.`,
          )],
        })
      }
      const service = yield* openTarget(at)
      const form = yield* orInterrupted(options.interrupted, service.form(target.form))
      const compiled = compileWithoutSource(pipeline, form)
      if (Either.isLeft(compiled)) return yield* new ConfigurationInvalid({ diagnostics: compiled.left })
      const { mapping, warnings } = compiled.right
      const run = yield* openRun(project, {
        ...options,
        mode: "reconcile",
        pipeline,
        target,
        service,
        form,
        mapping,
        source: noSource,
        warnings: warnings.map((warning) => warning.message),
      })
      const reconciliation = Effect.gen(function*() {
        const { view } = yield* RunLedger
        const started = options.restart === true ? undefined : yield* unfinished(view)
        if (started === undefined) yield* RunLedger.write((session) => session.recordFacts({ reconciled: "through" }))
        // The mapping was compiled without the source's form tool and blocks, so its own fingerprint would differ. It maps no rows, so the last run's fingerprint is used.
        const fingerprint = (yield* view.runs({ limit: searched })).flatMap((one) => mappingOf(one) ?? [])[0]
        return yield* Effect.updateService(
          reconcileAll(started, options.wholeForm === true, options.pageRows),
          CurrentRun,
          (plan) => ({
            ...plan,
            warnings: [...plan.warnings, ...(started === undefined ? [] : [resumes(started)])],
            mapping: fingerprint === undefined ? plan.mapping : { ...plan.mapping, fingerprint },
          }),
        )
      })
      return yield* Effect.provide(reconciliation, run)
    }),
  )

const unfinished = (view: PipelineLedger) =>
  Effect.gen(function*() {
    const started = yield* view.reconciliation
    const now = yield* Clock.currentTimeMillis
    return started === undefined || now - Date.parse(started.at) > Duration.toMillis(freshFor) ? undefined : started
  })

const resumes = ({ at, readBack, run }: Reconciliation): string =>
  `This continues the reconciliation ${run}, which was interrupted at ${at} after ${
    counted(submissionsIn(readBack), "submission")
  }. `
  + "Its findings are counted here and listed in its own report. --restart reads everything again."
