import type { RunReport } from "../../src/domain/report.ts"
import { hasOwnKey, type SourceRow } from "./source.ts"
import type { LedgerRow } from "./truth.ts"

/**
 * Returns what is wrong in a report, or undefined if nothing is. Compares its sums, and its numbers of imported rows
 * and rows in doubt, with the ledger. The report must be of a run that read the whole source and was not overtaken. A row
 * that lacks its own key may have any of these fates, because a person may have corrected it in a rejected.csv.
 * @param leftOut keys that a person skipped permanently @param how.again whether changed rows are imported again; until
 * then, they are pending, refused or invalid @param how.resendUndone whether undone rows are sent again
 * @param how.isFixed whether the source is a rejected.csv. Its changed rows may have new keys, which the ledger does not know
 */
export const misreported = (
  { read, ...fates }: RunReport["rows"],
  source: ReadonlyArray<SourceRow>,
  ledger: ReadonlyMap<string, LedgerRow>,
  leftOut: ReadonlySet<string>,
  { again, isFixed, resendUndone }: {
    readonly again: boolean
    readonly resendUndone: boolean
    readonly isFixed: boolean
  },
): string | undefined => {
  if (read !== source.length) return undefined
  const own = source.filter(hasOwnKey)
  const others = source.length - own.length
  const isIn = (states: ReadonlyArray<LedgerRow["state"]>) => ({ no }: SourceRow) =>
    states.includes(ledger.get(no)?.state ?? "notCreated")
  const doubtful = own.filter(isIn(["intended", "inDoubt"]))
  const there = own.filter(isIn(["imported"]))
  // If several rows have the same key, one row has the fate, and the others may be its duplicates.
  const few = (rows: ReadonlyArray<SourceRow>) => new Set(rows.map(({ no }) => no)).size
  const imported = fates.alreadyImported + fates.changed + fates.imported
  if (fates.inDoubt < few(doubtful) || fates.inDoubt > doubtful.length + others) {
    return `${fates.inDoubt} in doubt, ${few(doubtful)} in the ledger`
  }
  const most = there.length + others + (isFixed ? fates.changed : 0)
  const open = again ? fates.pending + fates.refused + fates.invalid : 0
  if (imported + open < few(there.filter(({ no }) => !leftOut.has(no))) || imported > most) {
    return `${imported} imported now or before, ${few(there)} in the ledger`
  }
  const undone = own.filter(isIn(["undone"]))
  const least = resendUndone ? 0 : few(undone.filter(({ no }) => !leftOut.has(no)))
  if (fates.undone < least || fates.undone > undone.length + others) {
    return `${fates.undone} undone, ${few(undone)} in the ledger`
  }
  return undefined
}
