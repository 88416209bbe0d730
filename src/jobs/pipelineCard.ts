import type { Destination } from "../domain/destination.ts"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { RunRecord, Standing } from "../ledger/standing.ts"

/** What the ledger contains for a pipeline at one destination, as in `status`. */
interface StandingCard {
  /** The name of the target, if the pipeline has several. */
  readonly to: string | undefined
  readonly destination: Destination
  readonly standing: Pick<Standing, "imported" | "inDoubt" | "refused" | "verdicts">
  readonly isRunning: boolean
  /** The last runs, the newest first, with the number of rows that each sent. */
  readonly runs: ReadonlyArray<
    Pick<RunRecord, "mode" | "outcome" | "run" | "startedAt"> & { readonly sent: number | undefined }
  >
}

/** A pipeline, and what `status` says about it. */
export interface PipelineCard {
  readonly name: string
  /** Empty: it has one target without a name. */
  readonly targets: ReadonlyArray<{ readonly to: string; readonly service: string; readonly form: string }>
  /** Empty: nothing was sent yet. */
  readonly standings: ReadonlyArray<StandingCard>
  /** The next scheduled run. */
  readonly nextRun: string | undefined
  /** When a scheduled run was due that failed before it started. */
  readonly notStarted: string | undefined
  /** Why runs are refused, if the ledger is the reason. */
  readonly problem: string | undefined
}

/** What the first view of the studio shows. */
export interface Overview {
  /** The name of the project's folder. */
  readonly folder: string
  readonly pipelines: ReadonlyArray<PipelineCard>
  /** The names of the project's services. */
  readonly services: ReadonlyArray<string>
  /** Mistakes in files that can't be read. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}
