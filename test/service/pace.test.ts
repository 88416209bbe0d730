import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { longestPause, Pace } from "../../src/service/pace.ts"
import { retryAfter } from "../../src/service/rateHeaders.ts"
import { bucket, fixed, type Limit, type Limiter, play, type Played, sliding } from "./limiters.ts"

/** Runs a pace for a while, and retries after each wait. Returns the times at which slots were taken. */
const slots = (pace: Pace, from: number, until: number, lateness = () => 0): Array<number> => {
  const taken: Array<number> = []
  let now = from
  while (now < until) {
    const wait = pace.take(now)
    if (wait === 0) taken.push(now)
    else now += wait + lateness()
  }
  return taken
}

const headers = (remaining: number, limit = 5, seconds = 1) => ({
  "ratelimit-limit": String(limit),
  "ratelimit-policy": `${limit};w=${seconds}`,
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": "1",
})

describe("the pace of a service", () => {
  it("the pace gives slots at fixed intervals", () => {
    expect(slots(new Pace(5), 1000, 2000)).toEqual([1000, 1200, 1400, 1600, 1800])
  })

  it("the pace is unlimited if nothing limits it", () => {
    const pace = new Pace(Infinity)
    for (let n = 0; n < 1000; n++) expect(pace.take(5)).toBe(0)
  })

  it("the pace never bursts or exceeds the configured rate in any second, even if timers are late", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 60 })), (late) => {
        const times = slots(new Pace(10), 0, 10_000, () => late.next().value)
        expect(times.length).toBeGreaterThanOrEqual(93)
        expect(times.length).toBeLessThanOrEqual(101)
        times.forEach((time, index) => {
          if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(49)
          if (index >= 10) expect(time - (times[index - 10] ?? 0)).toBeGreaterThanOrEqual(999.999)
        })
      }),
      { seed: 2, numRuns: 50 },
    )
  })

  it("the pace does not catch up after a pause", () => {
    const pace = new Pace(5)
    expect(pace.take(0)).toBe(0)
    expect(slots(pace, 10_000, 10_400)).toEqual([10_000, 10_200])
  })

  it("the pace stays just below the limit in the service's headers, whatever rate is configured", () => {
    for (const [configured, rate] of [[Infinity, 4.985], [5, 4.985], [2, 2]] as const) {
      const pace = new Pace(configured)
      pace.take(0)
      pace.observe(200, headers(4), 0, 10)
      expect(pace.rateAt(10)).toBeCloseTo(rate, 4)
    }
  })

  it.each([
    ["the same rate", Infinity, 50, 1],
    ["a rate just below it", 49.95, 50, 1],
    ["a limit per minute", Infinity, 500, 60],
  ])(
    "the pace allows no window more requests than a stated limit, even if slots are late: %s",
    (_, configured, limit, seconds) => {
      fc.assert(
        fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 49 })), (late) => {
          const pace = new Pace(configured)
          pace.observe(200, headers(limit - 1, limit, seconds), 0, 0)
          // On average, one of fifty slots is eight intervals late, and the others make up for it.
          const times = slots(pace, 0, 5_000 * seconds, () => late.next().value === 49 ? 8_000 * seconds / limit : 0)
          expect(times.length).toBeGreaterThan(3 * limit)
          times.forEach((time, index) => {
            if (index < limit) return
            expect(time - (times[index - limit] ?? 0)).toBeGreaterThan(1_000 * seconds)
            expect(time - (times[index - limit] ?? 0)).toBeGreaterThanOrEqual(limit * 1_000 / configured - 0.001)
          })
        }),
        { seed: 3, numRuns: 20 },
      )
    },
  )

  it.each([
    ["a day", { "x-ratelimit-limit": "10000", "x-ratelimit-policy": "10000;w=86400", "x-ratelimit-remaining": "9999" }],
    ["thirty years", headers(9, 10, 1_000_000_000)],
    ["no time at all", headers(9, 10, 0)],
    ["nothing", { "ratelimit-limit": "0", "ratelimit-policy": "0;w=1" }],
  ])("the pace ignores a limit for %s", (_, told) => {
    const pace = new Pace(50)
    pace.observe(200, told, 0, 10)
    expect(pace.rateAt(10)).toBe(50)
  })

  it("the pace delays all requests as a 429 demands, and continues a few per cent below the accepted rate", () => {
    const pace = new Pace(8)
    const sent = slots(pace, 0, 4000)
    for (const at of sent.slice(0, -2)) pace.observe(200, {}, at, at + 50)
    // Two refused requests that were in flight together count once.
    for (const at of sent.slice(-2)) expect(pace.observe(429, { "retry-after": "3" }, at, 4100)).toBe(3000)
    expect(pace.take(5000)).toBe(2100)
    expect(pace.rateAt(7100)).toBeGreaterThan(7)
    expect(pace.rateAt(7100)).toBeLessThan(7.8)
    expect(pace.rateAt(60_000)).toBe(8)
  })

  it("the pace waits longer after each 429 without Retry-After, until a request is accepted", () => {
    const pace = new Pace(8)
    pace.take(0)
    expect(pace.observe(429, {}, 0, 50)).toBe(250)
    expect(pace.observe(429, {}, 300, 350)).toBe(500)
    expect(pace.observe(429, {}, 900, 950)).toBe(1000)
    pace.observe(200, {}, 2000, 2050)
    expect(pace.observe(429, {}, 2100, 2150)).toBe(250)
    // Even if a refusal states a wait of 0 seconds, the pace waits.
    expect(pace.observe(429, { "retry-after": "0" }, 2500, 2550)).toBe(500)
  })

  it("the pace allows at least one request per second after the very first request was refused", () => {
    const pace = new Pace(1000)
    pace.take(0)
    pace.observe(429, { "retry-after": "2" }, 0, 10)
    expect(slots(pace, 10, 8_010).length).toBeGreaterThanOrEqual(6)
  })

  it("the pace becomes unlimited again after a refusal", () => {
    const pace = new Pace(Infinity)
    for (let n = 0; n < 100; n++) pace.take(n * 10)
    pace.observe(429, {}, 990, 999)
    expect(pace.rateAt(2000)).toBeGreaterThan(90)
    expect(pace.rateAt(2000)).toBeLessThan(100)
    expect(pace.rateAt(3_600_000)).toBe(Infinity)
  })

  it("the pace pauses if others use up the account's limit, but not if only its own requests do", () => {
    const own = new Pace(5)
    own.observe(200, headers(4), 0, 0)
    const sent = slots(own, 0, 1000)
    own.observe(200, headers(0), sent.at(-1) ?? 0, 1000)
    expect(own.take(1020)).toBe(0)
    const shared = new Pace(5)
    shared.observe(200, headers(4), 0, 0)
    shared.take(0)
    shared.observe(200, headers(0), 0, 50)
    expect(shared.take(250)).toBe(800)
  })

  it("the pace keeps a pause that any answer demands, and leaves a very long pause to the caller", () => {
    const pace = new Pace(5)
    expect(pace.observe(503, { "retry-after": "20" }, 0, 0)).toBe(20_000)
    expect(pace.take(1)).toBe(19_999)
    expect(pace.observe(503, { "retry-after": "86400" }, 0, 0)).toBe(86_400_000)
    expect(pace.take(20_000)).toBe(0)
    expect(pace.observe(429, { "retry-after": String(longestPause / 1000 + 1) }, 20_000, 20_000)).toBe(
      longestPause + 1000,
    )
    expect(pace.take(21_000)).toBe(0)
  })

  it("the pace measures a date in Retry-After by the service's own clock if the answer states the time", () => {
    const pace = new Pace(5)
    const headers = { date: "Mon, 01 Jan 2024 00:00:00 GMT", "retry-after": "Mon, 01 Jan 2024 00:00:09 GMT" }
    expect(pace.observe(429, headers, 0, Date.UTC(2030, 0, 1))).toBe(9000)
  })

  it.each([["seconds", 1], ["milliseconds", 1000]])(
    "the pace reads a reset as a point in time in epoch %s, or as a number of seconds",
    (_, times) => {
      const reset = (value: number) => ({
        date: "Mon, 01 Jan 2024 00:00:00 GMT",
        "x-ratelimit-limit": "100",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(value),
      })
      const moment = (Date.UTC(2024, 0, 1) / 1000 + 7) * times
      expect(new Pace(5).observe(429, reset(moment), 0, Date.UTC(2030, 0, 1))).toBe(7000)
      expect(new Pace(5).observe(429, reset(7), 0, Date.UTC(2030, 0, 1))).toBe(7000)
      const pace = new Pace(5)
      pace.observe(200, reset(moment), 0, 10)
      expect(pace.take(20)).toBe(6990)
    },
  )

  it("reads Retry-After as seconds or as a date", () => {
    const now = Date.UTC(2024, 0, 1)
    expect(retryAfter("7", now)).toBe(7000)
    expect(retryAfter("Mon, 01 Jan 2024 00:00:09 GMT", now)).toBe(9000)
    expect(retryAfter("Sun, 31 Dec 2023 23:59:59 GMT", now)).toBe(0)
    expect(retryAfter("soon", now)).toBeUndefined()
    expect(retryAfter(undefined, now)).toBeUndefined()
  })
})

const seeds = [1, 2, 3, 4, 5, 6]
const often = { requests: 3_300, concurrency: 32, latency: 50, jitter: 5, stalls: 0.01 }

/** Refuses one request after a given time, whatever the limit is. */
const refusingOnce = (limiter: ReturnType<Limiter>, at: number): ReturnType<Limiter> => {
  let done = false
  return (now) => {
    if (done || now < at) return limiter(now)
    done = true
    return { allowed: false, wait: 500 }
  }
}

/** Runs several seeds. Returns the largest ratio to the minimum time, and the largest share of refused requests. */
const worst = (floor: number, make: () => Omit<Played, "seed">) => {
  const played = seeds.map((seed) => play({ ...make(), seed }))
  return {
    ratio: Math.max(...played.map(({ seconds }) => seconds / floor)),
    refused: Math.max(...played.map(({ accepted, refused }) => refused / (accepted.length + refused))),
  }
}

const always = (limit: number): Limit => () => limit

describe("the pace with a limit, in virtual time", () => {
  it.each([["sliding", sliding(1000)], ["fixed", fixed(1000)]])(
    "with 99 requests a second configured, the pace never exceeds a %s window of 100, and loses no time",
    (_, limiter) => {
      const { ratio, refused } = worst(
        3_300 / 99,
        () => ({ ...often, limiter: limiter(always(100)), headers: "retry-after", configured: 99 }),
      )
      expect(refused).toBe(0)
      expect(ratio).toBeLessThan(1.01)
    },
  )

  it.each([["20 ms", [4, 20], 1.02], ["80 ms", [1, 80], 1.035]] as const)(
    "the pace gets no 429 and loses little time if service and client pause for up to %s",
    (_, standstills, atMost) => {
      const { ratio, refused } = worst(
        3_300 / 99,
        () => ({ ...often, standstills, limiter: sliding(1000)(always(100)), headers: "retry-after", configured: 99 }),
      )
      expect(refused).toBe(0)
      expect(ratio).toBeLessThan(atMost)
    },
  )

  it.each([["retry-after", 1.045], ["none", 1.02]] as const)(
    "the pace loses little time after a single 429 (%s)",
    (headers, atMost) => {
      const { ratio } = worst(
        3_300 / 99,
        () => ({ ...often, limiter: refusingOnce(sliding(1000)(always(100)), 10_000), headers, configured: 99 }),
      )
      expect(ratio).toBeLessThan(atMost)
    },
  )

  it.each(
    [
      ["a sliding window, Retry-After", sliding(1000), "retry-after", 1.13, 0.02],
      ["a sliding window, no headers", sliding(1000), "none", 1.06, 0.02],
      ["a fixed window, Retry-After", fixed(1000), "retry-after", 1.2, 0.03],
      ["a fixed window, no headers", fixed(1000), "none", 1.1, 0.03],
      ["a full bucket of 100, no headers", bucket(100), "none", 1.05, 0.02],
      ["a full bucket of 10, no headers", bucket(10), "none", 1.5, 0.02],
    ] as const,
  )("the pace finds a limit that is not configured: %s", (_, limiter, headers, atMost, refusedAtMost) => {
    const { ratio, refused } = worst(33, () => ({ ...often, limiter: limiter(always(100)), headers, configured: 1000 }))
    expect(ratio).toBeLessThan(atMost)
    expect(refused).toBeLessThan(refusedAtMost)
  })

  it.each(
    [
      ["5 a second", 5, 5, 550, 2, [0, 0]],
      ["100 a second, with requests that overtake one another", 100, 1000, 3_300, 20, [0, 0]],
      ["1,000 a second", 1000, 1000, 22_000, 2, [4, 20]],
      ["1,000 a second, and pauses of up to 80 ms", 1000, 1000, 22_000, 2, [0.5, 80]],
      ["a rate just below the limit", 100, 99.9, 3_300, 2, [0.2, 80]],
    ] as const,
  )(
    "the pace reaches a limit that headers state, without a 429: %s",
    (_, limit, configured, requests, jitter, standstills) => {
      for (const limiter of [sliding(1000), fixed(1000)]) {
        const { ratio, refused } = worst(
          requests / limit,
          () => ({
            ...often,
            requests,
            jitter,
            standstills,
            latency: 20,
            limiter: limiter(always(limit)),
            headers: [limit, 1],
            configured,
          }),
        )
        expect(refused).toBe(0)
        expect(ratio).toBeLessThan(1.02)
      }
    },
  )

  it.each([["none", 1.12], ["retry-after", 1.22]] as const)(
    "the pace follows a limit that halves and doubles within 10 s (%s)",
    (headers, atMost) => {
      const limit: Limit = (now) => (now < 11_000 || now >= 22_000 ? 100 : 50)
      for (const seed of seeds) {
        const { accepted, seconds } = play({ ...often, limiter: sliding(1000)(limit), headers, configured: 1000, seed })
        expect(seconds / 38.5).toBeLessThan(atMost)
        const perSecond = (from: number, until: number) =>
          accepted.filter((at) => at >= from && at < until).length * 1000 / (until - from)
        expect(perSecond(14_000, 22_000)).toBeGreaterThan(40)
        // A wait of a second may overlap the four seconds that are measured.
        expect(perSecond(32_000, 36_000)).toBeGreaterThan(70)
      }
    },
  )

  it("the pace finds a limit per minute, and a very low limit", () => {
    const played = { ...often, requests: 300, configured: 5, limiter: sliding(60_000)(always(60)) }
    expect(play({ ...played, headers: "retry-after", seed: 1 }).refused).toBeLessThan(10)
    expect(play({ ...played, headers: "none", limiter: sliding(60_000)(always(60)), seed: 1 }).refused).toBeLessThan(40)
  })
})
