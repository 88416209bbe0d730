import { rateHeaders } from "./rateHeaders.ts"
import { SentTimes } from "./SentTimes.ts"
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
 * Share of a window that is left between its end and our next request, once it has had all that it allows: at the full rate that request would otherwise
 * arrive before the end as soon as it was a millisecond faster than the one that opened the window.
 */
const slack = 0.002

/**
 * The pace of all requests to one service: slots at fixed distances (slot k at t0 + k / rate), spaced, never in bursts. It follows what the
 * service says: its rate headers bound the rate, an exhausted window or a Retry-After makes everyone wait, a 429 halves the rate, which comes
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
  /** The service's window in milliseconds, once it named one, and its requests. */
  #window: number | undefined
  #limit = Infinity
  /** When the request of ours was sent that opened the service's window, as the service has told, and how long its answer took; our requests since; how many more it has counted. */
  #openerSentAt = -Infinity
  #openerTook = 0
  #sinceOpened = 0
  #beyond = 0
  /** Milliseconds from request to answer at least, of late and before. */
  #fastest = Infinity
  #fastestBefore = Infinity
  /** Own requests of two windows, to know whether others share the account; only kept where the service names a window. */
  readonly #recent = new SentTimes()
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
    const wait = Math.max(this.#next - now, this.#roomAt(now))
    if (wait > 0) return wait
    const interval = 1000 / this.#rate
    // On the grid while we keep up with it, so that timers that fire late don't add up; but never two requests close together.
    const onGrid = now - this.#next < interval ? this.#next + interval : now + interval
    this.#count(now)
    this.#next = Math.max(Math.min(onGrid, this.#slotOfWindow(now, interval)), now + interval / 2)
    return 0
  }

  /** Where the next slot would be had none of the window been missed: those are made up for, as far as the service has told that it has room for them. */
  #slotOfWindow(now: number, interval: number): number {
    const isOpen = this.#window !== undefined && now < this.#openedAt + this.#window
    return isOpen && this.#rate === this.#ceiling
      ? this.#openedAt + (this.#sinceOpened + this.#beyond) * interval
      : Infinity
  }

  /**
   * Learns from an answer to a request that began at `sentAt`. Gives the milliseconds that the service asked to wait, where it did.
   */
  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const told = rateHeaders(headers, now)
    if (told?.limit !== undefined && told.window !== undefined && told.window > 0 && told.limit > 0) {
      this.#window = told.window
      this.#limit = told.limit
      if (told.remaining !== undefined && status !== 429) {
        this.#follow(told.limit - told.remaining, told.limit, sentAt, now)
      }
      this.#ceiling = Math.min(this.#configured, (told.limit * 1000) / told.window)
      this.#rate = Math.min(this.#rate, this.#ceiling)
    }
    if (status === 429) return this.#refused(told?.retryAfter ?? told?.reset, sentAt, now)
    if (told?.retryAfter !== undefined) this.#pause(told.retryAfter, now)
    if (status < 400) {
      this.#refusals = 0
      this.#recover(now)
      if (told?.remaining === 0 && told.reset !== undefined && this.#othersShare(told.limit, sentAt)) {
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

  /** Whether the window in which a request was sent was exhausted by more than our own requests. Ours alone need no pause: the spacing keeps within the limit. */
  #othersShare(limit: number | undefined, sentAt: number): boolean {
    if (limit === undefined || this.#window === undefined) return true
    const from = Math.max(this.#openerSentAt, sentAt - this.#window)
    const own = this.#recent.between(from, sentAt)
    // What is on its way together may arrive in another order.
    return own < limit - Math.floor(limit / 20)
  }

  /** When the request arrived that opened the service's window: later after it was sent than others do by as much as its answer took longer, at most. */
  get #openedAt(): number {
    return this.#openerSentAt + this.#openerTook - Math.min(this.#fastest, this.#fastestBefore, this.#openerTook)
  }

  /** Learns where the service's window began, and how many of its requests it has counted, from an answer that names them. */
  #follow(counted: number, limit: number, sentAt: number, now: number): void {
    const took = now - sentAt
    this.#fastest = Math.min(this.#fastest, took)
    if (counted === 1 && sentAt > this.#openerSentAt) {
      this.#openerSentAt = sentAt
      this.#openerTook = took
      this.#sinceOpened = this.#recent.between(sentAt, Infinity)
      this.#beyond = 0
      this.#fastestBefore = this.#fastest
      this.#fastest = took
    } else if (sentAt >= this.#openerSentAt) {
      // A request of ours that was sent before the one that opened it, and arrived after; or one of somebody else's. Many more are another window's.
      const more = counted - this.#recent.between(this.#openerSentAt, sentAt)
      if (more > this.#beyond && more <= Math.max(2, limit / 10)) this.#beyond = more
    }
  }

  /** Milliseconds until the service's window has room for another request. */
  #roomAt(now: number): number {
    if (this.#window === undefined || this.#sinceOpened + this.#beyond < this.#limit) return 0
    return Math.max(0, this.#openedAt + this.#window * (1 + slack) - now)
  }

  #count(now: number): void {
    if (now - this.#countingSince >= 1000) {
      this.#countingSince = now
      this.#started = 0
    }
    this.#started += 1
    // Before the first answer nobody has named a window, and the requests until then count.
    if (this.#window === undefined && this.#rate === Infinity) return
    this.#sinceOpened += 1
    // Answers tell of requests that were sent a while ago.
    const since = now - 2 * (this.#window ?? 1000)
    this.#recent.forget(since)
    this.#recent.add(now)
  }

  /** Own requests per second of late. */
  #measured(now: number): number {
    return this.#started / Math.max(0.1, (now - this.#countingSince) / 1000)
  }
}
