import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { visible } from "../../src/domain/visible.ts"

describe("visible", () => {
  it("visible removes control characters, line breaks and characters that change the direction of writing", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.integer({ min: 0, max: 0x2FFF }).map((code) => String.fromCharCode(code)),
            fc.constant("\uD800"),
          ),
        }),
        (text) => {
          expect(visible(text)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\p{Surrogate}|\u2028|\u2029/u)
        },
      ),
      { seed: 1, numRuns: 500 },
    )
  })

  it("visible shows terminal escape sequences as symbols", () => {
    expect(visible("\u001B[31mred\u001B]0;title\u0007\u009B2J")).toBe("␛[31mred␛]0;title␇<U+009B>2J")
    expect(visible("a\r\nb\tc\u202Ed\u007F")).toBe("a↵b␉c<U+202E>d␡")
  })

  it("visible leaves words of every script and joined emoji unchanged", () => {
    for (const text of ["Müller", "東京", "می‌خواهم", "👩‍👩‍👧", "שלום", "e\u0301"]) expect(visible(text)).toBe(text)
  })
})
