import { Effect, Schema } from "effect"
import type { Project } from "../../project/Project.ts"
import { chooseTarget } from "../target.ts"
import type { ScheduleOptions } from "./options.ts"
import { readSchedules, type Scheduled } from "./schedules.ts"

/** No pipeline of the project has a schedule (exit 2). */
export class NothingScheduled extends Schema.TaggedError<NothingScheduled>()("NothingScheduled", {
  root: Schema.String,
}) {
  override get message() {
    return `No pipeline of ${this.root} has a schedule. Write one into its file: schedule: { cron: "0 2 * * *", zone: Europe/Berlin }`
  }
}

/** `schedule` against these services needs `--confirm NAME` (exit 2). */
export class ScheduleUnconfirmed extends Schema.TaggedError<ScheduleUnconfirmed>()("ScheduleUnconfirmed", {
  /** Those that are not confirmed, and those that are. */
  services: Schema.Array(Schema.String),
  confirmed: Schema.Array(Schema.String),
  pipelines: Schema.Array(Schema.String),
}) {
  override get message() {
    const services = this.services.join(" and ")
    return `Writes to ${services} can't be undone. Nothing was sent. Confirm with --confirm that ${
      this.pipelines.join(", ")
    } may write there by schedule.`
  }
}

/** Reads the project and its times, and sees that everything that needs a yes has one. */
export const begin = (options: ScheduleOptions) =>
  Effect.gen(function*() {
    const project = yield* options.load([])
    const schedules = yield* readSchedules(options.root)
    if (schedules.scheduled.length === 0) {
      return yield* new NothingScheduled({ root: options.root })
    }
    const asking = yield* Effect.forEach(schedules.scheduled, (one) => serviceThatAsks(options, one))
    const missing = asking.filter((one) => one !== undefined)
    if (missing.length > 0) {
      return yield* new ScheduleUnconfirmed({
        services: [...new Set(missing.map(({ service }) => service))],
        confirmed: options.confirmed,
        pipelines: missing.map(({ pipeline }) => pipeline),
      })
    }
    return { project, schedules }
  })

/** The service that a pipeline writes to, when it wants to be confirmed and is not. A pipeline that can't be read is told of when it runs. */
const serviceThatAsks = (options: ScheduleOptions, { pipeline, schedule }: Scheduled) =>
  Effect.gen(function*() {
    const project: Project = yield* options.load([pipeline])
    const found = project.pipelines.get(pipeline)
    if (found === undefined) return undefined
    const { service } = yield* chooseTarget(found, schedule.to)
    const config = project.services.get(service)
    const asks = config?._tag === "Live" && config.confirm && !options.confirmed.includes(service)
    return asks ? { pipeline, service } : undefined
  }).pipe(Effect.orElseSucceed(() => undefined))
