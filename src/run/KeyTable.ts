import { cellText } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"

/** The number of 32-bit words per key: 3 for the key's hash, 2 for the content's hash, 1 for the row's number and a mark. */
const stride = 6

/** The mark in the sixth word. The other bits are the row's number. */
const mark = 0x8000_0000

/** The number of keys per page as a power of two. A page has 192 KiB and is never moved, so adding keys copies nothing. */
const pageBits = 13
const pageEntries = 1 << pageBits

/** The index's initial number of places, and its growth factor. Few growth steps are best, because each causes a cache miss for every key. */
const smallest = 1024
const growth = 8
/** The maximum share of occupied places. With more, finding an empty place takes too long. */
const load = 0.66

/**
 * A place of the index is 0 if it is empty, otherwise the number of a key plus one. Its upper bits are part of the
 * key's hash. These bits rule out fifteen of sixteen different keys without reading the page, which is rarely in the
 * processor's cache.
 */
const numberBits = 28
const numbers = (1 << numberBits) - 1

/**
 * The row keys seen in a source, in typed arrays, with about 32 bytes per key and at most 268 million keys. Compares 96 bits of hash for keys and 64 for contents. With a million rows, the chance of a
 * false match is one in 10^16.
 */
export class KeyTable {
  /** The keys in the order in which they were added. */
  private readonly pages: Array<Int32Array> = []
  /** The index of keys, with open addressing. The number of places is a power of two. */
  private places = new Int32Array(smallest)
  private entries = 0

  get size(): number {
    return this.entries
  }

  /** Returns a key's slot, or -1. */
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

  /** Adds a new key with the first row that has it. Returns its slot. */
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

  /** Returns the number that is stored with a key: its row's number, or a count. */
  number(slot: number): number {
    return this.page(slot)[offset(slot) + 5]! & ~mark
  }

  /** Stores a different content and number with a key. */
  set(slot: number, { d, e }: RowHash, row: number): void {
    const page = this.page(slot)
    const at = offset(slot)
    page[at + 3] = d
    page[at + 4] = e
    page[at + 5] = (page[at + 5]! & mark) | row
  }

  /** Adds the hash of a further content to the one that is stored with a key. Their order does not matter. */
  addContent(slot: number, { d, e }: RowHash): void {
    const page = this.page(slot)
    const at = offset(slot)
    page[at + 3]! += d
    page[at + 4]! += e
  }

  /** Marks a key: in a survey, one whose imported or in-doubt content is in the source. */
  mark(slot: number): void {
    const page = this.page(slot)
    const at = offset(slot) + 5
    page[at] = page[at]! | mark
  }

  /** Marks a key. Adds it with this row if it is new. */
  markOrAdd(hash: RowHash, row: number): void {
    const slot = this.find(hash)
    this.mark(slot >= 0 ? slot : this.add(hash, row))
  }

  isMarked(slot: number): boolean {
    return (this.page(slot)[offset(slot) + 5]! & mark) !== 0
  }

  hasContent(slot: number, hash: RowHash): boolean {
    const page = this.page(slot)
    const at = offset(slot)
    return page[at + 3] === hash.d && page[at + 4] === hash.e
  }

  /** Returns the hash of the content that is stored with a key, as text. */
  content(slot: number): string {
    const page = this.page(slot)
    const at = offset(slot)
    return `${page[at + 3]} ${page[at + 4]}`
  }

  private page(slot: number): Int32Array {
    return this.pages[slot >>> pageBits]!
  }

  /** Rebuilds the index in the order in which the keys were added. In the order of the places, each key would be a cache miss. */
  private grow(): void {
    const places = new Int32Array(this.places.length * growth)
    for (let slot = 0; slot < this.entries; slot++) {
      const page = this.page(slot)
      const from = offset(slot)
      put(places, page[from]!, page[from + 2]!, slot)
    }
    this.places = places
  }
}

/** Returns where a key starts in its page. */
const offset = (slot: number): number => (slot & (pageEntries - 1)) * stride

/** Puts a key into the first empty place, starting at the place that its hash gives. */
const put = (places: Int32Array, a: number, c: number, slot: number): void => {
  const last = places.length - 1
  let at = a & last
  while (places[at] !== 0) at = (at + 1) & last
  places[at] = (c & ~numbers) | (slot + 1)
}

/**
 * Hashes that distinguish the keys and contents of one source's rows within a run: 96 bits for the key, 64 for the content. They leave the process only in keyed digests, so they need no secret and cost a
 * fraction of a keyed digest. One instance is reused for every row, so that a row allocates nothing.
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
      // Processes two code units at once, because the chain of multiplications takes most of the time.
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

  /** Hashes the cells at these positions, in this order. */
  content(cells: Cells, positions: ReadonlyArray<number>): void {
    let d = 0x165667b1
    let e = 0x61c88647
    for (let index = 0; index < positions.length; index++) {
      const cell = cells[positions[index]!]
      const text = typeof cell === "string" ? cell : cellText(cell)
      const last = text.length - 1
      let at = 0
      // Processes four code units at once, two for each word, and mixes each word into the other. This halves the multiplications.
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
      // Adds each length after its cell, because ["ab", ""] must differ from ["a", "b"].
      d = Math.imul(d ^ text.length, 0xc2b2ae3d)
      e = Math.imul(e ^ (text.length + 0x10000), 0x27d4eb2f)
    }
    this.d = finished(d + e)
    this.e = finished(e)
  }

  /** Clears the content's hash for a row whose content is not compared. */
  noContent(): void {
    this.d = 0
    this.e = 0
  }

  /** Uses a keyed digest of at least 12 bytes, which is already a good hash. */
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
