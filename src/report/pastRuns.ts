import { FileSystem, Path } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import type { RunReport } from "../domain/run.ts"
import { isFolderName } from "./folderName.ts"
import { parseReport } from "./reportFile.ts"

/** A report that is there can't be read. */
export class ReportUnreadable extends Schema.TaggedError<ReportUnreadable>()("ReportUnreadable", {
  file: Schema.String,
  /** Why, as half a sentence. */
  reason: Schema.String,
}) {
  override get message() {
    return `The report ${this.file} can't be read: ${this.reason}.`
  }
}

/** A run that left a report. */
export interface PastRun
  extends
    Pick<RunReport, "run" | "mode" | "form" | "startedAt" | "finishedAt" | "outcome" | "exitCode" | "rows" | "readBack">
{
  /** Its folder. */
  readonly folder: string
}

/** What the reports of a pipeline tell. */
export interface PastRuns {
  /** The newest first, by the time at which they started. */
  readonly runs: ReadonlyArray<PastRun>
  /** Folders of runs that left no report: going on, or died. */
  readonly unfinished: ReadonlyArray<string>
  /** Sentences about reports that were passed over because they can't be read. */
  readonly warnings: ReadonlyArray<string>
}

const readFile = (file: string): Effect.Effect<RunReport, ReportUnreadable, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const content = yield* fs.readFileString(file).pipe(
      Effect.mapError((error) => new ReportUnreadable({ file, reason: error.message })),
    )
    return yield* Either.mapLeft(parseReport(content), (reason) => new ReportUnreadable({ file, reason }))
  })

/**
 * Reads the reports of a pipeline, a damaged one is passed over with a warning. A pipeline without reports has none; a folder that can't be listed is an error.
 *
 * @param most how many of the newest to read, by their names. A nightly pipeline has thousands after some years. Default: all
 */
export const readLatestReports = (
  reports: string,
  pipeline: string,
  most = Number.POSITIVE_INFINITY,
): Effect.Effect<PastRuns, ReportUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const ofPipeline = path.join(reports, pipeline)
    const names = yield* fs.readDirectory(ofPipeline).pipe(
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeed([]),
      ),
      Effect.mapError((error) => new ReportUnreadable({ file: ofPipeline, reason: error.message })),
    )
    // The newest first: a run's id begins with its time.
    const folders = names.filter((name) => name !== "latest" && !name.startsWith(".")).toSorted().reverse()
    const readOne = (name: string) =>
      Effect.gen(function*() {
        const file = path.join(ofPipeline, name, "report.json")
        if (!(yield* fs.exists(file).pipe(Effect.orElseSucceed(() => true)))) return { name, report: undefined }
        const report = yield* Effect.either(Effect.map(readFile(file), summaryOf(path.join(ofPipeline, name))))
        return { name, report }
      })
    const read: Array<Effect.Effect.Success<ReturnType<typeof readOne>>> = []
    // Names tell no order within a second: what began in the same one is read too.
    const undecided = () => secondOf(folders[read.length]) === secondOf(folders[read.length - 1])
    while (read.length < folders.length && (read.length < most || undecided())) {
      const next = folders.slice(read.length, read.length + Math.min(most, atOnce))
      read.push(...(yield* Effect.forEach(next, readOne, { concurrency: 4 })))
    }

    const found = read.flatMap(({ report }) => report !== undefined && Either.isRight(report) ? [report.right] : [])
    found.sort((a, b) => a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0)
    return {
      runs: found,
      unfinished: read.flatMap(({ name, report }) => report === undefined ? [name] : []),
      warnings: read.flatMap(({ report }) =>
        report !== undefined && Either.isLeft(report) ? [`${report.left.message} It is passed over.`] : []
      ),
    }
  })

/** The second in which a run began, by the name of its folder. */
const secondOf = (folder: string | undefined) => folder?.slice(0, "2026-11-20T020000Z".length)

/** How many reports are read before it is looked whether that is enough. */
const atOnce = 50

/** Keeps of a report what a list of many needs, so that the lists in it can go. */
const summaryOf = (folder: string) => (report: RunReport): PastRun => {
  const { run, mode, form, startedAt, finishedAt, outcome, exitCode, rows, readBack } = report
  return { run, mode, form, startedAt, finishedAt, outcome, exitCode, rows, readBack, folder }
}

/** Reads one run's report; `run` undefined: the latest one's. Gives its folder too. */
export const readReport = (
  reports: string,
  pipeline: string,
  run: string | undefined,
): Effect.Effect<
  { readonly report: RunReport; readonly folder: string },
  ReportUnreadable,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    const fs = yield* FileSystem.FileSystem
    const ofPipeline = path.join(reports, pipeline)
    const name = run
      ?? (yield* fs.readLink(path.join(ofPipeline, "latest")).pipe(Effect.orElseSucceed(() => undefined)))
    if (name === undefined) {
      const newest = (yield* readLatestReports(reports, pipeline)).runs[0]
      if (newest === undefined) {
        return yield* new ReportUnreadable({
          file: ofPipeline,
          reason: `there is none yet: formferry run ${pipeline} makes one`,
        })
      }
      return yield* readReport(reports, pipeline, newest.run)
    }
    const folder = path.join(ofPipeline, name)
    const file = path.join(folder, "report.json")
    if (!isFolderName(name)) return yield* new ReportUnreadable({ file: folder, reason: "that is no run's name" })
    if (!(yield* fs.exists(file).pipe(Effect.orElseSucceed(() => true)))) {
      return yield* new ReportUnreadable({
        file,
        reason: `this run left none; formferry report ${pipeline} shows the latest that is there`,
      })
    }
    const report = yield* readFile(file)
    return { report, folder }
  })
