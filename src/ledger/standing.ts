// Counts and runs of a pipeline at a destination.
import type { Verdict, VerdictCounts } from "../domain/fate.ts"
import type { Json } from "../domain/json.ts"
import type { Outcome, RecordedMode } from "../domain/run.ts"
import type { Lease } from "./holder.ts"

/** Rows in doubt that were sent at the same time. */
export interface DoubtsOf {
  /** Whether the rows belong to open intents. */
  readonly open: boolean
  /** ISO 8601. */
  readonly sentAt: string
  readonly count: number
}

/** A run in progress: it holds the pipeline's lock and is not known to have ended. */
export interface RunInProgress {
  readonly run: string
  /** When the run took the lock (ISO 8601). */
  readonly since: string
  readonly lease: Lease
}

/** Counts of what is not proven or needs review, over everything that the ledger has for a pipeline at a destination. */
export interface Counts {
  /** Rows in doubt, including those of open intents. */
  readonly inDoubt: number
  readonly verdicts: { readonly [V in Exclude<Verdict, "verified">]: number }
  /**
   * How many rows a person acknowledged: in doubt, differing or missing. `unread` counts rows that a person said had landed: their submission ids are
   * unknown, so they can't be read back.
   */
  readonly acknowledged: {
    readonly inDoubt: number
    readonly differing: number
    readonly missing: number
    readonly unread: number
  }
  readonly drift: Drift
  /** Rows that needed review when a run last read the source, how many of them a person has acknowledged, and how many of the others can be fixed, because they were not imported before. */
  readonly attention: { readonly rows: number; readonly acknowledged: number; readonly fixable: number }
  readonly leftOut: number
  readonly settlements: number
  /** Number of the last batch that any pipeline recorded. 0 if there is none. */
  readonly lastIntent: number
}

/** All counts of a pipeline at a destination. */
export interface Standing extends Omit<Counts, "verdicts"> {
  readonly verdicts: VerdictCounts
  readonly rows: number
  readonly imported: number
  /** How many of the rows in `inDoubt` have open intents. While a run is in progress, these are the rows being sent. */
  readonly intended: number
  readonly refused: number
  /** Rows whose submissions were deleted by `undo` and that were not sent again. */
  readonly undone: number
  /** Submissions whose rows changed and were imported again. They remain in the form, in addition to `imported`. */
  readonly replaced: number
  /** Rows in doubt, grouped by when they were sent, oldest first. */
  readonly doubts: ReadonlyArray<DoubtsOf>
  readonly running: RunInProgress | undefined
}

/** Counts of verified submissions that were edited or deleted later, for a pipeline at a destination. */
export interface Drift {
  readonly edited: number
  readonly gone: number
  /** How many of these a person has acknowledged in their present state. */
  readonly acknowledged: { readonly edited: number; readonly gone: number }
}

export interface Reconciliation {
  readonly run: string
  /** When the reconciliation last made progress (ISO 8601). */
  readonly at: string
  /** The row up to which all rows have been read. `sent` continues after it. */
  readonly after: number
  /** Verdicts of the rows up to `after`. Drift counts as differing or missing. */
  readonly readBack: VerdictCounts
}

export interface RunRecord {
  readonly run: string
  readonly mode: RecordedMode
  readonly startedAt: string
  readonly finishedAt: string | undefined
  readonly outcome: Outcome | undefined
  readonly exitCode: number | undefined
  /** The report's `rows` and `readBack`, and the other figures that `status` shows. */
  readonly counts: Json
}
