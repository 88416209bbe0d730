/** When requests were sent, in milliseconds, the earliest first: as many as there are of them, to count them costs no more than a few looks. */
export class SentTimes {
  private times: Array<number> = []
  /** Those before are forgotten. */
  private first = 0

  /** @param at not before the one that was added last */
  add(at: number): void {
    this.times.push(at)
  }

  /** Forgets all up to a time. */
  forget(upTo: number): void {
    this.first = this.after(upTo)
    // Half of them at a time: each is moved once.
    if (this.first * 2 > this.times.length) {
      this.times = this.times.slice(this.first)
      this.first = 0
    }
  }

  /** How many were sent from a time on, up to another one, both included. */
  between(from: number, to: number): number {
    return Math.max(0, this.after(to) - this.before(from))
  }

  /** Where the first stands that was sent later. */
  private after(at: number): number {
    return this.where((time) => time > at)
  }

  /** Where the first stands that was not sent before. */
  private before(at: number): number {
    return this.where((time) => time >= at)
  }

  private where(isBeyond: (time: number) => boolean): number {
    let low = this.first
    let high = this.times.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBeyond(this.times[middle] ?? Infinity)) high = middle
      else low = middle + 1
    }
    return low
  }
}
