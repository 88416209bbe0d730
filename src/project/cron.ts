import { Cron } from "croner"
import type { Finding } from "./errors.ts"
import { quoted } from "./suggestion.ts"
import { keysAt, textAt } from "./yamlText.ts"
import type { YamlText } from "./yamlText.ts"

/** The times of a pipeline's runs: a cron expression, by the clocks of a zone. */
export interface Schedule {
  /** Five fields, minute to day of the week; or six, with seconds first. */
  readonly cron: string
  /** A name of the tz database: `Europe/Berlin`. */
  readonly zone: string
  /** The target, if the pipeline has several. */
  readonly to?: string | undefined
}

const timesOf = ({ cron, zone }: Schedule): Cron =>
  new Cron(cron, { timezone: zone, mode: "5-or-6-parts", paused: true })

/** Parsed schedules: the scheduler looks up the next time again and again. */
const parsed = new Map<string, Cron>()

/**
 * Returns the first time of a schedule after an instant, both in milliseconds since 1970, or undefined if there is none.
 *
 * If the clocks go forward, a skipped time is the first instant after the change. If they go back, a fixed time comes once, the first time that the clocks
 * show it, and an interval (`*`, every quarter of an hour) continues evenly.
 */
export const nextTime = (schedule: Schedule, after: number): number | undefined => {
  const name = `${schedule.cron}\n${schedule.zone}`
  const times = parsed.get(name) ?? timesOf(schedule)
  // Schedules change, and a process that runs for years must not keep them all.
  if (parsed.size > 1_000) parsed.clear()
  parsed.set(name, times)
  return times.nextRun(new Date(after))?.getTime()
}

/** Returns why a text is not a cron expression, or undefined. */
export const cronFault = (cron: string): string | undefined => {
  if (!/^\S+(?:\s+\S+){4,5}$/.test(cron.trim())) {
    return "A cron expression has five fields: minute, hour, day, month, day of the week; `0 2 * * *` is every night at two."
  }
  try {
    const next = timesOf({ cron, zone: "UTC" }).nextRun(new Date(0))
    return next === null ? "That time never comes." : undefined
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.replace(/^\w+: /, "") : String(cause)
    return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, "")}.`
  }
}

/** Whether the tz database has a zone of this name. An offset such as `+02:00` is not a zone, since it has no summer time. */
export const isZone = (zone: string): boolean => {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== ""
  } catch {
    return false
  }
}

/**
 * Returns the schedule of a pipeline file, whatever else is wrong with the file. A pipeline whose mapping can't be read must still fail at its scheduled time and be reported.
 * @returns undefined if the file has no schedule; a sentence if its schedule can't be read
 */
export const scheduleIn = (yaml: YamlText): Schedule | string | undefined => {
  // If the file is not valid YAML, for example while it is being edited, one line is enough.
  if (!yaml.sound) return /^schedule\s*:/m.test(yaml.text) ? "its YAML can't be read." : undefined
  if (keysAt(yaml, [])?.includes("schedule") !== true) return undefined
  const cron = textAt(yaml, ["schedule", "cron"])
  const zone = textAt(yaml, ["schedule", "zone"])
  if (cron === undefined || zone === undefined) return "its schedule needs `cron` and `zone`."
  const fault = cronFault(cron) ?? (isZone(zone) ? undefined : `There is no time zone called ${quoted(zone)}.`)
  return fault === undefined
    ? { cron, zone, to: textAt(yaml, ["schedule", "to"]) }
    : `its schedule can't be read. ${fault}`
}

/** Returns what is wrong with a schedule without columns as row key: with `content`, an edited or a reordered source would import rows again. */
export const scheduleWithoutKey = (yaml: YamlText): ReadonlyArray<Finding> =>
  textAt(yaml, ["source", "rowKey"]) !== "content" || keysAt(yaml, [])?.includes("schedule") !== true ? [] : [{
    offset: yaml.offset(["source", "rowKey"], "value"),
    message:
      "A pipeline with a schedule needs columns as its row key: with `content`, every edited row is imported again as a new one.",
    suggestion: "Name the columns that identify a row from one day to the next, or run it manually.",
  }]
