import { Utils } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RateWindow } from "../../src/practice/RateWindow.ts"
import { longestPause, Pace } from "../../src/service/pace.ts"
import { retryAfter } from "../../src/service/rateHeaders.ts"

/** Runs a pace for a while, asking again whenever it says to; the times at which slots were taken. */
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

const headers = (remaining: number, limit = 5) => ({
  "ratelimit-limit": String(limit),
  "ratelimit-policy": `${limit};w=1`,
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": "1",
})

describe("the pace of a service", () => {
  it("gives slots at fixed distances", () => {
    expect(slots(new Pace(5), 1000, 2000)).toEqual([1000, 1200, 1400, 1600, 1800])
  })

  it("costs nothing when unlimited", () => {
    const pace = new Pace(Infinity)
    for (let n = 0; n < 1000; n++) expect(pace.take(5)).toBe(0)
  })

  it("never bursts, and late timers do not add up", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 60 })), (late) => {
        const times = slots(new Pace(10), 0, 10_000, () => late.next().value)
        expect(times.length).toBeGreaterThanOrEqual(98)
        expect(times.length).toBeLessThanOrEqual(101)
        times.forEach((time, index) => {
          if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(39)
        })
      }),
      { seed: 2, numRuns: 50 },
    )
  })

  it("does not catch up after standing idle", () => {
    const pace = new Pace(5)
    expect(pace.take(0)).toBe(0)
    expect(slots(pace, 10_000, 10_400)).toEqual([10_000, 10_200])
  })

  it("goes no faster than the service's limit, however it is set", () => {
    const pace = new Pace(Infinity)
    pace.take(0)
    pace.observe(200, headers(4), 0, 10)
    expect(pace.rate).toBe(5)
    const slow = new Pace(2)
    slow.observe(200, headers(4), 0, 10)
    expect(slow.rate).toBe(2)
  })

  it("waits as a 429 tells, for everyone, and is slower afterwards, once for requests that were in flight together", () => {
    const pace = new Pace(8)
    pace.take(0)
    pace.take(125)
    expect(pace.observe(429, { "retry-after": "3" }, 0, 200)).toBe(3000)
    expect(pace.observe(429, { "retry-after": "3" }, 125, 210)).toBe(3000)
    expect(pace.rate).toBe(4)
    expect(pace.take(1000)).toBe(2210)
    expect(pace.take(3210)).toBe(0)
    expect(pace.take(3211)).toBe(249)
  })

  it("backs off more for each 429 that comes without a word, and comes back slowly", () => {
    const pace = new Pace(8)
    expect(pace.observe(429, {}, 0, 0)).toBe(1000)
    expect(pace.observe(429, {}, 1000, 1000)).toBe(2000)
    expect(pace.observe(429, {}, 3000, 3000)).toBe(4000)
    expect(pace.rate).toBe(1)
    for (let second = 8; second < 18; second++) pace.observe(200, {}, second * 1000, second * 1000)
    expect(pace.rate).toBeGreaterThan(3)
    expect(pace.rate).toBeLessThan(4)
    for (let second = 18; second < 60; second++) pace.observe(200, {}, second * 1000, second * 1000)
    expect(pace.rate).toBe(8)
  })

  it("an unlimited pace that is refused starts from half of what it did, and becomes unlimited again", () => {
    const pace = new Pace(Infinity)
    for (let n = 0; n < 100; n++) pace.take(n * 10)
    pace.observe(429, {}, 990, 999)
    expect(pace.rate).toBeGreaterThan(40)
    expect(pace.rate).toBeLessThan(60)
    for (let second = 2; second < 200; second++) pace.observe(200, {}, second * 1000, second * 1000)
    expect(pace.rate).toBe(Infinity)
  })

  it("pauses when others use the account up, and not when only its own requests did", () => {
    const own = new Pace(5)
    own.observe(200, headers(4), 0, 0)
    for (let slot = 0; slot < 5; slot++) own.take(slot * 200)
    own.observe(200, headers(0), 800, 850)
    // No pause for others: only until the next window is open for certain.
    expect(own.take(1000)).toBeCloseTo(1)
    expect(own.take(1002)).toBe(0)
    const shared = new Pace(5)
    shared.observe(200, headers(4), 0, 0)
    shared.take(0)
    shared.observe(200, headers(0), 0, 50)
    expect(shared.take(200)).toBe(850)
  })

  /** When an account of ours alone may send, for so many milliseconds, and nothing is ever late. */
  const sentWithin = (
    requestsPerSecond: number,
    told: { readonly limit: number; readonly seconds: number },
    until: number,
  ) => {
    const pace = new Pace(requestsPerSecond)
    const service = new RateWindow({ requests: told.limit, windowSeconds: told.seconds })
    const sent: Array<number> = []
    for (let now = 0; now < until;) {
      const wait = pace.take(now)
      if (wait > 0) {
        now += Math.max(1, wait)
        continue
      }
      sent.push(now)
      const { allowed, headers } = service.count(now)
      pace.observe(allowed ? 200 : 429, headers, now, now)
    }
    return sent
  }

  it.each([
    ["a second", 10, { limit: 10, seconds: 1 }],
    ["a minute", 5, { limit: 300, seconds: 60 }],
    ["an hour", 10, { limit: 36_000, seconds: 3600 }],
  ])(
    "goes no faster in any second than it is set to where the service counts by %s, and is never silent for long",
    (_, rate, told) => {
      const sent = sentWithin(rate, told, 150_000)
      expect(sent.length).toBeGreaterThan(150 * rate * 0.99)
      sent.forEach((at, index) => {
        // One that is due at the very second may come a little earlier.
        expect(sent.slice(index, index + rate + 2).filter((other) => other < at + 999).length).toBeLessThanOrEqual(
          rate + 1,
        )
        expect((sent[index + 1] ?? at) - at).toBeLessThan(1000)
      })
    },
  )

  it("spreads over the whole window once a request was refused", () => {
    const pace = new Pace(10)
    const service = new RateWindow({ requests: 10, windowSeconds: 1 })
    const take = (now: number) => {
      for (let wait = pace.take(now); wait > 0; wait = pace.take(now)) now += Math.max(1, wait)
      return now
    }
    let now = take(0)
    pace.observe(200, service.count(now).headers, now, now)
    const gaps: Array<number> = []
    for (let sent = 0; sent < 6; sent++) {
      const next = take(now)
      gaps.push(next - now)
      now = next
      pace.observe(200, service.count(now).headers, now, now)
    }
    now = take(now)
    pace.observe(429, { ...service.count(now).headers, "retry-after": "1" }, now, now)
    // Until the rate has come back.
    for (let second = 0; second < 200; second++) {
      now = take(now + 1000)
      pace.observe(200, service.count(now).headers, now, now)
    }
    expect(pace.rate).toBe(10)
    const after = take(now) - now
    expect(gaps.at(-1)).toBeLessThan(80)
    expect(after).toBeGreaterThan(95)
  })

  describe("keeps within a window at its full rate, and loses hardly any time by it", () => {
    /** Requests that go out one after the other, arrive in any order and are answered; how long 2,000 of them take, and what was refused. */
    const play = (
      seed: number,
      { halts, idle, stalls }: { readonly stalls: number; readonly idle: number; readonly halts: boolean },
    ) => {
      const random = new Utils.PCGRandom(seed)
      const service = new RateWindow({ requests: 100, windowSeconds: 1 })
      const pace = new Pace(100)
      const coming: Array<{ readonly sent: number; readonly arrives: number }> = []
      const answers: Array<{ readonly at: number; readonly sent: number; readonly headers: Record<string, string> }> =
        []
      /** Times in which the machine stands still, the service's as well as ours. */
      const halted = Array.from({ length: halts ? 10 : 0 }, (_, at) => {
        const from = 2_000 * at + 200 + random.integer(1_500)
        return { from, until: from + 50 + random.integer(250) }
      })
      const onceOn = (at: number) => halted.find(({ from, until }) => at >= from && at < until)?.until ?? at
      let refused = 0
      const arrive = (until: number) => {
        for (
          const one of coming.sort((a, b) => a.arrives - b.arrives).splice(
            0,
            coming.findLastIndex((each) => each.arrives <= until) + 1,
          )
        ) {
          // By a clock of whole milliseconds.
          const { allowed, headers } = service.count(Math.floor(one.arrives))
          if (!allowed) refused++
          answers.push({ at: onceOn(one.arrives + 50 + random.number() * 2), sent: one.sent, headers })
        }
      }
      const hear = (until: number) => {
        arrive(until)
        answers.sort((a, b) => a.at - b.at)
        for (const one of answers.splice(0, answers.findLastIndex((each) => each.at <= until) + 1)) {
          pace.observe(200, one.headers, one.sent, one.at)
        }
      }
      let now = 0
      for (let sent = 0; sent < 2_000;) {
        now = onceOn(now)
        hear(now)
        const wait = pace.take(now)
        if (wait > 0) {
          // Timers fire a little late, and some of them very.
          now += Math.max(1, wait) + random.number() * (random.integer(100) === 0 ? 40 : 2)
          continue
        }
        sent++
        // The first one has to connect.
        const held = sent === 1 ? 12 : random.integer(100) < stalls ? random.integer(15) : 0
        coming.push({ sent: now, arrives: onceOn(now + random.number() * 3 + held) })
        // The first rows are looked at before there are more.
        if (sent === 12) now += idle
      }
      arrive(Infinity)
      return { took: now, refused }
    }

    it.each([
      ["whatever timers and the network do", { stalls: 0, idle: 0, halts: false }, 1.015],
      ["when requests overtake one another", { stalls: 3, idle: 0, halts: false }, 1.025],
      ["and makes up for slots that nobody wanted, as far as the window that they were in has room", {
        stalls: 0,
        idle: 350,
        halts: false,
      }, 1.02],
      ["and loses no more by a machine that stands still than windows that open late", {
        stalls: 0,
        idle: 0,
        halts: true,
      }, 1.035],
    ])("%s", (_, how, atMost) => {
      for (let seed = 1; seed <= 40; seed++) {
        const { refused, took } = play(seed, how)
        expect(refused, `seed ${seed}`).toBe(0)
        expect(took, `seed ${seed}`).toBeLessThan(20_000 * atMost)
      }
    })
  })

  it("keeps a pause that any answer asks for, and leaves one that is too long to the caller", () => {
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

  it("measures a date in Retry-After by the service's own clock where it tells it", () => {
    const pace = new Pace(5)
    const headers = { date: "Mon, 01 Jan 2024 00:00:00 GMT", "retry-after": "Mon, 01 Jan 2024 00:00:09 GMT" }
    expect(pace.observe(429, headers, 0, Date.UTC(2030, 0, 1))).toBe(9000)
  })

  it("reads Retry-After as seconds or as a date", () => {
    const now = Date.UTC(2024, 0, 1)
    expect(retryAfter("7", now)).toBe(7000)
    expect(retryAfter("Mon, 01 Jan 2024 00:00:09 GMT", now)).toBe(9000)
    expect(retryAfter("Sun, 31 Dec 2023 23:59:59 GMT", now)).toBe(0)
    expect(retryAfter("soon", now)).toBeUndefined()
    expect(retryAfter(undefined, now)).toBeUndefined()
  })
})
