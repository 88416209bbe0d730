import { Utils } from "effect"

/** Draws numbers and choices from a seed. */
export class Draws {
  private readonly random: Utils.PCGRandom

  constructor(seed: number) {
    this.random = new Utils.PCGRandom(seed, 77)
  }

  /** Draws a whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.min(to - from, Math.floor(this.random.number() * (to - from + 1)))
  }

  chance(share: number): boolean {
    return this.random.number() < share
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
    return list.map((value) => [this.random.number(), value] as const)
      .toSorted(([a], [b]) => a - b).map(([, value]) => value)
  }
}
