import { describe, expect, it } from "vitest"
import { phone } from "../../src/kinds/phone.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: phone,
  options: [{ country: "DE" }, {}, { country: "us" }],
  sends: [
    ["030 12345678", "+493012345678"],
    ["(030) 1234-5678", "+493012345678"],
    ["+49 30 12345678", "+493012345678"],
    ["0049 30 12345678", "+493012345678"],
    ["+1 213 373 4253", "+12133734253"],
    ["+212 600-000000", "+212600000000"],
  ],
  equivalent: [["+493012345678", "+49 30 12345678"], ["+12133734253", "+1 (213) 373-4253"]],
  changed: [
    ["+493012345678", "+493012345679"],
    ["+493012345678", "030 12345678"],
    ["+12133734253", "+12133734253 ext. 5"],
    ["+493012345678", 493012345678],
  ],
})

describe("the phone kind", () => {
  it("needs a country for numbers without a country code", () => {
    expect(compiled(phone)(["030 12345678"])).toMatchObject({
      code: "not-a-phone",
      expected: expect.stringContaining("`country`"),
    })
    expect(compiled(phone, { country: "us" })(["(213) 373-4253"])).toBe("+12133734253")
  })

  it("refuses two numbers that a slash separates, but not a slash after an area code", () => {
    const german = compiled(phone, { country: "DE" })
    for (const cell of ["+49 30 23125123 / 24", "030 23125123 / 030 23125124", "030 1234567/8", "030 1234567/68"]) {
      expect(german([cell])).toMatchObject({ code: "not-a-phone" })
    }
    for (const cell of ["030 / 23125123", "030/23125123"]) expect(german([cell])).toBe("+493023125123")
  })

  it.each(["12", "call me", "9.23E+11", "030 1234 or 030 5678", "+49 30 12345678 ext 12", "+999 12345678"])(
    "the phone kind refuses %s",
    (cell) => {
      expect(compiled(phone, { country: "DE" })([cell])).toMatchObject({ code: "not-a-phone" })
    },
  )

  it.each([
    ["DE", "493511234574", "+49493511234574", "+493511234574"],
    ["DE", "49 351 1234574", "+49493511234574", "+493511234574"],
    ["US", "3612345678", "+13612345678", "+3612345678"],
  ])(
    "refuses a number of %s that would be a different valid number with + in front: %s",
    (country, cell, national, international) => {
      const fault = compiled(phone, { country })([cell])
      expect(fault).toMatchObject({ code: "not-a-phone", expected: expect.stringContaining(national) })
      expect(fault).toMatchObject({ expected: expect.stringContaining(international) })
      expect(compiled(phone, { country, ambiguous: "national" })([cell])).toBe(national)
      expect(compiled(phone, { country, ambiguous: "international" })([cell])).toBe(international)
    },
  )

  it.each([
    ["DE", "0351 1234574", "+493511234574"],
    ["DE", "+49 351 1234574", "+493511234574"],
    ["US", "12133734253", "+12133734253"],
    ["US", "(361) 234-5678", "+13612345678"],
  ])("reads an unambiguous number of %s: %s", (country, cell, sent) => {
    expect(compiled(phone, { country })([cell])).toBe(sent)
  })

  it("refuses an unknown country", () => {
    const context = { question: undefined, input: { _tag: "Columns" }, empty: new Set<string>() } as const
    expect(phone.compile({ country: "Germany" }, context)).toMatchObject([{ option: "country" }])
  })
})
