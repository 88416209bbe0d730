import fc from "fast-check"
import { expect, it } from "vitest"
import { count, percent } from "../../src/domain/words.ts"

it("only a whole is 100%, and only nothing is 0%", () => {
  expect([0, 0.001, 0.004, 0.126, 0.5, 0.996, 1].map((share) => percent(share))).toEqual([
    "0%",
    ">0%",
    ">0%",
    "13%",
    "50%",
    "<100%",
    "100%",
  ])
})

it("count separates thousands as Intl does, for whole numbers and for rates", () => {
  const grouped = new Intl.NumberFormat("en-US")
  const thousandths = fc.integer({ min: 0, max: 1e10 }).map((value) => value / 1000)
  fc.assert(
    fc.property(fc.oneof(fc.nat(2_000_000_000), fc.maxSafeNat(), thousandths), (value) => {
      expect(count(value)).toBe(grouped.format(value))
    }),
    { seed: 16 },
  )
})
