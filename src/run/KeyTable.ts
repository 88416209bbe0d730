import type { RowHash } from "./RowHash.ts"

/** 32-bit words an entry takes: 3 of the key's hash, 2 of the content's, 1 for the row's number and its mark. */
const stride = 6
const load = 0.85
const growth = 1.5
const smallest = 64

/** Of the sixth word: the mark. The other bits hold the row's number and one more, so that 0 is an empty slot. */
const mark = 0x8000_0000

/** So many parts, each with room of its own: what has to grow at once stays small, for a table in one piece takes twice its memory while it grows. */
const parts = 64

/** The entries of one part, open addressing. */
interface Part {
  words: Uint32Array
  capacity: number
  entries: number
}

/**
 * The row keys seen in a source, in typed arrays: about 30 bytes a key, so that a million rows stay small. Keys are compared by
 * 96 bits of hash, contents by 64: a false match is one in 10^16 at a million rows.
 */
export class KeyTable {
  private readonly parts: ReadonlyArray<Part> = Array.from({ length: parts }, () => ({
    words: new Uint32Array(smallest * stride),
    capacity: smallest,
    entries: 0,
  }))

  get size(): number {
    return this.parts.reduce((sum, part) => sum + part.entries, 0)
  }

  /** The slot of a key, or -1. Slots move when keys are added: keep rows, not slots. */
  find(hash: RowHash): number {
    const at = partOf(hash.b)
    const part = this.parts[at]!
    const slot = probe(part, hash.a, hash.b, hash.c)
    return part.words[slot * stride + 5] === 0 ? -1 : slot * parts + at
  }

  /** Adds a key that is not there yet, with the row that holds it first. Gives its slot. */
  add(hash: RowHash, row: number): number {
    const at = partOf(hash.b)
    const part = this.parts[at]!
    if (part.entries + 1 > part.capacity * load) grow(part)
    const slot = probe(part, hash.a, hash.b, hash.c)
    const { words } = part
    const to = slot * stride
    words[to] = hash.a
    words[to + 1] = hash.b
    words[to + 2] = hash.c
    words[to + 3] = hash.d
    words[to + 4] = hash.e
    words[to + 5] = row + 1
    part.entries++
    return slot * parts + at
  }

  /** Number of the row under which a key was added, or of times it was counted. */
  row(slot: number): number {
    return (this.sixth(slot) & ~mark) - 1
  }

  setRow(slot: number, row: number): void {
    this.setSixth(slot, (this.sixth(slot) & mark) | (row + 1))
  }

  /** Marks a key whose imported (or in-doubt) content stands in the source. */
  match(slot: number): void {
    this.setSixth(slot, this.sixth(slot) | mark)
  }

  matched(slot: number): boolean {
    return (this.sixth(slot) & mark) !== 0
  }

  hasContent(slot: number, hash: RowHash): boolean {
    const words = this.parts[slot % parts]!.words
    const at = Math.floor(slot / parts) * stride
    return words[at + 3] === hash.d && words[at + 4] === hash.e
  }

  private sixth(slot: number): number {
    return this.parts[slot % parts]!.words[Math.floor(slot / parts) * stride + 5] ?? 0
  }

  private setSixth(slot: number, word: number): void {
    this.parts[slot % parts]!.words[Math.floor(slot / parts) * stride + 5] = word
  }
}

const partOf = (b: number): number => b % parts

/** Where a key stands in its part, or the empty slot where it belongs. */
const probe = ({ capacity, words }: Part, a: number, b: number, c: number): number => {
  let slot = Math.floor((a / 0x1_0000_0000) * capacity)
  for (;;) {
    const at = slot * stride
    if (words[at + 5] === 0 || (words[at] === a && words[at + 1] === b && words[at + 2] === c)) return slot
    slot = slot + 1 === capacity ? 0 : slot + 1
  }
}

const grow = (part: Part): void => {
  const { capacity, words } = part
  part.capacity = Math.ceil(capacity * growth)
  part.words = new Uint32Array(part.capacity * stride)
  for (let from = 0; from < capacity * stride; from += stride) {
    if (words[from + 5] === 0) continue
    const to = probe(part, words[from] ?? 0, words[from + 1] ?? 0, words[from + 2] ?? 0) * stride
    for (let word = 0; word < stride; word++) part.words[to + word] = words[from + word] ?? 0
  }
}
