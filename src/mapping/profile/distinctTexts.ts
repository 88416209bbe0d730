import { firstFrom } from "../words/words.ts"

/** The maximum number of hashes kept for all columns of a file together: 8 bytes each. */
export const hashesKept = 6_000_000

/** How many more hashes may be kept. All columns share this limit. */
export interface Room {
  left: number
}

/**
 * Finds out whether any text occurs twice in a column. Hashes are kept until the first repetition, or until there is no room. For four columns of a
 * million different texts, the table takes 2 s and 145 MiB; a Set would take 6 s and 250 MiB.
 */
export class UniqueCheck {
  private readonly room: Room
  private table: Float64Array | undefined = new Float64Array(1_024)
  private size = 0
  private repeated = false

  constructor(room: Room) {
    this.room = room
  }

  get isOpen(): boolean {
    return this.table !== undefined
  }

  add(hash: number): void {
    if (this.table === undefined) return
    // 0 marks a free slot.
    const key = hash + 1
    let slot = this.slotOf(this.table, key)
    if (this.table[slot] === key) return this.close(true)
    if (this.room.left <= 0) return this.close(false)
    if (this.size * 2 >= this.table.length) {
      this.table = this.grown(this.table)
      slot = this.slotOf(this.table, key)
    }
    this.table[slot] = key
    this.size++
    this.room.left--
  }

  /** Returns undefined if there was no room to find out. */
  unique(): boolean | undefined {
    return this.repeated ? false : this.table === undefined ? undefined : true
  }

  private close(repeated: boolean): void {
    this.repeated = repeated
    this.table = undefined
    this.room.left += this.size
    this.size = 0
  }

  private slotOf(table: Float64Array, key: number): number {
    let slot = key % table.length
    while (table[slot] !== 0 && table[slot] !== key) slot = slot + 1 === table.length ? 0 : slot + 1
    return slot
  }

  private grown(table: Float64Array): Float64Array {
    const larger = new Float64Array(table.length * 2)
    for (const key of table) if (key !== 0) larger[this.slotOf(larger, key)] = key
    return larger
  }
}

/** The maximum number of distinct texts kept for a column: a question with more options is not a choice. Up to this number, the count is exact. */
const kept = 1_000

/** The maximum length of such a text, in characters: a longer text is not an option. */
const longestKept = 1_000

/** How many of the smallest hashes are kept to estimate larger counts, to within about 3%. */
const smallest = 1_024

/** Counts different texts: exactly up to a limit, estimated above it. Memory is bounded. */
export class DistinctTexts {
  /** Texts with how often each occurs, in the order of their first cells. */
  readonly texts = new Map<string, number>()
  /** Whether there are more texts than are kept. */
  more = false
  /** The smallest of all hashes, in order. */
  private hashes: Array<number> = []

  add(text: string, hash: number, times = 1): void {
    const before = this.texts.get(text)
    const isKept = before !== undefined || (this.texts.size < kept && text.length <= longestKept)
    if (isKept) this.texts.set(text, (before ?? 0) + times)
    else this.more = true
    if (before !== undefined || (this.hashes.length === smallest && hash >= this.hashes.at(-1)!)) return
    const at = firstFrom(this.hashes, hash)
    if (this.hashes[at] !== hash) this.hashes.splice(at, 0, hash)
    if (this.hashes.length > smallest) this.hashes.pop()
  }

  /** Returns the number of different texts, and whether it is exact. */
  count(): { readonly count: number; readonly exact: boolean } {
    if (!this.more) return { count: this.texts.size, exact: true }
    if (this.hashes.length < smallest) return { count: this.hashes.length, exact: true }
    return { count: Math.round((smallest - 1) / this.hashes.at(-1)! * 2 ** 53), exact: false }
  }
}
