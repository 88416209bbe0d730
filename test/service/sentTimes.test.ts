import fc from "fast-check"
import { expect, it } from "vitest"
import { SentTimes } from "../../src/service/SentTimes.ts"

it("requests are counted between any two times, whatever was forgotten before", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 20 }), fc.nat({ max: 30 })), { maxLength: 200 }),
      (steps) => {
        const sent = new SentTimes()
        let all: Array<number> = []
        let now = 0
        for (const [gone, ago, length] of steps) {
          now += gone
          sent.add(now)
          all.push(now)
          if (ago > 15) {
            sent.forget(now - ago)
            all = all.filter((at) => at > now - ago)
          }
          const from = now - ago
          const to = from + length
          expect(sent.between(from, to)).toBe(all.filter((at) => at >= from && at <= to).length)
          expect(sent.between(from, Infinity)).toBe(all.filter((at) => at >= from).length)
        }
      },
    ),
    { seed: 20261120 },
  )
})
