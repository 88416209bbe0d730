import { Clock, Duration, Effect, FiberSet, Queue } from "effect"
import { mostSevere } from "../domain/exit.ts"
import { nextTime } from "../project/cron.ts"
import { statusOfSignal } from "../run/exit.ts"
import { statusOfExit } from "./attempt.ts"
import { begin } from "./schedule/begin.ts"
import { countsFrom } from "./schedule/due.ts"
import type { ScheduleOptions } from "./schedule/options.ts"
import { readSchedules, type Scheduled } from "./schedule/schedules.ts"
import { makeTurns, type Turned, withLedger } from "./schedule/turns.ts"

/**
 * Runs every pipeline of which a time has passed since it last ran, and those that never ran, each once; then it ends. Gives the exit status over all of them:
 * one that was not due counts as 0, one that another process runs as 6, a file whose schedule can't be read as 2.
 */
export const runDue = (options: ScheduleOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const { project, schedules } = yield* begin(options)
    const turns = yield* makeTurns(project, options)
    if (schedules.unreadable.length > 0) yield* options.tell({ _tag: "Unreadable", files: schedules.unreadable })
    const statuses = yield* Effect.forEach(
      schedules.scheduled,
      (scheduled) =>
        Effect.gen(function*() {
          const turned = yield* turns.turn(scheduled, "due")
          yield* tellOthers(options, scheduled, turned)
          return turned._tag === "Ran" ? statusOfExit(turned.exit) : turned._tag === "Elsewhere" ? 6 : 0
        }),
      { concurrency: "unbounded" },
    )
    const signal = yield* turns.signal
    return mostSevere([
      ...statuses,
      ...schedules.unreadable.map(() => 2),
      ...(signal === undefined ? [] : [statusOfSignal[signal]]),
    ])
  }))

const tellOthers = (options: ScheduleOptions, { fault, pipeline, schedule }: Scheduled, turned: Turned) =>
  Effect.gen(function*() {
    if (fault !== undefined) return
    if (turned._tag === "Elsewhere") yield* options.tell({ _tag: "Elsewhere", pipeline })
    if (turned._tag !== "NotDue") return
    const now = yield* Clock.currentTimeMillis
    yield* options.tell({
      _tag: "Waits",
      pipeline,
      schedule,
      next: nextTime(schedule, countsFrom(turned.last, now) ?? now),
    })
  })

/** What a schedule that goes on holds of a pipeline. */
interface Waiting {
  readonly schedule: Scheduled["schedule"]
  /** Undefined: it never comes again. */
  readonly next: number | undefined
}

const everyMinute = Duration.minutes(1)

/**
 * Runs pipelines at their times until it is interrupted: then what is in flight is finished and recorded. Files are read again every minute and before each run. A
 * pipeline runs once for times that were missed while nobody was there; one that never ran waits for its first time.
 */
export const runOnSchedule = (options: ScheduleOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const { project, schedules } = yield* begin(options)
    const turns = yield* makeTurns(project, options)
    const lookEvery = Duration.toMillis(options.lookEvery ?? everyMinute)
    const running = yield* FiberSet.make()
    const going = new Set<string>()
    const ended = yield* Queue.sliding<void>(1)
    const waiting = new Map<string, Waiting>()
    let unreadable: ReadonlyArray<string> = []

    const wait = ({ fault, pipeline, schedule }: Scheduled, next: number | undefined) => {
      const before = waiting.get(pipeline)?.next
      waiting.set(pipeline, { schedule, next })
      return before === next || fault !== undefined
        ? Effect.void
        : options.tell({ _tag: "Waits", pipeline, schedule, next })
    }

    /** When a pipeline's next time is that this process has not seen, or whose schedule was edited: then only what is to come counts. */
    const meet = (scheduled: Scheduled, now: number) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        if (waiting.has(pipeline)) return yield* wait(scheduled, nextTime(schedule, now))
        const last = yield* withLedger(
          yield* turns.known,
          (ledger) => Effect.zipLeft(ledger.turns.last(pipeline), ledger.turns.see(pipeline)),
        ).pipe(
          // Its run will tell what is wrong with the ledger.
          Effect.orElseSucceed(() => undefined),
        )
        const broken = last?.state === "brokenOff"
        const from = last === undefined ? now : countsFrom(last, now) ?? now
        yield* wait(scheduled, broken ? now : nextTime(schedule, from))
      })

    const runOne = (scheduled: Scheduled) =>
      Effect.gen(function*() {
        const { pipeline, schedule } = scheduled
        const began = yield* Clock.currentTimeMillis
        const turned = yield* turns.turn(scheduled, "later")
        const now = yield* Clock.currentTimeMillis
        if (turned._tag === "Elsewhere") {
          yield* options.tell({ _tag: "Elsewhere", pipeline })
          // Whoever is at it may be dead: that shows after a while.
          yield* wait(scheduled, Math.min(nextTime(schedule, now) ?? Number.POSITIVE_INFINITY, now + lookEvery))
        } else {
          const from = turned._tag === "NotDue" ? countsFrom(turned.last, now) ?? now : began
          yield* wait(scheduled, nextTime(schedule, from))
        }
      }).pipe(
        Effect.ensuring(Effect.suspend(() => {
          going.delete(scheduled.pipeline)
          return Queue.offer(ended, undefined)
        })),
      )

    const look = (found: typeof schedules) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (found.unreadable.join("\n") !== unreadable.join("\n")) {
          unreadable = found.unreadable
          if (unreadable.length > 0) yield* options.tell({ _tag: "Unreadable", files: unreadable })
        }
        const names = new Set(found.scheduled.map(({ pipeline }) => pipeline))
        for (const name of waiting.keys()) if (!names.has(name)) waiting.delete(name)
        let soonest = now + lookEvery
        for (const scheduled of found.scheduled) {
          const { pipeline, schedule } = scheduled
          if (going.has(pipeline)) continue
          const before = waiting.get(pipeline)
          if (before === undefined || !sameTimes(before.schedule, schedule)) yield* meet(scheduled, now)
          const next = waiting.get(pipeline)?.next
          if (next === undefined) continue
          if (next <= now) {
            going.add(pipeline)
            yield* FiberSet.run(running, runOne(scheduled))
          } else soonest = Math.min(soonest, next)
        }
        yield* Effect.raceFirst(
          Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.sleep(Duration.millis(Math.max(0, soonest - at)))),
          Queue.take(ended),
        )
      })

    const goOn = Effect.zipRight(look(schedules), Effect.forever(Effect.flatMap(readSchedules(options.root), look)))
    const signal = yield* Effect.raceFirst(goOn, options.interrupted)
    yield* FiberSet.awaitEmpty(running)
    return statusOfSignal[signal]
  }))

const sameTimes = (a: Scheduled["schedule"], b: Scheduled["schedule"]): boolean =>
  a.cron === b.cron && a.zone === b.zone
