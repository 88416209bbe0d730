import { DateCell } from "../domain/cell.ts"
import { oneCell, textOf } from "./cells.ts"
import { compareTextBy } from "./compared.ts"
import { compileFormats, fixedDay, type FormatOptions, formatOptions, isoFormat, readFormats } from "./dateFormats.ts"
import { Fault, type Kind } from "./Kind.ts"
import { isoDay, readIso, timeOf } from "./wallClock.ts"

/** Returns the day of an ISO text as written. Returns NaN if the text contains a time other than midnight, which would be lost. */
const isoDate = (text: string): number => {
  const read = readIso(text)
  return read !== undefined && read.hasDate && timeOf(read.wall) === 0 && !read.fraction ? read.wall : NaN
}

/**
 * A day, never shifted by a time zone. If the cell also contains a time, it must be midnight. With a format that names a time (`dd.MM.yyyy HH:mm`),
 * the cell may contain any time, which is not sent. The same applies to workbook cells.
 */
export const date: Kind<FormatOptions> = {
  name: "date",
  description:
    "A day, never shifted by a time zone. ISO dates and date cells of a workbook need no format. Sent as YYYY-MM-DD",
  options: formatOptions,
  sends: "string",
  types: ["DatePicker"],
  compile: (options, { note }) => {
    const formats = compileFormats(options, "date", isoFormat)
    if (!("formats" in formats)) return formats
    const notADate = new Fault("not-a-date", `a date as ${formats.words}`)
    const withTime = new Fault(
      "not-a-date",
      "a date without a time (with a format that names a time, the time is ignored)",
    )
    const ambiguous = new Fault("ambiguous-date", `a date that only one of the formats fits (${formats.words})`)
    const dropsTime = formats.formats.some((format) => format.hasTime)
    const [only, ...others] = formats.formats
    const fixed = others.length === 0 ? fixedDay(only?.format ?? isoFormat) : undefined
    const dayIn = (wall: number): number => {
      const time = Number.isNaN(wall) ? 0 : timeOf(wall)
      if (time !== 0) note?.("part")
      return wall - time
    }
    return oneCell((cell) => {
      if (cell instanceof DateCell) {
        const read = readIso(cell.iso)
        if (read === undefined || !read.hasDate) return notADate
        if (timeOf(read.wall) === 0 && !read.fraction) return isoDay(read.wall)
        if (!dropsTime) return withTime
        note?.("part")
        return isoDay(read.wall)
      }
      const text = textOf(cell)
      const day = fixed?.(text)
      if (day !== undefined) return day
      const reading = readFormats(text, formats, (format, text) => dayIn(format.wall(text)), isoDate)
      return reading === undefined ? ambiguous : Number.isNaN(reading) ? notADate : isoDay(reading)
    })
  },
  compare: compareTextBy(isoDate, "way of writing a day"),
}
