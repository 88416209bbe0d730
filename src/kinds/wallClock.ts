import { Info } from "luxon"
import { millisIn } from "../domain/times.ts"

/** A date and time as a clock and calendar show them, without a zone, as milliseconds in UTC. NaN if there is no such date and time. A single number is cheap to pass around. */
export type Wall = number

const { day } = millisIn

const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** Whether such a day exists in the years 1 to 9999. False for NaN. */
export const isDay = (year: number, month: number, dayOfMonth: number): boolean =>
  year >= 1 && year <= 9999 && dayOfMonth >= 1 && dayOfMonth <= (daysIn[month - 1] ?? 0)
  && (month !== 2 || dayOfMonth !== 29 || isLeap(year))

/** Returns the date and time with these fields (month 1 to 12, years 1 to 9999). NaN if there is no such day or time. */
export const wall = (
  year: number,
  month: number,
  dayOfMonth: number,
  hour = 0,
  minute = 0,
  second = 0,
  milli = 0,
): Wall => {
  if (!isDay(year, month, dayOfMonth) || !(hour < 24 && minute < 60 && second < 60)) return NaN
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  const days = year >= 100
    ? Date.UTC(year, month - 1, dayOfMonth)
    : new Date(0).setUTCFullYear(year, month - 1, dayOfMonth)
  return days + hour * 3_600_000 + minute * 60_000 + second * 1000 + milli
}

/** Returns `YYYY-MM-DD`. */
export const isoDay = (reading: Wall): string => {
  const date = new Date(reading)
  const year = date.getUTCFullYear()
  return `${year < 1000 ? String(year).padStart(4, "0") : year}-${pad(date.getUTCMonth() + 1)}-${
    pad(date.getUTCDate())
  }`
}

const pad = (value: number) => value < 10 ? `0${value}` : String(value)

/** Returns the milliseconds since midnight. */
export const timeOf = (reading: Wall): number => ((reading % day) + day) % day

/** Returns `HH:mm`, with `:ss` if there are seconds. */
export const isoTime = (reading: Wall): string => {
  const text = new Date(reading).toISOString().slice(11, 19)
  return text.endsWith(":00") ? text.slice(0, 5) : text
}

const firstInstant = Date.parse("0001-01-01T00:00:00Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

/** Returns `YYYY-MM-DDTHH:mm:ss.SSSZ`. Undefined if the year in UTC is not from 1 to 9999. */
export const isoInstant = (instant: number): string | undefined =>
  instant >= firstInstant && instant <= lastInstant ? new Date(instant).toISOString() : undefined

const iso =
  /^(?:(\d{4})-(\d\d)-(\d\d))?(?:(?:^|(?<=\d)[Tt ])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|z|[-+](?:0\d|1[0-5])(?::?[0-5]\d)?))?)?$/

/** The content of an ISO 8601 text. */
export interface IsoReading {
  readonly wall: Wall
  readonly hasDate: boolean
  readonly hasTime: boolean
  /** Minutes east of UTC. NaN if the text has no offset. */
  readonly offset: number
  /** Whether the text has a fraction of a second that is not zero. */
  readonly fraction: boolean
}

const minutesEast = (offset: string): number => {
  if (offset === "Z" || offset === "z") return 0
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(":", "") || 0)
  return offset.startsWith("-") ? -minutes : minutes
}

/**
 * Reads an ISO 8601 date, time, or both, in the extended form. A space may replace the T. A time without a date is read as a time on 1970-01-01.
 * Fractions of a millisecond are cut off.
 */
export const readIso = (text: string): IsoReading | undefined => {
  const found = text !== "" && text.length <= 40 ? iso.exec(text) : null
  if (found === null) return undefined
  const [, year, month, dayOfMonth, hour, minute, second = "0", fraction = "0", offset] = found
  const reading = wall(
    Number(year ?? 1970),
    Number(month ?? 1),
    Number(dayOfMonth ?? 1),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, "0")),
  )
  return Number.isNaN(reading) ? undefined : {
    wall: reading,
    hasDate: year !== undefined,
    hasTime: hour !== undefined,
    offset: offset === undefined ? NaN : minutesEast(offset),
    fraction: Number(fraction) !== 0,
  }
}

/** The clocks of a zone. */
interface ZoneClock {
  /**
   * Returns the instant at which the clocks of the zone show a date and time. NaN if a clock change skips or repeats it, and `ambiguous` doesn't say
   * which of the two instants is meant.
   */
  readonly instant: (reading: Wall, ambiguous: "earlier" | "later" | undefined) => number
}

/** The largest offset of a time zone from UTC, in milliseconds. */
export const largestOffset = 15 * 3_600_000
const remembered = 20_000

/** Returns the clocks of a zone of the tz database (`Europe/Berlin`), `UTC`, or a fixed offset (`UTC+2`). Undefined for any other name. Never uses the zone of the machine. */
export const zoneClock = (name: string): ZoneClock | undefined => {
  if (/^(?:system|local|default)$/i.test(name.trim()) || name.trim() === "") return undefined
  const zone = Info.normalizeZone(name.trim())
  if (!zone.isValid) return undefined
  const offset = (instant: number) => zone.offset(instant) * 60_000
  // The offset of each day without a clock change nearby. Looking up every cell in the tz database would take several seconds per million cells.
  const quietDays = new Map<number, number>()

  const nearChange: ZoneClock["instant"] = (reading, ambiguous) => {
    const before = reading - offset(reading - largestOffset)
    const after = reading - offset(reading + largestOffset)
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
      const first = offset(start - largestOffset)
      if (first !== offset(start + day + largestOffset) || first !== offset(start + day / 2)) {
        return nearChange(reading, ambiguous)
      }
      if (quietDays.size >= remembered) quietDays.clear()
      quietDays.set(date, first)
      return reading - first
    },
  }
}
