import { DateTime } from "luxon"
import type { Wall } from "./wallClock.ts"
import { wall } from "./wallClock.ts"

/** A luxon format, made ready to read many texts. */
export interface DateFormat {
  readonly format: string
  readonly hasDate: boolean
  readonly hasTime: boolean
  readonly hasOffset: boolean
  /** The reading as written, whatever its offset; NaN for a text that does not fit. */
  readonly wall: (text: string) => Wall
  /** The instant of a text with an offset; NaN for one that does not fit. Only for formats with an offset. */
  readonly instant: (text: string) => number
}

const settings = { zone: "utc", locale: "en-US", numberingSystem: "latn" } as const

/** Luxon's letters for numbers, with the field they name: position among the arguments of `wall`, and how many digits they take. */
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

/** A format that holds nothing but numbers and signs: read without luxon it is ten times as fast, and luxon need not make itself ready. */
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
    // A field that is named twice may contradict itself: luxon decides.
    if (groups[field] !== 0) return undefined
    groups[field] = ++group
    pattern += `(${digits})`
  }
  // Luxon says what it thinks of a text without a field.
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

/** What a reading of luxon's shows on its clock, in milliseconds as if in UTC. */
const wallOf = (reading: DateTime): Wall =>
  reading.isValid && reading.year >= 1 && reading.year <= 9999 ? reading.toMillis() + reading.offset * 60_000 : NaN

// Every field differs from what luxon fills in for a field that a format does not name.
const sampleText = "1987-11-23T14:35:46.789+05:45"

/** Makes a luxon format ready (https://moment.github.io/luxon/#/parsing). A `string` says what is wrong with it. */
export const dateFormat = (format: string): DateFormat | string => numericFormat(format) ?? luxonFormat(format)

/** The same by luxon, whatever the format holds: that is found by writing and reading back a sample. */
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
  const sample = DateTime.fromISO(sampleText, { setZone: true })
  const again = read(sample.toFormat(format, settings))
  if (!again.isValid) {
    return `"${format}" is no format that can be read back: ${again.invalidReason ?? "it is invalid"}.`
  }
  const hasOffset = again.offset === sample.offset
  return {
    format,
    hasDate: again.hasSame(sample.setZone(again.zone, { keepLocalTime: true }), "day"),
    hasTime: again.hour === sample.hour && again.minute === sample.minute,
    hasOffset,
    wall: (text) => wallOf(read(text)),
    instant: (text) => {
      const reading = read(text)
      return hasOffset && reading.isValid ? reading.toMillis() : NaN
    },
  }
}
