import { rateHeaders } from "./rateHeaders.ts"
import { namesWindow, ServiceWindow } from "./ServiceWindow.ts"
import type { ResponseHeaders } from "./transport.ts"

/** A wait that the service asks for is kept up to here; what is longer is a quota, not a pace. */
export const longestPause = 10 * 60_000

const firstBackOff = 1_000
const slowest = 1 / 60
/** Share of its rate that a slowed pace wins back per second of good answers. */
const recovery = 0.03
/** Above this rate an unlimited pace is unlimited again. */
const fastest = 1_000

/**
 * The pace of all requests to one service: slots at fixed distances (slot k at t0 + k / rate; where we use all the room of a window of a second, a quarter closer, and then none until the next), spaced, never in bursts. It
 * follows what the service says: its rate headers bound the rate, an exhausted window or a Retry-After makes everyone wait, a 429 halves the rate, which comes
 * back slowly. Plain and synchronous: times are milliseconds, given by the caller.
 */
export class Pace {
  /** Requests per second: as configured, as bounded by the service, as it is now. */
  readonly #configured: number
  #ceiling: number
  #rate: number
  #next = -Infinity
  #pausedUntil = -Infinity
  #slowedAt = -Infinity
  #refusals = 0
  #adjustedAt = -Infinity
  readonly #window = new ServiceWindow()
  #started = 0
  #countingSince = -Infinity

  constructor(requestsPerSecond: number) {
    this.#configured = requestsPerSecond
    this.#ceiling = requestsPerSecond
    this.#rate = requestsPerSecond
  }

  /** Requests per second at present. */
  get rate(): number {
    return this.#rate
  }

  /** Takes a slot and gives 0, or gives the milliseconds to wait before asking again. */
  take(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    if (this.#rate === Infinity) {
      this.#count(now)
      return 0
    }
    const wait = Math.max(this.#next - now, this.#window.roomAt(now))
    if (wait > 0) return wait
    const interval = 1000 / this.#rate
    // On the grid while we keep up with it, so that timers that fire late don't add up; but never two requests close together.
    const onGrid = now - this.#next < interval ? this.#next + interval : now + interval
    this.#count(now)
    const ofWindow = this.#rate === this.#ceiling ? this.#window.slotAt(now, this.#rate) : Infinity
    this.#next = Math.max(Math.min(onGrid, ofWindow), now + interval / 2)
    return 0
  }

  /**
   * Learns from an answer to a request that began at `sentAt`. Gives the milliseconds that the service asked to wait, where it did.
   */
  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const told = rateHeaders(headers, now)
    if (namesWindow(told)) {
      this.#window.learn(told, status === 429, sentAt, now)
      this.#ceiling = Math.min(this.#configured, this.#window.rate)
      this.#rate = Math.min(this.#rate, this.#ceiling)
    }
    if (status === 429) return this.#refused(told?.retryAfter ?? told?.reset, sentAt, now)
    if (told?.retryAfter !== undefined) this.#pause(told.retryAfter, now)
    if (status < 400) {
      this.#refusals = 0
      this.#recover(now)
      if (
        told?.remaining === 0 && told.reset !== undefined && (told.limit === undefined || this.#window.isShared(sentAt))
      ) {
        this.#pause(told.reset, now)
      }
    }
    return told?.retryAfter
  }

  #refused(told: number | undefined, sentAt: number, now: number): number {
    // Requests that were in flight together are refused together: they count once.
    const again = sentAt >= this.#slowedAt
    if (again) {
      const rate = Number.isFinite(this.#rate) ? this.#rate : Math.max(2, this.#measured(now))
      this.#rate = Math.max(slowest, rate / 2)
      this.#slowedAt = now
      this.#adjustedAt = now
      this.#refusals += 1
    }
    const wait = told ?? Math.min(firstBackOff * 2 ** (this.#refusals - 1), longestPause)
    this.#pause(wait, now)
    return wait
  }

  #pause(wait: number, now: number): void {
    // Too long to wait for: who asks next is told so at once, rather than left hanging.
    if (wait <= longestPause) this.#pausedUntil = Math.max(this.#pausedUntil, now + wait)
  }

  #recover(now: number): void {
    if (this.#rate >= this.#ceiling || now <= this.#adjustedAt) return
    const seconds = Math.min((now - this.#adjustedAt) / 1000, 1)
    this.#adjustedAt = now
    const step = Number.isFinite(this.#ceiling) ? this.#ceiling : this.#rate
    this.#rate = Math.min(this.#ceiling, this.#rate + step * recovery * seconds)
    if (this.#rate > fastest && this.#ceiling === Infinity) this.#rate = Infinity
  }

  #count(now: number): void {
    if (now - this.#countingSince >= 1000) {
      this.#countingSince = now
      this.#started = 0
    }
    this.#started += 1
    // Before the first answer nobody has named a window, and the requests until then count.
    if (this.#window.isKnown || this.#rate !== Infinity) this.#window.count(now)
  }

  /** Own requests per second of late. */
  #measured(now: number): number {
    return this.#started / Math.max(0.1, (now - this.#countingSince) / 1000)
  }
}
