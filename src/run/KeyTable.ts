import type { RowHash } from "./RowHash.ts"

/** 32-bit words an entry takes: 3 of the key's hash, 2 of the content's, 1 for the row's number. */
const stride = 6
const load = 0.85
const growth = 1.5

/**
 * The row keys seen in a source, in typed arrays: about 30 bytes a key, so that a million rows stay small. Keys are compared by
 * 96 bits of hash, contents by 64: a false match is one in 10^16 at a million rows.
 */
export class KeyTable {
  private words = new Uint32Array(4096 * stride)
  private marks = new Uint8Array(4096)
  private capacity = 4096
  private entries = 0

  get size(): number {
    return this.entries
  }

  /** The slot of a key, or -1. Slots move when keys are added: keep rows, not slots. */
  find(hash: RowHash): number {
    const slot = this.probe(hash.a, hash.b, hash.c)
    return this.marks[slot] === 0 ? -1 : slot
  }

  /** Adds a key that is not there yet, with the row that holds it first. Gives its slot. */
  add(hash: RowHash, row: number): number {
    if (this.entries + 1 > this.capacity * load) this.grow()
    const slot = this.probe(hash.a, hash.b, hash.c)
    const at = slot * stride
    this.words[at] = hash.a
    this.words[at + 1] = hash.b
    this.words[at + 2] = hash.c
    this.words[at + 3] = hash.d
    this.words[at + 4] = hash.e
    this.words[at + 5] = row
    this.marks[slot] = 1
    this.entries++
    return slot
  }

  /** Number of the row under which a key was added, or of times it was counted. */
  row(slot: number): number {
    return this.words[slot * stride + 5] ?? 0
  }

  setRow(slot: number, row: number): void {
    this.words[slot * stride + 5] = row
  }

  /** Marks a key whose imported (or in-doubt) content stands in the source. */
  match(slot: number): void {
    this.marks[slot] = 2
  }

  matched(slot: number): boolean {
    return this.marks[slot] === 2
  }

  hasContent(slot: number, hash: RowHash): boolean {
    const at = slot * stride
    return this.words[at + 3] === hash.d && this.words[at + 4] === hash.e
  }

  private probe(a: number, b: number, c: number): number {
    let slot = Math.floor((a / 0x1_0000_0000) * this.capacity)
    while (this.marks[slot] !== 0) {
      const at = slot * stride
      if (this.words[at] === a && this.words[at + 1] === b && this.words[at + 2] === c) return slot
      slot = slot + 1 === this.capacity ? 0 : slot + 1
    }
    return slot
  }

  private grow(): void {
    const words = this.words
    const marks = this.marks
    const before = this.capacity
    this.capacity = Math.ceil(before * growth)
    this.words = new Uint32Array(this.capacity * stride)
    this.marks = new Uint8Array(this.capacity)
    for (let slot = 0; slot < before; slot++) {
      if (marks[slot] === 0) continue
      const from = slot * stride
      const to = this.probe(words[from] ?? 0, words[from + 1] ?? 0, words[from + 2] ?? 0)
      const target = to * stride
      for (let word = 0; word < stride; word++) this.words[target + word] = words[from + word] ?? 0
      this.marks[to] = marks[slot] ?? 1
    }
  }
}
