import type { Outcome } from "../domain/run.ts"
import type { Signal, StopReason } from "./Stop.ts"

/** The exit status of a process that a signal ended. Supervisors know 143 as a clean end; a terminal that was closed is one, too. */
export const statusOfSignal: { readonly [S in Signal]: number } = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 }

/** What decides how a run ended. */
export interface Ending {
  readonly balanced: boolean
  readonly reasons: ReadonlyArray<StopReason>
  /** Rows in doubt, missing, differing or unread that nobody has acknowledged, over all that the ledger holds here. */
  readonly inDoubt: number
  readonly unproven: number
  /** Rows that need a person and that nobody has acknowledged. */
  readonly needed: number
  /** Rows may be in no source that was read, and nobody has accepted that. */
  readonly uncovered: boolean
}

/** The exit status of a run and its outcome (product.md, "Commands"): when several apply, in the order written there. */
export const ending = (end: Ending): { readonly exitCode: number; readonly outcome: Outcome } => {
  const has = <T extends StopReason["_tag"]>(tag: T) =>
    end.reasons.find((reason): reason is Extract<StopReason, { readonly _tag: T }> => reason._tag === tag)
  const interrupted = has("Interrupted")
  const doubtful = end.inDoubt > 0 || has("CanaryInDoubt") !== undefined
  if (!end.balanced) return { exitCode: 70, outcome: "stopped" }
  if (interrupted !== undefined) {
    return { exitCode: statusOfSignal[interrupted.signal], outcome: "interrupted" }
  }
  if (has("Unconfirmed") !== undefined) return { exitCode: 2, outcome: "stopped" }
  if (has("Refused") !== undefined) return { exitCode: 2, outcome: "stopped" }
  if (has("Overtaken") !== undefined) return { exitCode: 6, outcome: "stopped" }
  if (has("Unavailable") !== undefined) return { exitCode: 5, outcome: "unavailable" }
  if (has("Protected") !== undefined) return { exitCode: 3, outcome: "stopped" }
  if (doubtful) return { exitCode: 4, outcome: "inDoubt" }
  if (end.unproven > 0) return { exitCode: 4, outcome: "differing" }
  if (end.needed > 0 || end.uncovered) return { exitCode: 1, outcome: "attention" }
  return { exitCode: 0, outcome: "complete" }
}

/** Exit codes from the gravest to none (product.md, "Commands"): over several pipelines the gravest counts, and a pipeline that was busy counts least. */
const byGravity = [70, 130, 143, 2, 5, 3, 4, 1, 6, 0]

/** The exit status over several pipelines. */
export const gravest = (codes: ReadonlyArray<number>): number => byGravity.find((code) => codes.includes(code)) ?? 70
