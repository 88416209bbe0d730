import { FileSystem } from "@effect/platform"
import { Clock, Effect } from "effect"
import type { LastTurn } from "../../ledger/Ledger.ts"
import { nextTime, type Schedule } from "../../project/cron.ts"
import { countsFrom, type Due, dueNow } from "./due.ts"
import type { ScheduleOptions } from "./options.ts"
import { readSchedules } from "./schedules.ts"
import { withLedger } from "./turns.ts"

/** When a pipeline runs next. Times are in milliseconds since 1970. */
export interface Planned {
  readonly pipeline: string
  readonly schedule: Schedule
  readonly next: ReadonlyArray<number>
  /** Whether `--once` would run it now. */
  readonly now: Due
  /** When it last had its turn by schedule, or last ran by hand; undefined: never. */
  readonly last: number | undefined
}

export interface Plan {
  readonly at: number
  readonly pipelines: ReadonlyArray<Planned>
  /** Files of which nobody can tell when their pipeline is to run, as sentences. */
  readonly unreadable: ReadonlyArray<string>
}

const never: LastTurn = { at: undefined, state: "done", tries: 0, ran: undefined }

/** The next times of every pipeline that has a schedule. Only reads; a ledger that is not there yet is not made. */
export const planSchedule = (
  { load, root }: Pick<ScheduleOptions, "load" | "root">,
  times: number,
) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const project = yield* load([])
    const schedules = yield* readSchedules(root)
    const scheduled = schedules.scheduled.filter(({ fault }) => fault === undefined)
    const at = yield* Clock.currentTimeMillis
    const lasts = (yield* fs.exists(project.ledger))
      ? yield* withLedger(project, ({ turns }) => Effect.forEach(scheduled, ({ pipeline }) => turns.last(pipeline)))
      : []
    const plan: Plan = {
      at,
      pipelines: scheduled.map(({ pipeline, schedule }, index) => {
        const last = lasts[index] ?? never
        return {
          pipeline,
          schedule,
          next: timesAfter(schedule, at, times),
          now: dueNow(schedule, last, at, "due"),
          last: last.tries === 0 ? last.ran : countsFrom(last, at),
        }
      }),
      unreadable: schedules.unreadable,
    }
    return plan
  })

/** The next times of a schedule. */
export const timesAfter = (schedule: Schedule, after: number, count: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let at = nextTime(schedule, after); at !== undefined && times.length < count; at = nextTime(schedule, at)) {
    times.push(at)
  }
  return times
}
