import type { Fate } from "../domain/fate.ts"

const digestBytes = 16

/**
 * Rows whose fate is known only when the whole source was read: their key was sent before with other content, and whether a row with
 * that content follows decides. Packed: about 30 bytes a row.
 */
export class Deferred {
  private rows: Array<number> = []
  private keys: Buffer = Buffer.alloc(1024 * digestBytes)
  private flags: Array<number> = []

  /**
   * @param doubt whether the key is in doubt, else imported
   * @param valid whether the row could be mapped
   */
  add(row: number, key: Buffer, doubt: boolean, valid: boolean): void {
    const at = this.rows.length * digestBytes
    if (at + digestBytes > this.keys.length) this.keys = Buffer.concat([this.keys, Buffer.alloc(this.keys.length)])
    key.copy(this.keys, at, 0, digestBytes)
    this.rows.push(row)
    this.flags.push((doubt ? 1 : 0) | (valid ? 2 : 0))
  }

  get size(): number {
    return this.rows.length
  }

  /**
   * Gives each row its fate (product.md, "Fates and the balance", rules 1, 5, 6 and 7).
   *
   * @param matched whether the content that was sent for a key stands in the source
   * @param claim takes a key in doubt for the first of its rows; false when another row has it
   */
  resolve(
    matched: (key: Buffer) => boolean,
    claim: (key: Buffer) => boolean,
    give: (row: number, fate: Fate) => void,
  ): void {
    this.rows.forEach((row, index) => {
      const key = this.keys.subarray(index * digestBytes, (index + 1) * digestBytes)
      const flags = this.flags[index] ?? 0
      const other: Fate = (flags & 2) === 0 ? "invalid" : "duplicate"
      if (matched(key)) give(row, other)
      else if ((flags & 1) === 0) give(row, "changed")
      else give(row, claim(key) ? "inDoubt" : other)
    })
  }
}
