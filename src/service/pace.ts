import { rateHeaders } from "./rateHeaders.ts"
import type { RateHeaders } from "./rateHeaders.ts"
import { SentRequests } from "./SentRequests.ts"
import type { ResponseHeaders } from "./transport.ts"

/** Milliseconds up to which a wait that the service asks for is kept; a longer one is a quota, not a pace. */
export const longestPause = 10 * 60_000

/** Milliseconds of the longest window that requests are spread over. What is allowed in an hour or a day is a quota: it may be used at once. */
const longestWindow = 60_000
/** Milliseconds of the window that a service is taken to have if it names none. */
const usualWindow = 1_000
/** Share of a window by which the service's count may lag behind ours before a request is refused. */
const margin = 0.01
/** Share of a window by which one request is taken to have been counted late, at most. */
const mostLate = 0.25
/** Share of the rate that was last accepted by which we start below it after a refusal. */
const caution = 0.03
/** Times that a refusal made us wait until the rate that was last accepted is reached again, so that probing costs a twelfth of the time; and the least milliseconds. */
const returnsPerWait = 12
const shortestReturn = 8_500
/** Share of that time after a rate that differs from the one before by more than `change`, or is nearly the configured one; and its growth with each refusal at the same rate. */
const restless = 0.25
const calming = 1.5
const change = 1.25
/** Share of the highest rate from which on it was accepted: nothing is to be searched above. */
const nearly = 0.95
/** Milliseconds in which the rate doubles once it is above the one that was last accepted. */
const doubling = 800
/** Milliseconds that slots may be late and still be made up for. */
const patience = 250
/** Milliseconds between two refusals from which on the share of them in which we sent is meaningful, and that share. */
const longEnough = 3_000
const mostlyWaiting = 0.6
/** Milliseconds between two requests that timers can keep. */
const finest = 5
/** Milliseconds by which the way of requests that are closer than that may vary: several of them arrive in it. */
const edge = 3
/** Milliseconds of the first wait after a refusal that asks for none; it doubles until a request is accepted. */
const firstBackOff = 250
/** Requests per second below which no refusal leads. */
const slowest = 1 / 60

/** The last time that the service refused requests (429), and what it had accepted until then. */
interface Refusal {
  /** When the first request was sent that was refused. */
  readonly sentAt: number
  /** When we learned of it: requests that were in flight by then belong to it. */
  readonly heardAt: number
  /** Requests refused one after the other, without one that was accepted. */
  readonly tries: number
}

/**
 * The pace of all requests to one service (docs/decisions/0020-pace.md). Requests are sent one by one at even distances, and a window's number of them at most in any
 * window. The rate is the configured one, or what the service's headers allow. After a 429 everyone waits as told; then the rate starts a few per cent below the one that was last
 * accepted, returns to it, stays, and at last probes above it. Plain and synchronous: times are milliseconds, given by the caller.
 */
export class Pace {
  /** Requests per second: as configured, and as the service's headers allow. */
  readonly #configured: number
  #ceiling: number
  /** Milliseconds. */
  #window = usualWindow
  /** Requests per second that were last accepted when one was refused; Infinity: none was. */
  #accepted = Infinity
  #refusal: Refusal | undefined
  #hasAccepted = false
  /** Requests start again, and reach the rate that was last accepted so many milliseconds later. */
  #resumedAt = -Infinity
  #returnsIn = shortestReturn
  /** Share of the usual time until then. */
  #calm = 1
  #pausedUntil = -Infinity
  #next = -Infinity
  /** When the next request is far enough from those before. */
  #spaced = -Infinity
  readonly #sent = new SentRequests()

  constructor(requestsPerSecond: number) {
    this.#configured = requestsPerSecond
    this.#ceiling = requestsPerSecond
  }

  /** Returns the requests per second at a time. */
  rateAt(now: number): number {
    if (this.#accepted === Infinity) return this.#ceiling
    const left = (this.#resumedAt + this.#returnsIn - now) / this.#returnsIn
    const share = left > 0 ? 1 - caution * Math.min(1, left) ** 3 : 2 ** (-left * this.#returnsIn / doubling)
    return Math.min(this.#ceiling, this.#accepted * (1 - margin) * share)
  }

  /** When requests start again, in milliseconds: nothing is sent before. */
  get pausedUntil(): number {
    return this.#pausedUntil
  }

  /** Takes a slot and returns 0, or returns the milliseconds to wait before asking again. */
  take(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    const rate = this.rateAt(now)
    if (rate !== Infinity) {
      const interval = 1000 / rate
      const inWindow = Math.max(1, Math.ceil(rate * this.#window / 1000))
      const isFine = interval < finest
      const left = this.#sent.countedAt(inWindow) + inWindow * interval + (isFine ? edge : 0)
      const wait = Math.max(this.#next, this.#spaced, left) - now
      if (wait > 0) return wait
      // On the grid, so that timers that fire late don't add up; but at twice the rate at most, so that late slots make no burst.
      this.#next = (now - this.#next < Math.max(interval, patience) ? this.#next : now) + interval
      this.#spaced = Math.max(this.#spaced, isFine ? now - finest : now) + interval / 2
    }
    this.#sent.forget(now - Math.max(2 * this.#window, this.#span(rate)))
    this.#sent.add(now)
    return 0
  }

  /** Learns from an answer to a request that was sent at `sentAt`. Returns the milliseconds that everyone has to wait, if any. */
  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const told = rateHeaders(headers, now)
    if (told?.limit !== undefined && told.window !== undefined && told.limit > 0 && told.window > 0) {
      this.#limited(told.limit, told.window)
    }
    if (status === 429) return this.#refused(told?.retryAfter ?? told?.reset, sentAt, now)
    this.#sent.answered(sentAt, now, this.#window * mostLate)
    if (told?.retryAfter !== undefined) this.#pause(told.retryAfter, now)
    if (status < 400) {
      // One that was in flight when the others were refused proves nothing about afterwards.
      if (sentAt >= (this.#refusal?.heardAt ?? 0)) this.#hasAccepted = true
      if (told?.remaining === 0 && told.reset !== undefined && this.#isShared(told, sentAt)) {
        this.#pause(told.reset, now)
      }
    }
    return told?.retryAfter
  }

  #limited(limit: number, window: number): void {
    if (window > longestWindow) return
    this.#window = window
    this.#ceiling = Math.min(this.#configured, (1 - margin) * limit * 1000 / window)
  }

  /** Whether others used the account, too: our own requests keep within the limit and need no pause. */
  #isShared({ limit, window }: RateHeaders, sentAt: number): boolean {
    if (limit === undefined || window === undefined || window > longestWindow) return true
    // Requests in flight may arrive in a different order.
    return this.#sent.between(sentAt - window, sentAt) + 1 < limit - Math.floor(limit / 20)
  }

  #refused(told: number | undefined, sentAt: number, now: number): number {
    this.#sent.refused(sentAt)
    const last = this.#refusal
    if (last === undefined || sentAt >= last.heardAt) {
      // As long as none is accepted in between, it is the same refusal: the rate is not to blame.
      const isSame = last !== undefined && !this.#hasAccepted
      if (!isSame) {
        const before = this.#accepted
        this.#lower(last, sentAt)
        this.#calm = this.#isRestless(before) ? restless : Math.min(1, this.#calm * calming)
      }
      this.#refusal = { sentAt: isSame ? last.sentAt : sentAt, heardAt: now, tries: isSame ? last.tries + 1 : 1 }
      this.#hasAccepted = false
    }
    const tries = this.#refusal?.tries ?? 1
    const backOff = Math.min(firstBackOff * 2 ** (tries - 1), longestPause)
    const wait = told === undefined || tries > 1 ? Math.max(told ?? 0, backOff) : told
    this.#pause(wait, now)
    this.#resumedAt = Math.max(now, this.#pausedUntil)
    const waited = this.#resumedAt - (this.#refusal?.sentAt ?? now)
    this.#returnsIn = this.#calm * Math.max(shortestReturn, returnsPerWait * waited)
    return wait
  }

  /** Whether the limit may soon be another one, or higher rates need no probing. */
  #isRestless(before: number): boolean {
    if (before === Infinity) return this.#accepted > nearly * this.#ceiling
    return this.#accepted > change * before || this.#accepted * change < before
  }

  /** Records the rate that was accepted until a request was refused. */
  #lower(last: Refusal | undefined, sentAt: number): void {
    const measured = Math.min(this.rateAt(sentAt), this.#measured(sentAt))
    const since = last === undefined ? 0 : sentAt - last.sentAt
    const sending = (sentAt - this.#resumedAt) / since
    // Most of the time was spent waiting: the service counts over a longer time than we measure.
    const isLonger = since > longEnough && sending < mostlyWaiting
    this.#accepted = Math.max(slowest, measured * (isLonger ? Math.max(sending, 0.5) : 1))
  }

  /** Requests per second that were accepted of late, before a time: at least one, because a refusal of the very first request proves nothing about the rate. */
  #measured(before: number): number {
    const span = Math.max(usualWindow, Math.min(this.#span(this.rateAt(before)), before - this.#resumedAt))
    return Math.max(1, this.#sent.between(before - span, before)) * 1000 / span
  }

  /** Milliseconds over which a rate is measured: twenty requests, within bounds. */
  #span(rate: number): number {
    return Math.min(longestWindow, Math.max(usualWindow, 20_000 / rate))
  }

  #pause(wait: number, now: number): void {
    // Too long to wait for: the next request is refused at once.
    if (wait > longestPause) return
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait)
    this.#next = Math.max(this.#next, this.#pausedUntil)
  }
}
