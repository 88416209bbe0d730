import { describe, expect, it } from "vitest"
import { JsonCell } from "../../src/domain/cell.ts"
import { dateRange } from "../../src/kinds/dateRange.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: dateRange,
  options: [{}, { format: "dd.MM.yyyy" }],
  sends: [
    ["2024-05-01/2024-05-31", { start: "2024-05-01", end: "2024-05-31" }],
    ["2024-05-01/2024-05-01", { start: "2024-05-01", end: "2024-05-01" }],
    [new JsonCell({ start: "2024-05-01", end: "2024-05-31", note: "x" }), { start: "2024-05-01", end: "2024-05-31" }],
  ],
  equivalent: [[{ start: "2024-05-01", end: "2024-05-02" }, {
    start: "2024-05-01T00:00:00.000Z",
    end: "2024-05-02T00:00:00.000Z",
  }], [{ start: "2024-05-01", end: "2024-05-02" }, { start: "2024-05-01", end: "2024-05-02", note: null }]],
  changed: [
    [{ start: "2024-05-01", end: "2024-05-02" }, { start: "2024-05-02", end: "2024-05-01" }],
    [{ start: "2024-05-01", end: "2024-05-02" }, { start: "2024-05-01" }],
    [{ start: "2024-05-01", end: "2024-05-02" }, "2024-05-01/2024-05-02"],
  ],
})

describe("the dateRange kind", () => {
  const parse = compiled(dateRange, {}, { input: { _tag: "Parts", parts: ["end", "start"] } })

  it("accepts its parts in any order, and needs either both parts or neither", () => {
    expect(parse(["2024-05-31", "2024-05-01"])).toEqual({ start: "2024-05-01", end: "2024-05-31" })
    expect(parse([null, null])).toBeUndefined()
    expect(parse(["2024-05-31", null])).toMatchObject({ code: "not-a-date", cell: 1 })
    expect(parse([null, "2024-05-01"])).toMatchObject({ code: "not-a-date", cell: 0 })
  })

  it("refuses a range that ends before it starts", () => {
    expect(parse(["2024-04-30", "2024-05-01"])).toMatchObject({ code: "out-of-range", cell: 0 })
    expect(compiled(dateRange)(["2024-05-02/2024-05-01"])).toMatchObject({ code: "out-of-range" })
  })

  it("refuses a pipeline that maps only one part", () => {
    expect(dateRange.compile({}, {
      question: undefined,
      input: { _tag: "Parts", parts: ["start"] },
      empty: new Set(),
    })).toMatchObject([{ message: "The part `end` is missing." }])
  })

  it("reads days in the formats of its entry", () => {
    expect(compiled(dateRange, { format: "dd.MM.yyyy" })(["01.05.2024/31.05.2024"])).toEqual({
      start: "2024-05-01",
      end: "2024-05-31",
    })
  })
})
