import { firstFrom } from "../words/words.ts"

/** The maximum number of hashes kept for all columns of a file together: 8 bytes each. */
export const hashesKept = 6_000_000

/** How many more hashes may be kept. All columns share this limit. */
export interface Room {
  left: number
}

/**
 * Finds out whether any text occurs twice in a column. Hashes are kept until a repetition is found, or until there is no room. They are sorted whenever
 * their number has doubled: for a million different texts, this takes a fraction of the time and memory of a Set.
 */
export class UniqueCheck {
  private readonly room: Room
  private hashes: Float64Array | undefined = new Float64Array(1_024)
  private size = 0
  private isUnique: boolean | undefined

  constructor(room: Room) {
    this.room = room
  }

  add(hash: number): void {
    if (this.hashes === undefined) return
    if (this.room.left === 0) return this.close(this.hasRepetition(this.hashes) ? false : undefined)
    if (this.size === this.hashes.length) {
      if (this.hasRepetition(this.hashes)) return this.close(false)
      const larger = new Float64Array(this.size * 2)
      larger.set(this.hashes)
      this.hashes = larger
    }
    this.hashes[this.size++] = hash
    this.room.left--
  }

  /** Notes that a text occurs twice. */
  repeat(): void {
    if (this.hashes !== undefined) this.close(false)
  }

  /** Returns undefined if there was no room to find out. */
  unique(): boolean | undefined {
    if (this.hashes === undefined) return this.isUnique
    if (!this.hasRepetition(this.hashes)) return true
    this.close(false)
    return false
  }

  private hasRepetition(hashes: Float64Array): boolean {
    const sorted = hashes.subarray(0, this.size).sort()
    return sorted.some((hash, at) => hash === sorted[at - 1])
  }

  private close(isUnique: false | undefined): void {
    this.isUnique = isUnique
    this.hashes = undefined
    this.room.left += this.size
    this.size = 0
  }
}

/** How many of the smallest hashes are kept to estimate larger counts, to within about 3%. */
const smallest = 1_024

/** Counts distinct hashes: exactly up to a limit, estimated above it. Memory is bounded. */
export class SmallestHashes {
  private readonly hashes: Array<number> = []

  add(hash: number): void {
    if (this.hashes.length === smallest && hash >= this.hashes.at(-1)!) return
    const at = firstFrom(this.hashes, hash)
    if (this.hashes[at] !== hash) this.hashes.splice(at, 0, hash)
    if (this.hashes.length > smallest) this.hashes.pop()
  }

  /** Returns the number of distinct hashes, and whether it is exact. */
  count(): { readonly count: number; readonly exact: boolean } {
    return this.hashes.length < smallest
      ? { count: this.hashes.length, exact: true }
      : { count: Math.round((smallest - 1) / this.hashes.at(-1)! * 2 ** 53), exact: false }
  }
}
