import { fates, type RowCounts, type VerdictCounts, verdicts } from "../domain/fate.ts"

/** Whether every row read has exactly one fate, and every row imported one verdict (product.md, "Fates and the balance"). */
export const balanceHolds = (rows: RowCounts, readBack: VerdictCounts): boolean =>
  fates.reduce((sum, fate) => sum + rows[fate], 0) === rows.read
  && verdicts.reduce((sum, verdict) => sum + readBack[verdict], 0) === rows.imported
