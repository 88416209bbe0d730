/**
 * Who waits, first come first. An array and no Set: a Set that many enter and leave is copied again and again, each old copy keeps the next one and all that wait in it alive, and the
 * young generation's collector then copies what has long been dealt with (a third of its time in an import).
 */
export class Line<A> {
  private readonly waiting: Array<A> = []

  get length(): number {
    return this.waiting.length
  }

  /** At its end. */
  join(one: A): void {
    this.waiting.push(one)
  }

  /** Takes the first out. */
  next(): A | undefined {
    return this.waiting.shift()
  }

  /** Who does not want to wait any more; false: is not waiting. */
  leave(one: A): boolean {
    const at = this.waiting.indexOf(one)
    if (at >= 0) this.waiting.splice(at, 1)
    return at >= 0
  }

  get first(): A | undefined {
    return this.waiting[0]
  }
}
