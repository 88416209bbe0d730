import type { Fate } from "../domain/fate.ts"
import type { RowHash } from "./RowHash.ts"

const words = 3

/**
 * Rows whose fate is known only when the whole source was read: their key was sent before with other content, and whether a row with
 * that content follows decides. Packed: about 30 bytes a row.
 */
export class Deferred {
  private readonly rows: Array<number> = []
  private readonly flags: Array<number> = []
  private keys = new Uint32Array(1024 * words)

  /**
   * @param doubt whether the key is in doubt, else imported
   * @param valid whether the row could be mapped
   */
  add(row: number, key: RowHash, doubt: boolean, valid: boolean): void {
    const at = this.rows.length * words
    if (at + words > this.keys.length) {
      const larger = new Uint32Array(this.keys.length * 2)
      larger.set(this.keys)
      this.keys = larger
    }
    this.keys[at] = key.a
    this.keys[at + 1] = key.b
    this.keys[at + 2] = key.c
    this.rows.push(row)
    this.flags.push((doubt ? 1 : 0) | (valid ? 2 : 0))
  }

  /**
   * Gives each row its fate (product.md, "Fates and the balance", rules 1, 5, 6 and 7).
   *
   * @param hash is filled with each row's key in turn
   * @param matched whether the content that was sent for that key stands in the source
   * @param claim takes that key, in doubt, for the first of its rows; false when another row has it
   */
  resolve(hash: RowHash, matched: () => boolean, claim: () => boolean, give: (row: number, fate: Fate) => void): void {
    this.rows.forEach((row, index) => {
      const at = index * words
      hash.a = this.keys[at] ?? 0
      hash.b = this.keys[at + 1] ?? 0
      hash.c = this.keys[at + 2] ?? 0
      const flags = this.flags[index] ?? 0
      const other: Fate = (flags & 2) === 0 ? "invalid" : "duplicate"
      if (matched()) give(row, other)
      else if ((flags & 1) === 0) give(row, "changed")
      else give(row, claim() ? "inDoubt" : other)
    })
  }
}
