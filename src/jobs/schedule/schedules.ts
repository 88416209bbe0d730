import { Effect } from "effect"
import type { Schedule } from "../../project/cron.ts"
import { scheduleIn } from "../../project/cron.ts"
import { listPipelines } from "../../project/pipelineFiles.ts"

/** A pipeline that has a schedule. */
export interface Scheduled {
  readonly pipeline: string
  readonly schedule: Schedule
  /** Why nobody can tell when it is to run, as a sentence with its file: then `schedule` is a stand-in. */
  readonly fault?: string
}

/** What the pipeline files say of times. */
export interface Schedules {
  /** By file. */
  readonly scheduled: ReadonlyArray<Scheduled>
  /** The faults of all of them. */
  readonly unreadable: ReadonlyArray<string>
}

/**
 * A pipeline whose schedule can't be read must not fall silent: it is run once a day, which fails, and people hear of it like of any run that fails.
 */
const onceADay: Schedule = { cron: "0 0 * * *", zone: "UTC" }

/** Reads when each pipeline runs. Only that: what else is wrong with a file shows when its pipeline runs, and bothers no other. */
export const readSchedules = (root: string) =>
  Effect.map(listPipelines(root), ({ texts, unreadable }): Schedules => {
    const scheduled = new Map<string, Scheduled>()
    const add = (pipeline: string, schedule: Schedule | string) => {
      scheduled.set(
        pipeline,
        typeof schedule === "string" ? { pipeline, schedule: onceADay, fault: schedule } : { pipeline, schedule },
      )
    }
    for (const { file, message } of unreadable) add(baseName(file), `${file}: ${message}`)
    for (const { file, name, yaml } of texts) {
      const schedule = scheduleIn(yaml)
      if (schedule === undefined) continue
      const fault = typeof schedule === "string"
        ? schedule
        : name === undefined
        ? "its key `pipeline` can't be read."
        : undefined
      add(name ?? file, fault === undefined ? schedule : `${yaml.file}: ${fault}`)
    }
    const all = [...scheduled.values()]
    return { scheduled: all, unreadable: all.flatMap(({ fault }) => fault ?? []) }
  })

/** As `loadProject` finds a file whose name of a pipeline can't be read. */
const baseName = (file: string): string => file.replace(/^.*\//, "").replace(/\.ya?ml$/, "")
