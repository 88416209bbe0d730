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
  private hashes = new Float64Array(free)
  private size = 0
  private sorted = 0
  private isUnique: boolean | undefined = true
  /** Larger hashes are no longer kept. */
  private largest = Infinity

  constructor(room: Room) {
    this.room = room
  }

  add(hash: number): void {
    if (hash > this.largest) return
    if (this.size === this.hashes.length) this.sort()
    if (this.size === this.hashes.length) this.grow()
    this.hashes[this.size++] = hash
  }

  /** Notes that a text occurs twice. */
  repeat(): void {
    this.isUnique = false
  }

  /** Returns the number of different texts, whether it is exact, and whether all texts are different: undefined if there was no room to find out. */
  counted() {
    this.sort()
    const exact = this.largest === Infinity
    const count = exact ? this.size : Math.round((smallest - 1) / this.hashes[smallest - 1]! * 2 ** 53)
    return { count, exact, unique: this.isUnique }
  }

  private sort(): void {
    if (this.sorted === this.size && this.isUnique === true) return
    const all = this.hashes.subarray(0, this.size).sort()
    const different = all.filter((hash, at) => hash !== all[at - 1])
    if (different.length < this.size) this.isUnique = false
    if (this.isUnique !== true) {
      this.room.left += this.hashes.length - free
      this.hashes = new Float64Array(free)
      this.hashes.set(different.subarray(0, smallest))
      if (different.length >= smallest) this.largest = different[smallest - 1]!
    }
    this.size = this.isUnique === true ? this.size : Math.min(different.length, smallest)
    this.sorted = this.size
  }

  private grow(): void {
    if (this.room.left < this.size) {
      this.isUnique = undefined
      return this.sort()
    }
    this.room.left -= this.size
    const larger = new Float64Array(this.size * 2)
    larger.set(this.hashes)
    this.hashes = larger
  }
}
