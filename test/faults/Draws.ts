import { Utils } from "effect"

/** Draws numbers and choices from a seed, or from a function that draws numbers from 0 to 1. */
export class Draws {
  private readonly next: () => number

  constructor(source: number | (() => number)) {
    if (typeof source === "function") this.next = source
    else {
      const generator = new Utils.PCGRandom(source, 77)
      this.next = () => generator.number()
    }
  }

  /** Draws a whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.min(to - from, Math.floor(this.next() * (to - from + 1)))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** Draws an element of a list that is not empty. */
  pick<A>(list: ReadonlyArray<A>): A {
    return list[this.int(0, list.length - 1)]!
  }

  /** Draws some elements of a list and keeps their order. */
  some<A>(list: ReadonlyArray<A>, share: number): ReadonlyArray<A> {
    return list.filter(() => this.chance(share))
  }

  shuffle<A>(list: ReadonlyArray<A>): ReadonlyArray<A> {
    return list.map((value) => [this.next(), value] as const)
      .toSorted(([a], [b]) => a - b).map(([, value]) => value)
  }
}
