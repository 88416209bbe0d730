import { describe, expect, it } from "vitest"
import { DateCell } from "../../src/domain/cell.ts"
import { time } from "../../src/kinds/time.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: time,
  options: [{}, { format: "h:mm a" }, { format: ["HHmm", "H.mm"] }],
  sends: [
    ["08:30", "08:30"],
    ["08:30:15", "08:30:15"],
    ["08:30:00", "08:30"],
    ["00:00", "00:00"],
    [new DateCell("08:30:00"), "08:30"],
    [new DateCell("23:59:59"), "23:59:59"],
  ],
  equivalent: [["08:30", "08:30:00"], ["08:30", "08:30:00.000"]],
  changed: [["08:30", "08:31"], ["08:30", "20:30"], ["08:30", "08:30:01"], ["08:30", "08:30Z"], ["08:30", "8:30"]],
})

describe("the time kind", () => {
  it("reads times in the pipeline's formats", () => {
    expect(compiled(time, { format: "h:mm a" })(["3:05 PM"])).toBe("15:05")
    expect(compiled(time, { format: "h:mm a" })(["12:05 am"])).toBe("00:05")
    expect(compiled(time, { format: ["HHmm", "H.mm"] })(["9.05"])).toBe("09:05")
  })

  it.each(["24:00", "8:30", "08:60", "08:30Z", "08:30:15.5", "2024-05-01T08:30", "noon"])(
    "the time kind refuses %s",
    (cell) => {
      expect(compiled(time)([cell])).toMatchObject({ code: "not-a-time" })
    },
  )

  it("reports a time with a day, unless the format includes the day", () => {
    expect(compiled(time)([new DateCell("2024-05-01T08:30:00")])).toMatchObject({ code: "not-a-time" })
    expect(compiled(time, { format: "dd.MM.yyyy HH:mm" })([new DateCell("2024-05-01T08:30:00")])).toBe("08:30")
  })
})
