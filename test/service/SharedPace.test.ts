import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { seeds } from "../long.ts"
import { sliding } from "./limiters.ts"
import { mostInASecond, playHosts } from "./virtualHosts.ts"

const allSeeds = Array.from({ length: seeds(1, 6) }, (_, seed) => seed)

const usual = {
  toService: [10, 10],
  toDatabase: [0.3, 0.7],
  late: [0.05, 15],
} as const

describe.skipIf(withoutPostgres)("the pace of hosts that share a rate, in virtual time", () => {
  it.live.each(allSeeds)(
    "three hosts at 95%% of a limit never exceed it, and use at least 90%% of it even if one is killed and one stopped (seed %i)",
    (seed) =>
      Effect.gen(function*() {
        for (const limit of [5, 100, 1_000]) {
          const seconds = 20
          const arrivals = yield* playHosts({
            ...usual,
            hosts: [
              { configured: limit * 0.95, concurrency: 64 },
              { configured: limit * 0.95, concurrency: 64, killedAt: 7_000, clock: [5_000, 0.000_1] },
              { configured: limit * 0.95, concurrency: 64, stopped: [11_000, 15_000], clock: [-3_000, -0.000_1] },
            ],
            limiter: sliding(1_000)(() => limit),
            until: seconds * 1_000,
            seed,
          })
          const used = arrivals.length / (limit * seconds)
          console.log(limit, used, mostInASecond(arrivals), arrivals.filter((a) => !a.isAccepted).length)
          expect(arrivals.filter(({ isAccepted }) => !isAccepted)).toEqual([])
          expect(mostInASecond(arrivals)).toBeLessThanOrEqual(limit)
          expect(used).toBeGreaterThan(0.9)
        }
      }),
    120_000,
  )
})
