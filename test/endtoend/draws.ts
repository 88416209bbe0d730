/** Makes repeatable random draws from a seed (mulberry32). */
export interface Draws {
  /** Draws a whole number, both ends included. */
  readonly int: (from: number, to: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  /** Draws some elements of a list and keeps their order. */
  readonly some: <A>(list: ReadonlyArray<A>, share: number) => ReadonlyArray<A>
  readonly shuffle: <A>(list: ReadonlyArray<A>) => ReadonlyArray<A>
}

export const draws = (seed: number): Draws => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    int,
    chance: (share) => next() < share,
    pick: <A>(list: ReadonlyArray<A>) => list[int(0, list.length - 1)]!,
    some: (list, share) => list.filter(() => next() < share),
    shuffle: (list) =>
      list.map((value) => [next(), value] as const).sort(([a], [b]) => a - b).map(([, value]) => value),
  }
}

export const two = (number: number): string => String(number).padStart(2, "0")
