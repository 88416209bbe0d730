import type { RateHeaders } from "./rateHeaders.ts"
import { SentTimes } from "./SentTimes.ts"

/**
 * Share of a window that is left between its end and our next request, once it has had all that it allows: that request would otherwise arrive before the end as
 * soon as it was a millisecond faster than the one that opened the window.
 */
const slack = 0.001
/**
 * Share of a short window in which we send all that it allows, where we go as fast as the service does. Still one by one, and no more in any second; but what holds us up later in the window
 * costs nothing then, and nothing arrives late enough to count in the next. Of a longer window the seconds would get more than we are allowed, and there is time to make up for what held us up.
 */
const used = 0.75
/** Milliseconds of the longest window that counts as short for that. */
const longestShort = 1_000

/** What the service tells of its window: so many requests, and its milliseconds. */
interface Told extends RateHeaders {
  readonly limit: number
  readonly window: number
}

/** Whether a service's headers name its window. */
export const namesWindow = (told: RateHeaders | undefined): told is Told =>
  told?.limit !== undefined && told.window !== undefined && told.window > 0 && told.limit > 0

/**
 * What is known of a service's window: so many requests are allowed from the first one on until its time is over, and the next one opens another. Known only by the headers of answers: when
 * it opened, what it has counted, and whether that were requests of others as well. Times are milliseconds, given by the caller.
 */
export class ServiceWindow {
  /** Its milliseconds, once the service has named them, and its requests. */
  #length: number | undefined
  #limit = Infinity
  /** When the request of ours was sent that opened it, as the service has told, and how long its answer took; our requests since; how many more it has counted. */
  #openerSentAt = -Infinity
  #openerTook = 0
  #sinceOpened = 0
  #beyond = 0
  /** Share of the window that requests are spread over: all of it, once one was refused, for then the service counts otherwise than we know. */
  #spread = used
  /** Milliseconds from request to answer at least, of late and before. */
  #fastest = Infinity
  #fastestBefore = Infinity
  /** Own requests of two windows, to know whether others share the account. */
  readonly #recent = new SentTimes()

  /** Whether the service has named it. */
  get isKnown(): boolean {
    return this.#length !== undefined
  }

  /** Requests per second that it allows. */
  get rate(): number {
    return this.#length === undefined ? Infinity : (this.#limit * 1000) / this.#length
  }

  /** Milliseconds until it has room for another request. */
  roomAt(now: number): number {
    if (this.#length === undefined || this.#counted < this.#limit) return 0
    return Math.max(0, this.#openedAt + this.#length * (1 + slack) - now)
  }

  /**
   * When the next slot of the window that is open is due; Infinity where none is open. Slots that were missed are made up for by it, as far as the service has told that it has room for them.
   *
   * @param rate requests per second
   */
  slotAt(now: number, rate: number): number {
    if (this.#length === undefined || now >= this.#openedAt + this.#length) return Infinity
    const interval = (1000 / rate) * (rate >= this.rate && this.#length <= longestShort ? this.#spread : 1)
    return this.#openedAt + this.#counted * interval
  }

  /** Takes down that a request is sent. */
  count(now: number): void {
    this.#sinceOpened += 1
    // Answers tell of requests that were sent a while ago.
    this.#recent.forget(now - 2 * (this.#length ?? 1000))
    this.#recent.add(now)
  }

  /** Learns from the answer to a request that was sent at `sentAt`; one that was refused was not counted. */
  learn({ limit, remaining, window }: Told, refused: boolean, sentAt: number, now: number): void {
    this.#length = window
    this.#limit = limit
    if (refused) this.#spread = 1
    if (remaining !== undefined && !refused) this.#follow(limit - remaining, sentAt, now)
  }

  /** Whether the window in which a request was sent was exhausted by more than our own requests. Ours alone need no pause: `roomAt` keeps within the limit. */
  isShared(sentAt: number): boolean {
    if (this.#length === undefined) return true
    const from = Math.max(this.#openerSentAt, sentAt - this.#length)
    // What is on its way together may arrive in another order.
    return this.#recent.between(from, sentAt) < this.#limit - Math.floor(this.#limit / 20)
  }

  get #counted(): number {
    return this.#sinceOpened + this.#beyond
  }

  /** When the request arrived that opened it: later after it was sent than others do by as much as its answer took longer, at most. */
  get #openedAt(): number {
    return this.#openerSentAt + this.#openerTook - Math.min(this.#fastest, this.#fastestBefore, this.#openerTook)
  }

  /** Learns where it began, and how many of its requests it has counted, from an answer that tells. */
  #follow(counted: number, sentAt: number, now: number): void {
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
      if (more > this.#beyond && more <= Math.max(2, this.#limit / 10)) this.#beyond = more
    }
  }
}
