/**
 * FIFO queue. An array: a busy Set retains old copies and slows garbage collection (a third of its time in an import).
 */
export class Line<A> {
  private readonly waiting: Array<A> = []

  get length(): number {
    return this.waiting.length
  }

  /** Adds one at the end. */
  join(one: A): void {
    this.waiting.push(one)
  }

  /** Removes and returns the first. */
  next(): A | undefined {
    return this.waiting.shift()
  }

  /** Removes one. Returns false if it was not queued. */
  leave(one: A): boolean {
    const at = this.waiting.indexOf(one)
    if (at >= 0) this.waiting.splice(at, 1)
    return at >= 0
  }

  get first(): A | undefined {
    return this.waiting[0]
  }
}
