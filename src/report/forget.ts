import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import Papa from "papaparse"
import { type Disk, disk, replaceText } from "../project/disk.ts"
import { withoutApostrophe } from "./csv.ts"
import { failing, ReportError } from "./partFiles.ts"
import { reportFolders, reportName } from "./pastRuns.ts"
import { forgetRows, parseReport, reportJson } from "./reportFile.ts"

/** The folder of a run, with the files that contain data of rows. */
export interface Holding {
  readonly folder: string
  readonly files: ReadonlyArray<string>
}

/** The titles of the columns with the row key in formferry's CSV files. */
const keyTitles = ["_key", "key"]

/** Whether a line of one of formferry's CSV files has one of the keys. Adds the submission ids in such lines to `ids`. */
const csvHolds = (text: string, keys: ReadonlySet<string>, ids: Set<string>): boolean => {
  let at: number | undefined
  let submission = -1
  let found = false
  Papa.parse<ReadonlyArray<string>>(text, {
    step: ({ data }, parser) => {
      if (at === undefined) {
        // formferry's own columns follow the source's columns.
        at = Math.max(...keyTitles.map((title) => data.lastIndexOf(title)))
        submission = data.lastIndexOf("submission_id")
        if (at < 0) parser.abort()
        return
      }
      const key = data[at]
      if (key === undefined || !(keys.has(key) || keys.has(withoutApostrophe(key)))) return
      found = true
      const id = data[submission] ?? ""
      if (id !== "") ids.add(id)
    },
  })
  return found
}

/** Reports that this host may lack. */
export interface Elsewhere<E, R> {
  readonly runs: ReadonlyArray<string>
  /** Fetches the files of a run that this host lacks. Returns their names. */
  readonly fetch: (run: string) => Effect.Effect<ReadonlyArray<string>, E, R>
}

/**
 * Finds the folders of a pipeline's runs whose files contain one of these row keys, or a submission id that belongs to them. Includes folders left by killed runs. Masked copies (`--redact`) contain
 * neither. Fetches the reports of other hosts one at a time, and removes those again that contain nothing of the rows.
 *
 * @param submissionIds the ids that are already known; the reports add others
 * @param show is called after each folder with the number of searched folders and the total
 */
export const foldersHolding = <E = never, R = never>(
  reports: string,
  pipeline: string,
  keys: ReadonlyArray<string>,
  submissionIds: ReadonlyArray<string>,
  show: (searched: number, of: number) => Effect.Effect<void>,
  elsewhere?: Elsewhere<E, R>,
): Effect.Effect<ReadonlyArray<Holding>, ReportError | E, Disk | R> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const ofPipeline = path.join(reports, pipeline)
    const stored = new Set(elsewhere?.runs)
    const isFolder = (file: string) => Effect.map(fs.stat(file).pipe(failing(file)), ({ type }) => type === "Directory")
    const named = yield* reportFolders(ofPipeline).pipe(
      Effect.mapError(({ file, reason }) => new ReportError({ file, cause: reason })),
    )
    // Other programs, or people, may have put files among the folders.
    const own = yield* Effect.filter(named, (name) => isFolder(path.join(ofPipeline, name)))
    const runs = [...new Set([...own, ...stored])].toSorted()
    const wanted = new Set(keys)
    const ids = new Set(submissionIds)
    const inJson = keys.flatMap((key) => {
      const quoted = JSON.stringify(JSON.stringify(key)).slice(1, -1)
      // The others are in sentences about row keys (`because`).
      return [`"key":${JSON.stringify(key)}`, `${quoted} (row `, `such as ${quoted}`]
    })
    const holds = (name: string, text: string) => {
      const compact = name.endsWith(".json") ? text.replaceAll('": ', '":') : text
      const inCsv = /\.csv(\.part)?$/.test(name) && csvHolds(text, wanted, ids)
      return inCsv || inJson.some((one) => compact.includes(one)) || [...ids].some((id) => text.includes(id))
    }
    const search = Effect.forEach(runs, (run, at) =>
      Effect.gen(function*() {
        const folder = path.join(ofPipeline, run)
        const fetched = elsewhere === undefined || !stored.has(run) ? [] : yield* elsewhere.fetch(run)
        const names = (yield* fs.readDirectory(folder).pipe(failing(folder))).toSorted()
        const files = yield* Effect.filter(names, (name) =>
          Effect.gen(function*() {
            const file = path.join(folder, name)
            // A masked copy is a folder.
            if (yield* isFolder(file)) return false
            return holds(name, yield* fs.readFileString(file).pipe(failing(file)))
          }))
        if (files.length === 0 && fetched.length > 0) {
          for (const name of fetched.length < names.length ? fetched.map((one) => path.join(folder, one)) : [folder]) {
            yield* fs.remove(name, { recursive: true }).pipe(failing(name))
          }
        }
        yield* show(at + 1, runs.length)
        return { folder, files }
      }))
    const first = yield* search
    // An id that was found in one folder may also be in an earlier one.
    const holding = ids.size > submissionIds.length ? yield* search : first
    return holding.filter(({ files }) => files.length > 0)
  })

/** Removes all files of a run except report.json. Its counts remain, because they are the pipeline's history and reveal that a ledger has vanished. */
export const emptyFolder = (
  { folder }: Pick<Holding, "folder">,
): Effect.Effect<void, ReportError, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = path.join(folder, reportName)
    const report = (yield* fs.exists(file))
      ? Either.getOrUndefined(parseReport(yield* fs.readFileString(file)))
      : undefined
    if (report !== undefined) yield* replaceText(file, `${reportJson(forgetRows(report))}\n`, 0o600)
    for (const name of yield* fs.readDirectory(folder)) {
      if (report === undefined || name !== reportName) yield* fs.remove(path.join(folder, name), { recursive: true })
    }
    if (report === undefined) yield* fs.remove(folder)
  }).pipe(failing(folder))
