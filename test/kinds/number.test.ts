import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { PercentCell } from "../../src/domain/cell.ts"
import type { KindContext } from "../../src/kinds/Kind.ts"
import { number } from "../../src/kinds/number.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: number,
  options: [{}, { decimal: ",", group: "." }, { integer: true, min: 0, max: 10 }, { group: " " }, { group: "'" }],
  sends: [
    ["42", 42],
    ["-1.50", -1.5],
    ["+7", 7],
    ["\u22127", -7],
    ["007", 7],
    [".5", 0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["-0", 0],
    [3.25, 3.25],
    ["€ 5.50", 5.5],
    ["5.50 EUR", 5.5],
    ["US$5", 5],
    ["-5 CHF", -5],
    ["-€5", -5],
    ["9007199254740991", 9007199254740991],
  ],
  equivalent: [[5, "5"], [1.5, "1.50"]],
  changed: [[5, 6], [5, "5,0"], [0.1, 0.10000000000000002], [5, "5 "], [1, true], [5, [5]], [5, "5 EUR"], [
    9007199254740992,
    "9007199254740993",
  ]],
})

const context: KindContext = { question: undefined, input: { _tag: "Columns" }, empty: new Set() }

describe("the number kind", () => {
  it("refuses a number that is too small to be sent, but not a zero", () => {
    for (const cell of ["1e-400", "-0.5E-330"]) expect(compiled(number)([cell])).toMatchObject({ code: "out-of-range" })
    for (const cell of ["0", "-0.00", "0e5", "0E-400"]) expect(compiled(number)([cell])).toBe(0)
  })

  it.each([
    ["1,5", {}],
    ["1,234", {}],
    ["1.234.567", {}],
    ["1.5", { decimal: ",", group: "." }],
    ["12.34,5", { decimal: ",", group: "." }],
    ["1.234", { decimal: "," }],
    ["0.123", { decimal: ",", group: "." }],
    ["-0.123,5", { decimal: ",", group: "." }],
    ["000.123", { decimal: ",", group: "." }],
    ["0,123", { group: "," }],
    ["1 234", {}],
    ["5 XYZ", {}],
    ["5 items", {}],
    ["12%", {}],
    [new PercentCell(12), {}],
    ["(5)", {}],
    ["--5", {}],
    ["Infinity", {}],
    ["0x10", {}],
    ["1_000", {}],
    [".", {}],
    ["2024-05-01", {}],
  ])("refuses the ambiguous or invalid number %s with the options %o", (cell, options) => {
    expect(compiled(number, options)([cell])).toMatchObject({ code: "not-a-number" })
  })

  it.each([
    ["1.234.567,5", { decimal: ",", group: "." }, 1234567.5],
    ["1.234,50 €", { decimal: ",", group: "." }, 1234.5],
    ["1234,5", { decimal: ",", group: "." }, 1234.5],
    ["12%", { percent: "whole" }, 12],
    ["12,5 %", { decimal: ",", percent: "whole" }, 12.5],
    ["12.345%", { decimal: ",", group: ".", percent: "whole" }, 12345],
    [new PercentCell(12.345), { decimal: ",", group: ".", percent: "whole" }, 12.345],
    [new PercentCell(7), { percent: "fraction" }, 0.07],
    ["-%0.7", { percent: "fraction" }, -0.007],
    ["12", { percent: "fraction" }, 12],
    ["1,234.5", { group: "," }, 1234.5],
    ["1\u00A0234", { group: " " }, 1234],
    ["1\u202F234,5", { group: " ", decimal: "," }, 1234.5],
    ["CHF 1’234.50", { group: "'" }, 1234.5],
  ])("reads %s with the options %o", (cell, options, value) => {
    expect(compiled(number, options)([cell])).toBe(value)
  })

  it("refuses numbers outside its limits", () => {
    const parse = compiled(number, { integer: true, min: 0, max: 10 })
    expect(parse(["10"])).toBe(10)
    expect(parse(["10.0"])).toBe(10)
    expect(parse([11])).toMatchObject({ code: "out-of-range", expected: "a whole number from 0 to 10" })
    expect(parse(["-1"])).toMatchObject({ code: "out-of-range" })
    expect(parse(["1.5"])).toMatchObject({ code: "not-a-number", expected: "a whole number" })
    expect(parse([true])).toMatchObject({ code: "not-a-number" })
  })

  it("refuses digits that a JSON number can't represent", () => {
    const parse = compiled(number)
    for (const cell of ["12345678901234567890", "9007199254740993", "0.12345678901234567890", "1e999"]) {
      expect(parse([cell]), cell).toMatchObject({ code: "out-of-range" })
    }
    expect(parse(["0.1234567890123456"])).toBe(0.1234567890123456)
    expect(parse(["1.50000000000000000000"])).toBe(1.5)
  })

  it("refuses separators that are the same, and a minimum above the maximum", () => {
    expect(number.compile({ group: "." }, context)).toMatchObject([{ option: "group" }])
    expect(number.compile({ min: 2, max: 1 }, context)).toMatchObject([{ option: "min" }])
  })

  it("reads back every number written in a locale's format", () => {
    const locales = [["en-US", { group: "," }], ["de-DE", { decimal: ",", group: "." }], ["fr-FR", {
      decimal: ",",
      group: " ",
    }]] as const
    for (const [locale, options] of locales) {
      const parse = compiled(number, options)
      const write = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 })
      fc.assert(
        fc.property(fc.integer({ min: -1e11, max: 1e11 }), (thousandths) => {
          const value = thousandths / 1000
          expect(parse([write.format(value)])).toBe(value)
        }),
        { seed: 12, numRuns: 300 },
      )
    }
  })
})
