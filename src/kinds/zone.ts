import { Info } from "luxon"
import type { Wall } from "./wallClock.ts"
import { day } from "./wallClock.ts"

export type Ambiguous = "earlier" | "later" | undefined

/** The clocks of a zone. */
export interface ZoneClock {
  /**
   * The instant at which the clocks of the zone show a reading. NaN: a clock change skips or repeats it, and `ambiguous` does not say which of
   * the two instants is meant.
   */
  readonly instant: (reading: Wall, ambiguous: Ambiguous) => number
}

const minute = 60_000
// No clock is further from UTC.
const farthest = 15 * 3_600_000
const remembered = 20_000

/**
 * A zone of the tz database (`Europe/Berlin`), `UTC`, or a fixed offset (`UTC+2`); undefined when there is none of that name. Never the zone
 * of the machine.
 */
export const zoneClock = (name: string): ZoneClock | undefined => {
  if (/^(?:system|local|default)$/i.test(name.trim()) || name.trim() === "") return undefined
  const zone = Info.normalizeZone(name.trim())
  if (!zone.isValid) return undefined
  const offset = (instant: number) => zone.offset(instant) * minute
  // The offset of each day without a clock change nearby: the look-up in the tz database costs microseconds.
  const quietDays = new Map<number, number>()

  const nearChange = (reading: Wall, ambiguous: Ambiguous): number => {
    const before = reading - offset(reading - farthest)
    const after = reading - offset(reading + farthest)
    const fits = (instant: number) => instant + offset(instant) === reading
    if (before === after) return fits(before) ? before : NaN
    if (fits(before) !== fits(after)) return fits(before) ? before : after
    if (ambiguous === undefined) return NaN
    return ambiguous === "earlier" ? Math.min(before, after) : Math.max(before, after)
  }

  return {
    instant: (reading, ambiguous) => {
      const date = Math.floor(reading / day)
      const known = quietDays.get(date)
      if (known !== undefined) return reading - known
      const start = date * day
      const first = offset(start - farthest)
      if (first !== offset(start + day + farthest) || first !== offset(start + day / 2)) {
        return nearChange(reading, ambiguous)
      }
      if (quietDays.size >= remembered) quietDays.clear()
      quietDays.set(date, first)
      return reading - first
    },
  }
}
