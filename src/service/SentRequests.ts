interface Sent {
  readonly at: number
  /** The latest time at which the service may have counted the request. */
  countedAt: number
  isAnswered: boolean
}

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
    this.#sent.push({ at, countedAt: at, isAnswered: false })
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
   * Estimates when the service counted a request. If its response took longer than others, it may have arrived later. But it was counted before
   * requests that were sent after it, so a slow response between fast ones proves nothing.
   *
   * @param atMost the maximum number of milliseconds by which the arrival may be assumed to be later
   */
  answered(sentAt: number, now: number, atMost: number): void {
    const took = now - sentAt
    // The recorded minimum falls at once, but rises so slowly that the end of a pause doesn't count as usual latency.
    this.#fastest = took < this.#fastest ? took : this.#fastest + (took - this.#fastest) / 1_000
    const index = this.#indexOf(sentAt)
    if (index < 0) return
    let latest = sentAt + Math.min(took - this.#fastest, atMost)
    for (let at = index + 1; at < this.#sent.length; at++) {
      const later = this.#sent[at]
      if (later?.isAnswered !== true) continue
      latest = Math.max(sentAt, Math.min(latest, later.countedAt))
      break
    }
    for (let at = index; at >= this.#first; at--) {
      const one = this.#sent[at]
      if (one === undefined || (one.isAnswered && one.countedAt <= latest)) break
      if (at !== index && !one.isAnswered) continue
      one.isAnswered = true
      one.countedAt = Math.max(one.at, latest)
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

  /** Returns when the service counted the nth most recent request, or -Infinity if there are fewer. */
  countedAt(nthLast: number): number {
    const at = this.#sent.length - nthLast
    return at < this.#first ? -Infinity : this.#sent[at]?.countedAt ?? -Infinity
  }

  /** Returns the index of an unanswered request that was sent at this time, or -1 if there is none. */
  #indexOf(sentAt: number): number {
    let at = this.#since(sentAt)
    while (this.#sent[at]?.at === sentAt && this.#sent[at]?.isAnswered) at++
    return this.#sent[at]?.at === sentAt ? at : -1
  }

  /** Returns the index of the first request that was sent at this time or later. */
  #since(time: number): number {
    let low = this.#first
    let high = this.#sent.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#sent[middle]?.at ?? Infinity) >= time) high = middle
      else low = middle + 1
    }
    return low
  }
}
