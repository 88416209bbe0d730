import type { CellObject } from "xlsx"
import { DateCell, ErrorCell } from "../../domain/cell.ts"
import type { Cell } from "../../domain/cell.ts"

/** What a number format shows of a number: parts of a date, of a time, or hours counted beyond a day (`[h]:mm`). */
export interface Shows {
  readonly date: boolean
  readonly time: boolean
  readonly elapsed: boolean
}

const nothing: Shows = { date: false, time: false, elapsed: false }

const look = (format: string): Shows => {
  const bare = format
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, "")
    .split(";", 1)[0]!
    .toLowerCase()
    .replaceAll(/general|am\/pm|a\/p|[0#?][0#?.,e+%-]*/g, (part) => part.startsWith("a") ? "h" : "")
  const elapsed = /\[(?:h+|m+|s+)\]/.test(bare)
  const letters = bare.replaceAll(/\[[^\]]*\]/g, "")
  const time = elapsed || /[hs]/.test(letters)
  return { date: /[ydeg]/.test(letters) || (letters.includes("m") && !time), time, elapsed }
}

const looked = new Map<string, Shows>()

/** What a number format shows; formats are looked at once. */
export const showsOf = (format: string | number | undefined): Shows => {
  if (typeof format !== "string" || format === "General") return nothing
  let shows = looked.get(format)
  if (shows === undefined) looked.set(format, shows = look(format))
  return shows
}

const daySeconds = 86_400
const lastDay = 2_958_465

const two = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"))

/** Hours may be more than a day's, and more than 99. */
const clock = (seconds: number) =>
  `${two[Math.floor(seconds / 3600)] ?? Math.floor(seconds / 3600)}:${two[Math.floor(seconds / 60) % 60]}:${
    two[seconds % 60]
  }`

/** Days in which the Gregorian calendar comes round: 400 years. */
const roundDays = 146_097

/**
 * The calendar day that is so many days after 1 March of the year 0. Years begin in March, so that a leap day is the last of one (Howard Hinnant's
 * `civil_from_days`).
 */
const isoDay = (since: number): string => {
  const round = Math.floor(since / roundDays)
  const inRound = since - round * roundDays
  const leapDays = Math.floor(inRound / 1460) - Math.floor(inRound / 36_524) + Math.floor(inRound / 146_096)
  const year = Math.floor((inRound - leapDays) / 365)
  const inYear = inRound - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  // Five months from March on have 153 days, and so have the next five.
  const month = Math.floor((5 * inYear + 2) / 153)
  const day = inYear - Math.floor((153 * month + 2) / 5) + 1
  return `${year + 400 * round + (month < 10 ? 0 : 1)}-${two[month < 10 ? month + 3 : month - 9]}-${two[day]}`
}

/** Days that were met, by their number since 1900, up to the year 2079: finding one takes a third of making it. Made when the first one comes. */
let days: Array<DateCell | undefined> = []
const keptDays = 65_536

/** The calendar day of a whole serial number; undefined for those that are none: 1900 was no leap year, though Excel has its 29 February. */
const calendarDay = (day: number, date1904: boolean): DateCell | undefined => {
  const since1900 = date1904 ? day + 1462 : day
  if (since1900 < 1 || since1900 > lastDay || since1900 === 60) return undefined
  const known = since1900 < keptDays ? days[since1900] : undefined
  if (known !== undefined) return known
  const cell = new DateCell(isoDay(since1900 + (since1900 < 60 ? 693_900 : 693_899)))
  if (days.length === 0) days = Array.from({ length: keptDays })
  if (since1900 < keptDays) days[since1900] = cell
  return cell
}

/** A date, time or both, to the second, by the wall clock; undefined when the number is none. */
const dated = (serial: number, shows: Shows, date1904: boolean): Cell | undefined => {
  const seconds = Math.round(serial * daySeconds)
  if (seconds < 0) return undefined
  if (shows.elapsed && !shows.date) return seconds < daySeconds ? new DateCell(clock(seconds)) : clock(seconds)
  if (serial < 1 && shows.time && (!shows.date || !date1904)) {
    return new DateCell(clock(Math.min(seconds, daySeconds - 1)))
  }
  const rest = seconds % daySeconds
  const day = calendarDay((seconds - rest) / daySeconds, date1904)
  if (day === undefined) return undefined
  return rest === 0 && !shows.time ? day : new DateCell(`${day.iso}T${clock(rest)}`)
}

/** A number as Excel has it: 15 digits, though 17 are stored. */
const exact = (value: number) => Number.isInteger(value) ? value : Number(value.toPrecision(15))

/** Codes of error cells (MS-XLS, section 2.5.10). */
const errors: Readonly<Record<number, string>> = {
  0x00: "#NULL!",
  0x07: "#DIV/0!",
  0x0f: "#VALUE!",
  0x17: "#REF!",
  0x1d: "#NAME?",
  0x24: "#NUM!",
  0x2a: "#N/A",
  0x2b: "#GETTING_DATA",
}

/** A number by what its cell's format shows of it. */
export const numberCell = (value: number, shows: Shows, date1904: boolean): Cell => {
  if (!Number.isFinite(value)) return new ErrorCell("#NUM!")
  return shows.date || shows.time ? dated(value, shows, date1904) ?? exact(value) : exact(value)
}

/** A workbook's cell with the type it has there: numbers stored as text stay text, formulas have their stored value. */
export const toCell = (cell: CellObject | undefined, date1904: boolean): Cell => {
  const value = cell?.v
  if (cell === undefined || value === undefined || value === null) return null
  if (cell.t === "e") return new ErrorCell(typeof value === "number" ? errors[value] ?? "#ERROR!" : String(value))
  if (typeof value === "number") return numberCell(value, showsOf(cell.z), date1904)
  if (value instanceof Date) return new DateCell(value.toISOString().slice(0, 19))
  return value === "" ? null : value
}
