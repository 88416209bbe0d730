/**
 * A reading of a clock and calendar without a zone, held as the milliseconds that it would be in UTC: one number, cheap to pass on. NaN: no
 * such reading.
 */
export type Wall = number

export const day = 86_400_000

const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const leap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** Whether there is such a day, month 1 to 12, year 1 to 9999; false for NaN. */
export const isDay = (year: number, month: number, dayOfMonth: number): boolean =>
  year >= 1 && year <= 9999 && dayOfMonth >= 1 && dayOfMonth <= (daysIn[month - 1] ?? 0)
  && (month !== 2 || dayOfMonth !== 29 || leap(year))

/** A reading from its fields, month 1 to 12; NaN when there is no such day or time. Years 1 to 9999. */
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
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const days = year >= 100
    ? Date.UTC(year, month - 1, dayOfMonth)
    : new Date(0).setUTCFullYear(year, month - 1, dayOfMonth)
  return days + hour * 3_600_000 + minute * 60_000 + second * 1000 + milli
}

const pad = (value: number) => value < 10 ? `0${value}` : String(value)

/** `YYYY-MM-DD` */
export const isoDay = (reading: Wall): string => {
  const date = new Date(reading)
  const year = date.getUTCFullYear()
  return `${year < 1000 ? String(year).padStart(4, "0") : year}-${pad(date.getUTCMonth() + 1)}-${
    pad(date.getUTCDate())
  }`
}

/** Milliseconds since midnight. */
export const timeOf = (reading: Wall): number => ((reading % day) + day) % day

/** `HH:mm`, with `:ss` when there are seconds. */
export const isoTime = (reading: Wall): string => {
  const seconds = Math.floor(timeOf(reading) / 1000)
  const text = `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}`
  return seconds % 60 === 0 ? text : `${text}:${pad(seconds % 60)}`
}

const firstInstant = Date.parse("0001-01-01T00:00:00Z")
const lastInstant = Date.parse("9999-12-31T23:59:59.999Z")

/** `YYYY-MM-DDTHH:mm:ss.SSSZ`; undefined when its year has not four digits in UTC. */
export const isoInstant = (instant: number): string | undefined =>
  instant >= firstInstant && instant <= lastInstant ? new Date(instant).toISOString() : undefined

const iso =
  /^(?:(\d{4})-(\d\d)-(\d\d))?(?:(?:^|(?<=\d)[Tt ])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|z|[-+](?:0\d|1[0-5])(?::?[0-5]\d)?))?)?$/

/** What an ISO 8601 text holds; NaN where it does not. */
export interface IsoReading {
  readonly wall: Wall
  readonly hasDate: boolean
  readonly hasTime: boolean
  /** Minutes east of UTC; NaN: not told. */
  readonly offset: number
  /** Whether anything finer than a second is told and is not zero. */
  readonly fraction: boolean
}

const minutesEast = (offset: string): number => {
  if (offset === "Z" || offset === "z") return 0
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(":", "") || 0)
  return offset.startsWith("-") ? -minutes : minutes
}

/**
 * Reads an ISO 8601 date, time or both (extended form; a space may stand for the T). A time alone is a reading of 1970-01-01. What is finer than
 * a millisecond is cut off.
 */
export const readIso = (text: string): IsoReading | undefined => {
  // Most texts that are no ISO are told by one character, without the expression.
  const iso4 = text.charCodeAt(4) === 45 || text.charCodeAt(2) === 58
  const found = iso4 && text.length <= 40 ? iso.exec(text) : null
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
