import fc from "fast-check"
import validator from "validator"
import { describe, expect, it } from "vitest"
import { email } from "../../src/kinds/email.ts"
import { compiled, conforms } from "./conformance.ts"

conforms({
  kind: email,
  options: [{}],
  sends: [
    ["ada@example.org", "ada@example.org"],
    ["ADA@EXAMPLE.ORG", "ADA@example.org"],
    ["o'hara+tag@sub.example.co.uk", "o'hara+tag@sub.example.co.uk"],
    ["jürgen@müller.de", "jürgen@müller.de"],
  ],
  equivalent: [["Ada@example.org", "Ada@EXAMPLE.org"], ["Ada@example.org", "ada@example.org"]],
  changed: [["ada@example.org", "ada@example.com"], ["ada@example.org", "eda@example.org"], ["a@b.co", ["a@b.co"]]],
})

describe("the email kind", () => {
  it.each(["\u200b", "\u200e", "\u202e", "\u00ad", "\u2060"])(
    "refuses an address with an invisible character: %j",
    (sign) => {
      for (const cell of [`${sign}ada@example.org`, `a${sign}da@example.org`, `ada@example.org${sign}`]) {
        expect(compiled(email)([cell])).toMatchObject({
          code: "not-an-email",
          expected: expect.stringContaining("without invisible characters"),
        })
      }
    },
  )

  it.each([
    "not-an-address",
    "a@b",
    "a b@example.org",
    "a@@example.org",
    ".a@example.org",
    "a..b@example.org",
    "a@-b.org",
    "Ada <ada@example.org>",
    "a@b.org, c@d.org",
  ])(
    "the email kind refuses %s",
    (cell) => {
      expect(compiled(email)([cell])).toMatchObject({ code: "not-an-email" })
    },
  )

  it("the email kind accepts exactly the texts that the validator package accepts", () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9._+@-]{1,12}$/)
    fc.assert(
      fc.property(part, part, fc.constantFrom("org", "a", "museum", "x1", "c-m", "ORG", ""), (local, host, end) => {
        const text = `${local}@${host}.${end}`
        expect(typeof compiled(email)([text]) === "string").toBe(validator.isEmail(text))
      }),
      { seed: 16, numRuns: 1000 },
    )
  })
})
