import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DateTime } from "luxon"
import type { Ledger } from "../ledger/Ledger.ts"
import type { LastTurn } from "../ledger/turns.ts"
import { nextTime, type Schedule, scheduleIn } from "../project/cron.ts"
import type { Disk } from "../project/disk.ts"
import { hasTag, listPipelines, type loadProject, nameOfFile } from "../project/loadProject.ts"
import type { Project } from "../project/Project.ts"
import { openExisting, openOwn } from "./projectLedger.ts"

/** Where a project is and how to load it. */
export interface ScheduledProject {
  /** The absolute path of the project's folder. */
  readonly root: string
  /** Only pipelines with one of these tags. Empty for any tag. */
  readonly tags?: ReadonlyArray<string>
  /** Loads the project with these pipelines from its files, which may change between runs. */
  readonly load: (
    pipelines: ReadonlyArray<string>,
  ) => Effect.Effect<Project, Effect.Effect.Error<ReturnType<typeof loadProject>>, Disk>
}

export interface Scheduled {
  readonly pipeline: string
  readonly schedule: Schedule
  /** A sentence that says which file's schedule can't be read, and why. If present, `schedule` is a substitute. */
  readonly fault?: string
}

interface Schedules {
  /** The schedules in the order of the files. */
  readonly scheduled: ReadonlyArray<Scheduled>
  /** The faults of all schedules that can't be read. */
  readonly unreadable: ReadonlyArray<string>
}

/** The schedule of a pipeline whose own schedule can't be read. Its run fails once a day, which is reported. */
const onceADay: Schedule = { cron: "0 0 * * *", zone: "UTC" }

/**
 * Reads the schedule of each pipeline that the tags choose, and of each pipeline whose tags can't be read. Ignores other mistakes in a file, because
 * the pipeline's run reports them.
 */
export const readSchedules = ({ root, tags = [] }: Pick<ScheduledProject, "root" | "tags">) =>
  Effect.map(listPipelines(root), ({ texts, unreadable }): Schedules => {
    const scheduled = new Map<string, Scheduled>()
    const add = (pipeline: string, schedule: Schedule) => scheduled.set(pipeline, { pipeline, schedule })
    const addFault = (pipeline: string, fault: string) =>
      scheduled.set(pipeline, { pipeline, schedule: onceADay, fault })
    for (const { file, message } of unreadable) addFault(nameOfFile(file), `${file}: ${message}`)
    for (const { called, name, yaml } of texts.filter((text) => hasTag(text.tags, tags))) {
      const schedule = scheduleIn(yaml)
      if (typeof schedule === "string") addFault(called, `${yaml.file}: ${schedule}`)
      else if (schedule !== undefined && name === undefined) {
        addFault(called, `${yaml.file}: its key \`pipeline\` can't be read.`)
      } else if (schedule !== undefined) add(called, schedule)
    }
    const all = [...scheduled.values()]
    return { scheduled: all, unreadable: all.flatMap(({ fault }) => fault ?? []) }
  })

/** `elsewhere`: a different process runs the pipeline. */
export type Due = "due" | "elsewhere" | "later"

/** How often an interrupted turn is retried before its next scheduled time. */
const mostTries = 3

/** In milliseconds. A recorded time that is further in the future than this was written while the clock was wrong. */
const clockFault = 3_600_000

/** Whether a recorded time can be right. Both are in milliseconds since 1970. */
export const isCredible = (time: number, now: number): boolean => time <= now + clockFault

/**
 * Returns the instant after which scheduled times count, in milliseconds since 1970. Returns undefined if the pipeline never ran and was never
 * scheduled, or only while the clock was wrong.
 */
export const countsFrom = ({ at, ran }: LastTurn, now: number): number | undefined => {
  const known = [at, ran].filter((one) => one !== undefined && isCredible(one, now)) as ReadonlyArray<number>
  return known.length === 0 ? undefined : Math.max(...known)
}

/** Whether a turn was interrupted, and is retried before the next scheduled time. */
export const isRetried = ({ state, tries }: LastTurn): boolean => state === "stopped" && tries < mostTries

/**
 * Whether a pipeline is due: a scheduled time has passed since its last run, or its last turn was interrupted. Several missed times count as one.
 * Times are in milliseconds since 1970.
 *
 * @param unseen the answer for a pipeline that never ran
 */
export const dueNow = (schedule: Schedule, last: LastTurn, now: number, unseen: Due): Due => {
  if (last.state === "inProgress") return "elsewhere"
  if (isRetried(last)) return "due"
  const from = countsFrom(last, now)
  if (from === undefined) return last.at === undefined && last.ran === undefined ? unseen : "due"
  const next = nextTime(schedule, from)
  return next !== undefined && next <= now ? "due" : "later"
}

/** Opens a project's ledger for one operation. */
export const withLedger = <A, E>(project: Project, look: (ledger: Ledger) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(openOwn(project), look))

/** When a pipeline runs next. Times are in milliseconds since 1970. */
export interface Planned extends Pick<Scheduled, "pipeline" | "schedule"> {
  readonly next: ReadonlyArray<number>
  /** Whether `--once` would run the pipeline now. */
  readonly now: Due
  /** When the pipeline last had a scheduled turn or ran manually. Undefined if it never did. */
  readonly last: number | undefined
}

export interface Plan {
  readonly at: number
  readonly pipelines: ReadonlyArray<Planned>
  /** Sentences that name the files with unreadable schedules. */
  readonly unreadable: ReadonlyArray<string>
}

const neverRan: LastTurn = { at: undefined, state: "done", lease: undefined, tries: 0, ran: undefined }

/** Returns the next scheduled times of every chosen pipeline that has a schedule. Writes nothing, and creates no ledger. */
export const planSchedule = (options: ScheduledProject, times: number) =>
  Effect.gen(function*() {
    const project = yield* options.load([])
    const schedules = yield* readSchedules(options)
    const scheduled = schedules.scheduled.filter(({ fault }) => fault === undefined)
    const at = yield* Clock.currentTimeMillis
    const lasts = yield* Effect.scoped(Effect.gen(function*() {
      const turns = (yield* openExisting(project))?.turns
      return turns === undefined ? [] : yield* Effect.forEach(scheduled, ({ pipeline }) => turns.last(pipeline))
    }))
    return {
      at,
      pipelines: scheduled.map(({ pipeline, schedule }, index) => {
        const last = lasts[index] ?? neverRan
        return {
          pipeline,
          schedule,
          next: timesAfter(schedule, at, times),
          now: dueNow(schedule, last, at, "due"),
          last: last.tries === 0 ? last.ran : countsFrom(last, at) ?? last.at,
        }
      }),
      unreadable: schedules.unreadable,
    } satisfies Plan
  })

const timesAfter = (schedule: Schedule, after: number, count: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let at = nextTime(schedule, after); at !== undefined && times.length < count; at = nextTime(schedule, at)) {
    times.push(at)
  }
  return times
}

/** Formats a time as ISO 8601 with the zone's offset. */
export const isoInZone = (millis: number, zone: string): string =>
  DateTime.fromMillis(millis, { zone }).toISO({ suppressMilliseconds: true }) ?? ""
