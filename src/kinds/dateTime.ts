import * as Schema from "effect/Schema"
import { DateCell } from "../domain/cell.ts"
import { allTexts, oneCell, textOf } from "./cells.ts"
import { compareTextBy } from "./compared.ts"
import { compileFormats, formatOptions, readFormats } from "./dateFormats.ts"
import { Fault, type Kind, missingParts, option, type Parse } from "./Kind.ts"
import { isoInstant, readIso, zoneClock } from "./wallClock.ts"

const options = {
  ...formatOptions,
  zone: option(
    Schema.String,
    "The time zone of times that are written without an offset: a name of the tz database, or UTC",
    "Europe/Berlin",
    "UTC",
  ),
  ambiguous: option(
    Schema.Literal("earlier", "later"),
    "The instant that is meant by a time that a clock change skips or repeats. By default, such a time is an error",
    "earlier",
  ),
}

type Options = Schema.Struct.Type<typeof options>

const beyond = new Fault("not-a-date-time", "a time in the years 1 to 9999 of UTC")

/** Returns the instant of an ISO text with a day, a time and an offset. NaN for any other text. */
const isoInstantOf = (text: string): number => {
  const read = readIso(text)
  return read === undefined || !read.hasDate || !read.hasTime ? NaN : read.wall - read.offset * 60_000
}

/** Returns the date and time of an ISO text that has a day and a time but no offset. NaN for any other text. */
const isoWallOf = (text: string): number => {
  const read = readIso(text)
  return read?.hasDate && read.hasTime && Number.isNaN(read.offset) ? read.wall : NaN
}

/**
 * An instant: a day and a time, with an offset or in a zone. A workbook cell without a time means midnight, because a workbook doesn't distinguish the two. A text without a time is an error.
 * Fractions of a millisecond are cut off.
 */
export const dateTime: Kind<Options> = {
  name: "dateTime",
  description:
    "An instant, from a day and a time with an offset or in a `zone`, or from the parts date and time. Sent as ISO 8601 in UTC",
  options,
  sends: "string",
  parts: { date: "date", time: "time" },
  cellOptions: ["format", "firstMatch"],
  types: ["DateTimePicker"],
  compile: (options, context) => {
    const clock = options.zone === undefined ? undefined : zoneClock(options.zone)
    if (options.zone !== undefined && clock === undefined) {
      return [{
        option: "zone",
        message: `There is no time zone "${options.zone}".`,
        suggestion: "A name of the tz database, such as Europe/Berlin, or UTC.",
        unknown: { name: options.zone, among: Intl.supportedValuesOf("timeZone") },
      }]
    }
    const formats = compileFormats(options, "both", "yyyy-MM-dd'T'HH:mm")
    if (!("formats" in formats)) return formats
    const zoneless = new Fault(
      "not-a-date-time",
      "a time with an offset, such as 2024-05-31T14:30:00Z (or set `zone`)",
    )
    const changed = new Fault(
      "ambiguous-time",
      `a time that the clocks of ${options.zone} show once; a clock change skips or repeats this one (or set \`ambiguous\`)`,
    )
    const inZone = (reading: number): string | Fault => {
      if (clock === undefined) return zoneless
      const instant = clock.instant(reading, options.ambiguous)
      return Number.isNaN(instant) ? changed : isoInstant(instant) ?? beyond
    }

    if (context.input._tag === "Parts") {
      const faults = [
        ...(options.format === undefined ? [] : [{
          option: "format",
          message: "If there are parts, `format` belongs to a part.",
          suggestion: "Write `date: { from: Column, format: dd.MM.yyyy }`.",
        }]),
        ...(clock === undefined ? [{ message: "A date and a time need a `zone`." }] : []),
        ...missingParts(context.input.parts, ["date", "time"]),
      ]
      return faults.length > 0 ? faults : fromParts(context.input.parts, inZone)
    }

    const undecided = clock === undefined ? formats.formats.find((format) => !format.hasOffset) : undefined
    if (undecided !== undefined) {
      return [{
        option: "format",
        message: `The format "${undecided.format}" contains no time zone or offset.`,
        suggestion: "Set `zone`, such as `zone: Europe/Berlin`.",
      }]
    }
    const notADateTime = new Fault("not-a-date-time", `a date and time as ${formats.words}`)
    const ambiguous = new Fault(
      "ambiguous-date",
      `a date and time that only one of the formats fits (${formats.words})`,
    )
    const offsets = { ...formats, formats: formats.formats.filter((format) => format.hasOffset) }
    const walls = { ...formats, formats: formats.formats.filter((format) => !format.hasOffset) }
    return oneCell((cell) => {
      if (cell instanceof DateCell) {
        const read = readIso(cell.iso)
        return read?.hasDate ? inZone(read.wall) : notADateTime
      }
      const text = textOf(cell)
      const reading = readFormats(text, walls, (format, text) => format.wall(text), isoWallOf)
      if (reading === undefined) return ambiguous
      if (!Number.isNaN(reading)) return inZone(reading)
      const instant = readFormats(text, offsets, (format, text) => format.instant(text), isoInstantOf)
      return instant === undefined ? ambiguous : Number.isNaN(instant) ? notADateTime : isoInstant(instant) ?? beyond
    })
  },
  compare: compareTextBy(isoInstantOf, "way of writing an instant"),
}

const fromParts = (parts: ReadonlyArray<string>, inZone: (reading: number) => string | Fault): Parse => {
  const [dateAt, timeAt] = [parts.indexOf("date"), parts.indexOf("time")]
  const noTime = new Fault("not-a-date-time", "a time as well as a date", timeAt)
  const noDate = new Fault("not-a-date-time", "a date as well as a time", dateAt)
  return allTexts((texts) => {
    const [date = "", time = ""] = [texts[dateAt], texts[timeAt]]
    if (date === "" && time === "") return undefined
    const read = readIso(`${date}T${time}`)
    if (time === "" || (read === undefined && date !== "")) return noTime
    if (read === undefined || !read.hasDate || !read.hasTime) return noDate
    const value = inZone(read.wall)
    return value instanceof Fault ? new Fault(value.code, `on ${date} ${value.expected}`, timeAt) : value
  })
}
