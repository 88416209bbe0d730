import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { RunReport } from "../domain/report.ts"
import { isMissing, messageOf, reasonOf } from "../domain/systemErrors.ts"
import { type Disk, disk } from "../project/disk.ts"
import type { ReportsKept } from "../project/Project.ts"

/** A report can't be read. */
export class ReportUnreadable extends Schema.TaggedError<ReportUnreadable>()("ReportUnreadable", {
  file: Schema.String,
  /** The reason, as the end of a sentence. */
  reason: Schema.String,
}) {
  override get message() {
    return `The report ${this.file} can't be read: ${this.reason}.`
  }
}

/** The name of the link to the latest run's folder, next to the folders of the runs. */
const latest = "latest"

/** The name of the file with a run's report, in the run's folder. */
export const reportName = "report.json"

/** Matches exactly one level of a path, so that a name can't lead out of the report folder. */
export const isFolderName = (name: string): boolean => name !== "" && !/^\.+$/.test(name) && !/[/\\\p{Cc}]/u.test(name)

/**
 * Returns the names of the folders of a pipeline's runs, newest first. A run's id starts with its time, so the names
 * show the order. Empty if the pipeline never ran.
 */
export const runFolders = (ofPipeline: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(ofPipeline)).pipe(
    Effect.catchIf(isMissing, () => Effect.succeed([])),
    Effect.mapError((error) => new ReportUnreadable({ file: ofPipeline, reason: reasonOf(error) })),
    Effect.map((names) => names.filter((name) => name !== latest && !name.startsWith(".")).toSorted().reverse()),
  )

/** The number of runs that a message names to choose from. */
const named = 10

/** Returns the ids of a pipeline's newest runs that have a report, newest first. */
export const newestRuns = (reports: string, pipeline: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const ofPipeline = path.join(reports, pipeline)
    const newest = (yield* runFolders(ofPipeline)).slice(0, 2 * named)
    const withReport = yield* Effect.filter(newest, (name) => fs.exists(path.join(ofPipeline, name, reportName)))
    return withReport.slice(0, named)
  })

/** Whether a pipeline has a report, without reading it. */
export const ranBefore = (reports: string, pipeline: string): Effect.Effect<boolean, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    return yield* Effect.orElseSucceed(fs.exists(path.join(reports, pipeline, latest)), () => false)
  })

/** Returns the run that `latest` points to. Undefined if there is no such link. */
export const latestRun = (ofPipeline: string): Effect.Effect<string | undefined, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    return yield* Effect.orElseSucceed(fs.readLink(path.join(ofPipeline, latest)), () => undefined)
  })

/** Returns the path of a report's file in the folder of its run. A path through `latest` would lead to a different file after the next run. Returns the paths of other files unchanged. */
export const inRunFolder = (reports: string, file: string): Effect.Effect<string, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const { base, dir } = path.parse(file)
    if (path.basename(dir) !== latest) return file
    const run = yield* fs.realPath(dir)
    return path.dirname(path.dirname(run)) === (yield* fs.realPath(reports)) ? path.join(run, base) : file
  }).pipe(Effect.orElseSucceed(() => file))

/** Returns the names of all folders that may contain reports of a pipeline. Some programs copy a link as a folder, so `latest` may be one of them. */
export const reportFolders = (ofPipeline: string) =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const runs = yield* runFolders(ofPipeline)
    const isCopied = (yield* latestRun(ofPipeline)) === undefined
      && (yield* Effect.orElseSucceed(fs.exists(path.join(ofPipeline, latest)), () => false))
    return isCopied ? [...runs, latest] : runs
  })

/** Returns the temporary name under which the link is created. */
export const draftOfLatest = (run: string): string => `.${latest}-${run}`

/**
 * Points `latest` in a pipeline's report folder to a run, atomically. Only logs a failure, because the run itself did
 * not fail. The link can't be made if the file system has no symbolic links, or if a folder is called `latest`.
 */
export const pointLatest = (folder: string, run: string): Effect.Effect<void, never, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const temporary = path.join(folder, draftOfLatest(run))
    yield* fs.remove(temporary, { force: true })
    yield* fs.symlink(run, temporary)
    yield* fs.rename(temporary, path.join(folder, latest)).pipe(
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
    )
  }).pipe(
    Effect.catchAll((error) =>
      Effect.logWarning(`${folder}/latest could not be changed to point to this run's report: ${reasonOf(error)}`)
    ),
  )

/** The fields of a report that a list of runs needs. */
const listed = [
  "run",
  "mode",
  "form",
  "startedAt",
  "finishedAt",
  "outcome",
  "exitCode",
  "rows",
  "readBack",
  "needReview",
  "zone",
] as const

/** A run that left a report. */
export interface PastRun extends Pick<RunReport, (typeof listed)[number]> {
  /** Its folder. */
  readonly folder: string
}

/** A pipeline's reports, without those that could not be read. */
export interface PastRuns {
  /** The runs by start time, newest first. */
  readonly runs: ReadonlyArray<PastRun>
  /** The folders of runs without a report, which are in progress or were killed. */
  readonly unfinished: ReadonlyArray<string>
  /** Sentences about reports that were skipped because they can't be read. */
  readonly warnings: ReadonlyArray<string>
}

/** Turns the text of a report.json into what is needed of it. Left: why it can't, as the end of a sentence. */
type Parse<A> = (content: string) => Effect.Effect<Either.Either<A, string>>

/** Reads a whole report. */
const wholeReport: Parse<RunReport> = (content) =>
  Effect.map(Effect.promise(() => import("./reportFile.ts")), ({ parseReport }) => parseReport(content))

/** Reads the report in a run's folder. Returns undefined if there is none. */
const readFolder = <A>(folder: string, parse: Parse<A>): Effect.Effect<A | undefined, ReportUnreadable, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = path.join(folder, reportName)
    if (!(yield* fs.exists(file).pipe(Effect.orElseSucceed(() => true)))) return undefined
    const content = yield* fs.readFileString(file).pipe(
      Effect.mapError((error) => new ReportUnreadable({ file, reason: reasonOf(error) })),
    )
    return yield* Either.mapLeft(yield* parse(content), (reason) => new ReportUnreadable({ file, reason }))
  })

/**
 * Reads the reports of a pipeline. Skips a damaged report with a warning. A pipeline without a report folder has no
 * reports. Fails if the folder can't be listed.
 *
 * @param most how many of the newest reports to read, by the times in their names; default: all. A nightly pipeline has
 * thousands after some years
 */
const readReports = <A>(reports: string, pipeline: string, parse: Parse<A>, most?: number) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const ofPipeline = path.join(reports, pipeline)
    const folders = yield* runFolders(ofPipeline)
    const unfinished: Array<string> = []
    const warnings: Array<string> = []
    const read = yield* Effect.forEach(folders.slice(0, most), (name) => {
      const folder = path.join(ofPipeline, name)
      return Effect.map(Effect.either(readFolder(folder, parse)), (report) => {
        if (Either.isLeft(report)) warnings.push(`${report.left.message} It is skipped.`)
        else if (report.right === undefined) unfinished.push(name)
        else return [{ ...report.right, folder }]
        return []
      })
    }, { concurrency: 4 })
    return { runs: read.flat(), unfinished, warnings }
  })

/** Returns all reports of a pipeline, or `most` of the newest ones, the newest first. */
export const readAllReports = (
  reports: string,
  pipeline: string,
  most?: number,
): Effect.Effect<PastRuns, ReportUnreadable, Disk> =>
  Effect.map(
    readReports(
      reports,
      pipeline,
      (content) => Effect.map(wholeReport(content), Either.map(Struct.pick(...listed))),
      most,
    ),
    ({ runs, ...others }) => ({
      runs: runs.toSorted(Order.reverse(Order.mapInput(Order.string, (run) => run.startedAt))),
      ...others,
    }),
  )

/** What a run was for. */
const Purpose = Schema.Struct({
  run: Schema.String,
  mode: Schema.String,
  form: Schema.Struct({ id: Schema.String, service: Schema.String }),
})

const decodePurpose = Schema.decodeUnknownEither(Schema.parseJson(Purpose))

/** The number of a pipeline's latest reports that a run reads. */
export const reportsRead = 50

/** Returns what the newest runs of a pipeline were for, the newest first. Reads no more of their reports, because each run waits for it. */
export const newestPurposes = (reports: string, pipeline: string) =>
  readReports(
    reports,
    pipeline,
    (content) => Effect.sync(() => Either.mapLeft(decodePurpose(content), () => "it is not a report")),
    reportsRead,
  )

/** A report and its folder. */
export interface FoundReport {
  readonly report: RunReport
  readonly folder: string
}

/** Reads the report of a run, or of the latest run if `run` is undefined. Also returns its folder. */
export const readReport = (
  reports: string,
  pipeline: string,
  run: string | undefined,
): Effect.Effect<FoundReport, ReportUnreadable, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const ofPipeline = path.join(reports, pipeline)
    const name = run
      ?? (yield* latestRun(ofPipeline))
      ?? (yield* readAllReports(reports, pipeline)).runs[0]?.run
    const fail = (file: string, reason: string) => Effect.fail(new ReportUnreadable({ file, reason }))
    if (name === undefined) {
      return yield* fail(ofPipeline, `there is none yet. To make one, run: formferry run ${pipeline}`)
    }
    const folder = path.join(ofPipeline, name)
    if (!isFolderName(name)) return yield* fail(folder, "that is not a run id")
    if (!(yield* Effect.orElseSucceed(fs.exists(folder), () => true))) {
      const runs = yield* Effect.orElseSucceed(newestRuns(reports, pipeline), () => [])
      return yield* fail(
        folder,
        "there is no such run"
          + (runs.length === 0 ? "" : `. Runs with a report, the newest first: ${runs.join(", ")}`),
      )
    }
    const report = yield* readFolder(folder, wholeReport)
    if (report !== undefined) return { report, folder }
    const undone = path.join(folder, "undone.csv")
    return yield* fail(
      path.join(folder, reportName),
      (yield* Effect.orElseSucceed(fs.exists(undone), () => false))
        ? `an undo has no report. It lists the submissions that it deleted in ${undone}`
        : `this run left no report. To show the latest one, run: formferry report ${pipeline}`,
    )
  })

/** A killed run leaves a folder without a report. After this time, the run can no longer be in progress, and the folder is removed. */
const surelyDead = Duration.days(2)

/**
 * Removes a pipeline's old reports according to `reports: { keepRuns, keepDays }`, and equally old folders of killed runs. Never removes the newest report, the one that `latest` points to,
 * or one whose rejected.csv this run has read: a person fixed it, and rows of it may be left.
 * Failures are logged and don't affect the run. Returns the names of the removed folders.
 *
 * @param read the files that this run has read
 */
export const dropOldReports = (
  reports: string,
  pipeline: string,
  kept: ReportsKept,
  read: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, never, Disk> =>
  Effect.gen(function*() {
    if (kept.runs === undefined && kept.days === undefined) return []
    const { fs, path } = yield* disk
    const now = yield* Clock.currentTimeMillis
    const ofPipeline = path.join(reports, pipeline)
    const { runs, unfinished } = yield* readAllReports(reports, pipeline)
    const pointedTo = yield* latestRun(ofPipeline)
    const oldest = kept.days === undefined ? -Infinity : now - Duration.toMillis(Duration.days(kept.days))
    const own = yield* fs.realPath(ofPipeline)
    const inUse = new Set(
      yield* Effect.forEach(read, (file) => Effect.orElseSucceed(fs.realPath(path.dirname(file)), () => file)),
    )
    const isOld = ({ folder, run, startedAt }: PastRun, nth: number) =>
      nth > 0 && run !== pointedTo && !inUse.has(path.join(own, path.basename(folder)))
      && (nth >= (kept.runs ?? Infinity) || Date.parse(startedAt) < oldest)
    const stay = runs.filter((run, nth) => !isOld(run, nth)).map(({ startedAt }) => Date.parse(startedAt))
    const before = Math.min(...stay, now - Duration.toMillis(surelyDead))
    const isDead = (folder: string) =>
      fs.stat(folder).pipe(
        Effect.map(({ mtime }) => Option.exists(mtime, (time) => time.getTime() < before)),
        Effect.orElseSucceed(() => false),
      )
    const dead = yield* Effect.filter(unfinished.map((name) => path.join(ofPipeline, name)), isDead)
    const old = [...runs.filter(isOld).map(({ folder }) => folder), ...dead]
    yield* Effect.forEach(old, (folder) => fs.remove(folder, { recursive: true }), { discard: true })
    return old.map((folder) => path.basename(folder))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning(`Old reports of ${pipeline} could not be removed. ${messageOf(error)}`), [])
    ),
  )
