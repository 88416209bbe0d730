import type { VerdictCounts } from "./fate.ts"

interface PhaseWords {
  readonly title: string
  /** The noun for one of the things it counts. */
  readonly counts: string
  readonly isSending?: true
  /** What is shown instead of a count, for a phase without one. */
  readonly shown?: string
}

/** Steps that take time: those of a run in their order, then those of other commands. */
const table = {
  survey: { title: "survey", counts: "row" },
  canary: { title: "canary", counts: "row", isSending: true },
  import: { title: "import", counts: "row", isSending: true },
  readBack: { title: "read back", counts: "submission" },
  report: { title: "report", counts: "row", shown: "writing the report" },
  known: { title: "read the ledger", counts: "submission" },
  results: { title: "read the results", counts: "submission" },
  export: { title: "export", counts: "row" },
  reports: { title: "search the reports", counts: "report" },
  rewrite: { title: "rewrite the ledger", counts: "row", shown: "rewriting the ledger's file" },
  copy: { title: "copy the ledger", counts: "row", shown: "copying the ledger's file" },
  verify: { title: "verify the ledger", counts: "row", shown: "checking the ledger's file" },
} as const satisfies { readonly [name: string]: PhaseWords }

export type Phase = keyof typeof table

export const phases: { readonly [P in Phase]: PhaseWords } = table

/** How far a run, or other long work, has come; all numbers are totals so far unless they say otherwise. */
export interface Progress {
  readonly phase: Phase
  /** Rows that this phase has finished. */
  readonly read: number
  /** All rows of this phase, if known. */
  readonly total: number | undefined
  /** Rows whose create request was answered. */
  readonly sent: number
  readonly readBack: VerdictCounts
  readonly inDoubt: number
  /** Requests answered with 429 (slow down). */
  readonly throttled: number
  /** Rows of this phase per second, recently. */
  readonly rate: number | undefined
}
