import type { Json } from "../domain/json.ts"
import { allTexts, objectIn, oneCell, textOf } from "./cells.ts"
import { compareMembers } from "./compared.ts"
import { date } from "./date.ts"
import { type FormatOptions, formatOptions } from "./dateFormats.ts"
import { Fault, type Kind, missingParts, ofColumns } from "./Kind.ts"

const notARange = new Fault(
  "not-a-date",
  "two days, written 2024-05-01/2024-05-31, or a column each for start and end",
)

const asDay = (value: Json | undefined): string | null => typeof value === "string" ? value : null

/** A range of days, with its first and its last day. Both are required. */
export const dateRange: Kind<FormatOptions> = {
  name: "dateRange",
  description: "The days from start to end, never shifted by a time zone. Sent as an object { start, end }",
  options: formatOptions,
  sends: "object",
  parts: { start: "date", end: "date" },
  inherited: true,
  types: ["DateRange"],
  compile: (options, context) => {
    const { input } = context
    const parse = date.compile(options, { ...context, input: ofColumns })
    if (typeof parse !== "function") return parse
    const range = (start: string, end: string, [startAt, endAt]: readonly [number, number]) => {
      if (end === "") return new Fault("not-a-date", "an end as well as a start", endAt)
      if (start === "") return new Fault("not-a-date", "a start as well as an end", startAt)
      return end < start
        ? new Fault("out-of-range", `an end that is not before the start, ${start}`, endAt)
        : { start, end }
    }
    if (input._tag === "Parts") {
      const missing = missingParts(input.parts, ["start", "end"])
      if (missing.length > 0) return missing
      const [startAt, endAt] = [input.parts.indexOf("start"), input.parts.indexOf("end")]
      return allTexts((texts) => {
        const [start = "", end = ""] = [texts[startAt], texts[endAt]]
        return start === "" && end === "" ? undefined : range(start, end, [startAt, endAt])
      })
    }
    return oneCell((cell) => {
      const value = objectIn(cell, ["start", "end"], context.note)
      const days = value === undefined ? textOf(cell).split("/") : [asDay(value["start"]), asDay(value["end"])]
      if (days.length !== 2) return notARange
      const [start, end] = days.map((day) => parse([day]))
      if (start instanceof Fault || end instanceof Fault) return notARange
      return start === undefined && end === undefined
        ? undefined
        : range(String(start ?? ""), String(end ?? ""), [0, 0])
    })
  },
  compare: (sent, returned) => compareMembers(sent, returned, date.compare),
}
