import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { exits, mostSevere } from "../domain/exit.ts"
import { listed, permanence } from "../domain/words.ts"
import { sharingConnections } from "../ledger/openLedger.ts"
import type { LastTurn } from "../ledger/turns.ts"
import { nextTime } from "../project/cron.ts"
import { statusOfSignal } from "../run/ending.ts"
import { exitCodeOf } from "./attempt.ts"
import { JobRefused } from "./JobRefused.ts"
import { loadEngine } from "./run.ts"
import { countsFrom, readSchedules, type Scheduled, withLedger } from "./schedules.ts"
import { can, findService, serviceToConfirm } from "./services.ts"
import { findTarget } from "./target.ts"
import { ledgerFailed, makeTurns, type ScheduleOptions, type Turned } from "./turns.ts"

/** The longest pause before a turn whose ledger failed is tried again, in milliseconds. */
const longestPause = 3_600_000

/** `schedule` against these services needs `--confirm NAME` (exit code 2). */
export class ScheduleUnconfirmed extends Schema.TaggedError<ScheduleUnconfirmed>()("ScheduleUnconfirmed", {
  /** The services that are not confirmed, and those that are. */
  services: Schema.Array(Schema.String),
  confirmed: Schema.Array(Schema.String),
  pipelines: Schema.Array(Schema.String),
  canDelete: Schema.Boolean,
}) {
  override get message() {
    const services = this.services.join(" and ")
    return `${permanence(services, this.canDelete)} Nothing was sent. To let ${
      listed(this.pipelines)
    } write there on schedule, add --confirm ${this.services.join(" ")}.`
  }
}

/** Reads the project and its schedules. Fails if a service needs confirmation. */
const start = (options: ScheduleOptions) =>
  Effect.gen(function*() {
    const project = yield* options.load([])
    yield* Effect.forEach(options.confirmed, (name) => findService(project, name))
    const schedules = yield* readSchedules(options)
    if (schedules.scheduled.length === 0) {
      return yield* new JobRefused({
        code: "NothingScheduled",
        next: ["schema", "pipeline"],
        message:
          `No pipeline of ${options.root} has a schedule. Write one into its file: schedule: { cron: "0 2 * * *", zone: Europe/Berlin }`,
      })
    }
    const missing = (yield* Effect.forEach(schedules.scheduled, (one) => unconfirmed(options, one))).flat()
    if (missing.length > 0) {
      return yield* new ScheduleUnconfirmed({
        services: [...new Set(missing.map(({ service }) => service))],
        confirmed: options.confirmed,
        pipelines: missing.map(({ pipeline }) => pipeline),
        canDelete: missing.every(({ service }) => can(project, service, "delete")),
      })
    }
    return { schedules, turns: yield* makeTurns(project, options) }
  })

/** Returns the service of a pipeline if it is not confirmed yet. Ignores a pipeline that can't be read, because its run reports that. */
const unconfirmed = (options: ScheduleOptions, { pipeline, schedule }: Scheduled) =>
  Effect.gen(function*() {
    const project = yield* options.load([pipeline])
    const { target } = yield* findTarget(project, { pipeline, to: schedule.to })
    const service = serviceToConfirm(project, target.service)
    return service === undefined || options.confirmed.includes(service) ? [] : [{ pipeline, service }]
  }).pipe(Effect.orElseSucceed(() => []))

/**
 * Runs each due pipeline once. A pipeline is due if it never ran, or if a scheduled time has passed since its last run. Returns the most severe exit
 * code. A pipeline that was not due counts as 0, one that a different process is running as 6, and a file with an unreadable schedule as 2.
 */
export const runDue = (options: ScheduleOptions) =>
  sharingConnections(Effect.gen(function*() {
    const { schedules, turns } = yield* start(options)
    if (schedules.unreadable.length > 0) yield* options.onEvent({ _tag: "Unreadable", files: schedules.unreadable })
    const codes = yield* Effect.forEach(
      schedules.scheduled,
      (scheduled) =>
        Effect.gen(function*() {
          const turned = yield* turns.turn(scheduled, "due")
          yield* reportWaiting(options, scheduled, turned)
          return turned._tag === "Ran"
            ? exitCodeOf(turned.exit)
            : (turned._tag === "Elsewhere" ? exits.busy : exits.complete).code
        }),
      { concurrency: "unbounded" },
    )
    const signal = yield* turns.signal
    return mostSevere([
      ...codes,
      ...schedules.unreadable.map(() => exits.wrong.code),
      ...(signal === undefined ? [] : [statusOfSignal[signal]]),
    ])
  }))

/** Reports a pipeline that did not run now. */
const reportWaiting = (options: ScheduleOptions, { fault, pipeline, schedule }: Scheduled, turned: Turned) =>
  Effect.gen(function*() {
    if (fault !== undefined) return
    if (turned._tag === "Elsewhere") yield* options.onEvent({ _tag: "Elsewhere", pipeline })
    if (turned._tag !== "NotDue") return
    const now = yield* Clock.currentTimeMillis
    const next = nextTime(schedule, countsFrom(turned.last, now) ?? now)
    yield* options.onEvent({ _tag: "Waits", pipeline, schedule, next })
  })

/**
 * Runs pipelines at their scheduled times until a signal arrives. Then finishes and records what is in flight. Reads the files every minute and
 * before each run. A pipeline runs once for all times that were missed while no schedule ran. A pipeline that never ran waits for its first scheduled
 * time.
 */
export const runOnSchedule = (options: ScheduleOptions) =>
  sharingConnections(Effect.gen(function*() {
    const { schedules, turns } = yield* start(options)
    // Loaded in advance, so that the first run, which may replace a dead host's run, starts earlier.
    yield* Effect.forkScoped(loadEngine)
    const lookEvery = Duration.toMillis(options.lookEvery ?? Duration.minutes(1))
    const fibers = yield* FiberSet.make()
    const running = new Set<string>()
    const ended = yield* Queue.sliding<void>(1)
    /** When each pipeline runs next. Undefined if its schedule has no more times. */
    const waiting = new Map<string, { readonly schedule: Scheduled["schedule"]; readonly next: number | undefined }>()
    /** Pipelines that a different process was running when this one last looked. */
    const elsewhere = new Set<string>()
    /** How long to wait, in milliseconds, when the ledger fails again in a pipeline's turn. */
    const pauses = new Map<string, number>()
    let unreadable = ""

    const wait = ({ fault, pipeline, schedule }: Scheduled, next: number | undefined) => {
      const before = waiting.get(pipeline)?.next
      waiting.set(pipeline, { schedule, next })
      return before === next || fault !== undefined
        ? Effect.void
        : options.onEvent({ _tag: "Waits", pipeline, schedule, next })
    }

    /** Waits for the end of a turn that a different process has taken. If that process was killed, its turn expires. */
    const watch = ({ pipeline, schedule }: Scheduled, { lease }: LastTurn, now: number) => {
      const next = Math.min(nextTime(schedule, now) ?? Number.POSITIVE_INFINITY, now + (lease?.expiresIn ?? 0))
      waiting.set(pipeline, { schedule, next })
    }

    /** Finds the next scheduled time of a pipeline that is new to this process, or whose schedule was edited. After an edit, only future times count. */
    const meet = (scheduled: Scheduled, now: number) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        if (waiting.has(pipeline)) return yield* wait(scheduled, nextTime(schedule, now))
        const last = yield* withLedger(
          yield* turns.known,
          ({ turns }) => turns.seen(pipeline, now),
        ).pipe(
          // Problems with the ledger are reported by the pipeline's turn, which is tried at once if the ledger failed.
          Effect.catchAll(({ _tag }) => Effect.succeed(_tag === "LedgerError" ? "failed" as const : undefined)),
        )
        if (last === "failed") return yield* wait(scheduled, now)
        if (last?.state === "inProgress") return watch(scheduled, last, now)
        const from = last === undefined ? now : countsFrom(last, now) ?? now
        yield* wait(scheduled, last?.state === "stopped" ? now : nextTime(schedule, from))
      })

    const runOne = (scheduled: Scheduled) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        const startedAt = yield* Clock.currentTimeMillis
        const turned = yield* turns.turn(scheduled, "later")
        const now = yield* Clock.currentTimeMillis
        if (turned._tag === "Elsewhere") {
          if (!elsewhere.has(pipeline)) yield* options.onEvent({ _tag: "Elsewhere", pipeline })
          elsewhere.add(pipeline)
          return watch(scheduled, turned.last, now)
        }
        elsewhere.delete(pipeline)
        if (turned._tag === "Ran" && ledgerFailed(turned.exit)) {
          const pause = pauses.get(pipeline) ?? lookEvery
          pauses.set(pipeline, Math.min(pause * 2, longestPause))
          return yield* wait(scheduled, Math.min(nextTime(schedule, now) ?? Number.POSITIVE_INFINITY, now + pause))
        }
        pauses.delete(pipeline)
        const from = turned._tag === "NotDue" ? countsFrom(turned.last, now) ?? now : startedAt
        yield* wait(scheduled, nextTime(schedule, from))
      }).pipe(
        Effect.ensuring(Effect.suspend(() => {
          running.delete(scheduled.pipeline)
          return Queue.offer(ended, undefined)
        })),
      )

    /** Starts what is due, then sleeps until the next time. */
    const look = (found: typeof schedules) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (found.unreadable.join("\n") !== unreadable) {
          unreadable = found.unreadable.join("\n")
          if (unreadable !== "") yield* options.onEvent({ _tag: "Unreadable", files: found.unreadable })
        }
        const names = new Set(found.scheduled.map(({ pipeline }) => pipeline))
        for (const name of waiting.keys()) if (!names.has(name)) waiting.delete(name)
        let soonest = now + lookEvery
        for (const scheduled of found.scheduled) {
          const { pipeline, schedule } = scheduled
          if (running.has(pipeline)) continue
          const before = waiting.get(pipeline)?.schedule
          if (before?.cron !== schedule.cron || before.zone !== schedule.zone) yield* meet(scheduled, now)
          const next = waiting.get(pipeline)?.next
          if (next === undefined) continue
          if (next <= now) {
            running.add(pipeline)
            yield* FiberSet.run(fibers, runOne(scheduled))
          } else soonest = Math.min(soonest, next)
        }
        yield* Effect.raceFirst(
          Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.sleep(Duration.millis(Math.max(0, soonest - at)))),
          Queue.take(ended),
        )
      })

    const lookAgain = Effect.zipRight(
      look(schedules),
      Effect.forever(Effect.flatMap(readSchedules(options), look)),
    )
    const signal = yield* Effect.raceFirst(lookAgain, options.interrupted)
    yield* FiberSet.awaitEmpty(fibers)
    return statusOfSignal[signal]
  }))
