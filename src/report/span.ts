import { DateTime, Duration, Option } from "effect"

/** How long it took from one instant (ISO 8601) to another, in at most two units: `1h 5m`; undefined when they can't be read. */
export const span = (from: string, to: string): string | undefined => {
  const start = instant(from)
  const end = instant(to)
  if (Option.isNone(start) || Option.isNone(end)) return undefined
  const millis = DateTime.toEpochMillis(end.value) - DateTime.toEpochMillis(start.value)
  if (millis < 0) return undefined
  return lasting(millis)
}

/** Only ISO 8601: a bare `Date` takes nearly any text with a digit in it for a time. */
const instant = (text: string): Option.Option<DateTime.DateTime> =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? DateTime.make(text) : Option.none()

/** A time in milliseconds, in at most two units. */
export const lasting = (millis: number): string => {
  const whole = millis < 10_000 ? Math.round(millis) : Math.round(millis / 1000) * 1000
  return Duration.format(Duration.millis(whole)).split(" ").slice(0, 2).join(" ")
}
