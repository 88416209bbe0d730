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

/** Formats of nothing but numbers of a known length and signs between them: read without luxon, ten times as fast. */
const numeric = /^(?:yyyy|MM|M|dd|d|HH|H|mm|ss|SSS|[^A-Za-z'])+$/
const fields = ["yyyy", "M", "d", "H", "mm", "ss", "SSS"] as const
type Field = (typeof fields)[number]

const numericReader = (format: string): ((text: string) => Wall) | undefined => {
  if (!numeric.test(format)) return undefined
  const order: Array<Field> = []
  const pattern = format.replaceAll(/([A-Za-z])\1*|[\\^$.*+?()[\]{}|/-]/g, (token) => {
    const field = fields.find((each) => each === token || each + each === token)
    if (field === undefined) return `\\${token}`
    order.push(field)
    return token.length === 1 ? "(\\d\\d?)" : `(\\d{${token.length}})`
  })
  // A field that is told twice may contradict itself: luxon decides.
  if (new Set(order).size !== order.length) return undefined
  const shape = new RegExp(`^${pattern}$`)
  const at = (field: Field) => order.indexOf(field) + 1
  const [year, month, dayOfMonth, hour, minute, second, milli] = fields.map(at) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const value = (found: RegExpExecArray, index: number, absent: number) => index === 0 ? absent : Number(found[index])
  return (text) => {
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
  }
}

/** What a reading of luxon's shows on its clock, in milliseconds as if in UTC. */
const wallOf = (reading: DateTime): Wall =>
  reading.isValid && reading.year >= 1 && reading.year <= 9999 ? reading.toMillis() + reading.offset * 60_000 : NaN

// Every field differs from what luxon fills in for a field that a format does not name.
const sample = DateTime.fromISO("1987-11-23T14:35:46.789+05:45", { setZone: true })

/**
 * Makes a luxon format ready (https://moment.github.io/luxon/#/parsing); what it holds is found by writing and reading back a sample. A
 * `string` says what is wrong with it.
 */
export const dateFormat = (format: string): DateFormat | string => {
  const parser = (() => {
    try {
      return DateTime.buildFormatParser(format, settings)
    } catch {
      return undefined
    }
  })()
  if (parser === undefined) return `luxon can't read dates in the format "${format}".`
  const read = (text: string) => DateTime.fromFormatParser(text, parser, { ...settings, setZone: true })
  const again = read(sample.toFormat(format, settings))
  if (!again.isValid) {
    return `"${format}" is no format that can be read back: ${again.invalidReason ?? "it is invalid"}.`
  }
  const hasOffset = again.offset === sample.offset
  const wallReader = numericReader(format)
  return {
    format,
    hasDate: again.hasSame(sample.setZone(again.zone, { keepLocalTime: true }), "day"),
    hasTime: again.hour === sample.hour && again.minute === sample.minute,
    hasOffset,
    wall: wallReader ?? ((text) => wallOf(read(text))),
    instant: (text) => {
      const reading = read(text)
      return hasOffset && reading.isValid ? reading.toMillis() : NaN
    },
  }
}
