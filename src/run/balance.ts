import { fates, type RowCounts, type VerdictCounts, verdicts } from "../domain/fate.ts"

/**
 * Whether every row read has exactly one fate, and every row imported one verdict (product.md, "Fates and the balance").
 *
 * @param submissions for a reconciliation, how many submissions the verdicts are about
 */
export const balanceHolds = (rows: RowCounts, readBack: VerdictCounts, submissions = rows.imported): boolean =>
  fates.reduce((sum, fate) => sum + rows[fate], 0) === rows.read
  && readBack.unread >= 0 && verdicts.reduce((sum, verdict) => sum + readBack[verdict], 0) === submissions
