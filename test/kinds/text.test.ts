import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DateCell } from "../../src/domain/cell.ts"
import { plainNumber } from "../../src/kinds/cells.ts"
import { text } from "../../src/kinds/text.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: text,
  options: [{}, { minLength: 2, maxLength: 3 }, { pattern: "^[a-z]+$", case: "lower" }, { join: ", " }],
  sends: [
    ["Ada", "Ada"],
    ["007", "007"],
    [7, "7"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [true, "true"],
    [new DateCell("2024-05-01"), "2024-05-01"],
    ["two\r\nlines", "two\r\nlines"],
  ],
  equivalent: [["e\u0301", "\u00E9"], ["a\r\nb", "a\nb"], ["e\u0301\r", "\u00E9\n"]],
  changed: [["a", "A"], ["a", "a "], ["5", 5], ["", "x"], ["a\n\nb", "a\nb"], ["\uFB01", "fi"], ["a", ["a"]]],
})

describe("the text kind", () => {
  it("joins several columns and skips empty ones", () => {
    const parse = compiled(text, { join: ", " })
    expect(parse([" Main St 1", null, "Berlin "])).toBe("Main St 1, Berlin")
    expect(parse([null, "", null])).toBeUndefined()
    expect(parse(["a", 5, false])).toBe("a, 5, false")
  })

  it("counts length in code points", () => {
    const parse = compiled(text, { minLength: 2, maxLength: 3 })
    expect(parse(["\u{1F600}\u{1F600}\u{1F600}"])).toBe("\u{1F600}\u{1F600}\u{1F600}")
    expect(parse(["\u{1F600}"])).toMatchObject({ code: "too-short", expected: "2 characters or more" })
    expect(parse(["abcd"])).toMatchObject({ code: "too-long", expected: "3 characters at most" })
  })

  it("changes case before it checks the pattern", () => {
    const parse = compiled(text, { pattern: "^[A-Z]{2}\\d$", case: "upper" })
    expect(parse(["ab1"])).toBe("AB1")
    expect(parse(["abc"])).toMatchObject({ code: "pattern" })
  })

  it("refuses an invalid pattern and contradicting lengths", () => {
    const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const
    expect(text.compile({ pattern: "(" }, context)).toMatchObject([{ option: "pattern" }])
    expect(text.compile({ minLength: 3, maxLength: 2 }, context)).toMatchObject([{ option: "minLength" }])
  })

  it("writes any number without an exponent, and only whole numbers beyond 2^53 with 15 digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const written = plainNumber(value)
        expect(written).toMatch(/^-?\d+(\.\d+)?$/)
        const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
        expect(Number(written)).toBe(isRounded ? Number(value.toPrecision(15)) : value + 0)
      }),
      { seed: 11, numRuns: 500 },
    )
  })
})
