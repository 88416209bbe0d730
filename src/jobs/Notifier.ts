import { Context } from "effect"
import type { Effect } from "effect"
import type { Anomaly, RunReport } from "../domain/report.ts"
import type { Project } from "../project/Project.ts"

/** How a pipeline's run ended: with a report, or before there was one. */
export type RunEnd =
  | { readonly _tag: "Reported"; readonly pipeline: string; readonly report: RunReport }
  | {
    readonly _tag: "Failed"
    readonly pipeline: string
    /** As `exits` has it. */
    readonly exitCode: number
    /** Tag of the error. */
    readonly error: string
    /** For people. */
    readonly message: string
    /** ISO 8601. */
    readonly at: string
  }

/** Whoever wants to know how runs end. It is told once after each run of `run` and of `schedule` (attempt.ts), by nobody else. */
export class Notifier extends Context.Tag("formferry/Notifier")<Notifier, {
  /**
   * Never fails: who can't be reached is logged, and the run's exit status stays what it is.
   *
   * @param project whose `notify` says who is to be told what
   * @param anomalies what is unlike the runs before
   */
  readonly notify: (project: Project, end: RunEnd, anomalies: ReadonlyArray<Anomaly>) => Effect.Effect<void>
}>() {}
