import type { RowHash } from "./RowHash.ts"

/** 32-bit words an entry takes: 3 of the key's hash, 2 of the content's, 1 for the row's number and its mark. */
const stride = 6

/** Of the sixth word: the mark. The other bits hold the row's number. */
const mark = 0x8000_0000

/** Entries of a page: 192 KiB that never move, so that nothing has to be copied, or stands in memory twice, when keys are added. */
const pageBits = 13
const pageEntries = 1 << pageBits

/** So many indexes, each with room of its own: only one of them stands in memory twice while it grows. */
const parts = 64
const smallest = 64
/** Beyond two thirds the way to an empty place gets long. */
const load = 0.66

/**
 * A place of an index holds the number of an entry and one more, so that 0 is an empty place; and above that some bits of its hash, by which fifteen of sixteen
 * other keys are told without a look at their entries, which are seldom in the processor's cache.
 */
const numberBits = 28
const numbers = (1 << numberBits) - 1

/** Where the entries of some keys stand: open addressing, a power of two of places. */
interface Index {
  places: Int32Array
  entries: number
}

/**
 * The row keys seen in a source, in typed arrays: about 32 bytes a key, so that a million rows stay small; 268 million at most. Keys are compared by
 * 96 bits of hash, contents by 64: a false match is one in 10^16 at a million rows.
 */
export class KeyTable {
  /** The entries in the order in which they were added. */
  private readonly pages: Array<Int32Array> = []
  private readonly indexes: ReadonlyArray<Index> = Array.from(
    { length: parts },
    () => ({ places: new Int32Array(smallest), entries: 0 }),
  )
  private entries = 0

  get size(): number {
    return this.entries
  }

  /** The slot of a key, or -1. */
  find(hash: RowHash): number {
    const { places } = this.indexes[hash.b & (parts - 1)]!
    const last = places.length - 1
    const tag = hash.c & ~numbers
    for (let at = hash.a & last;; at = (at + 1) & last) {
      const place = places[at]!
      if (place === 0) return -1
      if ((place & ~numbers) !== tag) continue
      const slot = (place & numbers) - 1
      const page = this.page(slot)
      const from = offset(slot)
      if (page[from] === hash.a && page[from + 1] === hash.b && page[from + 2] === hash.c) return slot
    }
  }

  /** Adds a key that is not there yet, with the row that holds it first. Gives its slot. */
  add(hash: RowHash, row: number): number {
    const slot = this.entries++
    if (slot >= numbers) throw new RangeError(`more than ${numbers} row keys`)
    if ((slot & (pageEntries - 1)) === 0) this.pages.push(new Int32Array(pageEntries * stride))
    const page = this.page(slot)
    const to = offset(slot)
    page[to] = hash.a
    page[to + 1] = hash.b
    page[to + 2] = hash.c
    page[to + 3] = hash.d
    page[to + 4] = hash.e
    page[to + 5] = row
    const index = this.indexes[hash.b & (parts - 1)]!
    if (++index.entries > index.places.length * load) this.grow(index)
    put(index.places, hash.a, (hash.c & ~numbers) | (slot + 1))
    return slot
  }

  /** Number of the row under which a key was added, or of times it was counted. */
  row(slot: number): number {
    return this.page(slot)[offset(slot) + 5]! & ~mark
  }

  setRow(slot: number, row: number): void {
    const page = this.page(slot)
    const at = offset(slot) + 5
    page[at] = (page[at]! & mark) | row
  }

  /** Marks a key whose imported (or in-doubt) content stands in the source. */
  match(slot: number): void {
    const page = this.page(slot)
    const at = offset(slot) + 5
    page[at] = page[at]! | mark
  }

  matched(slot: number): boolean {
    return (this.page(slot)[offset(slot) + 5]! & mark) !== 0
  }

  hasContent(slot: number, hash: RowHash): boolean {
    const page = this.page(slot)
    const at = offset(slot)
    return page[at + 3] === hash.d && page[at + 4] === hash.e
  }

  private page(slot: number): Int32Array {
    return this.pages[slot >>> pageBits]!
  }

  private grow(index: Index): void {
    const { places } = index
    index.places = new Int32Array(places.length * 2)
    for (const place of places) {
      if (place === 0) continue
      const slot = (place & numbers) - 1
      put(index.places, this.page(slot)[offset(slot)]!, place)
    }
  }
}

/** Where an entry begins in its page. */
const offset = (slot: number): number => (slot & (pageEntries - 1)) * stride

/** Puts an entry into the first empty place from where its hash says. */
const put = (places: Int32Array, a: number, place: number): void => {
  const last = places.length - 1
  let at = a & last
  while (places[at] !== 0) at = (at + 1) & last
  places[at] = place
}
