import { cellText } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"

/** 32-bit words an entry takes: 3 of the key's hash, 2 of the content's, 1 for the row's number and its mark. */
const stride = 6

/** Of the sixth word: the mark. The other bits hold the row's number. */
const mark = 0x8000_0000

/** Entries of a page: 192 KiB that never move, so that nothing has to be copied, or stands in memory twice, when keys are added. */
const pageBits = 13
const pageEntries = 1 << pageBits

const smallest = 64
/** Beyond two thirds the way to an empty place gets long. */
const load = 0.66

/**
 * A place of the index holds the number of an entry and one more, so that 0 is an empty place; and above that some bits of its hash, by which fifteen of sixteen
 * other keys are told without a look at their entries, which are seldom in the processor's cache.
 */
const numberBits = 28
const numbers = (1 << numberBits) - 1

/**
 * The row keys seen in a source, in typed arrays: about 32 bytes a key, so that a million rows stay small; 268 million at most. Keys are compared by
 * 96 bits of hash, contents by 64: a false match is one in 10^16 at a million rows.
 */
export class KeyTable {
  /** The entries in the order in which they were added. */
  private readonly pages: Array<Int32Array> = []
  /** Where the entry of a key stands: open addressing, a power of two of places. */
  private places = new Int32Array(smallest)
  private entries = 0
  /** Of no meaning: a look whose result goes nowhere would be left out. */
  protected looked = 0

  get size(): number {
    return this.entries
  }

  /** The slot of a key, or -1. */
  find(hash: RowHash): number {
    const { places } = this
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

  /**
   * Looks at the places where keys belong, so that they are in the processor's cache.
   *
   * @param firsts the first word of each key's hash, `stride` words from one to the next
   */
  fetch(firsts: Int32Array, stride: number, count: number): void {
    const { places } = this
    const last = places.length - 1
    let looked = 0
    for (let at = 0; at < count * stride; at += stride) looked ^= places[firsts[at]! & last]!
    this.looked = looked
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
    if (this.entries > this.places.length * load) this.grow()
    else put(this.places, hash.a, hash.c, slot)
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

  /** Makes the index anew, from the entries in their order: in the order of their places each would be a miss of the processor's cache. */
  private grow(): void {
    const places = new Int32Array(this.places.length * 2)
    for (let slot = 0; slot < this.entries; slot++) {
      const page = this.page(slot)
      const from = offset(slot)
      put(places, page[from]!, page[from + 2]!, slot)
    }
    this.places = places
  }
}

/** Where an entry begins in its page. */
const offset = (slot: number): number => (slot & (pageEntries - 1)) * stride

/** Puts an entry into the first empty place from where its hash says. */
const put = (places: Int32Array, a: number, c: number, slot: number): void => {
  const last = places.length - 1
  let at = a & last
  while (places[at] !== 0) at = (at + 1) & last
  places[at] = (c & ~numbers) | (slot + 1)
}

const words = 3

/**
 * The hashes of the keys of a chunk of rows, taken before its rows are gone through. A table of many keys is larger than the processor's caches: asked for one key after
 * another it has to wait for each; its places, fetched one right after the other, come side by side.
 */
export class KeyHashes {
  private all = new Int32Array(words * 512)

  /**
   * Takes the hashes of these keys, and has a table fetch the places where they belong.
   *
   * @param hash is filled with each of them in turn
   */
  take(keys: ReadonlyArray<string | undefined>, hash: RowHash, table: KeyTable): void {
    if (keys.length * words > this.all.length) this.all = new Int32Array(keys.length * words)
    const { all } = this
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]
      if (key === undefined) continue
      hash.key(key)
      const to = index * words
      all[to] = hash.a
      all[to + 1] = hash.b
      all[to + 2] = hash.c
    }
    table.fetch(all, words, keys.length)
  }

  /** Fills a hash with that of the key of this index. */
  into(hash: RowHash, index: number): void {
    const from = index * words
    hash.a = this.all[from]!
    hash.b = this.all[from + 1]!
    hash.c = this.all[from + 2]!
  }
}

/**
 * Hashes that tell the keys and contents of one source's rows apart within a run: 96 bits of the key, 64 of the content. They never leave the process, so they
 * need no secret, and cost a fraction of a keyed digest. One instance is filled anew for every row, so that no row allocates.
 */
export class RowHash {
  a = 0
  b = 0
  c = 0
  d = 0
  e = 0

  key(text: string): void {
    let a = 0x2545f491
    let b = 0x6c078965
    let c = 0x3c6ef372
    const last = text.length - 1
    for (let at = 0; at <= last; at += 2) {
      // Two code units at once: the chain of multiplications is what a hash takes its time for.
      const unit = at < last ? text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16) : text.charCodeAt(at)
      a = rotated(Math.imul(a ^ unit, 0x9e3779b1), 13)
      b = rotated(Math.imul(b ^ unit, 0x85ebca77), 17)
      c = rotated(Math.imul(c ^ unit, 0xc2b2ae3d), 11)
    }
    a = Math.imul(a ^ text.length, 0x27d4eb2f)
    b += a
    c += b
    this.a = finished(a + c)
    this.b = finished(b)
    this.c = finished(c)
  }

  /** The cells at these positions, in this order. */
  content(cells: Cells, positions: ReadonlyArray<number>): void {
    let d = 0x165667b1
    let e = 0x61c88647
    for (let index = 0; index < positions.length; index++) {
      const cell = cells[positions[index]!]
      const text = typeof cell === "string" ? cell : cellText(cell)
      const last = text.length - 1
      let at = 0
      // Four code units at once, two for each word, and the words into one another: half the multiplications of two words that each see all.
      for (; at + 3 <= last; at += 4) {
        const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
        const second = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16)
        d = (rotated(Math.imul(d ^ first, 0x9e3779b1), 13) + e) | 0
        e = rotated(Math.imul(e ^ second, 0x85ebca77), 17) ^ d
      }
      for (; at <= last; at++) {
        const unit = text.charCodeAt(at)
        d = (rotated(Math.imul(d ^ unit, 0x9e3779b1), 13) + e) | 0
        e = rotated(Math.imul(e ^ unit, 0x85ebca77), 17) ^ d
      }
      // Lengths after the cells: ["ab", ""] must not be taken for ["a", "b"].
      d = Math.imul(d ^ text.length, 0xc2b2ae3d)
      e = Math.imul(e ^ (text.length + 0x10000), 0x27d4eb2f)
    }
    this.d = finished(d + e)
    this.e = finished(e)
  }

  /** For a row whose content nothing will be held against: the ledger has it so. */
  noContent(): void {
    this.d = 0
    this.e = 0
  }

  /** From a keyed digest of at least 12 bytes, which is hash enough. */
  digest(digest: Buffer): void {
    this.a = digest.readInt32LE(0)
    this.b = digest.readInt32LE(4)
    this.c = digest.readInt32LE(8)
    this.d = this.a
    this.e = this.b
  }
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

/** Spreads every bit over the whole word. */
const finished = (word: number): number => {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
