import { rateHeaders } from "./rateHeaders.ts"
import type { RateHeaders } from "./rateHeaders.ts"
import { SentRequests } from "./SentRequests.ts"
import type { ResponseHeaders } from "./transport.ts"

/** The longest wait, in milliseconds, that is observed if the service asks for it; a longer one is a quota, not a pace. */
export const longestPause = 10 * 60_000

/** The longest window, in milliseconds, over which requests are spread. A limit per hour or day is a quota, which may be used at once. */
const longestWindow = 60_000
/** The assumed window, in milliseconds, of a service that states none. */
const usualWindow = 1_000
/** Share of a window by which the service's count may lag behind this one before a request is refused. */
const margin = 0.01
/** The maximum share of a window by which a request is assumed to have been counted late. */
const mostLate = 0.25
/** Share of the last accepted rate by which the rate starts below it after a refusal. */
const caution = 0.03
/** Time until the last accepted rate is reached again, as a multiple of the refusal's wait, so that probing costs a twelfth of the time; and its minimum in milliseconds. */
const returnsPerWait = 12
const shortestReturn = 8_500
/** Share of that time if the rate differs from the previous one by more than `change`, or is nearly the configured one; and its growth with each refusal at the same rate. */
const restless = 0.25
const calming = 1.5
const change = 1.25
/** Share of the highest rate above which it counts as accepted, so that nothing higher is tried. */
const nearly = 0.95
/** Milliseconds in which the rate doubles once it is above the last accepted one. */
const doubling = 800
/** The maximum lateness of slots, in milliseconds, that is made up for. */
const patience = 250
/** The minimum milliseconds between two refusals for the share of sending time in them to be meaningful, and that share. */
const longEnough = 3_000
const mostlyWaiting = 0.6
/** The minimum milliseconds between two requests that timers can keep. */
const finest = 5
/** Milliseconds by which the latency of requests closer together may vary: several of them arrive within this time. */
const edge = 3
/** The first wait, in milliseconds, after a refusal that asks for none; it doubles until a request is accepted. */
const firstBackOff = 250
/** Requests per second below which a refusal never reduces the rate. */
const slowest = 1 / 60

/** The last time that the service refused requests (429), and the rate that it had accepted until then. */
interface Refusal {
  /** When the first refused request was sent. */
  readonly sentAt: number
  /** When the refusal arrived: requests in flight at that time belong to it. */
  readonly heardAt: number
  /** Consecutive refused requests, without an accepted one. */
  readonly tries: number
}

/**
 * The pace of all requests to one service (docs/decisions/0020-pace.md). Requests are sent at even intervals, and any window has at most the number allowed for it. The rate
 * is the configured one, or what the service's headers allow. After a 429 all requests wait as long as the service asks. Then the rate starts a few per cent below the last accepted
 * one, returns to it, stays there, and finally probes above it. Plain and synchronous: times are milliseconds, given by the caller.
 */
export class Pace {
  /** Requests per second: the configured rate, and the one that the service's headers allow. */
  readonly #configured: number
  #ceiling: number
  /** Milliseconds. */
  #window = usualWindow
  /** The last accepted requests per second when one was refused. Infinity: none was refused. */
  #accepted = Infinity
  #refusal: Refusal | undefined
  #hasAccepted = false
  /** When requests start again, and the milliseconds until they reach the last accepted rate. */
  #resumedAt = -Infinity
  #returnsIn = shortestReturn
  /** Share of the usual time until then. */
  #calm = 1
  #pausedUntil = -Infinity
  #next = -Infinity
  /** When the next request is far enough from the previous ones. */
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
      // On the grid, so that delays of timers don't add up, but at most at twice the rate, so that late slots cause no burst.
      this.#next = (now - this.#next < Math.max(interval, patience) ? this.#next : now) + interval
      this.#spaced = Math.max(this.#spaced, isFine ? now - finest : now) + interval / 2
    }
    this.#sent.forget(now - Math.max(2 * this.#window, this.#span(rate)))
    this.#sent.add(now)
    return 0
  }

  /** Adjusts the pace after an answer to a request that was sent at `sentAt`. Returns the milliseconds that all requests have to wait, if any. */
  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const told = rateHeaders(headers, now)
    if (told?.limit !== undefined && told.window !== undefined && told.limit > 0 && told.window > 0) {
      this.#limited(told.limit, told.window)
    }
    if (status === 429) return this.#refused(told?.retryAfter ?? told?.reset, sentAt, now)
    this.#sent.answered(sentAt, now, this.#window * mostLate)
    if (told?.retryAfter !== undefined) this.#pause(told.retryAfter, now)
    if (status < 400) {
      // A request that was in flight when others were refused proves nothing about the time after.
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
      // As long as none is accepted in between, it is the same refusal: the rate is not the cause.
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

  /** Whether the limit may soon change, or higher rates need no probing. */
  #isRestless(before: number): boolean {
    if (before === Infinity) return this.#accepted > nearly * this.#ceiling
    return this.#accepted > change * before || this.#accepted * change < before
  }

  /** Records the rate that was accepted before a request was refused. */
  #lower(last: Refusal | undefined, sentAt: number): void {
    const measured = Math.min(this.rateAt(sentAt), this.#measured(sentAt))
    const since = last === undefined ? 0 : sentAt - last.sentAt
    const sending = (sentAt - this.#resumedAt) / since
    // Most of the time was spent waiting: the service counts over a longer time than is measured here.
    const isLonger = since > longEnough && sending < mostlyWaiting
    this.#accepted = Math.max(slowest, measured * (isLonger ? Math.max(sending, 0.5) : 1))
  }

  /** Requests per second that were recently accepted before a time: at least one, because a refusal of the very first request proves nothing about the rate. */
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
