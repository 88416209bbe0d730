import type { Fate } from "../domain/fate.ts"
import type { RowHash } from "./RowHash.ts"

const words = 5

/**
 * Why a row waits for the end of the survey: its key is in doubt; or was imported with other content, and the row is to be reported, to go in again, or was refused as it is now.
 */
export type Waiting = "doubt" | "changed" | "again" | "refused"

const waitings: ReadonlyArray<Waiting> = ["doubt", "changed", "again", "refused"]
const validFlag = 4

/** What the source as a whole says of a row's key. */
export interface Keys {
  /** Whether the content that was sent for the key stands in the source. */
  readonly matched: () => boolean
  /** Takes the key for the first of its rows that can go out, or is in doubt; else tells whether the one that has it has the same content. */
  readonly claim: () => "mine" | "same" | "other"
}

/**
 * Rows whose fate is known only when the whole source was read: their key was sent before with other content, and whether a row with
 * that content follows decides. Packed: about 40 bytes a row.
 */
export class Deferred {
  private readonly rows: Array<number> = []
  private readonly flags: Array<number> = []
  private hashes = new Int32Array(1024 * words)

  /** @param valid whether the row could be mapped */
  add(row: number, hash: RowHash, waiting: Waiting, valid: boolean): void {
    const at = this.rows.length * words
    if (at + words > this.hashes.length) {
      const larger = new Int32Array(this.hashes.length * 2)
      larger.set(this.hashes)
      this.hashes = larger
    }
    this.hashes[at] = hash.a
    this.hashes[at + 1] = hash.b
    this.hashes[at + 2] = hash.c
    this.hashes[at + 3] = hash.d
    this.hashes[at + 4] = hash.e
    this.rows.push(row)
    this.flags.push(waitings.indexOf(waiting) | (valid ? validFlag : 0))
  }

  /**
   * Gives each row its fate (product.md, "Fates and the balance", rules 1, 5, 6, 7 and 8); `pending` is a row that goes in again.
   *
   * @param hash is filled with each row's key and content in turn
   * @param give `same`: a duplicate with the same content as the row that has the key
   */
  resolve(hash: RowHash, keys: Keys, give: (row: number, fate: Fate, same: boolean) => void): void {
    this.rows.forEach((row, index) => {
      const at = index * words
      hash.a = this.hashes[at] ?? 0
      hash.b = this.hashes[at + 1] ?? 0
      hash.c = this.hashes[at + 2] ?? 0
      hash.d = this.hashes[at + 3] ?? 0
      hash.e = this.hashes[at + 4] ?? 0
      const flags = this.flags[index] ?? 0
      const valid = (flags & validFlag) !== 0
      const other: Fate = valid ? "duplicate" : "invalid"
      const waiting = waitings[flags & 3]
      if (keys.matched()) return give(row, other, false)
      if (waiting === "changed") return give(row, "changed", false)
      if (waiting === "doubt") return give(row, keys.claim() === "mine" ? "inDoubt" : other, false)
      if (!valid) return give(row, "invalid", false)
      const claimed = keys.claim()
      if (claimed !== "mine") return give(row, "duplicate", claimed === "same")
      give(row, waiting === "refused" ? "refused" : "pending", false)
    })
  }
}
