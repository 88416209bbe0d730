import type { Fate } from "../domain/fate.ts"
import type { RowHash } from "./KeyTable.ts"

const words = 5

/**
 * Why a row's fate is decided at the end of the survey: its key is in doubt; or was imported with different content, and the row is reported as changed, imported again, or was refused with its present content.
 */
export type Reason = "doubt" | "changed" | "again" | "refused"

const reasons: ReadonlyArray<Reason> = ["doubt", "changed", "again", "refused"]
const validFlag = 4

/** What the source as a whole says of a row's key. */
export interface Keys {
  /** Whether the source has the content that was sent for the key. */
  readonly matched: () => boolean
  /** Claims the key for the first of its rows that can be sent, or is in doubt. Otherwise returns whether the row that has the key has the same content. */
  readonly claim: () => "mine" | "same" | "other"
}

/**
 * Rows whose fate is known only after the whole source was read: their key was sent before with different content, and it matters whether a row with
 * that content follows. Packed: about 40 bytes a row.
 */
export class UndecidedRows {
  private readonly rows: Array<number> = []
  private readonly flags: Array<number> = []
  private hashes = new Int32Array(1024 * words)

  /** @param valid whether the row could be mapped */
  add(row: number, hash: RowHash, reason: Reason, valid: boolean): void {
    const at = this.rows.length * words
    if (at + words > this.hashes.length) {
      const larger = new Int32Array(this.hashes.length * 2)
      larger.set(this.hashes)
      this.hashes = larger
    }
    this.hashes.set([hash.a, hash.b, hash.c, hash.d, hash.e], at)
    this.rows.push(row)
    this.flags.push(reasons.indexOf(reason) | (valid ? validFlag : 0))
  }

  /**
   * Decides the fate of each row; `pending` is a row that is imported again.
   *
   * @param hash is filled with each row's key and content in turn
   * @param decide `same`: a duplicate with the same content as the row that has the key
   */
  resolve(hash: RowHash, keys: Keys, decide: (row: number, fate: Fate, same: boolean) => void): void {
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
      const reason = reasons[flags & 3]
      if (keys.matched()) return decide(row, other, false)
      if (reason === "changed") return decide(row, "changed", false)
      if (reason === "doubt") return decide(row, keys.claim() === "mine" ? "inDoubt" : other, false)
      if (!valid) return decide(row, "invalid", false)
      const claimed = keys.claim()
      if (claimed !== "mine") return decide(row, "duplicate", claimed === "same")
      decide(row, reason === "refused" ? "refused" : "pending", false)
    })
  }
}
