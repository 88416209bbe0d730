/** Milliseconds over which a rate is taken, and between two of its samples. */
const window = 20_000
const between = 250
/** Less than this says nothing about a rate. */
const least = 1_000

/** How fast a count grows, lately. Plain and synchronous: times are milliseconds, given by the caller. */
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
    // The oldest stays while it is the only one that is old enough.
    while (this.samples.length > 2 && now - (this.samples[1]?.at ?? now) >= window) this.samples.shift()
  }

  /** Per second; undefined as long as too little is known. Falls while nothing comes. */
  rate(now: number): number | undefined {
    const first = this.samples[0]
    if (first === undefined || now - first.at < least) return undefined
    return ((this.latest - first.count) / (now - first.at)) * 1_000
  }

  /** Milliseconds since it last grew. */
  idle(now: number): number {
    return now - this.movedAt
  }
}
