import { cellText } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"

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
