import { Cause, Clock, Effect, Exit, RcRef, Ref } from "effect"
import type { RunReport } from "../../domain/report.ts"
import type { LastTurn, Ledger } from "../../ledger/Ledger.ts"
import { openLedger } from "../../ledger/openLedger.ts"
import type { Project } from "../../project/Project.ts"
import type { Signal } from "../../run/Stop.ts"
import { attempt, tell } from "../attempt.ts"
import type { AttemptFailure } from "../exitStatus.ts"
import { ledgerOf } from "../projectLedger.ts"
import { asThePipelineSays } from "../run.ts"
import { shareServices } from "../shareServices.ts"
import { type Due, dueNow } from "./due.ts"
import type { ScheduleOptions } from "./options.ts"
import type { Scheduled } from "./schedules.ts"

/** What became of a pipeline's turn. */
export type Turned =
  | { readonly _tag: "Ran"; readonly exit: Exit.Exit<RunReport, AttemptFailure> }
  | { readonly _tag: "NotDue"; readonly last: LastTurn }
  /** Another process runs it. */
  | { readonly _tag: "Elsewhere" }
  /** A signal came first. */
  | { readonly _tag: "Stopped" }

/** Pipelines that may run at the same time, unless told otherwise: each holds a source open, and they share the ledger's file. */
const usuallyAtOnce = 4

/** Looks into a project's ledger, for as long as that takes. */
export const withLedger = <A, E>(project: Project, look: (ledger: Ledger) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(openLedger(ledgerOf(project)), look))

/**
 * Gives pipelines their turns. Those that run at the same time share the services and their pace; when none runs, everything is closed, and the next one sees the
 * configuration as it stands then.
 *
 * @param first the project as it was loaded first: a configuration that can't be read later on is a failure of the runs, and somebody must still hear of them
 */
export const makeTurns = (first: Project, options: ScheduleOptions) =>
  Effect.gen(function*() {
    const services = yield* RcRef.make({ acquire: shareServices })
    const places = yield* Effect.makeSemaphore(options.atOnce ?? usuallyAtOnce)
    const known = yield* Ref.make(first)
    const stopping = yield* Ref.make<Signal | undefined>(undefined)
    yield* Effect.forkScoped(Effect.flatMap(options.interrupted, (signal) => Ref.set(stopping, signal)))

    const run = ({ pipeline, schedule }: Scheduled) =>
      Effect.gen(function*() {
        const loaded = yield* Effect.exit(options.load([pipeline]))
        if (Exit.isFailure(loaded)) {
          const failed: Exit.Exit<RunReport, AttemptFailure> = Exit.failCause(loaded.cause)
          yield* tell(yield* Ref.get(known), pipeline, failed)
          return failed
        }
        yield* Ref.set(known, loaded.value)
        return yield* Effect.exit(
          attempt(loaded.value, {
            ...asThePipelineSays,
            pipeline,
            to: schedule.to,
            services: yield* RcRef.get(services),
            projectOption: options.projectOption,
            confirm: (service) => options.confirmed.includes(service),
            progress: (event) => options.progress?.(pipeline, event) ?? Effect.void,
            warn: (warnings) => options.warn?.(pipeline, warnings) ?? Effect.void,
            interrupted: options.interrupted,
          }),
        )
      }).pipe(Effect.scoped)

    /** Takes the turn where it is due, and does it. */
    const turn = (scheduled: Scheduled, unseen: Due) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        if ((yield* Ref.get(stopping)) !== undefined) return stopped
        const project = yield* Ref.get(known)
        const now = yield* Clock.currentTimeMillis
        const asked = yield* Effect.exit(withLedger(
          project,
          ({ turns }) => turns.take(pipeline, (last) => dueNow(schedule, last, now, unseen) === "due"),
        ))
        if (Exit.isFailure(asked)) {
          const exit = Exit.failCause(asked.cause)
          yield* tell(project, pipeline, exit)
          yield* options.tell({ _tag: "Ended", pipeline, schedule, project, exit })
          return { _tag: "Ran", exit } satisfies Turned
        }
        const { last, taken } = asked.value
        if (!taken) {
          const elsewhere = dueNow(schedule, last, now, unseen) === "elsewhere"
          return elsewhere ? { _tag: "Elsewhere" } satisfies Turned : { _tag: "NotDue", last } satisfies Turned
        }
        yield* options.tell({ _tag: "Begins", pipeline, schedule, again: last.state === "brokenOff" })
        const exit = yield* run(scheduled)
        yield* Effect.ignoreLogged(
          withLedger(project, ({ turns }) => turns.end(pipeline, brokeOff(exit) ? "brokenOff" : "done")),
        )
        if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) return stopped
        yield* options.tell({ _tag: "Ended", pipeline, schedule, project: yield* Ref.get(known), exit })
        return { _tag: "Ran", exit } satisfies Turned
      }).pipe(places.withPermits(1))

    return { turn, known: Ref.get(known), signal: Ref.get(stopping) }
  })

const stopped: Turned = { _tag: "Stopped" }

/** Whether a signal ended the run: whoever starts formferry again wants it to go on. */
const brokeOff = (exit: Exit.Exit<{ readonly outcome: string }, AttemptFailure>): boolean =>
  Exit.isSuccess(exit) ? exit.value.outcome === "interrupted" : Cause.isInterruptedOnly(exit.cause)
