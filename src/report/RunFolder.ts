import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { Difference, Replacement, RunReport } from "../domain/report.ts"
import type { Mask } from "../domain/reportFields.ts"
import { inZone } from "../domain/times.ts"
import { LockHolder } from "../ledger/holder.ts"
import { type Disk, disk } from "../project/disk.ts"
import {
  csvFiles,
  type ImportedRow,
  type InDoubtRow,
  type RejectedRow,
  type UnmatchedSubmission,
  type VanishedRow,
} from "./csvFiles.ts"
import { newRunFolder, ReportError, spoolEnd, tidyLeft } from "./partFiles.ts"
import { isFolderName, pointLatest, readReport } from "./pastRuns.ts"
import { openSpool } from "./spool.ts"

/** The report of a run that a later run repeats. */
export interface Earlier extends Pick<RunReport, "changes" | "problems"> {
  /** Its folder. */
  readonly path: string
  /** The SHA-256 of its rejected.csv, which someone may have edited. */
  readonly rejected: string
}

/** Returns the final fate of a spooled row, which the end of the survey may have changed. Undefined removes the row. */
type FateOf = (row: RejectedRow) => RejectedRow | undefined

/** The folder of a run, `reports/NAME/RUN-ID/`, which only its owner can read. Rows are spooled during the run, in any order. Everything else is streamed at the end, so memory use stays constant. */
export interface RunFolder {
  readonly path: string
  /** Replaces values. Undefined if values are shown. The report given to `finish` must already be masked. */
  readonly mask: Mask | undefined
  /** Spools rejected rows. `finish` decides their final fate. */
  readonly reject: (rows: ReadonlyArray<RejectedRow>) => Effect.Effect<void, ReportError>
  /** Returns the rows spooled so far in pages, in row order. More rows can be spooled afterwards. */
  readonly rejected: (fateOf: FateOf) => Stream.Stream<ReadonlyArray<RejectedRow>, ReportError>
  /** Spools differences. */
  readonly differ: (differences: ReadonlyArray<Difference>) => Effect.Effect<void, ReportError>
  /** Spools rows that were imported again. */
  readonly replace: (replacements: ReadonlyArray<Replacement>) => Effect.Effect<void, ReportError>
  /** Loads the modules with which `finish` writes. Without this call, `finish` loads them. */
  readonly loadWriter: Effect.Effect<void>
  /** Returns a past run of the pipeline. Undefined if its report doesn't exist or can't be read, or if the values in it are not masked in the same way. */
  readonly of: (run: string) => Effect.Effect<Earlier | undefined>
  /** The SHA-256 of this run's rejected.csv. Call `finish` first. */
  readonly rejectedDigest: Effect.Effect<string, ReportError>
  /** Writes all files, each in row order, and points `latest` to the folder. */
  readonly finish: <E>(result: {
    readonly report: RunReport
    /** The titles of the source's columns, in order. */
    readonly columns: ReadonlyArray<string>
    readonly imported: Stream.Stream<ReadonlyArray<ImportedRow>, E>
    /** The run that this one repeats. This run gets the same rejected.csv. */
    readonly repeats?: Earlier | undefined
    /** Imported rows that are no longer in the source. */
    readonly vanished?: Stream.Stream<ReadonlyArray<VanishedRow>, E>
    /** Submissions that only the form or only the ledger has. */
    readonly wholeForm?: ReadonlyArray<UnmatchedSubmission> | undefined
    /** Rows of earlier sources may have cells under different titles, or fewer cells than `columns`. */
    readonly inDoubt: Stream.Stream<ReadonlyArray<InDoubtRow>, E>
    readonly fateOf: FateOf
  }) => Effect.Effect<void, ReportError | E>
}

/** Other hosts' reports. */
export interface OtherHosts {
  /** Fetches the files of a run that this host lacks. */
  readonly fetch: (run: string) => Effect.Effect<void, never, Disk>
  /** Stores the finished folder for the other hosts. */
  readonly store: (run: string) => Effect.Effect<void, never, Disk>
}

/** The folder of the run in progress. */
export const RunFolder = Context.GenericTag<RunFolder>("formferry/RunFolder")

/** Loads the modules that write the files, with the page and its charts, and Node's data about time zones. */
const writer = Effect.promise(async () => {
  const files = await import("./writeFiles.ts")
  inZone(0, "UTC")
  return files
})

/**
 * Creates the folder of a run, `reports/PIPELINE/RUN/`, which only its owner can read (folders 0700, files 0600). Opens
 * its spools. A run's folder is never written twice. During the run, no file in it looks finished. After all files are
 * written, `finish` gives them their names, report.json last, and then points `latest` to the folder. If the scope
 * closes without `finish`, the folder is removed. If the run is killed, the pipeline's next run removes it.
 */
export const openRunFolder = (options: {
  /** The project's report folder. */
  readonly reports: string
  readonly pipeline: string
  readonly run: string
  readonly mask?: Mask | undefined
  /** Undefined if the reports are only in this folder. */
  readonly others?: OtherHosts
}): Effect.Effect<RunFolder, ReportError, Scope.Scope | Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const ofPipeline = path.join(options.reports, options.pipeline)
    const folder = path.join(ofPipeline, options.run)
    if (!isFolderName(options.pipeline) || !isFolderName(options.run)) {
      return yield* new ReportError({ file: folder, cause: new Error("its name can't be the name of a folder") })
    }
    const me = (yield* LockHolder)()
    yield* tidyLeft(ofPipeline, me)
    const { end, files } = yield* newRunFolder(ofPipeline, options.run, me)
    const rejected = yield* openSpool<RejectedRow>(path.join(folder, `rejected${spoolEnd}`))
    const differences = yield* openSpool<Difference>(path.join(folder, `differences${spoolEnd}`))
    const replaced = yield* openSpool<Replacement>(path.join(folder, `replaced${spoolEnd}`))
    const rejectedRows = (fateOf: FateOf) =>
      Stream.map(rejected.sorted, (rows) => rows.map(fateOf).filter((row) => row !== undefined))

    return {
      path: folder,
      mask: options.mask,
      reject: rejected.add,
      rejected: rejectedRows,
      differ: differences.add,
      replace: replaced.add,
      loadWriter: writer,
      of: (run) =>
        Effect.zipRight(
          options.others?.fetch(run) ?? Effect.void,
          readReport(options.reports, options.pipeline, run),
        ).pipe(
          // If a row was forgotten, the report was emptied and contains only its counts.
          Effect.flatMap(({ folder, report }) =>
            Effect.map(digestOf(fs, path.join(folder, csvFiles.rejected.name)), (rejected) =>
              (report.values === "masked") === (options.mask !== undefined)
                ? { path: folder, rejected, problems: report.problems, changes: report.changes }
                : undefined)
          ),
          Effect.orElseSucceed(() => undefined),
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.provideService(Path.Path, path),
        ),
      finish: ({ columns, fateOf, imported, inDoubt, repeats, report, vanished = Stream.empty, wholeForm = [] }) =>
        Effect.scoped(Effect.gen(function*() {
          const { writeFiles } = yield* writer
          const names = yield* writeFiles<Stream.Stream.Error<typeof inDoubt> | ReportError>(files, {
            report,
            columns,
            rows: {
              differences: differences.sorted,
              imported,
              replaced: replaced.sorted,
              vanished,
              wholeForm: Stream.make(wholeForm),
              inDoubt,
              rejected: rejectedRows(fateOf),
            },
            repeats: repeats === undefined ? undefined : textOf(fs, path.join(repeats.path, csvFiles.rejected.name)),
            mask: options.mask,
          })
          yield* files.publish(names).pipe(
            Effect.zipRight(pointLatest(ofPipeline, options.run)),
            Effect.zipRight(end),
            Effect.uninterruptible,
            Effect.zipRight(options.others?.store(options.run) ?? Effect.void),
            Effect.provideService(FileSystem.FileSystem, fs),
            Effect.provideService(Path.Path, path),
          )
        })),
      rejectedDigest: digestOf(fs, path.join(folder, csvFiles.rejected.name)),
    }
  })

/** Returns the SHA-256 of a file. */
const digestOf = (fs: FileSystem.FileSystem, file: string): Effect.Effect<string, ReportError> =>
  Effect.suspend(() => Stream.runFold(fs.stream(file), createHash("sha256"), (hash, bytes) => hash.update(bytes))).pipe(
    Effect.mapBoth({ onFailure: (cause) => new ReportError({ file, cause }), onSuccess: (hash) => hash.digest("hex") }),
  )

/** Returns the text of a file, in pieces. */
const textOf = (fs: FileSystem.FileSystem, file: string): Stream.Stream<string, ReportError> =>
  Stream.mapError(Stream.decodeText(fs.stream(file)), (cause) => new ReportError({ file, cause }))
