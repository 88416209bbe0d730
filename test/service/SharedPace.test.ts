import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong, seeds } from "../long.ts"
import { sliding } from "./limiters.ts"
import { mostInASecond, playHosts } from "./virtualHosts.ts"

const allSeeds = Array.from({ length: seeds(1, 2) }, (_, seed) => seed)

/** Limits in requests a second, each with how many seconds it is tested. */
const limits = isLong ? [[5, 20], [100, 20], [1_000, 6]] as const : [[5, 10], [100, 8]] as const

/** The time in milliseconds after which every host knows the answer to one of them, and no earlier request is still in flight. */
const everyHostKnows = 200

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
        for (const [limit, seconds] of limits) {
          const at = (share: number) => share * seconds * 1_000
          const host = { configured: limit * 0.95, concurrency: 64 }
          const arrivals = yield* playHosts({
            ...usual,
            hosts: [
              host,
              { ...host, killedAt: at(0.35), clock: [5_000, 0.000_1] },
              { ...host, stopped: [at(0.55), at(0.75)], clock: [-3_000, -0.000_1] },
            ],
            limiter: sliding(1_000)(() => limit),
            until: at(1),
            seed,
          })
          const used = arrivals.length / (limit * seconds)
          expect(arrivals.filter(({ isAccepted }) => !isAccepted)).toEqual([])
          expect(mostInASecond(arrivals)).toBeLessThanOrEqual(limit)
          expect(used).toBeGreaterThan(0.9)
        }
      }),
    120_000,
  )

  it.live("hosts use most of the limit even if answers take up to 200 ms longer than others", () =>
    Effect.gen(function*() {
      const host = { configured: 95, concurrency: 64 }
      const arrivals = yield* playHosts({
        ...usual,
        hosts: [host, host, host],
        limiter: sliding(1_000)(() => 100),
        slowAnswers: 200,
        until: 6_000,
        seed: 1,
      })
      expect(arrivals.filter(({ isAccepted }) => !isAccepted)).toEqual([])
      expect(arrivals.length / 600).toBeGreaterThan(0.85)
    }))

  it.live("a 429 on one host makes all hosts wait, and then send below the accepted rate", () =>
    Effect.gen(function*() {
      const waits = { allowed: false, wait: 2_000 }
      let refusals = 0
      const arrivals = yield* playHosts({
        ...usual,
        hosts: [{ configured: 95 }, { configured: 95 }, { configured: 95 }],
        limiter: (now, host) => host === 1 && now >= 3_000 && refusals++ === 0 ? waits : { allowed: true, wait: 0 },
        until: 8_000,
        seed: 1,
      })
      const [refused] = arrivals.filter(({ isAccepted }) => !isAccepted)
      const since = (refused?.at ?? 0) + everyHostKnows
      const within = (from: number, until: number) => arrivals.filter(({ at }) => at >= from && at < until)
      expect(new Set(within(2_000, 3_000).map(({ host }) => host)).size).toBe(3)
      expect(within(since, since + 1_800)).toEqual([])
      // The rate returns from 3% below the accepted one.
      const after = within(since + 2_000, since + 4_000).length / 2
      expect(after).toBeGreaterThan(80)
      expect(after).toBeLessThan(95)
    }))

  it.live("a limit that falls to half is found by all hosts together", () =>
    Effect.gen(function*() {
      const arrivals = yield* playHosts({
        ...usual,
        hosts: [{ configured: 95 }, { configured: 95 }, { configured: 95 }],
        limiter: sliding(1_000)((now) => (now < 4_000 ? 100 : 50)),
        until: 14_000,
        seed: 1,
      })
      const after = arrivals.filter(({ at }) => at >= 4_000)
      expect(after.filter(({ isAccepted }) => isAccepted).length / (50 * 10)).toBeGreaterThan(0.55)
      expect(after.filter(({ isAccepted }) => !isAccepted).length).toBeLessThan(30)
    }))

  it.live("a limit in headers that one host sees lowers the rate of all hosts", () =>
    Effect.gen(function*() {
      const arrivals = yield* playHosts({
        ...usual,
        hosts: [{ configured: 95 }, { configured: 95 }, { configured: 95 }],
        limiter: sliding(1_000)(() => 100),
        headers: (now, host) =>
          host === 2 && now > 3_000 ? { "ratelimit-limit": "40", "ratelimit-policy": "40;w=1" } : {},
        until: 8_000,
        seed: 1,
      })
      const rate = (from: number, until: number) =>
        arrivals.filter(({ at }) => at >= from && at < until).length * 1_000 / (until - from)
      expect(rate(1_000, 3_000)).toBeGreaterThan(90)
      expect(rate(4_000, 8_000)).toBeGreaterThan(36)
      expect(rate(4_000, 8_000)).toBeLessThanOrEqual(38.5)
    }))
})
