import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compilePattern, type Pattern } from "../../src/kinds/pattern.ts"

const compiled = (expression: string): Pattern => {
  const pattern = compilePattern(expression)
  if (typeof pattern === "string") throw new Error(pattern)
  return pattern
}

describe("compiled patterns", () => {
  it("a pattern takes time in proportion to the text, however the expression is written", () => {
    const text = "a".repeat(20_000) + "b"
    const started = performance.now()
    for (const expression of ["(a+)+$", "^(a|a)*$", "(a*)*c", "(.*)*x$"]) {
      expect(compiled(expression).test(text)).toBe(false)
    }
    // JavaScript's own engine would never finish.
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it("a pattern returns groups by number and by name, and undefined for unused groups", () => {
    const found = compiled("(?<zip>\\d{5})(?: (?<city>\\p{L}+))?(x)?").exec("in 12345 Köln")
    expect(found?.groups).toEqual(["12345 Köln", "12345", "Köln", undefined])
    expect([found?.named("zip"), found?.named("city")]).toEqual(["12345", "Köln"])
    expect(compiled("(?<zip>\\d{5})").names).toEqual(["zip"])
    expect(compiled("^x$").exec("xy")).toBeUndefined()
  })

  it("a pattern that is invalid is reported with the reason", () => {
    expect(compilePattern("(")).toMatch(/^This is not a regular expression: .*\.$/)
    expect(compilePattern("(?=a)b")).toMatch(/look-around or back-references/)
    expect(compilePattern("(a)\\1")).toMatch(/look-around or back-references/)
  })

  it("a pattern matches the same texts as a JavaScript regular expression", () => {
    for (const expression of ["(\\d+\\w?)$", "^[A-Z]{2}\\d{4}$", "a|b+c", "[^,;]+", "\\s*(x?)"]) {
      const pattern = compiled(expression)
      const native = new RegExp(expression, "u")
      fc.assert(
        fc.property(
          fc.string({ unit: fc.constantFrom("a", "b", "c", "x", "1", "2", " ", ",", "A", "Z"), maxLength: 20 }),
          (text) => {
            expect(pattern.test(text)).toBe(native.test(text))
            expect(pattern.exec(text)?.groups).toEqual(native.exec(text)?.slice())
          },
        ),
        { seed: 11, numRuns: 300 },
      )
    }
  })
})
