import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as RcRef from "effect/RcRef"
import * as Ref from "effect/Ref"
import type { ProgressEvent } from "../domain/progress.ts"
import type { RunReport } from "../domain/report.ts"
import type { LastTurn } from "../ledger/turns.ts"
import type { Project } from "../project/Project.ts"
import type { Signal } from "../run/Stop.ts"
import { attempt, type AttemptFailure, notifyEnd } from "./attempt.ts"
import { openOwn } from "./projectLedger.ts"
import { type RunOptions, runPipeline, withoutOptions } from "./run.ts"
import { type Due, dueNow, isRetried, type Scheduled, type ScheduledProject, withLedger } from "./schedules.ts"
import { shareServices } from "./services.ts"

/** An event while pipelines run on schedule. Times are in milliseconds since 1970. */
export type ScheduleEvent =
  /** A pipeline waits for its next scheduled time. Undefined if its schedule has no more times. */
  | ({ readonly _tag: "Waits"; readonly next: number | undefined } & Pick<Scheduled, "pipeline" | "schedule">)
  /** A pipeline's run starts. `again`: whether its last turn was interrupted. */
  | ({ readonly _tag: "Begins"; readonly again: boolean } & Pick<Scheduled, "pipeline" | "schedule">)
  /** A pipeline's run ended. `project`: the project as read for this run, or as read earlier if it can't be read now. */
  | ({
    readonly _tag: "Ended"
    readonly project: Project
    readonly exit: Exit.Exit<RunReport, AttemptFailure>
  } & Pick<Scheduled, "pipeline" | "schedule">)
  /** A different process runs the pipeline. */
  | { readonly _tag: "Elsewhere"; readonly pipeline: string }
  /** Sentences that say which files have a schedule that can't be read. */
  | { readonly _tag: "Unreadable"; readonly files: ReadonlyArray<string> }

export interface ScheduleOptions extends ScheduledProject, Pick<RunOptions, "interrupted" | "projectOption"> {
  /** The services to which rows may be sent. */
  readonly confirmed: ReadonlyArray<string>
  readonly onEvent: (event: ScheduleEvent) => Effect.Effect<void>
  readonly progress?: ((pipeline: string, event: ProgressEvent) => Effect.Effect<void>) | undefined
  readonly warn?: ((pipeline: string, ...warnings: Parameters<RunOptions["warn"]>) => Effect.Effect<void>) | undefined
  /** The maximum number of pipelines that run at the same time. Each keeps a source open, and all share the ledger's file. Default: 4. */
  readonly atOnce?: number | undefined
  /** The interval at which the files are read for new times. Default: one minute. */
  readonly lookEvery?: Duration.DurationInput | undefined
}

/** How a pipeline's turn ended. */
export type Turned =
  | { readonly _tag: "Ran"; readonly exit: Exit.Exit<RunReport, AttemptFailure> }
  | { readonly _tag: "NotDue"; readonly last: LastTurn }
  /** A different process runs the pipeline. */
  | { readonly _tag: "Elsewhere"; readonly last: LastTurn }
  /** A signal arrived before the turn. */
  | { readonly _tag: "Stopped" }

/**
 * Runs pipelines when they are due. Pipelines that run at the same time share the services and their rate limits. When none runs, everything is
 * closed, and the next turn loads the configuration again.
 *
 * @param first the project as first loaded: its webhooks are notified if the configuration can't be read later
 */
export const makeTurns = (first: Project, options: ScheduleOptions) =>
  Effect.gen(function*() {
    const services = yield* RcRef.make({ acquire: shareServices })
    const places = yield* Effect.makeSemaphore(options.atOnce ?? 4)
    const known = yield* Ref.make(first)
    const stopping = yield* Ref.make<Signal | undefined>(undefined)
    yield* Effect.forkScoped(Effect.flatMap(options.interrupted, (signal) => Ref.set(stopping, signal)))

    // Each turn has heartbeats of its own, because a ledger that failed is never used again.
    const keep = Effect.gen(function*() {
      const ledger = yield* openOwn(yield* Ref.get(known))
      yield* ledger.turns.keep
    })

    const run = ({ pipeline, schedule }: Scheduled) =>
      Effect.gen(function*() {
        yield* Effect.ignoreLogged(keep)
        const loaded = yield* Effect.exit(options.load([pipeline]))
        if (Exit.isFailure(loaded)) {
          const failed: Exit.Exit<RunReport, AttemptFailure> = Exit.failCause(loaded.cause)
          yield* notifyEnd(yield* Ref.get(known), pipeline, failed)
          return failed
        }
        yield* Ref.set(known, loaded.value)
        return yield* Effect.exit(
          attempt(
            loaded.value,
            pipeline,
            runPipeline(loaded.value, {
              ...withoutOptions,
              pipeline,
              to: schedule.to,
              services: yield* RcRef.get(services),
              projectOption: options.projectOption,
              confirm: (service) => options.confirmed.includes(service),
              progress: (event) => options.progress?.(pipeline, event) ?? Effect.void,
              warn: (warnings) => options.warn?.(pipeline, warnings) ?? Effect.void,
              interrupted: options.interrupted,
            }),
          ),
        )
      }).pipe(Effect.scoped)

    /** Records the turn if the pipeline is due, and runs the pipeline. */
    const turn = (scheduled: Scheduled, unseen: Due) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        if ((yield* Ref.get(stopping)) !== undefined) return stopped
        const project = yield* Ref.get(known)
        const now = yield* Clock.currentTimeMillis
        const asked = yield* Effect.exit(withLedger(
          project,
          ({ turns }) =>
            turns.record(
              pipeline,
              (last) =>
                dueNow(schedule, last, now, unseen) !== "due" ? undefined : isRetried(last) ? "retaken" : "taken",
            ),
        ))
        if (Exit.isFailure(asked)) {
          const exit = Exit.failCause(asked.cause)
          yield* notifyEnd(project, pipeline, exit)
          yield* options.onEvent({ _tag: "Ended", pipeline, schedule, project, exit })
          return { _tag: "Ran", exit } satisfies Turned
        }
        const { change, last } = asked.value
        if (change === undefined) {
          const elsewhere = dueNow(schedule, last, now, unseen) === "elsewhere"
          return { _tag: elsewhere ? "Elsewhere" : "NotDue", last } satisfies Turned
        }
        yield* options.onEvent({ _tag: "Begins", pipeline, schedule, again: last.state === "stopped" })
        const exit = yield* run(scheduled)
        yield* Effect.ignoreLogged(
          withLedger(project, ({ turns }) => turns.record(pipeline, () => (wasStopped(exit) ? "stopped" : "done"))),
        )
        if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) return stopped
        yield* options.onEvent({ _tag: "Ended", pipeline, schedule, project: yield* Ref.get(known), exit })
        return { _tag: "Ran", exit } satisfies Turned
      }).pipe(places.withPermits(1))

    return { turn, known: Ref.get(known), signal: Ref.get(stopping) }
  })

const stopped: Turned = { _tag: "Stopped" }

/** Whether the run ended because the ledger failed, for example because its database could not be reached. A later run can continue it. */
export const ledgerFailed = (exit: Exit.Exit<unknown, AttemptFailure>): boolean =>
  Exit.isFailure(exit)
  && Option.exists(Cause.failureOption(exit.cause), ({ _tag }) =>
    _tag === "LedgerError" || _tag === "OutcomeUnrecorded")

/** Whether a signal or the ledger ended the run. If so, the turn is taken again. */
const wasStopped = (exit: Exit.Exit<{ readonly outcome: string }, AttemptFailure>): boolean =>
  Exit.isSuccess(exit)
    ? exit.value.outcome === "interrupted"
    : Cause.isInterruptedOnly(exit.cause) || ledgerFailed(exit)
