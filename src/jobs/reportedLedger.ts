import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { type Ledger, LedgerRefused } from "../ledger/Ledger.ts"
import type { Project } from "../project/Project.ts"
import { type PastRuns, readLatestReports } from "../report/pastRuns.ts"

/**
 * What is wrong with a ledger in the light of a pipeline's reports: it vanished, it is another one, or it is older than they say (product.md, "The ledger").
 *
 * @param ledger undefined: there is none
 * @param file where it is, or should be
 * @returns a sentence without its stop; undefined when nothing is wrong, or nothing was ever reported
 */
const wrongWith = (
  ledger: Pick<Ledger, "id" | "lastIntent"> | undefined,
  past: Pick<PastRuns, "ledger">,
  pipeline: string,
  file: string,
) =>
  Effect.gen(function*() {
    const before = past.ledger
    if (before === undefined) return undefined
    if (ledger === undefined) return `The ledger ${file} vanished: run ${before.run} of ${pipeline} wrote it`
    if (before.id !== ledger.id) return `The ledger ${file} is not the one that run ${before.run} of ${pipeline} wrote`
    const lastIntent = yield* ledger.lastIntent
    return lastIntent < before.lastIntent
      ? `The ledger ${file} is older than run ${before.run} of ${pipeline}: it knows ${lastIntent} batches, the report ${before.lastIntent}`
      : undefined
  })

const putBack = "Put the right ledger and its key file back"

/** Refuses a ledger that is not the one of the reports: it is no first run, whatever the ledger says. */
export const ledgerIsTheSame = (
  ledger: Pick<Ledger, "id" | "lastIntent"> | undefined,
  past: Pick<PastRuns, "ledger">,
  pipeline: string,
  file: string,
) =>
  Effect.gen(function*() {
    const wrong = yield* wrongWith(ledger, past, pipeline, file)
    if (wrong === undefined) return
    return yield* new LedgerRefused({
      message: `${wrong}. Rows that were already imported would go in a second time, and for ever. `
        + `${putBack}; or, if you are sure that nothing gets doubled, run with --accept-ledger.`,
    })
  })

/** The same for a command that sends nothing, such as `settle`: it reads the pipeline's reports itself. */
export const ledgerIsReported = (project: Project, pipeline: string, ledger: Ledger | undefined) =>
  Effect.flatMap(
    readLatestReports(project.reports, pipeline, 1),
    (past) => ledgerIsTheSame(ledger, past, pipeline, project.ledger),
  )

/** A pipeline whose reports speak of a ledger that is not there. */
export interface LedgerMissed {
  readonly pipeline: string
  /** What is wrong and what to do, as sentences. */
  readonly message: string
}

/** The pipelines whose reports speak of another ledger, or of a later one; only reads. */
export const missedBy = (project: Project, pipelines: ReadonlyArray<string>, ledger: Ledger | undefined) =>
  Effect.map(
    Effect.forEach(pipelines, (pipeline) =>
      Effect.map(
        Effect.flatMap(
          readLatestReports(project.reports, pipeline, 1),
          (past) => wrongWith(ledger, past, pipeline, project.ledger),
        ),
        (wrong): ReadonlyArray<LedgerMissed> =>
          wrong === undefined ? [] : [{
            pipeline,
            message:
              `${wrong}. What ${pipeline} imported before is not known here, and its runs are refused. ${putBack}; if it is lost for good, docs/in-doubt.md says what to do.`,
          }],
      )),
    (missed) => missed.flat(),
  )

/** Names of the pipelines that have left reports. */
export const reportedPipelines = (project: Project) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.readDirectory(project.reports), () => []))
