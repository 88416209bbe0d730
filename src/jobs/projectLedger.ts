import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { join } from "node:path"
import type { Ledger } from "../ledger/Ledger.ts"
import { type Asker, type MarkPlaces, marksFolder, missing, notNewest } from "../ledger/marks.ts"
import { type LedgerOptions, openLedger } from "../ledger/openLedger.ts"
import type { Project } from "../project/Project.ts"

/** The marks of a project's ledger are next to its ledger, and with its reports, so that each is found if the other is lost. */
const marksOf = ({ ledger, reports }: Pick<Project, "ledger" | "reports">): MarkPlaces => ({
  ledger,
  folders: [marksFolder(ledger), join(reports, ".ledger")],
  write: true,
})

/** Returns how to open a project's ledger. `asker`: undefined if no single pipeline asks. */
export const ledgerOf = (project: Pick<Project, "ledger" | "reports">, asker?: Asker): LedgerOptions => ({
  file: project.ledger,
  marks: marksOf(project),
  ...(asker === undefined ? {} : { asker }),
})

/** Returns how to open a copy of a project's ledger for a rehearsal: refused where the run would be, and without marks of its own. */
export const rehearsalLedgerOf = (project: Project, copy: string, asker: Asker): LedgerOptions => ({
  file: copy,
  marks: { ...marksOf(project), write: false },
  asker,
})

/**
 * Opens a project's ledger if there is one; undefined if there never was. Refuses one that is missing.
 *
 * @param overruling whether a person accepts that it is missing, or not the newest: then it is created
 */
export const openIfAny = (project: Project, asker: Asker, overruling = false) =>
  Effect.gen(function*() {
    const neverWas = !(yield* ledgerExists(project)) && missing(marksOf(project)) === undefined
    return neverWas ? undefined : yield* openLedger({ ...ledgerOf(project, asker), overruling })
  })

const ledgerExists = (project: Pick<Project, "ledger">) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.exists(project.ledger), () => true))

/** A pipeline whose runs are refused, because the ledger is missing or is not the newest. */
export interface LedgerMissed {
  readonly pipeline: string
  /** What is wrong and what to do, as sentences. */
  readonly message: string
}

/** Returns the pipelines for which the ledger is not the newest and nobody has accepted that; only reads. */
export const missedBy = (project: Project, pipelines: ReadonlyArray<string>, ledger: Ledger | undefined) =>
  Effect.gen(function*() {
    const behind = ledger === undefined ? undefined : yield* ledger.behind
    const wrong = ledger === undefined ? missing(marksOf(project)) : behind?.wrong
    if (wrong === undefined) return []
    const places = ledger === undefined ? [] : yield* ledger.places
    const accepted = ledger === undefined || behind === undefined ? [] : yield* Effect.filter(
      places,
      (place) =>
        Effect.flatMap(
          ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] }),
          (view) => view.accepted("ledger", behind.states),
        ),
    )
    return pipelines
      .filter((pipeline) => !accepted.some((place) => place.pipeline === pipeline))
      .map((pipeline): LedgerMissed => ({
        pipeline,
        message: notNewest(wrong, { pipeline, target: undefined }).message,
      }))
  })
