import { Effect } from "effect"
import type { Schedule } from "../../project/cron.ts"
import { listPipelines } from "../../project/pipelineFiles.ts"
import { scheduleIn } from "../../project/scheduleIn.ts"

/** A pipeline that has a schedule. */
export interface Scheduled {
  readonly pipeline: string
  readonly schedule: Schedule
}

/** What the pipeline files say of times. */
export interface Schedules {
  /** By file. */
  readonly scheduled: ReadonlyArray<Scheduled>
  /** Files of which nobody can tell when their pipeline is to run, as sentences. */
  readonly unreadable: ReadonlyArray<string>
}

/** Reads when each pipeline runs. Only that: what else is wrong with a file shows when its pipeline runs, and bothers no other. */
export const readSchedules = (root: string) =>
  Effect.map(listPipelines(root), ({ texts, unreadable }): Schedules => {
    const scheduled = new Map<string, Scheduled>()
    const faults = unreadable.map(({ file, message }) => `${file}: ${message}`)
    for (const { name, yaml } of texts) {
      const schedule = scheduleIn(yaml)
      if (schedule === undefined) continue
      if (typeof schedule === "string") faults.push(`${yaml.file}: ${schedule}`)
      else if (name === undefined) faults.push(`${yaml.file}: its key \`pipeline\` can't be read.`)
      else scheduled.set(name, { pipeline: name, schedule })
    }
    return { scheduled: [...scheduled.values()], unreadable: faults }
  })
