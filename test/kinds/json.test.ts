import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DateCell, JsonCell } from "../../src/domain/cell.ts"
import type { Json } from "../../src/domain/json.ts"
import { json } from "../../src/kinds/json.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: json,
  options: [{}],
  sends: [['{"a": [1, null]}', { a: [1, null] }], ["5", 5], [5, 5], [true, true], [new JsonCell([1]), [1]]],
  equivalent: [[{ a: "e\u0301" }, { a: "\u00E9" }], [["a\r\n"], ["a\n"]]],
  changed: [[[1, 2], [2, 1]], [{ a: 1 }, { b: 1 }], [{ a: 1 }, { a: 1, b: 2 }], [1, "1"], [[], {}], [{ a: 1 }, [1]]],
})

describe("the json kind", () => {
  it("ignores the order of members", () => {
    expect(json.compare({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual({ verdict: "same" })
  })

  it("refuses text that is not JSON, and JSON that is nested too deeply", () => {
    for (const cell of ["{a:1}", "text", "[1,", new DateCell("2024-05-01")]) {
      expect(compiled(json)([cell])).toMatchObject({ code: "not-json" })
    }
    expect(compiled(json)(["[".repeat(200) + "]".repeat(200)])).toMatchObject({ code: "not-json" })
    expect(compiled(json)(["[".repeat(100_000)])).toMatchObject({ code: "not-json" })
    expect(compiled(json)(["null"])).toBeUndefined()
  })

  it.each([
    "[12345678901234567]",
    "12345678901234567",
    "[1e400]",
    '{"a": 0.12345678901234567890}',
    '{"a":1,"a":2}',
    String.raw`[{"a":{"b":1}, "\u0061":2}]`,
  ])("refuses JSON that would be sent altered: %s", (cell) => {
    expect(compiled(json)([cell])).toMatchObject({ code: "not-json" })
  })

  it("sends other JSON unaltered", () => {
    for (
      const text of [
        "[1.50, -0, 1E3, 1e-7, 123456789012345]",
        "[0.30000000000000004, 1.7976931348623157e+308]",
        '[{"a":{"a":1},"b":"c: 12345678901234567"},{"a":[{"a":"\\\\\\"a\\":"}]}]',
        JSON.stringify({ a: '\\"\n'.repeat(1_000_000) }),
      ]
    ) expect(compiled(json)([text])).toEqual(JSON.parse(text))
  })

  it("reads back every value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const sent = compiled(json)([JSON.stringify(value)])
        if (value === null) expect(sent).toBeUndefined()
        else expect(sent).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed: 18, numRuns: 300 },
    )
  })

  it("detects every change of a value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        if (a === null || b === null || JSON.stringify(a) === JSON.stringify(b)) return
        const sorted = (value: unknown): unknown =>
          Array.isArray(value)
            ? value.map(sorted)
            : typeof value === "object" && value !== null
            ? Object.entries(value).toSorted(([x], [y]) => (x < y ? -1 : 1)).map(([name, each]) => [name, sorted(each)])
            : typeof value === "string"
            ? value.normalize("NFC")
            : value
        const equal = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
        expect(json.compare(a as Json, b as Json).verdict !== "different").toBe(equal)
      }),
      { seed: 19, numRuns: 500 },
    )
  })
})
