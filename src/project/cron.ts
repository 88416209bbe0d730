import { Cron } from "croner"
import * as Str from "effect/String"
import type { Finding } from "./errors.ts"
import { quoted } from "./suggestion.ts"
import { keysAt, textAt, type YamlText } from "./yamlText.ts"

/** The times of a pipeline's runs: a cron expression and a time zone. */
export interface Schedule {
  /** Five fields, from minute to day of the week. With six fields, seconds come first. */
  readonly cron: string
  /** A name in the tz database, such as `Europe/Berlin`. */
  readonly zone: string
  /** The target, if the pipeline has several. */
  readonly to?: string | undefined
}

const timesOf = ({ cron, zone }: Schedule): Cron =>
  new Cron(cron, { timezone: zone, mode: "5-or-6-parts", paused: true })

/** A cache of parsed schedules, because the scheduler often looks up the next time. */
const parsed = new Map<string, Cron>()

/**
 * Returns the first time of a schedule after an instant, both in milliseconds since 1970. Returns undefined if there is
 * none. If the clocks go forward, a skipped time becomes the first instant after the change. If they go back, a
 * repeated time counts only once, when the clocks first show it. An interval, such as every quarter of an hour,
 * continues evenly through both changes.
 */
export const nextTime = (schedule: Schedule, after: number): number | undefined => {
  const name = `${schedule.cron}\n${schedule.zone}`
  const times = parsed.get(name) ?? timesOf(schedule)
  // Schedules change, and a process that runs for years must not cache them all.
  if (parsed.size > 1_000) parsed.clear()
  parsed.set(name, times)
  return times.nextRun(new Date(after))?.getTime()
}

/** Returns why a string is not a cron expression, or undefined if it is one. */
export const cronFault = (cron: string): string | undefined => {
  if (!/^\S+(?:\s+\S+){4,5}$/.test(cron.trim())) {
    return "A cron expression has five fields: minute, hour, day, month, day of the week; `0 2 * * *` is every night at two."
  }
  try {
    const next = timesOf({ cron, zone: "UTC" }).nextRun(new Date(0))
    return next === null ? "No time ever matches this cron expression." : undefined
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.replace(/^\w+: /, "") : String(cause)
    return `${Str.capitalize(said.replace(/\.$/, ""))}.`
  }
}

/** Whether the tz database has a zone with this name. An offset such as `+02:00` is not a zone, because it has no summer time. */
export const isZone = (zone: string): boolean => {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== ""
  } catch {
    return false
  }
}

/** Returns why a string is not the name of a time zone, or undefined if it is one. */
export const zoneFault = (zone: string): string | undefined =>
  isZone(zone) ? undefined : `There is no time zone called ${quoted(zone)}.`

/**
 * Returns the schedule of a pipeline file, even if other parts of the file have mistakes. A pipeline whose mapping can't be read must fail at its scheduled time, so that this is reported.
 *
 * @returns undefined if the file has no schedule; a sentence if its schedule can't be read
 */
export const scheduleIn = (yaml: YamlText): Schedule | string | undefined => {
  // A file may be invalid YAML while it is being edited. A line that starts with `schedule` is enough then.
  if (!yaml.sound) return /^schedule\s*:/m.test(yaml.text) ? "its YAML can't be read." : undefined
  if (keysAt(yaml, [])?.includes("schedule") !== true) return undefined
  const cron = textAt(yaml, ["schedule", "cron"])
  const zone = textAt(yaml, ["schedule", "zone"])
  if (cron === undefined || zone === undefined) return "its schedule needs `cron` and `zone`."
  const fault = cronFault(cron) ?? zoneFault(zone)
  return fault === undefined
    ? { cron, zone, to: textAt(yaml, ["schedule", "to"]) }
    : `its schedule can't be read. ${fault}`
}

/** Returns a mistake if a pipeline with a schedule has no columns as its row key. With `content`, an edited or reordered source would import rows again. */
export const scheduleWithoutKey = (yaml: YamlText): ReadonlyArray<Finding> =>
  textAt(yaml, ["source", "rowKey"]) !== "content" || keysAt(yaml, [])?.includes("schedule") !== true ? [] : [{
    offset: yaml.offset(["source", "rowKey"], "value"),
    message:
      "A pipeline with a schedule needs columns as its row key: with `content`, every edited row is imported again as a new one.",
    suggestion: "Name the columns that identify a row from one day to the next, or run the pipeline manually.",
  }]
