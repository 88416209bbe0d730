/**
 * Whether things that each happened between two points were met in the order in which they happened, or in reverse. What overlaps may be in any order.
 */
export class ExportOrder {
  private rises = true
  private falls = true
  private latestStart = -Infinity
  private earliestEnd = Infinity

  see(start: number, end: number): void {
    if (this.latestStart > end) this.rises = false
    if (this.earliestEnd < start) this.falls = false
    this.latestStart = Math.max(this.latestStart, start)
    this.earliestEnd = Math.min(this.earliestEnd, end)
  }

  get isSorted(): boolean {
    return this.rises || this.falls
  }
}

/** Numbers by index, 8 bytes each; NaN where none was set. */
export class Numbers {
  private values = new Float64Array(1024).fill(NaN)

  set(at: number, value: number): void {
    if (at >= this.values.length) {
      const grown = new Float64Array(Math.max(at + 1, this.values.length * 2)).fill(NaN)
      grown.set(this.values)
      this.values = grown
    }
    this.values[at] = value
  }

  get(at: number): number {
    return this.values[at] ?? NaN
  }
}
