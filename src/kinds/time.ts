import type { Schema } from "effect"
import { DateCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { oneCell, textOf } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import { compileFormats, formatOptions, readFormats } from "./formats.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { isoTime, readIso, timeOf } from "./wallClock.ts"

type Options = Schema.Struct.Type<typeof formatOptions>

const seconds = (wall: number): number => Number.isNaN(wall) || wall % 1000 !== 0 ? NaN : timeOf(wall)

/** A time of day of an ISO text without a day and without an offset. */
const isoTimeOfDay = (text: string): number => {
  const read = readIso(text)
  return read === undefined || !read.hasTime || read.hasDate || read.fraction || !Number.isNaN(read.offset)
    ? NaN
    : seconds(read.wall)
}

/** A time of day, to the second. A day beside it is an error, unless the format names one: then it is left behind. */
export const time: Kind<Options> = {
  name: "time",
  description:
    "A time of day. ISO times and time cells of a workbook need no format. Sent as HH:mm, or HH:mm:ss when there are seconds",
  options: formatOptions,
  sends: "string",
  parts: [],
  partKinds: {},
  many: false,
  types: ["TimePicker"],
  compile: (options, { note }) => {
    const formats = compileFormats(options, "time", "HH:mm")
    if (!("formats" in formats)) return formats
    const notATime = new Fault("not-a-time", `a time of day as ${formats.words}`)
    const withDay = new Fault("not-a-time", "a time of day without a day (a format with a day leaves it behind)")
    const ambiguous = new Fault("ambiguous-time", `a time that only one of the formats fits (${formats.words})`)
    const dropsDay = formats.formats.some((format) => format.hasDate)
    return oneCell((cell) => {
      if (cell instanceof DateCell) {
        const read = readIso(cell.iso)
        if (read === undefined || !read.hasTime || read.fraction) return notATime
        if (!read.hasDate) return isoTime(read.wall)
        if (!dropsDay) return withDay
        note?.("part")
        return isoTime(read.wall)
      }
      const text = typeof cell === "string" ? cell : textOf(cell)
      if (dropsDay && Number.isNaN(isoTimeOfDay(text))) note?.("part")
      const reading = readFormats(text, formats, (format, text) => seconds(format.wall(text)), isoTimeOfDay)
      return reading === undefined ? ambiguous : Number.isNaN(reading) ? notATime : isoTime(reading)
    })
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    const [a, b] = [timeIn(sent), timeIn(returned)]
    return a !== undefined && a === b ? equivalent("way of writing a time") : different
  },
}

const timeIn = (value: Json): number | undefined => {
  const time = typeof value === "string" ? isoTimeOfDay(value) : NaN
  return Number.isNaN(time) ? undefined : time
}
