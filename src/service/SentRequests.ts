interface Sent {
  readonly at: number
  /** When the service counted it, at the latest. */
  countedAt: number
  isAnswered: boolean
}

/** The latest requests that the service has not refused, in the order in which they were sent. Times are milliseconds, given by the caller. */
export class SentRequests {
  #sent: Array<Sent> = []
  /** Index of the first that is not forgotten. */
  #first = 0
  #fastest = Infinity

  /** @param at not before the request that was added last */
  add(at: number): void {
    this.#sent.push({ at, countedAt: at, isAnswered: false })
  }

  /** Forgets all that were sent before a time. */
  forget(before: number): void {
    while (this.#first < this.#sent.length && (this.#sent[this.#first]?.at ?? Infinity) < before) this.#first++
    // Half of them at a time: each is moved once.
    if (this.#first * 2 > this.#sent.length) {
      this.#sent = this.#sent.slice(this.#first)
      this.#first = 0
    }
  }

  /**
   * Learns when the service counted a request: an answer that took longer than others may have been long on its way there. It was counted before those
   * that were sent after it, so a slow answer between fast ones proves nothing.
   *
   * @param atMost milliseconds that it is taken to have been on its way longer than others
   */
  answered(sentAt: number, now: number, atMost: number): void {
    const took = now - sentAt
    // Falls at once, and rises so slowly that a standstill doesn't count as the usual way.
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

  /** Removes a request that was refused: it doesn't count. */
  refused(sentAt: number): void {
    const at = this.#indexOf(sentAt)
    if (at >= 0) this.#sent.splice(at, 1)
  }

  /** Returns how many were sent from a time on, before another one. */
  between(from: number, before: number): number {
    return this.#since(before) - this.#since(from)
  }

  /** Returns when the service counted the n-th last of them, or -Infinity. */
  countedAt(nthLast: number): number {
    const at = this.#sent.length - nthLast
    return at < this.#first ? -Infinity : this.#sent[at]?.countedAt ?? -Infinity
  }

  /** Index of a request that was sent at a time and is not answered, or -1. */
  #indexOf(sentAt: number): number {
    let at = this.#since(sentAt)
    while (this.#sent[at]?.at === sentAt && this.#sent[at]?.isAnswered) at++
    return this.#sent[at]?.at === sentAt ? at : -1
  }

  /** Index of the first that was sent at a time or later. */
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
