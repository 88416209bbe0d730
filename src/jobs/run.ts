import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { RunReport } from "../domain/report.ts"
import type { Mode, SendQuestion } from "../domain/run.ts"
import { permanence } from "../domain/words.ts"
import type { Project } from "../project/Project.ts"
import { ranBefore } from "../report/pastRuns.ts"
import { annotated, traced } from "../service/telemetry.ts"
import { isLong } from "../source/openSource.ts"
import type { RunSettings } from "./openRun.ts"
import { type Prepared, type PrepareOptions, prepareRun } from "./prepare.ts"
import type { Pulls } from "./pullFrom.ts"
import { can, serviceToConfirm } from "./services.ts"
import { findPipeline, type OfPipeline } from "./target.ts"

export interface RunOptions
  extends
    OfPipeline,
    Pick<PrepareOptions, "services" | "source">,
    Pick<RunSettings, "interrupted" | "progress" | "projectOption" | "redact">
{
  readonly dryRun: boolean
  readonly limit: number | undefined
  readonly retryRefused: boolean
  readonly resendUndone?: boolean
  /** Whether all records are pulled, although the pipeline has `since`. */
  readonly full?: boolean
  readonly confirm: (service: string) => boolean
  /** Asks for the confirmation when the number of rows is known. Undefined if no one can be asked. */
  readonly ask?: ((question: SendQuestion) => Effect.Effect<boolean>) | undefined
  /** Called with the findings that are not errors. */
  readonly warn: (warnings: ReadonlyArray<Diagnostic>) => Effect.Effect<void>
}

/** The options for a run that follows the pipeline's file, without options from a command line. */
export const withoutOptions = {
  to: undefined,
  source: undefined,
  dryRun: false,
  limit: undefined,
  retryRefused: false,
} as const

/** `run` or `undo` against this service needs `--confirm NAME` (exit code 2). */
export class ConfirmationMissing extends Schema.TaggedError<ConfirmationMissing>()("ConfirmationMissing", {
  service: Schema.String,
  pipeline: Schema.String,
  /** Whether submissions would be deleted. */
  deletes: Schema.optional(Schema.Boolean),
  canDelete: Schema.optional(Schema.Boolean),
}) {
  override get message() {
    if (this.deletes === true) {
      return `Deleting submissions of ${this.service} can't be undone. Nothing was deleted. To delete those of ${this.pipeline}, add --confirm ${this.service}.`
    }
    return `${
      permanence(this.service, this.canDelete === true)
    } Nothing was sent. To send the rows of ${this.pipeline}, add --confirm ${this.service}.`
  }
}

/** Loads the modules that send rows. */
export const loadEngine = Effect.promise(() => Promise.all([import("./openRun.ts"), import("../run/Run.ts")]))

/** Runs a pipeline: checks it, sends its rows, and reports. */
export const runPipeline = (project: Project, options: RunOptions) =>
  asRun(
    { pipeline: options.pipeline, mode: options.dryRun ? "dry-run" : "run" },
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      // Only a run compares its source with the source of an earlier run.
      const digestAhead = !options.dryRun && (yield* ranBefore(project.reports, pipeline.name))
        && (yield* isLong(pipeline.source.file))
      const prepared = yield* traced(
        "check",
        {},
        prepareRun(project, pipeline, {
          ...options,
          digestAhead,
          pulls: pullsOf(options),
          meanwhile: loadEngine,
        }),
      )
      const mayBeSent = yield* confirmation(project, prepared, options)
      const [{ openRun }, { execute }] = yield* loadEngine
      const run = yield* openRun(project, {
        ...options,
        ...prepared,
        mode: options.dryRun ? "dry-run" : "run",
        mayBeSent,
      })
      return yield* Effect.provide(execute, run)
    }),
  )

/** Returns which records a run pulls. Rows that are sent again although nothing about them changed may have old records. */
export const pullsOf = (
  { full, resendUndone, retryRefused }: Pick<RunOptions, "full" | "resendUndone" | "retryRefused">,
): Pulls =>
  full === true || retryRefused || resendUndone === true
    ? { all: full === true ? "--full" : retryRefused ? "--retry-refused" : "--resend-undone" }
    : "next"

/** Returns how to ask a person before rows are sent, or undefined if no confirmation is needed. Fails before it surveys the source if no one can be asked. */
const confirmation = (
  project: Project,
  { form, pipeline, target }: Omit<Prepared, "warnings">,
  { ask, confirm, dryRun }: RunOptions,
) =>
  Effect.gen(function*() {
    const service = serviceToConfirm(project, target.service)
    if (dryRun || service === undefined || confirm(service)) return undefined
    const deletes = { canDelete: can(project, service, "delete") }
    if (ask === undefined) return yield* new ConfirmationMissing({ service, pipeline: pipeline.name, ...deletes })
    return (rows: number) => ask({ service, form, rows, ...deletes })
  })

/** Runs an effect in a span and in a scope. */
export const asRun = <E, R>(
  { mode, pipeline }: { readonly pipeline: string; readonly mode: Mode },
  run: Effect.Effect<RunReport, E, R>,
): Effect.Effect<RunReport, E, Exclude<R, Scope.Scope>> =>
  traced(
    mode,
    { "formferry.pipeline": pipeline, "formferry.mode": mode },
    Effect.tap(Effect.scoped(run), ({ exitCode, form, outcome, rows, run }) =>
      annotated({
        "formferry.run": run,
        "formferry.service": form.service,
        "formferry.form": form.id,
        "formferry.outcome": outcome,
        "formferry.exit_code": exitCode,
        "formferry.rows": rows.read,
      })),
  )
