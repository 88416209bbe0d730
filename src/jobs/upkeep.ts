import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { anyKeyOf, present } from "../domain/words.ts"
import { LedgerRefused } from "../ledger/errors.ts"
import type { Forgetting, Ledger } from "../ledger/Ledger.ts"
import { cancelMove, moveLedger } from "../ledger/move.ts"
import { databaseOf } from "../ledger/openLedger.ts"
import type { ExportedRow } from "../ledger/pages.ts"
import { newSecret } from "../ledger/secret.ts"
import { disk } from "../project/disk.ts"
import type { Project } from "../project/Project.ts"
import { type CsvLine, spreadsheetCsv } from "../report/csv.ts"
import { emptyFolder, foldersHolding } from "../report/forget.ts"
import { runFolders } from "../report/pastRuns.ts"
import { showWork } from "../run/Progress.ts"
import { JobRefused } from "./JobRefused.ts"
import { knownPipelines, ledgerOf, missedBy, noLedger, openOwn } from "./projectLedger.ts"
import { emptyStored, fetchAllReports, openElsewhere, storeReport } from "./storedReports.ts"

/** Fails if the ledger doesn't exist. The error distinguishes a ledger that is missing from a project that imported nothing yet. */
const requireLedger = (project: Project) =>
  Effect.gen(function*() {
    if (yield* databaseOf(yield* ledgerOf(project)).exists) return
    const [missed] = yield* missedBy(project, ["NAME"], undefined)
    return yield* new LedgerRefused({
      next: ["status"],
      message: missed?.message ?? noLedger(project),
    })
  })

/** Opens a project's ledger, which must exist. */
const opened = (project: Project) => Effect.zipRight(requireLedger(project), openOwn(project))

/** Deletes old runs, and rejected rows that are no longer in the source. Rewrites the ledger's file. No run may be in progress. */
export const compactLedger = (project: Project) =>
  Effect.scoped(
    Effect.flatMap(opened(project), (ledger) => Effect.zipRight(showWork("rewrite"), ledger.compact)),
  )

/**
 * Backs up the ledger with its secret. A run may be in progress. Fails if the ledger is not the newest copy, because its backup would replace good
 * backups, or if its database has tools of its own for backups. Returns the copy's size in bytes.
 */
export const backUp = (project: Project, file: string) =>
  Effect.gen(function*() {
    const { backUp } = databaseOf(yield* ledgerOf(project))
    if (backUp instanceof LedgerRefused) return yield* backUp
    yield* Effect.scoped(Effect.flatMap(opened(project), ({ isNewest }) => isNewest))
    yield* showWork("copy")
    return yield* backUp(file)
  })

export const newLedgerKey: Effect.Effect<string> = Effect.sync(newSecret)

/**
 * Creates the tables of a ledger in a database: of `newLedger`, if there is one. Returns false if there was nothing to do: this build's tables exist, or
 * the ledger is a file. Fails with `LedgerRefused` if the tables are those of a different build, or with `LedgerLocked` if a run is in progress there.
 *
 * @param owner the user who will own the tables. Default: the user of `ledger.url`
 */
export const migrateLedger = (project: Project, owner: string | undefined) =>
  Effect.gen(function*() {
    const { newLedger } = project
    const options = yield* ledgerOf({ ledger: newLedger ?? project.ledger })
    const more = newLedger === undefined ? {} : { isMoved: true, overruling: true }
    return yield* databaseOf({ ...options, ...more }).migrate(owner)
  })

/** Moves the ledger to the place that `newLedger` names, with the reports, or continues to do so. No run may be in progress. */
export const moveProject = (project: Project) =>
  Effect.gen(function*() {
    const { newLedger } = project
    if (newLedger === undefined) {
      return yield* new LedgerRefused({
        message:
          "config/formferry.yaml doesn't say where to move the ledger. Nothing was changed. Describe the new place in `newLedger`, with the keys of `ledger`.",
      })
    }
    yield* requireLedger(project)
    const moved = { ...project, ledger: newLedger }
    const to = yield* ledgerOf(moved)
    const done = yield* moveLedger(yield* ledgerOf(project), to, (records) => showWork("copy", records))
    for (const pipeline of done.pipelines) {
      yield* fetchAllReports(project, pipeline)
      yield* storeReport(moved, pipeline, "")
    }
    return done
  })

/** Opens a ledger again that was closed for a move. Returns whether it was closed, and how to remove what was copied, if that is known. */
export const cancelProjectMove = (project: Project) =>
  Effect.gen(function*() {
    yield* requireLedger(project)
    const cancelled = yield* Effect.flatMap(ledgerOf(project), cancelMove)
    const { newLedger } = project
    // The secrets of the new ledger are not needed to cancel.
    const to = newLedger && (yield* Effect.orElseSucceed(ledgerOf({ ledger: newLedger }), () => undefined))
    return { cancelled, removal: to && databaseOf(to).removal }
  })

const titles: ReadonlyArray<keyof ExportedRow> = [
  "pipeline",
  "service",
  "form",
  "key",
  "state",
  "row",
  "submissionId",
  "verdict",
  "sentAt",
  "submissionTime",
  "run",
]

const csvLine = (row: ExportedRow): CsvLine => titles.map((title) => String(row[title] ?? ""))

/**
 * Returns the ledger's rows as text, in pieces, so that memory stays bounded for any number of rows. A run may be in progress.
 *
 * @param names the pipelines; if empty, all pipelines
 */
export const exportLedger = (project: Project, names: ReadonlyArray<string>, format: "csv" | "jsonl") =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const ledger = yield* opened(project)
    const { places } = yield* knownPipelines(project, ledger, names)
    const counts = yield* Effect.forEach(
      places.filter(({ pipeline }) => names.length === 0 || names.includes(pipeline)),
      (place) => ledger.view(place).standing,
    )
    const total = counts.reduce((sum, { replaced, rows }) => sum + rows + replaced, 0)
    let exported = 0
    const textOf = (rows: ReadonlyArray<ExportedRow>): string =>
      format === "csv"
        ? spreadsheetCsv(rows.map(csvLine))
        : rows.map((row) => `${JSON.stringify(row)}\n`).join("")
    const lines = Stream.mapEffect(
      Stream.filter(ledger.exported(names), (rows) => rows.length > 0),
      (rows) => Effect.suspend(() => Effect.as(showWork("export", exported += rows.length, total), textOf(rows))),
    )
    return format === "csv" ? Stream.concat(Stream.make(spreadsheetCsv([titles])), lines) : lines
  }))

/** Returns the names under which a pipeline has reports, given its present names. Reports stay under the name that the pipeline had at that time. */
const reportNames = ({ reports }: Project, ledger: Ledger, names: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const places = (yield* ledger.places).filter(({ pipeline }) => names.includes(pipeline))
    const records = yield* Effect.forEach(
      places,
      (place) => ledger.view(place).runs({ limit: Number.MAX_SAFE_INTEGER }),
    )
    const runs = new Set(records.flat().map(({ run }) => run))
    const listed = <E, R>(folders: Effect.Effect<ReadonlyArray<string>, E, R>) =>
      Effect.orElseSucceed(folders, (): ReadonlyArray<string> => [])
    const earlier = yield* Effect.filter(
      yield* listed(fs.readDirectory(reports)),
      (name) => Effect.map(listed(runFolders(path.join(reports, name))), (own) => own.some((run) => runs.has(run))),
    )
    return [...new Set([...names, ...earlier])]
  })

interface ForgetOptions extends Omit<Forgetting, "renamedFrom"> {
  /** Whether to empty the reports that contain the rows, too. */
  readonly reports: boolean
}

/**
 * Forgets rows. Only the keyed digests of their keys stay in the ledger, so that the rows are not imported again. Returns the reports that contain
 * the rows. With `reports`, also empties these reports: only their counts stay. `busy` says why deleted data remains on the disk, if it does.
 */
export const forgetRows = (project: Project, options: ForgetOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const ledger = yield* opened(project)
    yield* showWork("rewrite")
    const { renamedFrom } = project.pipelines.get(options.pipeline) ?? {}
    const forgotten = yield* ledger.forget({ ...options, renamedFrom })
    if (forgotten.keys.length === 0) {
      const { keys, pipeline } = options
      return yield* new JobRefused({
        code: "NothingForgotten",
        next: ["ledger", "export", pipeline],
        message: `The ledger has no row of ${pipeline} with ${anyKeyOf(keys)}. \`ledger export\` lists all keys.`,
      })
    }
    const submissions = forgotten.submissions.map(({ submissionId }) => submissionId)
    const found = yield* Effect.forEach(
      yield* reportNames(project, ledger, present([options.pipeline, renamedFrom])),
      (name) =>
        Effect.gen(function*() {
          const folders = yield* foldersHolding(
            project.reports,
            name,
            forgotten.keys,
            submissions,
            (searched, of) => showWork("reports", searched, of),
            yield* openElsewhere(project, name),
          )
          return { name, folders }
        }),
    )
    const reports = found.flatMap(({ folders }) => folders)
    if (!options.reports) return { ...forgotten, reports, emptied: false }
    yield* Effect.forEach(reports, emptyFolder, { discard: true })
    const busy = yield* Effect.forEach(found, ({ folders, name }) => emptyStored(project, name, folders)).pipe(
      Effect.as(undefined),
      Effect.catchTag("LedgerBusy", Effect.succeed),
    )
    return { ...forgotten, busy: forgotten.busy ?? busy, reports, emptied: true }
  }))
