import { namesOf, type Word } from "./words.ts"

/** The final states of a row, in the order of the balance. Every row read has exactly one fate. */
export const fateWords = {
  filtered: { title: "skipped on purpose", meaning: "by a condition of the pipeline or by a person", tone: "calm" },
  duplicate: { title: "duplicate", meaning: "the row key already occurred in this source", tone: "warn" },
  alreadyImported: { title: "already imported", meaning: "imported by an earlier run, unchanged", tone: "good" },
  changed: { title: "changed", meaning: "imported before with different content", tone: "warn" },
  undone: { title: "undone", meaning: "deleted from the form with undo; not sent again", tone: "calm" },
  invalid: { title: "invalid", meaning: "can't be turned into a valid submission; not sent", tone: "warn" },
  refused: { title: "refused", meaning: "the service refused it", tone: "bad" },
  inDoubt: { title: "in doubt", meaning: "sent, outcome unknown; not sent again", tone: "bad" },
  pending: { title: "pending", meaning: "valid, not sent yet", tone: "calm" },
  imported: { title: "imported", meaning: "created in this run", tone: "good" },
} as const satisfies { readonly [name: string]: Word }

export type Fate = keyof typeof fateWords

export const fates = namesOf(fateWords)

/** Returns the fate that a run would give a previewed row. Undefined if the row is valid: it may be imported already. */
export const previewedFate = (row: {
  readonly filtered: boolean
  readonly valid: boolean
  readonly change?: object | undefined
  readonly problems: ReadonlyArray<{ readonly code: string }>
}) =>
  row.filtered
    ? "filtered"
    : row.change !== undefined
    ? "changed"
    : row.valid
    ? undefined
    : row.problems.some(({ code }) => code === "duplicate-key")
    ? "duplicate"
    : "invalid"

/** The number of rows with each fate. */
export type FateCounts = { readonly [F in Fate]: number }

/** The number of rows with each fate, and of all rows that were read. */
export type RowCounts = { readonly read: number } & FateCounts

/** The fates of the rows in rejected.csv. */
export const rejectedFates = ["refused", "duplicate", "changed", "invalid"] as const satisfies ReadonlyArray<Fate>

/** Returns the number of rows in rejected.csv. */
export const rejectedIn = (rows: RowCounts): number => rejectedFates.reduce((sum, fate) => sum + rows[fate], 0)

/** The results of reading a submission back. */
export const verdictWords = {
  verified: { title: "verified", meaning: "every answer came back the same or equivalent", tone: "good" },
  differing: { title: "differing", meaning: "at least one answer came back different", tone: "bad" },
  missing: { title: "missing", meaning: "the service does not have the submission", tone: "bad" },
  unread: { title: "unread", meaning: "not read back yet", tone: "warn" },
} as const satisfies { readonly [name: string]: Word }

export type Verdict = keyof typeof verdictWords

export const verdicts = namesOf(verdictWords)

export type VerdictCounts = { readonly [V in Verdict]: number }

/** Returns how many submissions were read back or still have to be. */
export const submissionsIn = (readBack: VerdictCounts): number =>
  verdicts.reduce((sum, verdict) => sum + readBack[verdict], 0)
