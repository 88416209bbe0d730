import { DateCell } from "../domain/cell.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareTextBy } from "./compared.ts"
import { compileFormats, type FormatOptions, formatOptions, readFormats } from "./dateFormats.ts"
import { Fault, type Kind } from "./Kind.ts"
import { isoTime, readIso, timeOf } from "./wallClock.ts"

const seconds = (wall: number): number => Number.isNaN(wall) || wall % 1000 !== 0 ? NaN : timeOf(wall)

/** Returns the time of an ISO text that has neither a day nor an offset, in milliseconds. NaN for any other text. */
const isoTimeOfDay = (text: string): number => {
  const read = readIso(text)
  return read === undefined || !read.hasTime || read.hasDate || read.fraction || !Number.isNaN(read.offset)
    ? NaN
    : seconds(read.wall)
}

/** A time of day, to the second. If the cell also contains a day, that is an error, unless the format names a day, which is then not sent. */
export const time: Kind<FormatOptions> = {
  name: "time",
  description:
    "A time of day. ISO times and time cells of a workbook need no format. Sent as HH:mm, or HH:mm:ss if there are seconds",
  options: formatOptions,
  sends: "string",
  types: ["TimePicker"],
  compile: (options, { note }) => {
    const formats = compileFormats(options, "time", "HH:mm")
    if (!("formats" in formats)) return formats
    const notATime = new Fault("not-a-time", `a time of day as ${formats.words}`)
    const withDay = new Fault(
      "not-a-time",
      "a time of day without a day (with a format that names a day, the day is ignored)",
    )
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
      const text = textOf(cell)
      if (dropsDay && Number.isNaN(isoTimeOfDay(text))) note?.("part")
      const reading = readFormats(text, formats, (format, text) => seconds(format.wall(text)), isoTimeOfDay)
      return reading === undefined ? ambiguous : Number.isNaN(reading) ? notATime : isoTime(reading)
    })
  },
  compare: compareTextBy(isoTimeOfDay, "way of writing a time"),
}
