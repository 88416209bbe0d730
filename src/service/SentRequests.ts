interface Sent {
  readonly at: number
  /** When the service counted it, at the latest. */
  countedAt: number
}

/** The requests of late that the service has not refused, in the order in which they were sent. Times are milliseconds, given by the caller. */
export class SentRequests {
  #sent: Array<Sent> = []
  /** Where those begin that are not forgotten. */
  #first = 0
  #fastest = Infinity

  /** @param at not before the request that was added last */
  add(at: number): void {
    this.#sent.push({ at, countedAt: at })
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
   * Learns when the service counted a request: an answer that took longer than others may have been long on its way there.
   *
   * @param atMost milliseconds: a service may also take its time after it has counted
   */
  answered(sentAt: number, now: number, atMost: number): void {
    const took = now - sentAt
    // Falls at once, rises slowly: the way to the service may become longer.
    this.#fastest = took < this.#fastest ? took : this.#fastest + (took - this.#fastest) / 100
    const sent = this.#sent[this.#indexOf(sentAt)]
    if (sent !== undefined) sent.countedAt = sentAt + Math.min(took - this.#fastest, atMost)
  }

  /** Takes a request out that was refused: it doesn't count. */
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

  #indexOf(sentAt: number): number {
    const at = this.#since(sentAt)
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
