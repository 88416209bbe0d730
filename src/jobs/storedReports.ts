// A ledger that several hosts use also has the reports, so that every host can show them, and compare with them.
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { messageOf } from "../domain/systemErrors.ts"
import { LedgerError } from "../ledger/errors.ts"
import { ownedFolder } from "../ledger/holder.ts"
import type { StoredReports } from "../ledger/LedgerDatabase.ts"
import { databaseOf } from "../ledger/openLedger.ts"
import { disk } from "../project/disk.ts"
import type { Project } from "../project/Project.ts"
import type { emptyFolder } from "../report/forget.ts"
import { failing } from "../report/partFiles.ts"
import { isFolderName, latestRun, pointLatest, reportName, runFolders } from "../report/pastRuns.ts"
import { ledgerOf } from "./projectLedger.ts"

/** Opens the stored reports of a project for the scope. Returns undefined if its reports are only in its folder. */
const openStored = (project: Project) =>
  project.ledger.storesReports
    ? Effect.flatMap(ledgerOf(project), (options) => databaseOf(options).reports)
    : Effect.succeed(undefined)

/** Uses the stored reports of a project. Does nothing if its reports are only in its folder. */
const withStored = <A, E, R>(
  project: Project,
  use: (stored: StoredReports) => Effect.Effect<A, E, R>,
) =>
  Effect.scoped(
    Effect.flatMap(openStored(project), (stored) => stored === undefined ? Effect.void : Effect.asVoid(use(stored))),
  )

/** Only logs a failure, because the command can do its work without the stored reports. */
const orWarn = (what: string) =>
  Effect.catchAll((error: { readonly message: string }) =>
    Effect.logWarning(`${what}. ${error instanceof LedgerError ? error.withoutRows : messageOf(error)}`)
  )

/** Empties a run's folder. Loads the code for it only then, because every run loads this file before it sends anything. */
const emptied = (...given: Parameters<typeof emptyFolder>) =>
  Effect.flatMap(Effect.promise(() => import("../report/forget.ts")), ({ emptyFolder }) => emptyFolder(...given))

/** Which stored reports are fetched: all files of these runs, and report.json of the newest ones. */
interface Wanted {
  readonly newest: number
  readonly whole: "all" | ReadonlyArray<string | undefined>
}

/**
 * Fetches the files of a stored run that this host lacks, all of them or only report.json. They appear in its folder only when they are complete. If a
 * different host has emptied the run, empties its folder. Returns the names of the files that were fetched.
 */
const fetchRun = (
  stored: StoredReports,
  folder: string,
  { isEmptied, isWhole, pipeline, run }: {
    readonly pipeline: string
    readonly run: string
    readonly isEmptied: boolean
    readonly isWhole: boolean
  },
) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const isThere = yield* fs.exists(folder)
    const has = isThere ? yield* fs.readDirectory(folder) : []
    if (isEmptied && has.some((name) => name !== reportName)) yield* emptied({ folder })
    const lacking = (yield* stored.files({ pipeline, run })).filter(({ name }) =>
      isFolderName(name) && !has.includes(name) && (isWhole || name === reportName)
    )
    const names = lacking.map(({ name }) => name)
    if (lacking.length === 0) return names
    const draft = yield* ownedFolder(path.dirname(folder), ".fetched-")
    for (const file of lacking) yield* stored.read({ pipeline, run }, file, path.join(draft, file.name))
    // If the folder exists, or another process makes it now, the files are moved one by one.
    if (!isThere && (yield* Effect.isSuccess(fs.rename(draft, folder)))) return names
    for (const name of names) yield* fs.rename(path.join(draft, name), path.join(folder, name))
    return names
  }).pipe(Effect.scoped)

/** Returns a pipeline's stored runs, the newest first, and the folder for their reports, which exists if there are any. */
const storedRuns = (stored: StoredReports, reports: string, pipeline: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const ofPipeline = (yield* Path.Path).join(reports, pipeline)
    const runs = isFolderName(pipeline) ? (yield* stored.runs(pipeline)).filter(({ run }) => isFolderName(run)) : []
    if (runs.length > 0) yield* fs.makeDirectory(ofPipeline, { recursive: true, mode: 0o700 })
    return { ofPipeline, runs }
  })

/** Fetches stored reports that this host lacks into the project's report folder. */
const fetchFrom = (stored: StoredReports, reports: string, pipeline: string, { newest, whole }: Wanted) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { ofPipeline, runs } = yield* storedRuns(stored, reports, pipeline)
    if (runs.length === 0) return
    const own = new Set(yield* runFolders(ofPipeline))
    for (const [nth, { isEmptied, run }] of runs.entries()) {
      const folder = path.join(ofPipeline, run)
      const isWhole = whole === "all" || whole.includes(run)
      if (own.has(run) ? !isEmptied && !isWhole : !isWhole && nth >= newest) continue
      yield* fetchRun(stored, folder, { pipeline, run, isEmptied, isWhole })
    }
    const [last] = runs
    const pointed = yield* latestRun(ofPipeline)
    const isNewer = last !== undefined && (pointed === undefined || last.run > pointed)
    if (isNewer && (yield* fs.exists(path.join(ofPipeline, last.run)))) yield* pointLatest(ofPipeline, last.run)
  })

/** Fetches the reports of other hosts that this one lacks. Fails if they can't be fetched. */
export const fetchAllReports = (project: Project, pipeline: string) =>
  withStored(
    project,
    (stored) =>
      fetchFrom(stored, project.reports, pipeline, { newest: 0, whole: "all" }).pipe(failing(project.reports)),
  )

/** Returns how to fetch a pipeline's stored reports one at a time, for the scope. None, if its reports are only in the project's folder. */
export const openElsewhere = (project: Project, pipeline: string) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const stored = isFolderName(pipeline) ? yield* openStored(project) : undefined
    if (stored === undefined) return undefined
    const { ofPipeline, runs } = yield* storedRuns(stored, project.reports, pipeline)
    const emptied = new Set(runs.flatMap(({ isEmptied, run }) => isEmptied ? [run] : []))
    return {
      runs: runs.map(({ run }) => run),
      fetch: (run: string) =>
        fetchRun(stored, path.join(ofPipeline, run), { pipeline, run, isEmptied: emptied.has(run), isWhole: true })
          .pipe(failing(project.reports)),
    }
  }).pipe(failing(project.reports))

/** Fetches the reports of other hosts that this one lacks, as far as the database can be reached. */
export const fetchReports = (project: Project, pipeline: string, wanted: Wanted) =>
  withStored(project, (stored) => fetchFrom(stored, project.reports, pipeline, wanted)).pipe(
    orWarn(`The reports of other hosts could not be fetched into ${project.reports}`),
  )

/**
 * Stores a finished run's folder for other hosts, and those of this host's earlier runs that could not be stored.
 *
 * @param run if no run is stored yet, only this one and later ones are stored. Empty: all runs
 */
export const storeReport = (project: Project, pipeline: string, run: string) =>
  withStored(project, (stored) =>
    Effect.gen(function*() {
      const { fs, path } = yield* disk
      const ofPipeline = path.join(project.reports, pipeline)
      const known = (yield* stored.runs(pipeline)).map(({ run }) => run)
      // What is older than every stored run was removed there.
      const oldest = known.at(-1) ?? run
      for (const name of yield* runFolders(ofPipeline)) {
        const folder = path.join(ofPipeline, name)
        if (known.includes(name) || name < oldest || !(yield* fs.exists(path.join(folder, reportName)))) continue
        yield* stored.store({ pipeline, run: name }, folder)
      }
    })).pipe(
      orWarn(`The report of this run is only on this host, in ${project.reports}. The next run on this host stores it`),
    )

/** Replaces stored reports by those of emptied folders. */
export const emptyStored = (project: Project, pipeline: string, folders: ReadonlyArray<{ readonly folder: string }>) =>
  withStored(
    project,
    (stored) =>
      Effect.flatMap(
        Path.Path,
        (path) => stored.empty(folders.map(({ folder }) => ({ pipeline, run: path.basename(folder), folder }))),
      ),
  )

export const removeStored = (project: Project, pipeline: string, runs: ReadonlyArray<string>) =>
  runs.length === 0
    ? Effect.void
    : withStored(project, (stored) => stored.remove(pipeline, runs)).pipe(
      orWarn(`Old reports of ${pipeline} could not be removed from the ledger's database`),
    )
