import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import type { Destination } from "../domain/destination.ts"
import type { RunRecord, Standing } from "../ledger/Ledger.ts"
import { openLedger } from "../ledger/openLedger.ts"
import { PipelineUnknown } from "../project/errors.ts"
import { listPipelines } from "../project/pipelineFiles.ts"
import type { Project } from "../project/Project.ts"
import { type LedgerMissed, missedBy } from "./reportedLedger.ts"

/** What the ledger holds for one pipeline at one destination. */
export interface PipelineStanding {
  readonly pipeline: string
  readonly destination: Destination
  readonly standing: Standing
  /** The last run that wrote here. */
  readonly lastRun: RunRecord | undefined
}

export interface ProjectStatus {
  /** Where the ledger is, and whether it is there at all. */
  readonly ledger: { readonly file: string; readonly exists: boolean }
  readonly pipelines: ReadonlyArray<PipelineStanding>
  /** Pipelines of the project that never sent anything. */
  readonly untouched: ReadonlyArray<string>
  /** Pipelines whose reports speak of another ledger than this one, or of a later one. */
  readonly missed: ReadonlyArray<LedgerMissed>
  /** Findings of SQLite's own integrity check; undefined when it was not asked for. */
  readonly damage: ReadonlyArray<string> | undefined
}

/**
 * What stands in the ledger, by pipeline and destination. Only reads, and takes no lock: it can be asked while a run is going on. A ledger that is not there yet is not made.
 *
 * @param names pipelines to tell about; none: all
 * @param options.verify whether to have SQLite check the whole file
 */
export const projectStatus = (
  project: Project,
  names: ReadonlyArray<string>,
  options: { readonly verify: boolean },
) =>
  Effect.scoped(
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { texts } = yield* listPipelines(project.root)
      const own = texts.flatMap(({ name }) => (name === undefined ? [] : [name]))
      const exists = yield* fs.exists(project.ledger)
      const ledger = exists ? yield* openLedger({ file: project.ledger }) : undefined
      const known = ledger === undefined ? [] : yield* ledger.pipelines
      const all = [...new Set([...own, ...known.map(({ pipeline }) => pipeline)])]
      const unknown = names.filter((name) => !all.includes(name))
      if (unknown.length > 0) return yield* new PipelineUnknown({ names: unknown, known: all })

      const asked = (name: string) => names.length === 0 || names.includes(name)
      const pipelines = ledger === undefined ? [] : yield* Effect.forEach(
        known.filter(({ pipeline }) => asked(pipeline)),
        ({ pipeline, destination }) =>
          Effect.gen(function*() {
            const view = yield* ledger.pipeline({ pipeline, destination, renamedFrom: undefined, alongside: [] })
            const standing: PipelineStanding = {
              pipeline,
              destination,
              standing: yield* view.standing,
              lastRun: (yield* view.runs(1))[0],
            }
            return standing
          }),
      )
      const missed = yield* missedBy(project, all.filter(asked), ledger)
      const status: ProjectStatus = {
        ledger: { file: project.ledger, exists },
        pipelines,
        untouched: own.filter((name) =>
          asked(name) && !pipelines.some(({ pipeline }) => pipeline === name)
          && !missed.some(({ pipeline }) => pipeline === name)
        ),
        missed,
        damage: options.verify && ledger !== undefined ? yield* ledger.verify : undefined,
      }
      return status
    }),
  )
