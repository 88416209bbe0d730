import type { AnomalyCode } from "../domain/anomaly.ts"
import type { RowCounts, VerdictCounts } from "../domain/fate.ts"
import type { ProblemCode } from "../domain/problem.ts"
import type { Mode, Outcome } from "../domain/run.ts"
import type { Notice } from "../project/notifySchema.ts"

/**
 * What a webhook is sent (docs/notify.md): more members may be added, these stay. Counts, codes and names of the project only: no row key, no cell, no
 * answer, and no text that a service or a file made up.
 */
export interface Notification {
  /** The version of formferry. */
  readonly formferry: string
  /** The outcome of the run, or `failed`. */
  readonly event: Notice
  readonly pipeline: string
  /** Null where a run ended without a report, or did not begin. */
  readonly run: string | null
  readonly mode: Mode | null
  readonly outcome: Outcome | null
  readonly exitCode: number
  /** The error's name where there is no report. */
  readonly error: string | null
  /** ISO 8601, UTC. */
  readonly startedAt: string | null
  readonly finishedAt: string
  readonly form: { readonly service: string; readonly id: string; readonly name: string } | null
  readonly rows: RowCounts | null
  readonly readBack: VerdictCounts | null
  readonly acknowledged: number
  /** Rows with a problem, by its code. */
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly count: number }>
  /** What about the run is unlike the runs before; `new`: told for the first time. */
  readonly anomalies: ReadonlyArray<{ readonly code: AnomalyCode; readonly message: string; readonly new: boolean }>
  /** The command to run next. */
  readonly next: string | null
  /** The same for people, as Slack and those that take its webhooks show it. */
  readonly text: string
}
