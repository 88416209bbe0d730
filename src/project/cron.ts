import { Cron } from "croner"

/** When something is to happen: a cron expression, by the clocks of a zone. */
export interface Schedule {
  /** Five fields, minute to day of the week; or six, with seconds first. */
  readonly cron: string
  /** Of the tz database: `Europe/Berlin`. */
  readonly zone: string
  /** The target, where the pipeline has several. */
  readonly to?: string | undefined
}

const timesOf = ({ cron, zone }: Schedule): Cron =>
  new Cron(cron, { timezone: zone, mode: "5-or-6-parts", paused: true })

/** Parsed once: a schedule is asked again and again. */
const parsed = new Map<string, Cron>()

/**
 * The first time of a schedule after an instant; both in milliseconds since 1970. Undefined: there is none any more.
 *
 * Where the clocks go forward, a time that they skip is the first instant after the change; where they go back, a fixed time comes once, the first time that the clocks
 * show it, and an interval (`*`, every quarter of an hour) goes on evenly.
 */
export const nextTime = (schedule: Schedule, after: number): number | undefined => {
  const name = `${schedule.cron}\n${schedule.zone}`
  const times = parsed.get(name) ?? timesOf(schedule)
  // People edit schedules; a process that lives for years does not keep them all.
  if (parsed.size > 1_000) parsed.clear()
  parsed.set(name, times)
  return times.nextRun(new Date(after))?.getTime()
}

/** Why this is no cron expression; undefined: it is one. */
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

/** Whether the tz database has a zone of this name; an offset such as `+02:00` is none, for it knows no summer. */
export const isZone = (zone: string): boolean => {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== ""
  } catch {
    return false
  }
}
