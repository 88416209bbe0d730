/** The maximum number of hashes kept for all columns of a file together, apart from a few for each column: 8 bytes each. */
export const hashesKept = 6_000_000

/** How many more hashes may be kept. All columns share this limit. */
export interface Room {
  left: number
}

/** How many of the smallest hashes are kept to estimate how many there are, to within about 3%. */
const smallest = 1_024

/** The number of hashes that a column may keep without taking room. */
const free = 2 * smallest

/**
 * The hashes of a column's texts. Finds out whether any text occurs twice, and how many are different. All hashes are kept until a repetition is found,
 * or until there is no room, and then only the smallest. For a million different texts, sorting them takes a fraction of the time and memory of a Set.
 */
export class TextHashes {
  private readonly room: Room
  private hashes: Array<number> = []
  private most = free
  private isUnique: boolean | undefined = true
  /** Larger hashes are no longer kept. */
  private largest = Infinity

  constructor(room: Room) {
    this.room = room
  }

  add(hash: number): void {
    if (hash > this.largest) return
    this.hashes.push(hash)
    if (this.hashes.length === this.most) this.sort(this.most)
  }

  /** Notes that a text occurs twice. */
  repeat(): void {
    this.isUnique = false
  }

  /** Returns the number of different texts, whether it is exact, and whether all texts are different: undefined if there was no room to find out. */
  counted() {
    this.sort(0)
    const exact = this.largest === Infinity
    const count = exact ? this.hashes.length : Math.round((smallest - 1) / this.largest * 2 ** 53)
    return { count, exact, unique: this.isUnique }
  }

  /** @param more how many more hashes to keep if none occurs twice */
  private sort(more: number): void {
    const all = Float64Array.from(this.hashes).sort()
    const different = all.filter((hash, at) => hash !== all[at - 1])
    if (different.length < all.length) this.isUnique = false
    else if (this.isUnique === true && more > this.room.left) this.isUnique = undefined
    const taken = this.isUnique === true ? more : free - this.most
    this.room.left -= taken
    this.most += taken
    if (this.isUnique === true) return
    this.hashes = [...different.subarray(0, smallest)]
    this.largest = different[smallest - 1] ?? this.largest
  }
}
