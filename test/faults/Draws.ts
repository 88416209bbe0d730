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

  pick<A>(list: readonly [A, ...Array<A>]): A {
    return list[this.int(0, list.length - 1)] ?? list[0]
  }
}
