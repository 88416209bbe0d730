/** The time in milliseconds over which a rate is measured, and between two samples. */
const window = 20_000
const between = 250
/** The minimum time in milliseconds over which a rate can be measured. */
const least = 1_000

/** The recent growth of a count. The caller passes times, in milliseconds. */
export class SlidingRate {
  private readonly samples: Array<{ readonly at: number; readonly count: number }> = []
  private movedAt: number
  private latest: number

  constructor(now: number, count: number) {
    this.samples.push({ at: now, count })
    this.movedAt = now
    this.latest = count
  }

  note(now: number, count: number): void {
    if (count !== this.latest) this.movedAt = now
    this.latest = count
    const last = this.samples.at(-1)
    if (last === undefined || now - last.at >= between) this.samples.push({ at: now, count })
    // Keeps one sample older than the window.
    while (this.samples.length > 2 && now - (this.samples[1]?.at ?? now) >= window) this.samples.shift()
  }

  /** Returns the rate per second; undefined in the first second. Falls while the count stays the same. */
  rate(now: number): number | undefined {
    const first = this.samples[0]
    if (first === undefined || now - first.at < least) return undefined
    return ((this.latest - first.count) / (now - first.at)) * 1_000
  }

  /** Returns the milliseconds since the count last changed. */
  idle(now: number): number {
    return now - this.movedAt
  }
}
