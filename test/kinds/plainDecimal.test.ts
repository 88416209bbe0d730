import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { plainDecimal } from "../../src/kinds/plainDecimal.ts"

const shape = /^-?\d+(?:\.\d+)?$/
const digitsIn = (text: string) => text.replaceAll(/\D/g, "").length

describe("a plain decimal", () => {
  it("is the very number that JavaScript reads, for every text of up to 15 digits, and no other text is one", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 16 })
    const likely = fc.tuple(fc.constantFrom("", "-", "+", " "), digits, fc.constantFrom("", ".", ",", ".."), digits)
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(likely, fc.string(), fc.double().map(String)), (text) => {
        const taken = shape.test(text) && digitsIn(text) <= 15
        expect(plainDecimal(text, true)).toBe(taken ? Number(text) : NaN)
        expect(plainDecimal(text, false)).toBe(taken && !text.includes(".") ? Number(text) : NaN)
      }),
      { seed: 20261120, numRuns: 20_000 },
    )
  })

  it("is the nearest number for every amount with cents, and for long fractions", () => {
    for (let cents = 0; cents < 200_000; cents++) {
      const text = (cents / 100).toFixed(2)
      if (plainDecimal(text, true) !== Number(text)) expect.fail(text)
    }
    for (const text of ["0.1", "0.00000000000001", "123456789012345", "9.99999999999999", "8.41234567890123", "-0"]) {
      expect(plainDecimal(text, true)).toBe(Number(text))
    }
  })
})
