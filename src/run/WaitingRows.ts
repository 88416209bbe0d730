import type { Fate } from "../domain/fate.ts"
import type { Superseded } from "../ledger/rows.ts"
import type { RejectedRow } from "../report/csvFiles.ts"
import type { FateTable, SeenLedgerRows } from "./FateTable.ts"
import { type KeyTable, RowHash } from "./KeyTable.ts"

/** The fate of a changed row if no row of the source has the content that was sent with its key. */
export type ChangedFate = Extract<Fate, "inDoubt" | "changed" | "refused" | "pending">

/** What the rest of the source has shown: the fates and keys of its other rows, and which rows of the ledger it contains. */
interface Found {
  readonly fates: FateTable
  readonly keys: KeyTable
  readonly seen: SeenLedgerRows
}

/**
 * The rows whose fates depend on later rows, so that they are decided at the end of the source.
 *
 * - A **changed** row has a key that was sent earlier with different content. If another row of the source has that content, the changed row is a
 *   duplicate.
 * - A **replaced** row has the content of rejected rows in whose place fixed rows were sent. Each fixed row replaced only one row, and none that is in
 *   the source in addition to the fixed row itself. The other rows with that content are duplicates.
 *
 * Until then, a row is reported as rejected once for each fate that it may get. `isRejectedAs` finds the report with the final fate.
 */
export class WaitingRows {
  private readonly replaced: Array<{ readonly row: number; readonly by: ReadonlyArray<Superseded>; key?: RowHash }> = []
  /** The changed rows, in lists of their parts, which take about 60 bytes per row. A hash has five numbers. */
  private readonly rows: Array<number> = []
  private readonly fates: Array<ChangedFate> = []
  private readonly valid: Array<boolean> = []
  private readonly hashes: Array<number> = []

  /**
   * @param by the fixed rows that may have replaced the row
   * @param key the hash of the row's key, if one of the fixed rows has the same key
   */
  addReplaced(row: number, by: ReadonlyArray<Superseded>, key: RowHash | undefined): void {
    this.replaced.push({ row, by, ...(key && { key: Object.assign(new RowHash(), key) }) })
  }

  /** @param isValid whether the row could be mapped */
  addChanged(row: number, { a, b, c, d, e }: RowHash, fate: ChangedFate, isValid: boolean): void {
    this.rows.push(row)
    this.fates.push(fate)
    this.valid.push(isValid)
    this.hashes.push(a, b, c, d, e)
  }

  /** Sets the fate of each row. Call this once, after the last row. */
  decide(found: Found): void {
    // First, because a row that a fixed row replaced has the content that was sent with its key.
    this.decideReplaced(found)
    this.decideChanged(found)
  }

  private decideReplaced({ fates, keys, seen }: Found): void {
    const taken = new Set<number>()
    for (const { by, key, row } of this.replaced) {
      const one = by.find(({ fixed }) => !taken.has(fixed) && !seen.hasAsSent(fixed))
      if (one === undefined) {
        fates.set(row, "duplicate", by.some(({ fixed }) => seen.hasAsSent(fixed)) ? undefined : "repeats")
        continue
      }
      taken.add(one.fixed)
      seen.mark(one.fixed, !one.isInDoubt)
      fates.set(row, one.isUndone ? "undone" : one.isInDoubt ? "inDoubt" : "alreadyImported")
      if (key !== undefined) keys.markOrAdd(key, row)
    }
  }

  /** If a key is in doubt or is imported again, only its first suitable row gets that fate. */
  private decideChanged({ fates, keys }: Found): void {
    const hash = new RowHash()
    this.rows.forEach((row, index) => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = this.hashes.slice(index * 5, index * 5 + 5)
      Object.assign(hash, { a, b, c, d, e })
      const fate = this.fates[index]!
      const isValid = this.valid[index]!
      const slot = keys.find(hash)
      if (slot >= 0 && keys.isMarked(slot)) return fates.set(row, "duplicate")
      if (fate === "changed") return fates.set(row, "changed")
      if (fate !== "inDoubt" && !isValid) return fates.set(row, "invalid")
      if (slot < 0) {
        keys.add(hash, 0)
        return fates.set(row, fate, fate === "pending" ? "replaces" : undefined)
      }
      if (fate === "inDoubt") return fates.set(row, isValid ? "duplicate" : "invalid")
      fates.set(row, "duplicate", keys.hasContent(slot, hash) ? "repeats" : undefined)
    })
  }
}

/** Whether a row that was reported as rejected with this fate still has it at the end. An invalid row is a duplicate if another row with its key is valid or known. */
export const isRejectedAs = (fates: FateTable, { fate, row }: Pick<RejectedRow, "fate" | "row">): boolean => {
  const final = fates.get(row)
  return final === fate || (fate === "invalid" && final === "duplicate")
}
