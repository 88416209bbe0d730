import fc from "fast-check"
import { expect, it } from "vitest"
import { count } from "../../src/report/words.ts"

it("separates thousands as Intl does, of whole numbers and of rates", () => {
  const grouped = new Intl.NumberFormat("en-US")
  const thousandths = fc.integer({ min: 0, max: 1e10 }).map((value) => value / 1000)
  fc.assert(
    fc.property(fc.oneof(fc.nat(2_000_000_000), fc.maxSafeNat(), thousandths), (value) => {
      expect(count(value)).toBe(grouped.format(value))
    }),
    { seed: 16 },
  )
})
