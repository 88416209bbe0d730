import type { Pace, RequestCounts } from "../domain/report.ts"

type Kind = keyof RequestCounts

/** Spans that are kept at most; with one more, each two become one. */
const most = 240

const firstSpan = 1_000

const none = (): Record<Kind, number> => ({ metadata: 0, create: 0, read: 0, retried: 0, throttled: 0 })

/**
 * Requests over time, in a bounded number of spans: they begin with a second each and double in length whenever there would be too many, so that
 * hours take no more room than minutes. Plain and synchronous: times are milliseconds, given by the caller.
 */
export class Timeline {
  #from: number | undefined
  #every = firstSpan
  #spans: Array<Record<Kind, number>> = []

  count(what: Kind, now: number): void {
    this.#from ??= now
    let index = this.#indexOf(now, this.#from)
    while (index >= most) {
      this.#halve()
      index = this.#indexOf(now, this.#from)
    }
    while (this.#spans.length <= index) this.#spans.push(none())
    const span = this.#spans[index]
    if (span !== undefined) span[what]++
  }

  /** The spans so far; undefined before the first request. */
  get pace(): Pace | undefined {
    if (this.#from === undefined) return undefined
    return {
      from: new Date(this.#from).toISOString(),
      every: this.#every,
      buckets: this.#spans.map((span) => ({ ...span })),
    }
  }

  // A clock that was set back counts for the first span.
  #indexOf(now: number, from: number): number {
    return Math.max(0, Math.floor((now - from) / this.#every))
  }

  #halve(): void {
    this.#every *= 2
    const spans: Array<Record<Kind, number>> = []
    this.#spans.forEach((span, index) => {
      const before = spans[index >> 1]
      if (before === undefined) spans.push(span)
      else for (const kind of Object.keys(span) as Array<Kind>) before[kind] += span[kind]
    })
    this.#spans = spans
  }
}
