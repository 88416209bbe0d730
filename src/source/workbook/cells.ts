import type { CellObject } from "xlsx"
import { type Cell, DateCell, ErrorCell, PercentCell } from "../../domain/cell.ts"

/** The cell of a formula without a stored value. We don't calculate formulas, so its value is unknown. */
export const uncalculated = new ErrorCell("formula without a stored value")

/** What a number format shows: parts of a date, parts of a time, or hours beyond a day (`[h]:mm`). */
export interface Shows {
  readonly date: boolean
  readonly time: boolean
  readonly elapsed: boolean
  /** Whether numbers are shown as percentages. */
  readonly percent?: boolean
  /** The number of digits to which whole numbers are filled up with zeros, such as 5 for postal codes. Texts around or between the digits don't count. */
  readonly digits?: number | undefined
  /** Returns what a number shows, if the format has several sections. The other members are those of a recent date. */
  readonly ofNumber?: ((value: number) => Shows) | undefined
}

/** What a cell without a number format shows. */
export const noFormat: Shows = { date: false, time: false, elapsed: false }

/** Returns what a section of a number format shows. Its literal texts are already removed. */
const lookAtSection = (section: string): Shows => {
  const bare = section
    .toLowerCase()
    .replaceAll(/general|am\/pm|a\/p|[0#?][0#?.,e+%-]*/g, (part) => part.startsWith("a") ? "h" : "")
  // Only fractions of seconds have digits. Other letters next to digits are texts that a program wrote without quotes: `S/ #,##0.00`, `Rs 0`.
  const isNumber = /[0#?]/.test(section.replaceAll(/(s\]?)[.,]0+/gi, "$1").replaceAll(/\[[^\]]*\]/g, ""))
  const elapsed = !isNumber && /\[(?:h+|m+|s+)\]/.test(bare)
  const letters = isNumber ? "" : bare.replaceAll(/\[[^\]]*\]/g, "")
  const time = elapsed || /[hs]/.test(letters)
  return {
    // `aaa` is the day of the week in Japanese, and `bb` the Buddhist year.
    date: /[ydeg]|aaa|bb/.test(letters) || (letters.includes("m") && !time),
    time,
    elapsed,
    percent: section.includes("%"),
    digits: /^#*(0[0#]+)$/.exec(section.replaceAll(/\[[^\]]*\]|[-+() ]/g, ""))?.[1]?.length,
  }
}

/** Returns whether a section of a number format is for a number: by its condition, such as `[<=100]`, otherwise by the number's sign. */
const isFor = (section: string, bySign: (value: number) => boolean) => {
  const [, sign, text] = /\[([<>]=?|<>|=)(-?\d+(?:\.\d*)?)\]/.exec(section) ?? []
  if (sign === undefined) return bySign
  const limit = Number(text)
  return (value: number) => value === limit ? sign.includes("=") : sign.includes(value < limit ? "<" : ">")
}

const recentDay = 45_000

/** Analyses a number format. It may have sections for positive numbers, negative numbers, zero and texts, or for conditions (ECMA-376, part 1, section 18.8.31). */
const look = (format: string): Shows => {
  const sections = format.replaceAll(/"[^"]*"|\\.|_.|\*./g, "").split(";")
  const ofNumbers = sections.filter((section) => !section.includes("@")).slice(0, 3)
  const [first, second = first, third = second] = ofNumbers.map(lookAtSection)
  if (first === undefined || second === undefined || third === undefined) return noFormat
  if (ofNumbers.length === 1) return first
  const isFirst = isFor(ofNumbers[0]!, (value) => ofNumbers.length === 2 ? value >= 0 : value > 0)
  const isSecond = isFor(ofNumbers[1]!, (value) => value < 0)
  const ofNumber = (value: number) => isFirst(value) ? first : isSecond(value) ? second : third
  return { ...ofNumber(recentDay), ofNumber }
}

const looked = new Map<string, Shows>()

/** Returns what a number format shows. Analyses each format only once. */
export const showsOf = (format: string | number | undefined): Shows => {
  if (typeof format !== "string" || format === "General") return noFormat
  let shows = looked.get(format)
  if (shows === undefined) looked.set(format, shows = look(format))
  return shows
}

/**
 * Built-in number formats of Chinese, Japanese, Korean and Thai, with the common format that shows the same parts of a date and a time (ECMA-376,
 * part 1, section 18.8.30). Some of them show a date in one language and a time in another.
 */
const commonFormats: ReadonlyMap<number, number> = new Map([
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58, 71, 72, 73, 74, 81].map((id) => [id, 14] as const),
  ...[32, 75].map((id) => [id, 20] as const),
  ...[33, 76].map((id) => [id, 21] as const),
  ...[34, 35, 55, 56, 77].map((id) => [id, 22] as const),
  [78, 45],
  [79, 46],
  [80, 47],
])

/** Returns the number of a built-in format that shows the same as this one and that all programs know. */
export const commonFormat = (id: number): number => commonFormats.get(id) ?? id

const daySeconds = 86_400
const lastDay = 2_958_465

const two = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"))

/** Times may have more than 24 hours, even more than 99. */
export const clock = (seconds: number) =>
  `${two[Math.floor(seconds / 3600)] ?? Math.floor(seconds / 3600)}:${two[Math.floor(seconds / 60) % 60]}:${
    two[seconds % 60]
  }`

/** Days that were already computed, by their number since 1900. A look-up takes a tenth of the time of computing a day. */
const days = new Map<number, DateCell>()
const mostDays = 65_536

/** Returns the calendar day of a whole serial number, or undefined if there is none. 1900 was not a leap year, but Excel counts its 29 February. */
const calendarDay = (day: number, date1904: boolean): DateCell | undefined => {
  const since1900 = date1904 ? day + 1462 : day
  if (since1900 < 1 || since1900 > lastDay || since1900 === 60) return undefined
  const known = days.get(since1900)
  if (known !== undefined) return known
  const since1970 = since1900 - (since1900 < 60 ? 25_568 : 25_569)
  const cell = new DateCell(new Date(since1970 * daySeconds * 1000).toISOString().slice(0, 10))
  if (days.size === mostDays) days.clear()
  days.set(since1900, cell)
  return cell
}

/** Returns a serial number as a date, a time or both, to the second and without a time zone. Undefined if the number is none of these. */
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

/** Matches a date, a time or both in ISO 8601: its day, hour, minute and second. */
const isoText = /^(?:(\d{4}-\d\d-\d\d)(?:T|$))?(?:([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?Z?)?$/

/**
 * Returns a cell for a date or a time that is stored as ISO 8601 text, to the second. It needs no format. Some programs store a time as a time on a
 * day before the workbook's first one: if the format shows only a time, that day is omitted.
 */
export const isoCell = (text: string, shows: Shows, date1904: boolean): Cell => {
  const [found, day, hour = "0", minute = "0", second = "0"] = isoText.exec(text.trim().replace(/^T/, "")) ?? []
  const wrong = () => new ErrorCell(`${text}, not a date or time`)
  if (found === undefined || found === "") return wrong()
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Math.round(Number(second.replace(",", ".")))
  const time = new DateCell(clock(Math.min(seconds, daySeconds - 1)))
  if (day === undefined) return time
  const start = Date.parse(`${day}T00:00:00Z`)
  // 30 February would be read as a day in March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) return wrong()
  if (shows.time && !shows.date && day < (date1904 ? "1904-01-02" : "1900-01-01")) return time
  const moment = new Date(start + seconds * 1000).toISOString()
  return new DateCell(seconds % daySeconds === 0 && !shows.time ? moment.slice(0, 10) : moment.slice(0, 19))
}

const duration = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Returns the number of days of a duration in ISO 8601, such as `PT36H30M`. Undefined if the text is not one. */
export const daysOf = (text: string): number | undefined => {
  const [found, minus, days = 0, hours = 0, minutes = 0, seconds = 0] = duration.exec(text) ?? []
  if (found === undefined) return undefined
  const total = Number(days) * daySeconds + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return (minus === undefined ? total : -total) / daySeconds
}

/** Returns the cell of a number that its format shows as a date or a time that does not exist. Spreadsheet programs show it as ####, or each in its own way. */
const noDate = (serial: number, shows: Shows, date1904: boolean): ErrorCell =>
  new ErrorCell(
    `${exact(serial)}, ${
      serial > lastDay - 1462
        ? "a date after the year 9999"
        : serial >= 1
        ? "29 February 1900, which did not exist"
        : shows.date
        ? `a date before ${date1904 ? 1904 : 1900}`
        : "a negative time"
    }`,
  )

/** Returns a number as Excel shows it, with 15 digits. The file stores 17. */
const exact = (value: number) => Number.isInteger(value) ? value : Number(value.toPrecision(15))

/** How many digits Excel keeps. */
const mostDigits = 15

/**
 * Returns a whole number as written if Excel would round it, otherwise "". Excel writes no such number. An id that a different program wrote must not be
 * rounded.
 */
export const longDigits = (written: string): string => {
  const [, digits = ""] = /^-?(\d*[1-9])0*$/.exec(written) ?? []
  return digits.length > mostDigits && !Number.isSafeInteger(Number(written)) ? written : ""
}

/** Names of error cells by code (MS-XLS, section 2.5.10). */
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

/** Whether a text is the name of an error. */
export const isErrorName = (text: string): boolean => Object.values(errors).includes(text)

/** Returns a number as its cell's format shows it. A date or a time that does not exist is an error. A number with zeros in front is a text. */
export const numberCell = (value: number, format: Shows, date1904: boolean): Cell => {
  if (!Number.isFinite(value)) return new ErrorCell("#NUM!")
  const shows = format.ofNumber?.(value) ?? format
  if (shows.date || shows.time) return dated(value, shows, date1904) ?? noDate(value, shows, date1904)
  // With all its digits, although the format may show fewer.
  if (shows.percent === true) return new PercentCell(exact(value * 100))
  return shows.digits !== undefined && value >= 0 && value < 10 ** (shows.digits - 1) && Number.isInteger(value)
    ? String(value).padStart(shows.digits, "0")
    : exact(value)
}

/** Returns a workbook's cell with its type in the workbook. Numbers that are stored as text remain text, and formulas have their stored value. */
export const toCell = (cell: CellObject | undefined, date1904: boolean): Cell => {
  const value = cell?.v
  if (cell === undefined || value === undefined || value === null) return null
  if (cell.t === "e") return new ErrorCell(typeof value === "number" ? errors[value] ?? "#ERROR!" : String(value))
  if (typeof value === "number") return numberCell(value, showsOf(cell.z), date1904)
  if (value instanceof Date) return new DateCell(value.toISOString().slice(0, 19))
  return value === "" ? null : value
}
