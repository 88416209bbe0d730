/** Where a row ended. Every row read has exactly one; the order is that of product.md's balance. */
export const fates = [
  "filtered",
  "duplicate",
  "alreadyImported",
  "changed",
  "invalid",
  "refused",
  "inDoubt",
  "pending",
  "imported",
] as const

export type Fate = (typeof fates)[number]

/** Number of rows by fate, and all that were read. */
export type RowCounts = { readonly read: number } & { readonly [F in Fate]: number }

/** What reading a submission back showed. */
export const verdicts = ["verified", "differing", "missing", "unread"] as const

export type Verdict = (typeof verdicts)[number]

export type VerdictCounts = { readonly [V in Verdict]: number }
