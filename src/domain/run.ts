import type { AnswerVerdict } from "./comparison.ts"
import type { RowCounts, VerdictCounts } from "./fate.ts"
import type { Json } from "./json.ts"
import type { ProblemCode } from "./problem.ts"

export const modes = ["run", "rehearsal", "dry-run", "reconcile"] as const
export type Mode = (typeof modes)[number]

export const outcomes = [
  "complete",
  "attention",
  "inDoubt",
  "differing",
  "stopped",
  "unavailable",
  "interrupted",
] as const
export type Outcome = (typeof outcomes)[number]

/** A file that a run read, as it was taken. */
export interface SourceFile {
  readonly file: string
  readonly format: string
  readonly bytes: number
  readonly sha256: string
  readonly rows: number
  /** How it was read, in the order to show it: encoding, delimiter, sheet, header row, … */
  readonly taken: ReadonlyArray<{ readonly what: string; readonly value: string }>
}

/** Problems of one kind, column and question, with a few examples. */
export interface ProblemGroup {
  readonly code: ProblemCode
  readonly column: string | undefined
  readonly question: string | undefined
  readonly count: number
  readonly examples: ReadonlyArray<
    { readonly row: number; readonly value: string | undefined; readonly message: string }
  >
}

/** One answer that did not come back as it was sent. */
export interface Difference {
  readonly row: number
  readonly key: string
  readonly submissionId: string
  readonly question: string
  readonly name: string
  readonly verdict: AnswerVerdict
  readonly sent: Json | undefined
  readonly returned: Json | undefined
  readonly editLink: string | undefined
}

/** Requests of a run, by operation; `retried` and `throttled` (429) are counted in the others too. */
export interface RequestCounts {
  readonly metadata: number
  readonly create: number
  readonly read: number
  readonly retried: number
  readonly throttled: number
}

/** What a run came to: the fields of report.json (product.md, "What a run leaves"), and what people see beside them. */
export interface RunReport {
  readonly pipeline: string
  readonly run: string
  readonly mode: Mode
  readonly form: { readonly service: string; readonly id: string; readonly name: string }
  /** ISO 8601 instants, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly outcome: Outcome
  readonly exitCode: number
  /** Why it ended this way, for people, in a sentence or two; what to do next is `next`. */
  readonly because: ReadonlyArray<string>
  /** The command to run next; absent when nothing is left to do. */
  readonly next: string | undefined
  readonly ledger: { readonly id: string; readonly lastIntent: number }
  /** Rows of this run that need a person and were acknowledged by one. */
  readonly acknowledged: number
  readonly sources: ReadonlyArray<SourceFile>
  readonly rows: RowCounts
  readonly readBack: VerdictCounts
  readonly balance: { readonly holds: boolean }
  readonly requests: RequestCounts
  readonly problems: ReadonlyArray<ProblemGroup>
  /** At most 1,000; all of them are in differences.csv. */
  readonly differences: ReadonlyArray<Difference>
  /** Fields of a question type that formferry does not know, discarded as rule 3 of the interface asks. */
  readonly discarded: ReadonlyArray<{ readonly type: string; readonly count: number }>
  /** Per question: rows that answered it, and how the answers of this run compared. */
  readonly questions: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly kind: string
    readonly answered: number
    readonly verdicts: { readonly [V in AnswerVerdict]?: number }
  }>
  readonly warnings: ReadonlyArray<string>
  readonly versions: { readonly formferry: string; readonly node: string }
  /** Digests that tell whether the mapping or the form changed between runs. */
  readonly fingerprints: { readonly mapping: string; readonly form: string }
}
