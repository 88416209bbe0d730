import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeNarrowText } from "../../src/source/text/encoding.ts"

const isNarrow = (text: string) => /^[\0-\xff]*$/.test(text)

describe("text whose characters are below U+0100", () => {
  it("is what UTF-8 says, and any other is left to whoever knows it, with one function for many texts", () => {
    const narrowText = makeNarrowText()
    const narrow = fc.string({ unit: fc.oneof(fc.constantFrom("a", "\0", "\x7f", "ö", "\x80", "ÿ"), fc.string()) })
    const runs = fc.array(fc.oneof(narrow, fc.nat({ max: 40 }).map((length) => "x".repeat(length)))).map((parts) =>
      parts.join("")
    )
    fc.assert(
      fc.property(fc.oneof(runs, fc.string({ unit: "binary" })), fc.nat({ max: 3 }), (text, before) => {
        const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).subarray(before)
        const copy = Buffer.from(bytes)
        expect(narrowText(bytes)).toBe(isNarrow(bytes.toString()) ? text : undefined)
        expect(bytes.equals(copy)).toBe(true)
      }),
      { seed: 20261120, numRuns: 2_000 },
    )
  })
})
