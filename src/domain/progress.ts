import type { VerdictCounts } from "./fate.ts"

/** The steps of a run that take time, in their order. */
export const phases = ["survey", "canary", "import", "readBack", "report"] as const

export type Phase = (typeof phases)[number]

/** How far a run has come; all numbers are totals of the run so far unless they say otherwise. */
export interface Progress {
  readonly phase: Phase
  /** Rows that this phase has been through. */
  readonly read: number
  /** Rows of this phase, if known. */
  readonly total: number | undefined
  /** Rows whose create request was answered. */
  readonly sent: number
  readonly readBack: VerdictCounts
  readonly inDoubt: number
  /** Requests that the service asked to slow down (429). */
  readonly throttled: number
  /** Rows of this phase per second, lately. */
  readonly rate: number | undefined
}
