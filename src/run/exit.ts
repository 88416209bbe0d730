import { exits } from "../domain/exit.ts"
import type { Outcome } from "../domain/run.ts"
import type { Signal, StopReason } from "./Stop.ts"

/** The exit code of a process that a signal ended. Supervisors know 143 as a clean end. So is a terminal that was closed. */
export const statusOfSignal: { readonly [S in Signal]: number } = {
  SIGINT: exits.interrupted.code,
  SIGTERM: exits.terminated.code,
  SIGHUP: exits.terminated.code,
}

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

/** The exit code of a run and its outcome; if several apply, the first of these. */
export const ending = (end: Ending): { readonly exitCode: number; readonly outcome: Outcome } => {
  const has = <T extends StopReason["_tag"]>(tag: T) =>
    end.reasons.find((reason): reason is Extract<StopReason, { readonly _tag: T }> => reason._tag === tag)
  const interrupted = has("Interrupted")
  const doubtful = end.inDoubt > 0 || has("CanaryInDoubt") !== undefined
  if (!end.balanced) return { exitCode: exits.internalError.code, outcome: "stopped" }
  if (interrupted !== undefined) {
    return { exitCode: statusOfSignal[interrupted.signal], outcome: "interrupted" }
  }
  if (has("Unconfirmed") !== undefined) return { exitCode: exits.wrong.code, outcome: "stopped" }
  if (has("Refused") !== undefined) return { exitCode: exits.wrong.code, outcome: "stopped" }
  if (has("Overtaken") !== undefined) return { exitCode: exits.busy.code, outcome: "stopped" }
  if (has("Unavailable") !== undefined) return { exitCode: exits.unavailable.code, outcome: "unavailable" }
  if (has("Protected") !== undefined) return { exitCode: exits.stopped.code, outcome: "stopped" }
  if (doubtful) return { exitCode: exits.unproven.code, outcome: "inDoubt" }
  if (end.unproven > 0) return { exitCode: exits.unproven.code, outcome: "differing" }
  if (end.needed > 0 || end.uncovered) return { exitCode: exits.attention.code, outcome: "attention" }
  return { exitCode: exits.complete.code, outcome: "complete" }
}
