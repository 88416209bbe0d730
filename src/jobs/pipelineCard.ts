import type { Destination } from "../domain/destination.ts"
import type { Diagnostic } from "../domain/diagnostic.ts"
import type { Label } from "../domain/words.ts"
import type { RunRecord, Standing } from "../ledger/standing.ts"

/** What the ledger contains for a pipeline at one destination, as in `status`. */
interface StandingCard {
  /** The name of the target, if the pipeline has several. */
  readonly to: string | undefined
  readonly destination: Destination
  readonly standing: Pick<Standing, "imported" | "inDoubt" | "refused" | "verdicts">
  readonly state: Label
  /** The last runs, the newest first, with how each ended and the number of rows that it sent. */
  readonly runs: ReadonlyArray<
    Pick<RunRecord, "mode" | "run" | "startedAt"> & { readonly sent: number | undefined; readonly state: Label }
  >
}

/** A pipeline, and what `status` says about it. */
export interface PipelineCard {
  readonly name: string
  /** What it is doing, or the state in which its last run left it. */
  readonly state: Label
  /** Empty: it has one target without a name. */
  readonly targets: ReadonlyArray<{ readonly to: string; readonly service: string; readonly form: string }>
  /** Empty: nothing was sent yet. */
  readonly standings: ReadonlyArray<StandingCard>
  /** The next scheduled run. */
  readonly nextRun: string | undefined
  /** When a scheduled run was due that failed before it started. */
  readonly notStarted: string | undefined
  /** Why runs are refused. */
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
