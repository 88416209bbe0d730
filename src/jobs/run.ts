import { Effect, Schema } from "effect"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { Project } from "../project/Project.ts"
import { ranBefore } from "../report/pastRuns.ts"
import { traced } from "../service/telemetry.ts"
import { isLong } from "../source/openSource.ts"
import { asRun } from "./asRun.ts"
import { requireUnchangedForm } from "./formChanges.ts"
import type { RunSettings } from "./openRun.ts"
import { orInterrupted } from "./orInterrupted.ts"
import { prepare, type Prepared } from "./prepare.ts"
import { type Services, serviceToConfirm } from "./services.ts"
import { findPipeline } from "./target.ts"

/** What a person has to say yes to before rows are sent. */
export interface SendQuestion {
  readonly service: string
  readonly form: Pick<Form, "id" | "name">
  readonly rows: number
}

/** What `run` was asked to do. */
export interface RunOptions extends Pick<RunSettings, "interrupted" | "progress" | "projectOption" | "redact"> {
  readonly pipeline: string
  readonly to: string | undefined
  /** Another file to feed through the pipeline, absolute. */
  readonly source: string | undefined
  readonly dryRun: boolean
  readonly limit: number | undefined
  readonly retryRefused: boolean
  /** The services that the process shares: several pipelines keep one pace. */
  readonly services?: Services | undefined
  /** Whether it is confirmed that rows may be sent to this service. */
  readonly confirm: (service: string) => boolean
  /** Asks a person who has not confirmed that, once it is known how many rows there are; absent: nobody can be asked. */
  readonly ask?: ((question: SendQuestion) => Effect.Effect<boolean>) | undefined
  /** Findings that are no errors. */
  readonly warn: (warnings: ReadonlyArray<Diagnostic>) => Effect.Effect<void>
}

/** A run of everything as the pipeline says, with nothing asked for on the command line. */
export const asThePipelineSays = {
  to: undefined,
  source: undefined,
  dryRun: false,
  limit: undefined,
  retryRefused: false,
} as const

/** `run` against this service needs `--confirm NAME` (exit 2). */
class ConfirmationMissing extends Schema.TaggedError<ConfirmationMissing>()("ConfirmationMissing", {
  service: Schema.String,
  pipeline: Schema.String,
}) {
  override get message() {
    return `Writes to ${this.service} can't be undone. Nothing was sent. To send the rows of ${this.pipeline}, confirm it with --confirm ${this.service}.`
  }
}

/** Runs one pipeline of a project, from checking it to its report. */
export const runPipeline = (project: Project, options: RunOptions) =>
  asRun(
    { pipeline: options.pipeline, mode: options.dryRun ? "dry-run" : "run" },
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      // Only a run asks whether the source is as it was, and only after another one.
      const digestAhead = !options.dryRun && (yield* ranBefore(project.reports, pipeline.name))
        && (yield* isLong(pipeline.source.file))
      const prepared = yield* traced(
        "check",
        {},
        orInterrupted(options.interrupted, prepare(project, pipeline, { ...options, digestAhead })),
      )
      const warnings = [...(yield* requireUnchangedForm(prepared.changed)), ...prepared.warnings]
      yield* options.warn(warnings)
      const mayBeSent = yield* confirmation(project, prepared, options)
      // Loaded once the source is being read already: its digest is taken meanwhile.
      const { openRun } = yield* Effect.promise(() => import("./openRun.ts"))
      const { execute } = yield* Effect.promise(() => import("../run/Run.ts"))
      const run = openRun(project, {
        ...options,
        ...prepared,
        mode: options.dryRun ? "dry-run" : "run",
        mayBeSent,
        otherSource: options.source,
        warnings: warnings.map((warning) => warning.message),
      })
      return yield* Effect.provide(execute, run)
    }),
  )

/** What asks a person before rows are sent; undefined: nobody has to be asked. Without a person who could be, the run is refused before its survey. */
const confirmation = (project: Project, { form, pipeline, target }: Prepared, { ask, confirm, dryRun }: RunOptions) =>
  Effect.gen(function*() {
    const service = serviceToConfirm(project, target.service)
    if (dryRun || service === undefined || confirm(service)) return undefined
    if (ask === undefined) return yield* new ConfirmationMissing({ service, pipeline: pipeline.name })
    return (rows: number) => ask({ service, form, rows })
  })
