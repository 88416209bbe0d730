import { firstIndex } from "../domain/firstIndex.ts"

interface Sent {
  readonly at: number
  /** When its answer arrived, or that of a request that was sent after it, if earlier. Infinity if there is no answer yet. */
  answeredAt: number
  /** How long the fastest answer had taken when its own arrived, in milliseconds. */
  fastest: number
}

const isAnswered = ({ answeredAt }: Sent): boolean => answeredAt < Infinity

/**
 * The latest requests that the service has not refused, in the order in which they were sent. Times are in milliseconds, and the caller provides
 * them.
 */
export class SentRequests {
  #sent: Array<Sent> = []
  /** Index of the first request that was not removed. */
  #first = 0
  #fastest = Infinity

  /** @param at when the request was sent: not earlier than the request that was added last */
  add(at: number): void {
    this.#sent.push({ at, answeredAt: Infinity, fastest: Infinity })
  }

  /** Removes all requests that were sent before a time. */
  forget(before: number): void {
    while (this.#first < this.#sent.length && (this.#sent[this.#first]?.at ?? Infinity) < before) this.#first++
    // Shortens the array only when half of it is unused, so that each request is moved only once.
    if (this.#first * 2 > this.#sent.length) {
      this.#sent = this.#sent.slice(this.#first)
      this.#first = 0
    }
  }

  /**
   * Records an answer. A request was counted before requests that were sent after it, so its own answer could have arrived before theirs: a slow answer
   * between fast ones proves nothing.
   */
  answered(sentAt: number, now: number): void {
    const took = now - sentAt
    // The recorded minimum falls at once, but rises so slowly that the end of a pause doesn't count as usual latency.
    this.#fastest = took < this.#fastest ? took : this.#fastest + (took - this.#fastest) / 1_000
    const index = this.#indexOf(sentAt)
    const own = this.#sent[index]
    if (own === undefined) return
    own.fastest = this.#fastest
    let latest = now
    for (let at = index + 1; at < this.#sent.length; at++) {
      const later = this.#sent[at]
      if (later === undefined || !isAnswered(later)) continue
      latest = Math.min(now, later.answeredAt)
      break
    }
    for (let at = index; at >= this.#first; at--) {
      const one = this.#sent[at]
      if (one === undefined || one.answeredAt <= latest) break
      if (at === index || isAnswered(one)) one.answeredAt = latest
    }
  }

  /** Removes a refused request, because it doesn't count. */
  refused(sentAt: number): void {
    const at = this.#indexOf(sentAt)
    if (at >= 0) this.#sent.splice(at, 1)
  }

  /** Returns how many requests were sent between two times. */
  between(from: number, before: number): number {
    return this.#since(before) - this.#since(from)
  }

  /**
   * Estimates when the service counted the nth most recent request. If its answer took longer than the fastest one, it may have arrived later. Returns
   * -Infinity if there are fewer requests.
   *
   * @param atMost the maximum number of milliseconds by which the arrival may be assumed to be later
   */
  countedAt(nthLast: number, atMost: number): number {
    const index = this.#sent.length - nthLast
    const one = index < this.#first ? undefined : this.#sent[index]
    if (one === undefined) return -Infinity
    const late = one.answeredAt - one.at - Math.min(one.fastest, this.#fastest)
    return isAnswered(one) ? one.at + Math.max(0, Math.min(late, atMost)) : one.at
  }

  /** Returns the index of an unanswered request that was sent at this time, or -1 if there is none. */
  #indexOf(sentAt: number): number {
    let at = this.#since(sentAt)
    for (let one = this.#sent[at]; one?.at === sentAt; one = this.#sent[++at]) if (!isAnswered(one)) return at
    return -1
  }

  /** Returns the index of the first request that was sent at this time or later. */
  #since(time: number): number {
    return firstIndex(this.#first, this.#sent.length, (index) => this.#sent[index]!.at < time)
  }
}
