import type { Schema } from "effect"
import { DateCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { oneCell, textOf } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import { fixedDay, isoFormat, isoOf } from "./fixedDay.ts"
import { compileFormats, formatOptions, readFormats } from "./formats.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { isoDay, readIso, timeOf } from "./wallClock.ts"

type Options = Schema.Struct.Type<typeof formatOptions>

/** A day of an ISO text: with a time only when that is midnight, for a time says that more than a day was meant. The day is the written one. */
const isoDate = (text: string): number => {
  const read = readIso(text)
  return read !== undefined && read.hasDate && timeOf(read.wall) === 0 && !read.fraction ? read.wall : NaN
}

const remembered = 40_000

const isoDayOf = fixedDay(isoFormat) ?? (() => 0)

/**
 * A day, never shifted by a zone. A time beside it is an error unless it is midnight; a format that names a time (`dd.MM.yyyy HH:mm`)
 * says that the cells hold one and that it is left behind, of workbook cells too.
 */
export const date: Kind<Options> = {
  name: "date",
  description:
    "A day, never shifted by a time zone. ISO dates and date cells of a workbook need no format. Sent as YYYY-MM-DD",
  options: formatOptions,
  sends: "string",
  parts: [],
  partKinds: {},
  many: false,
  types: ["DatePicker"],
  compile: (options, { note }) => {
    const formats = compileFormats(options, "date", "YYYY-MM-DD")
    if (!("formats" in formats)) return formats
    const notADate = new Fault("not-a-date", `a date as ${formats.words}`)
    const withTime = new Fault("not-a-date", "a date without a time (a format with a time leaves it behind)")
    const ambiguous = new Fault("ambiguous-date", `a date that only one of the formats fits (${formats.words})`)
    const dropsTime = formats.formats.some((format) => format.hasTime)
    const parse = (text: string): string | Fault => {
      const reading = readFormats(text, formats, (format, text) => dayOf(format.wall(text)), isoDate)
      return reading === undefined ? ambiguous : Number.isNaN(reading) ? notADate : isoDay(reading)
    }
    // Days repeat: a look-up is cheaper than any parser.
    const memory = new Map<string, string>()
    const remember = (text: string): string | Fault => {
      const known = memory.get(text)
      if (known !== undefined) return known
      const value = parse(text)
      if (typeof value !== "string") return value
      if (memory.size >= remembered) memory.clear()
      memory.set(text, value)
      return value
    }
    // Most entries have one format, and most formats fixed widths.
    const [only = isoFormat, ...others] = formats.formats.map(({ format }) => format)
    const fixed = others.length === 0 ? fixedDay(only) : undefined
    const quick = (text: string): string | Fault => {
      const found = fixed === undefined ? 0 : fixed(text)
      if (found === 0) return remember(text)
      return only === isoFormat ? text : isoOf(found)
    }
    return oneCell((cell) => {
      if (!(cell instanceof DateCell)) {
        const text = typeof cell === "string" ? cell : textOf(cell)
        if (dropsTime && text.includes(":")) note?.("part")
        return quick(text)
      }
      // A day and nothing else, as nearly all of them are, is what is sent.
      if (isoDayOf(cell.iso) !== 0) return cell.iso
      const read = readIso(cell.iso)
      if (read === undefined || !read.hasDate) return notADate
      if (timeOf(read.wall) === 0 && !read.fraction) return isoDay(read.wall)
      if (!dropsTime) return withTime
      note?.("part")
      return isoDay(read.wall)
    })
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    const [a, b] = [dayIn(sent), dayIn(returned)]
    return a !== undefined && a === b ? equivalent("way of writing a day") : different
  },
}

const dayOf = (wall: number): number => Number.isNaN(wall) ? wall : wall - timeOf(wall)

const dayIn = (value: Json): string | undefined => {
  const day = typeof value === "string" ? isoDate(value) : NaN
  return Number.isNaN(day) ? undefined : isoDay(day)
}
