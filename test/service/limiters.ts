import { Utils } from "effect"
import { Pace } from "../../src/service/pace.ts"

/** The number of requests that a service allows in a window, by its own time in milliseconds. */
export type Limit = (now: number) => number

/**
 * A way of counting requests. Returns whether a request is allowed, and the milliseconds until the next request is
 * allowed.
 */
export type Limiter = (limit: Limit) => (now: number) => { readonly allowed: boolean; readonly wait: number }

/** Counts in a sliding window. @param window milliseconds */
export const sliding = (window: number): Limiter => (limit) => {
  const counted: Array<number> = []
  return (now) => {
    while ((counted[0] ?? Infinity) <= now - window) counted.shift()
    const allowed = counted.length < limit(now)
    if (allowed) counted.push(now)
    return { allowed, wait: (counted[0] ?? now) + window - now }
  }
}

/**
 * Counts in fixed windows. Each starts with the first request after the previous window has ended. @param window
 * milliseconds
 */
export const fixed = (window: number): Limiter => (limit) => {
  let opened = -Infinity
  let count = 0
  return (now) => {
    if (now - opened >= window) [opened, count] = [now, 0]
    const allowed = count < limit(now)
    if (allowed) count++
    return { allowed, wait: opened + window - now }
  }
}

/** Counts with a bucket of this many requests, which the limit refills every second. */
export const bucket = (size: number): Limiter => (limit) => {
  let at = 0
  let tokens = size
  return (now) => {
    tokens = Math.min(size, tokens + (now - at) * limit(now) / 1000)
    at = now
    const allowed = tokens >= 1
    if (allowed) tokens--
    return { allowed, wait: Math.max(0, (1 - tokens) * 1000 / limit(now)) }
  }
}

export interface Played {
  readonly limiter: ReturnType<Limiter>
  /** With a tuple, the limiter sends `Retry-After`, and headers with the limit and its window in seconds. */
  readonly headers: "none" | "retry-after" | readonly [limit: number, seconds: number]
  readonly configured: number
  readonly requests: number
  readonly concurrency: number
  /** The minimum latency of a request and its answer, in milliseconds. `jitter` is a random addition. */
  readonly latency: number
  readonly jitter: number
  /** The probability of a pause of up to 40 ms before a slot is taken. */
  readonly stalls: number
  /** How often service and client pause per second on average, and the longest pause in milliseconds. */
  readonly standstills?: readonly [perSecond: number, longest: number]
  readonly seed: number
}

/**
 * Sends requests through a pace to a limiter in virtual time, and repeats each until it is accepted. Returns the
 * seconds needed, the number of refused requests, and the times of acceptance.
 */
export const play = (
  { concurrency, configured, headers, jitter, latency, limiter, requests, seed, stalls, standstills = [0, 0] }: Played,
): { readonly seconds: number; readonly refused: number; readonly accepted: ReadonlyArray<number> } => {
  const random = new Utils.PCGRandom(seed)
  const pace = new Pace(configured)
  const events: Array<{ readonly at: number; readonly run: () => void }> = []
  let now = 0
  const schedule = (at: number, run: () => void) => {
    const index = events.findLastIndex((one) => one.at <= at)
    events.splice(index + 1, 0, { at, run })
  }
  /**
   * Returns when one side next acts after a given time. Calls must be in order. During a pause, the side does nothing.
   */
  const side = () => {
    const next = () => 1_000 / standstills[0] * -Math.log(1 - random.number())
    let begins = next()
    let ends = -Infinity
    return (at: number) => {
      while (begins <= at) {
        ends = Math.max(ends, begins + random.number() * standstills[1])
        begins += next()
      }
      return Math.max(at, ends)
    }
  }
  const [atService, atClient] = [side(), side()]
  let waiting = requests
  let inFlight = 0
  let refused = 0
  let wakeAt = Infinity
  const accepted: Array<number> = []
  const answerHeaders = (allowed: boolean, wait: number): Record<string, string> => ({
    ...(headers === "none" || allowed ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait / 1000))) }),
    ...(typeof headers === "string"
      ? {}
      : { "ratelimit-limit": `${headers[0]}`, "ratelimit-policy": `${headers[0]};w=${headers[1]}` }),
  })
  const send = () => {
    const sentAt = now
    waiting--
    inFlight++
    schedule(atService(now + latency / 2 + random.number() * jitter / 2), () => {
      const { allowed, wait } = limiter(now)
      if (allowed) accepted.push(now)
      else refused++
      schedule(atClient(now + latency / 2 + random.number() * jitter / 2), () => {
        inFlight--
        if (!allowed) waiting++
        pace.observe(allowed ? 200 : 429, answerHeaders(allowed, wait), sentAt, now)
        pump()
      })
    })
  }
  const pump = () => {
    const canSend = () => waiting > 0 && inFlight < concurrency
    while (canSend()) {
      const wait = pace.take(now)
      if (wait > 0) {
        const late = random.number() * 1.5 + (random.number() < stalls ? random.number() * 40 : 0)
        if (now + wait < wakeAt) {
          wakeAt = now + wait
          const alarm = wakeAt
          schedule(atClient(now + wait + late), () => {
            if (wakeAt !== alarm) return
            wakeAt = Infinity
            pump()
          })
        }
        return
      }
      send()
    }
  }
  pump()
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    now = event.at
    event.run()
  }
  if (accepted.length !== requests) throw new Error(`${accepted.length} of ${requests} requests were accepted`)
  return { seconds: now / 1000, refused, accepted }
}
