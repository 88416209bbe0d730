import { cached } from "./cached.ts"

/** The milliseconds in each unit of time. */
export const millisIn = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000, milli: 1 } as const

const { day, hour, minute, second, milli } = millisIn
const units = [["d", day], ["h", hour], ["m", minute], ["s", second], ["ms", milli]] as const

const toSeconds = (millis: number): number => Math.round(millis / 1000) * 1000

/** Rounds a time to milliseconds, or to seconds if it is 10 s or longer. */
const rounded = (millis: number): number => millis < 10_000 ? Math.round(millis) : toSeconds(millis)

/** Returns the units of a time (milliseconds), the largest first, with the number of each. */
const partsOf = (millis: number) => {
  let rest = rounded(millis)
  return units.flatMap(([unit, size]) => {
    const whole = Math.floor(rest / size)
    rest -= whole * size
    return whole === 0 ? [] : [{ whole, unit, size }]
  })
}

const partsText = (parts: ReturnType<typeof partsOf>): string =>
  parts.map(({ unit, whole }) => `${whole}${unit}`).join(" ") || "0"

/** Returns a time (milliseconds) in at most two units: `1h 5m`. */
export const lasting = (millis: number): string => partsText(partsOf(millis).slice(0, 2))

/** Returns a time (milliseconds) as `lasting` does, in whole seconds, rounded up. */
export const lastingSeconds = (millis: number): string => lasting(Math.ceil(millis / 1000) * 1000)

/** Formats consecutive times (milliseconds) as `lasting` does, but rounds them so that they add up to the shown total. */
export const lastingEach = (parts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const all = parts.reduce((sum, part) => sum + part, 0)
  const [first, second] = partsOf(all)
  const next = second?.size ?? units.find(([, size]) => size < (first?.size ?? 0))?.[1] ?? 1
  const size = all < 10_000 ? 1 : Math.max(next, 1000)
  const at = (millis: number) => Math.floor((all < 10_000 ? millis : toSeconds(millis)) / size) * size
  let end = 0
  return parts.map((part) => {
    const start = end
    end += part
    return partsText(partsOf(at(end) - at(start)))
  })
}

/** Returns an instant (ISO 8601) in milliseconds since 1970, or NaN. `Date.parse` alone would accept nearly any text that contains a digit. */
const instant = (text: string): number => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN

/** Returns a time (milliseconds since 1970) as an instant (ISO 8601) in UTC. */
export const isoOf = (millis: number): string => new Date(millis).toISOString()

/** Returns the time between two instants (ISO 8601) in at most two units. Undefined if they can't be read. */
export const span = (from: string, to: string): string | undefined => {
  const millis = instant(to) - instant(from)
  return millis >= 0 ? lasting(millis) : undefined
}

/** Returns an instant (ISO 8601) as clocks in the zone show it. If the text is not an instant, returns it unchanged. */
export const instantIn = (zone: string, text: string): string => {
  const millis = instant(text)
  return Number.isNaN(millis) ? text : inZone(millis, zone)
}

/** Returns an instant (ISO 8601) to the minute, as clocks in the zone show it. For columns whose title names the zone. */
export const minuteIn = (zone: string, text: string): string =>
  instantIn(zone, text).slice("Mon ".length, "Mon 2026-11-20 02:00".length)

/**
 * Returns a time (milliseconds since 1970) as clocks in the zone show it, or in UTC for an unknown zone. Includes the offset, because an hour occurs
 * twice when daylight saving time ends.
 */
export const inZone = (millis: number, zone: string): string => {
  const parts = new Map(clockOf(zone).formatToParts(millis).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ""
  const seconds = of("second") === "00" ? "" : `:${of("second")}`
  const offset = of("timeZoneName").replace("GMT", "") || "+00:00"
  return `${of("weekday")} ${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}${seconds} ${offset}`
}

/** Making one takes 7 ms. */
const clockOf = cached((zone: string): Intl.DateTimeFormat => {
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    })
  try {
    return format(zone)
  } catch {
    return format("UTC")
  }
})
