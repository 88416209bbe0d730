import type { Lease } from "./holder.ts"

/** When a pipeline last had a scheduled turn, and when it last ran, on schedule or manually. A run of a different file, with a limit or to a different target than the schedule's doesn't count. Times are in milliseconds since 1970. */
export interface LastTurn {
  /** When the last turn was taken. If there was none: when the pipeline was first scheduled, or undefined if it never was. */
  readonly at: number | undefined
  /** `inProgress`: the process that took the turn may still be running. `stopped`: that process ended before the run did. */
  readonly state: "done" | "inProgress" | "stopped"
  /** If the state is `inProgress`: which process has the turn. When its lease expires, the turn counts as `stopped`. Otherwise undefined. */
  readonly lease: Lease | undefined
  /** How many runs were started for this turn. */
  readonly tries: number
  /** When the last run that counts was started. */
  readonly ran: number | undefined
}

/**
 * A change of a pipeline's turn. `taken`: this process runs the pipeline now. `retaken`: it repeats a run of the same turn that was stopped. `done`,
 * `stopped`: the turn that this process took has ended. After `stopped`, the turn may be taken again.
 */
export type TurnChange = "taken" | "retaken" | "done" | "stopped"
