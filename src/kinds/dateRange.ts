import type { Schema } from "effect"
import { JsonCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { errorIn, oneCell, textOf } from "./cells.ts"
import { isObject } from "./compared.ts"
import { date } from "./date.ts"
import { formatOptions } from "./formats.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import { compareMembers } from "./members.ts"

type Options = Schema.Struct.Type<typeof formatOptions>

const notARange = new Fault(
  "not-a-date",
  "two days, written 2024-05-01/2024-05-31; or give start and end a column each",
)

const asDay = (value: Json | undefined): string | null => typeof value === "string" ? value : null

/** Two days, the first and the last. Both are needed, and the last is not before the first. */
export const dateRange: Kind<Options> = {
  name: "dateRange",
  description: "The days from start to end, never shifted by a time zone. Sent as an object { start, end }",
  options: formatOptions,
  sends: "object",
  parts: ["start", "end"],
  partKinds: { start: "date", end: "date" },
  many: false,
  inherited: true,
  types: ["DateRange"],
  compile: (options, context) => {
    const { input } = context
    const parse = date.compile(options, { ...context, input: { _tag: "Columns", count: 1 } })
    if (typeof parse !== "function") return parse
    const range = (start: string, end: string, [startAt, endAt]: readonly [number, number]) => {
      if (end === "") return new Fault("not-a-date", "an end beside the start", endAt)
      if (start === "") return new Fault("not-a-date", "a start beside the end", startAt)
      return end < start
        ? new Fault("out-of-range", `an end that is not before the start, ${start}`, endAt)
        : { start, end }
    }
    if (input._tag === "Parts") {
      const [startAt, endAt] = [input.parts.indexOf("start"), input.parts.indexOf("end")]
      const missing = ["start", "end"].filter((part) => !input.parts.includes(part))
      if (missing.length > 0) {
        return missing.map((part) => ({ option: "from", message: `The part \`${part}\` is missing.` }))
      }
      return (cells) => {
        const error = errorIn(cells)
        if (error !== undefined) return error
        const [start, end] = [textOf(cells[startAt]), textOf(cells[endAt])]
        return start === "" && end === "" ? undefined : range(start, end, [startAt, endAt])
      }
    }
    return oneCell((cell) => {
      const value = cell instanceof JsonCell ? cell.value : null
      if (isObject(value) && Object.keys(value).some((key) => key !== "start" && key !== "end")) context.note?.("part")
      const days = isObject(value) ? [asDay(value["start"]), asDay(value["end"])] : textOf(cell).split("/")
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
