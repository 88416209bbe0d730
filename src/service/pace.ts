import type { Pacing } from "./Admission.ts"
import { type RateHeaders, rateHeaders } from "./rateHeaders.ts"
import { SentRequests } from "./SentRequests.ts"
import type { ResponseHeaders } from "./transport.ts"

/**
 * The longest wait, in milliseconds, that is observed if the service asks for it. A longer wait means that a quota is
 * used up.
 */
export const longestPause = 10 * 60_000

/** The longest window, in milliseconds, over which requests are spread. A limit per hour or day is a quota, which may be used at once. */
const longestWindow = 60_000
/** The assumed window, in milliseconds, of a service that reports none. */
const usualWindow = 1_000
/** The reserve below a stated limit, as a share of it. It makes up for requests that the service counts late. */
const usualMargin = 0.003
/** The latest time at which a request is assumed to have been counted, as a share of the window. */
export const mostLate = 0.25
/** How far the first rate after a refusal is below the last accepted rate, as a share of that rate. */
const caution = 0.03
/**
 * The time until the last accepted rate is reached, as a multiple of the refusal's wait. With this value, probing takes
 * a twelfth of the time. The second value is the shortest such time, in milliseconds.
 */
const returnsPerWait = 12
const shortestReturn = 8_500
/**
 * Factors for the time until the last accepted rate is reached. `shortened` applies if the rate differs from the previous one by more than `change`,
 * or is nearly the configured one. Each refusal at the same rate multiplies the time by `slowdown`.
 */
const shortened = 0.25
const slowdown = 1.5
const change = 1.25
/**
 * If a rate exceeds this share of the highest allowed rate, it counts as the highest rate, and no higher rate is tried.
 */
const nearly = 0.95
/** How many milliseconds it takes to double a rate above the last accepted one. */
const doubling = 800
/** The maximum delay that later slots make up for, in milliseconds. */
const patience = 250
/**
 * If two refusals are at least this many milliseconds apart, the share of sending time between them is meaningful. If it is less than
 * `mostlyWaiting`, requests mostly waited.
 */
const longEnough = 3_000
const mostlyWaiting = 0.6
/** The shortest interval between requests that timers can keep, in milliseconds. */
const finest = 5
/** By which share a window is longer if requests are less than `finest` apart, or if it may contain as many as a stated limit allows, because the latency varies. */
const varying = 0.003
/** The first wait, in milliseconds, after a refusal that asks for none. The wait doubles until a request is accepted. */
const firstBackOff = 250
/** A refusal never reduces the rate below this number of requests per second. */
const slowest = 1 / 60

/** The last time that the service refused requests (429). */
interface Refusal {
  /** When the first refused request was sent. */
  readonly sentAt: number
  /** When the refusal arrived. It covers requests that were in flight at that time. */
  readonly arrivedAt: number
  /** How many requests were refused in a row. */
  readonly tries: number
}

/** What all hosts of an account must know about its rate. */
interface State {
  /** The highest requests per second that the service's headers allow. */
  stated: number
  /** The window of the service's limit, in milliseconds. */
  window: number
  /** The accepted requests per second at the last refusal. Infinity if no request was refused. */
  accepted: number
  refusal: Refusal | undefined
  hasAccepted: boolean
  /** When requests resume, and how many milliseconds later they reach the last accepted rate. */
  resumedAt: number
  returnsIn: number
  /** The factor by which the usual time until the last accepted rate is reached is multiplied. */
  returnFactor: number
  /** Nothing is sent before this time. */
  pausedUntil: number
}

/** The state before the first response. No other state contains an infinite number. */
const unlimited: Readonly<State> = {
  stated: Infinity,
  window: usualWindow,
  accepted: Infinity,
  refusal: undefined,
  hasAccepted: false,
  resumedAt: -Infinity,
  returnsIn: shortestReturn,
  returnFactor: 1,
  pausedUntil: -Infinity,
}

/**
 * The pace of all requests to one service (docs/decisions/0020-pace.md). Requests are sent at even intervals, and no window contains more requests
 * than are allowed. The rate is the configured one, or the one that the service's headers allow.
 *
 * After a 429, all requests wait as long as the service asks. Then the rate starts a few per cent below the last accepted one, returns to it, stays
 * there, and finally probes higher rates. The methods are synchronous. Times are in milliseconds, and the caller provides them.
 */
export class Pace implements Pacing {
  /** Requests per second. */
  readonly #configured: number
  readonly #margin: number
  readonly #counted: (from: number, before: number) => number
  #state: State = { ...unlimited }
  /** How many requests the limit in the service's headers allows in a window. */
  #limit = Infinity
  #next = -Infinity
  /** The earliest time that keeps enough distance between the next request and the previous ones. */
  #spaced = -Infinity
  readonly #sent = new SentRequests()

  /**
   * @param more.margin the reserve below a limit, as a share of it
   * @param more.counted returns how many requests the account sent between two times. Default: those of this pace
   */
  constructor(
    requestsPerSecond: number,
    { counted, margin = usualMargin }: {
      readonly margin?: number
      readonly counted?: (from: number, before: number) => number
    } = {},
  ) {
    this.#configured = requestsPerSecond
    this.#margin = margin
    this.#counted = counted ?? ((from, before) => this.#sent.between(from, before))
  }

  get #ceiling(): number {
    return Math.min(this.#configured, this.#state.stated)
  }

  /** The window of the service's limit, in milliseconds. */
  get window(): number {
    return this.#state.window
  }

  /** What all hosts of an account must know, as JSON. Slots are not part of it. */
  get state(): string {
    return JSON.stringify(this.#state)
  }

  /** Replaces the state by that of a different host. */
  adopt(state: string): void {
    // JSON has no Infinity, and contains null instead.
    const finite = Object.entries(JSON.parse(state) as State).filter(([, value]) => value !== null)
    this.#state = { ...unlimited, ...Object.fromEntries(finite) }
  }

  /** Returns the rate at a time, in requests per second. */
  rateAt(now: number): number {
    if (this.#state.accepted === Infinity) return this.#ceiling
    const left = (this.#state.resumedAt + this.#state.returnsIn - now) / this.#state.returnsIn
    const share = left > 0 ? 1 - caution * Math.min(1, left) ** 3 : 2 ** (-left * this.#state.returnsIn / doubling)
    return Math.min(this.#ceiling, this.#state.accepted * (1 - this.#margin) * share)
  }

  get pausedUntil(): number {
    return this.#state.pausedUntil
  }

  take(now: number): number {
    if (now < this.#state.pausedUntil) return this.#state.pausedUntil - now
    const rate = this.rateAt(now)
    if (rate !== Infinity) {
      const interval = 1000 / rate
      const { stated, window } = this.#state
      const isStated = rate === stated
      const edge = isStated || interval < finest ? window * varying : 0
      // At a stated limit, a window may contain as many requests as the limit allows. The reserve below it makes up for requests that are counted late.
      const inWindow = isStated
        ? Math.min(this.#limit, Math.ceil(this.#configured * window / 1000))
        : Math.max(1, Math.ceil(rate * window / 1000))
      const span = isStated
        ? Math.max(window + edge, inWindow * 1000 / this.#configured)
        : inWindow * interval + edge
      const left = this.#sent.countedAt(inWindow, mostLate * window) + span
      const wait = Math.max(this.#next, this.#spaced, left) - now
      if (wait > 0) return wait
      // Slots are on a grid, so that delays of timers don't add up. At most twice the rate is allowed, so that late slots cause no burst.
      this.#next = (now - this.#next < Math.max(interval, patience) ? this.#next : now) + interval
      this.#spaced = Math.max(this.#spaced, interval < finest ? now - finest : now) + interval / 2
    }
    this.#sent.forget(now - Math.max(2 * this.#state.window, this.#span(rate)))
    this.#sent.add(now)
    return 0
  }

  observe(status: number, headers: ResponseHeaders, sentAt: number, now: number): number | undefined {
    const stated = rateHeaders(headers, now)
    if (stated?.limit !== undefined && stated.window !== undefined && stated.limit > 0 && stated.window > 0) {
      this.#limited(stated.limit, stated.window)
    }
    if (status === 429) return this.#refused(stated?.retryAfter ?? stated?.reset, sentAt, now)
    this.#sent.answered(sentAt, now)
    if (stated?.retryAfter !== undefined) this.#pause(stated.retryAfter, now)
    if (status < 400) {
      // A request that was in flight during the refusal proves nothing about the time after it.
      if (sentAt >= (this.#state.refusal?.arrivedAt ?? 0)) this.#state.hasAccepted = true
      if (stated?.remaining === 0 && stated.reset !== undefined && this.#isShared(stated, sentAt)) {
        this.#pause(stated.reset, now)
      }
    }
    return stated?.retryAfter
  }

  #limited(limit: number, window: number): void {
    if (window > longestWindow) return
    this.#state.window = window
    this.#state.stated = (1 - this.#margin) * limit * 1000 / window
    this.#limit = limit
  }

  /** Whether other clients also used the account. Our own requests stay within the limit and need no pause. */
  #isShared({ limit, window }: RateHeaders, sentAt: number): boolean {
    if (limit === undefined || window === undefined || window > longestWindow) return true
    // The count is imprecise, because requests in flight may arrive in a different order.
    return this.#counted(sentAt - window, sentAt) + 1 < limit - Math.floor(limit / 20)
  }

  #refused(stated: number | undefined, sentAt: number, now: number): number {
    this.#sent.refused(sentAt)
    const last = this.#state.refusal
    if (last === undefined || sentAt >= last.arrivedAt) {
      // If no request was accepted since the last refusal, this one belongs to the same refusal, and the rate is not the cause.
      const isSame = last !== undefined && !this.#state.hasAccepted
      if (!isSame) {
        const before = this.#state.accepted
        this.#lower(last, sentAt)
        this.#state.returnFactor = this.#isUnsettled(before)
          ? shortened
          : Math.min(1, this.#state.returnFactor * slowdown)
      }
      this.#state.refusal = {
        sentAt: isSame ? last.sentAt : sentAt,
        arrivedAt: now,
        tries: isSame ? last.tries + 1 : 1,
      }
      this.#state.hasAccepted = false
    }
    const tries = this.#state.refusal?.tries ?? 1
    const backOff = Math.min(firstBackOff * 2 ** (tries - 1), longestPause)
    const wait = stated === undefined || tries > 1 ? Math.max(stated ?? 0, backOff) : stated
    this.#pause(wait, now)
    this.#state.resumedAt = Math.max(now, this.#state.pausedUntil)
    const waited = this.#state.resumedAt - (this.#state.refusal?.sentAt ?? now)
    this.#state.returnsIn = this.#state.returnFactor * Math.max(shortestReturn, returnsPerWait * waited)
    return wait
  }

  /**
   * Whether the accepted rate differs much from the previous one. Before the second refusal: whether it is nearly the
   * configured rate.
   */
  #isUnsettled(before: number): boolean {
    if (before === Infinity) return this.#state.accepted > nearly * this.#ceiling
    return this.#state.accepted > change * before || this.#state.accepted * change < before
  }

  /** Records the rate that was accepted before a request was refused. */
  #lower(last: Refusal | undefined, sentAt: number): void {
    const measured = Math.min(this.rateAt(sentAt), this.#measured(sentAt))
    const since = last === undefined ? 0 : sentAt - last.sentAt
    const sending = (sentAt - this.#state.resumedAt) / since
    // If requests waited most of the time, the service counts over a longer time than is measured here.
    const isLonger = since > longEnough && sending < mostlyWaiting
    this.#state.accepted = Math.max(slowest, measured * (isLonger ? Math.max(sending, 0.5) : 1))
  }

  /**
   * Returns how many requests per second were accepted shortly before a time. Counts at least one request, because a refusal of the very first
   * request proves nothing about the rate.
   */
  #measured(before: number): number {
    const span = Math.max(usualWindow, Math.min(this.#span(this.rateAt(before)), before - this.#state.resumedAt))
    return Math.max(1, this.#counted(before - span, before)) * 1000 / span
  }

  /** Returns the milliseconds over which a rate is measured: the time of twenty requests, within bounds. */
  #span(rate: number): number {
    return Math.min(longestWindow, Math.max(usualWindow, 20_000 / rate))
  }

  #pause(wait: number, now: number): void {
    // Such a long wait means that a quota is used up, which is reported at once.
    if (wait > longestPause) return
    this.#state.pausedUntil = Math.max(this.#state.pausedUntil, now + wait)
    this.#next = Math.max(this.#next, this.#state.pausedUntil)
  }
}
