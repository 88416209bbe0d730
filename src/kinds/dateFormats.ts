import * as Schema from "effect/Schema"
import { DateTime } from "luxon"
import { option, type OptionFault } from "./Kind.ts"
import { isDay, type Wall, wall } from "./wallClock.ts"

/** The options for all kinds with dates or times. */
export const formatOptions = {
  format: option(
    Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String)),
    "The format in letters (yyyy, MM, dd, HH, mm, ss), or a list of formats. ISO 8601 is always accepted. `iso` allows only ISO 8601. `yy` means a year from 1961 to 2060. `excel` reads the numbers of days that spreadsheet programs store (45292.5). For `dateTime`, `unix` and `unix-ms` read seconds and milliseconds since 1970",
    "dd.MM.yyyy",
    ["dd.MM.yyyy", "d.M.yy"],
  ),
  firstMatch: option(
    Schema.Boolean,
    "Use the first format that fits. By default, a cell that fits several formats with different results is an error",
    true,
  ),
}

/** Years of two digits from this one on may mean the century before: most people who were born before 1961 are asked for their birthday. */
export const firstLate = 2035

/** Whether a format has a year of two digits. */
export const hasShortYear = (format: string): boolean => /(?<!y)yy(?!y)/.test(format)

export type FormatOptions = Schema.Struct.Type<typeof formatOptions>

/** A luxon format that is prepared for reading many texts. */
export interface DateFormat {
  readonly format: string
  readonly hasDate: boolean
  readonly hasTime: boolean
  readonly hasOffset: boolean
  /** Returns the date and time of a text as written, without the offset. NaN for a text that doesn't fit the format. */
  readonly wall: (text: string) => Wall
  /** Returns the instant of a text with an offset. NaN for any other text. */
  readonly instant: (text: string) => number
}

/** The luxon letters for numbers, each with its field (the position among the arguments of `wall`) and its digits. */
const numbers: Readonly<Record<string, readonly [field: number, digits: string]>> = {
  yyyy: [0, "\\d{4}"],
  MM: [1, "\\d{2}"],
  M: [1, "\\d{1,2}"],
  dd: [2, "\\d{2}"],
  d: [2, "\\d{1,2}"],
  HH: [3, "\\d{2}"],
  H: [3, "\\d{1,2}"],
  mm: [4, "\\d{2}"],
  m: [4, "\\d{1,2}"],
  ss: [5, "\\d{2}"],
  s: [5, "\\d{1,2}"],
  SSS: [6, "\\d{3}"],
}

/**
 * Reads formats that contain only numeric fields and punctuation, as nearly all do. This takes a tenth of luxon's time: 10 s less per million cells. Returns
 * undefined for other formats. A test compares the results with those of `luxonFormat`.
 */
const numericFormat = (format: string): DateFormat | undefined => {
  const groups = [0, 0, 0, 0, 0, 0, 0]
  let pattern = ""
  let group = 0
  for (const [token] of format.matchAll(/([A-Za-z'])\1*|[^A-Za-z']/g)) {
    const [field, digits] = numbers[token] ?? []
    if (field === undefined) {
      if (/[A-Za-z']/.test(token)) return undefined
      pattern += /[\^$.*+?()[\]{}|/\\]/.test(token) ? `\\${token}` : token
      continue
    }
    // If a field occurs twice, its values may contradict each other, so luxon reads the text.
    if (groups[field] !== 0) return undefined
    groups[field] = ++group
    pattern += `(${digits})`
  }
  // Luxon's message says what is wrong with a format without fields.
  if (group === 0) return undefined
  const shape = new RegExp(`^${pattern}$`)
  const [year = 0, month = 0, dayOfMonth = 0, hour = 0, minute = 0, second = 0, milli = 0] = groups
  const value = (found: RegExpExecArray, at: number, absent: number) => at === 0 ? absent : Number(found[at])
  return {
    format,
    hasDate: year > 0 && month > 0 && dayOfMonth > 0,
    hasTime: hour > 0 && minute > 0,
    hasOffset: false,
    wall: (text) => {
      const found = shape.exec(text)
      return found === null ? NaN : wall(
        value(found, year, 1970),
        value(found, month, 1),
        value(found, dayOfMonth, 1),
        value(found, hour, 0),
        value(found, minute, 0),
        value(found, second, 0),
        value(found, milli, 0),
      )
    },
    instant: () => NaN,
  }
}

/** The luxon format of an ISO 8601 day. */
export const isoFormat = "yyyy-MM-dd"

const fixedShape = /^(yyyy|MM|dd)([-./ ])(yyyy|MM|dd)([-./ ])(yyyy|MM|dd)$/

/**
 * Reads days of fixed width, such as `dd.MM.yyyy`, by character codes. This saves 0.7 s per million cells, a quarter of the time of a dry run. The
 * returned function returns `YYYY-MM-DD`, or undefined for any text that must be read with the format itself. Returns no function if the format has
 * no fixed width, or if its texts might have a different meaning in ISO 8601. A test compares the results with those of `luxonFormat`.
 */
export const fixedDay = (format: string): ((text: string) => string | undefined) | undefined => {
  const found = fixedShape.exec(format)
  if (found === null || (format !== isoFormat && format.startsWith("yyyy-"))) return undefined
  const [year, month, day] = [format.indexOf("yyyy"), format.indexOf("MM"), format.indexOf("dd")]
  if (year < 0 || month < 0 || day < 0) return undefined
  const [, first = "", sign = "", second = "", otherSign = ""] = found
  const at = first.length
  const otherAt = at + 1 + second.length
  return (text) => {
    if (text.length !== 10 || text[at] !== sign || text[otherAt] !== otherSign) return undefined
    const years = twoDigits(text, year) * 100 + twoDigits(text, year + 2)
    if (!isDay(years, twoDigits(text, month), twoDigits(text, day))) return undefined
    return format === isoFormat
      ? text
      : `${text.slice(year, year + 4)}-${text.slice(month, month + 2)}-${text.slice(day, day + 2)}`
  }
}

/** Returns the number made up of two digits, or NaN. */
const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

const settings = { zone: "utc", locale: "en-US", numberingSystem: "latn" } as const

// luxon sets fields that the format lacks to the current time if they are larger than all of its fields, and to defaults if they are smaller. So each
// field differs between the samples, and from the defaults. Each number has all its digits, so that formats without separators can be read.
const samples = ["1987-11-23T14:35:46.789+05:45", "1988-10-27T21:52:13.456+08:30"]

/**
 * Makes a function that checks the year, hour and offset of a text that luxon can read. Luxon also reads the year 202 for `yy`, and the time 14:30 AM.
 *
 * @param written the samples, written in the format
 */
const possibleIn = (format: string, written: ReadonlyArray<string>) => {
  const { regex, tokens } = DateTime.fromFormatExplain("", format, settings)
  const has = (token: string) => tokens.some(({ literal, val }) => !literal && val === token)
  const [first, last] = has("yy") || has("kk") ? [1961, 2060] : has("y") ? [1000, 9999] : [1, 9999]
  const [one, other] = written.map((text) => regex?.exec(text) ?? [])
  /** The group of the hour before AM or PM. -1 if the format has none. */
  const hourAt = has("a") ? one?.findIndex((text, at) => Number(text) === 2 && Number(other?.[at]) === 9) ?? -1 : -1
  return (text: string, { offset, year }: DateTime): boolean => {
    if (year < first || year > last || Math.abs(offset) >= 16 * 60) return false
    const hour = hourAt < 0 ? 1 : Number(regex?.exec(text)?.[hourAt])
    return hour >= 1 && hour <= 12
  }
}

/** Prepares any luxon format. Finds its fields by writing and reading samples. For an invalid format, returns a text that says what is wrong. */
export const luxonFormat = (format: string): DateFormat | string => {
  const parser = (() => {
    try {
      return DateTime.buildFormatParser(format, settings)
    } catch {
      return undefined
    }
  })()
  if (parser === undefined) return `luxon can't read dates in the format "${format}".`
  const read = (text: string) => DateTime.fromFormatParser(text, parser, { ...settings, setZone: true })
  const written = samples.map((text) => {
    const sample = DateTime.fromISO(text, { setZone: true })
    const shown = sample.toFormat(format, settings)
    return { sample, shown, again: read(shown) }
  })
  const unreadable = written.find(({ again }) => !again.isValid)
  if (unreadable !== undefined) {
    return `A date written in the format "${format}" can't be read back: ${
      unreadable.again.invalidReason ?? "it is invalid"
    }.`
  }
  const hasOffset = written.every(({ again, sample }) => again.offset === sample.offset)
  const isPossible = possibleIn(format, written.map(({ shown }) => shown))
  return {
    format,
    hasDate: written.every(({ again, sample }) =>
      again.hasSame(sample.setZone(again.zone, { keepLocalTime: true }), "day")
    ),
    hasTime: written.every(({ again, sample }) => again.hour === sample.hour && again.minute === sample.minute),
    hasOffset,
    wall: (text) => {
      const reading = read(text)
      return reading.isValid && isPossible(text, reading) ? reading.toMillis() + reading.offset * 60_000 : NaN
    },
    instant: (text) => {
      const reading = read(text)
      return hasOffset && reading.isValid && isPossible(text, reading) ? reading.toMillis() : NaN
    },
  }
}

/** Prepares a luxon format (https://moment.github.io/luxon/#/parsing). For an invalid format, returns a text that says what is wrong. */
export const dateFormat = (format: string): DateFormat | string => numericFormat(format) ?? luxonFormat(format)

/** The formats of an entry. */
interface Formats {
  /** The formats. Empty if only ISO is accepted. */
  readonly formats: ReadonlyArray<DateFormat>
  readonly firstMatch: boolean
  /** The formats in words: `dd.MM.yyyy or yyyy-MM-dd`. */
  readonly words: string
}

type Needs = "date" | "time" | "both"

/**
 * Makes a format for numbers from `first` to `last`.
 *
 * @param unit the milliseconds between two numbers, and the precision of the result in milliseconds
 * @param start the time that 0 means. Undefined if the numbers count from 1970 and mean instants
 */
const countedFormat = (
  format: string,
  [unit, precision]: readonly [number, number],
  [first, last]: readonly [number, number],
  start?: Wall,
): DateFormat => {
  const read = (text: string): number => {
    const count = /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : NaN
    return count >= first && count <= last ? (start ?? 0) + Math.round(count * unit / precision) * precision : NaN
  }
  const isInstant = start === undefined
  const none = () => NaN
  return {
    format,
    hasDate: true,
    hasTime: true,
    hasOffset: isInstant,
    wall: isInstant ? none : read,
    instant: isInstant ? read : none,
  }
}

/** The last second of the year 9999, in milliseconds since 1970. */
const lastSecond = 253_402_300_799_000

/** The formats that count time since 1970, each with the number of milliseconds of one unit. */
export const unixUnits: Readonly<Record<string, number>> = { unix: 1000, "unix-ms": 1 }

/** Formats that are numbers, by name. Spreadsheet programs count days alike since March 1900, and store times to the second. */
const countedFormats = new Map([
  ...Object.entries(unixUnits).map(([format, unit]) =>
    countedFormat(format, [unit, 1], [-lastSecond / unit, lastSecond / unit])
  ),
  countedFormat("excel", [86_400_000, 1000], [61, 2_958_465.999_99], wall(1899, 12, 30)),
].map((format) => [format.format, format] as const))

/** Converts the letters of other programs' formats to luxon's, if they differ only in case. */
const inLuxonLetters = (format: string, needs: Needs): string => {
  const letters = format.replaceAll("Y", "y").replaceAll("D", "d").replaceAll(/(?<!')T(?!')/g, "'T'")
  return needs === "date" && !letters.includes("M") ? letters.replaceAll("m", "M") : letters
}

/** Returns a letter that is not a field. Luxon reads a single T or D as a whole American time or date, and Y as a literal Y. */
const bareLetter = (format: string): string | undefined => /[YDT]/.exec(format.replaceAll(/'[^']*'/g, ""))?.[0]

const lacks = (format: DateFormat, needs: Needs): string | undefined => {
  if (needs !== "time" && !format.hasDate) return "a day, a month and a year (dd, MM, yyyy)"
  return needs !== "date" && !format.hasTime ? "a time (HH, mm)" : undefined
}

/** Prepares a format. For an invalid format, returns a text that says what is wrong or missing. */
const checkedFormat = (text: string, needs: Needs): DateFormat | string => {
  const counted = countedFormats.get(text)
  if (counted !== undefined) {
    return needs === "time"
      ? `The format "${text}" is not for times of day.`
      : needs === "date" && counted.hasOffset
      ? `The format "${text}" is an instant, whose day depends on the time zone. It fits only \`as: dateTime\`.`
      : counted
  }
  const letter = bareLetter(text)
  if (letter !== undefined) return `The format "${text}" has the letter ${letter}, which is not a field.`
  const format = dateFormat(text)
  const missing = typeof format === "string" ? undefined : lacks(format, needs)
  return missing === undefined ? format : `The format "${text}" does not name ${missing}.`
}

/**
 * Prepares the formats of an entry.
 *
 * @param needs the fields that each format must contain
 * @param iso the pattern of an ISO text, for messages
 */
export const compileFormats = (
  options: FormatOptions,
  needs: Needs,
  iso: string,
): Formats | ReadonlyArray<OptionFault> => {
  const texts = (typeof options.format === "string" ? [options.format] : options.format ?? [])
    .filter((format) => format.toLowerCase() !== "iso")
  const formats: Array<DateFormat> = []
  const faults: Array<OptionFault> = []
  for (const text of texts) {
    const format = checkedFormat(text, needs)
    if (typeof format !== "string") {
      formats.push(format)
      continue
    }
    const better = inLuxonLetters(text, needs)
    faults.push({
      option: "format",
      message: format,
      suggestion: better !== text && typeof checkedFormat(better, needs) !== "string"
        ? `Did you mean "${better}"? (luxon: yyyy, MM for months, dd, HH, mm for minutes)`
        : "Formats are written in letters, such as dd.MM.yyyy HH:mm.",
    })
  }
  if (faults.length > 0) return faults
  return { formats, firstMatch: options.firstMatch === true, words: [...new Set([...texts, iso])].join(" or ") }
}

/**
 * Reads a text in every format and as ISO.
 *
 * @returns the date and time; NaN if no format fits; undefined if two formats fit with different results
 */
export const readFormats = (
  text: string,
  { firstMatch, formats }: Formats,
  read: (format: DateFormat, text: string) => number,
  iso: (text: string) => number,
): number | undefined => {
  let result = NaN
  for (let index = 0; index <= formats.length; index++) {
    const format = formats[index]
    const found = format === undefined ? iso(text) : read(format, text)
    if (Number.isNaN(found)) continue
    if (firstMatch) return found
    if (Number.isNaN(result)) result = found
    else if (result !== found) return undefined
  }
  return result
}
