import { FileSystem, Path } from "@effect/platform"
import { Effect, Stream } from "effect"
import type { Scope } from "effect"
import { LockHolder } from "../ledger/holder.ts"
import { differenceCodec } from "./differences.ts"
import { isFolderName } from "./folderName.ts"
import { pointLatest } from "./latest.ts"
import { partFiles, spoolEnd } from "./partFiles.ts"
import { readReport } from "./pastRuns.ts"
import { rejectedCodec } from "./rejectedRows.ts"
import { replacementCodec } from "./replacedRows.ts"
import { ReportError } from "./RunFolder.ts"
import type { Mask, RunFolder } from "./RunFolder.ts"
import { openSpool } from "./spool.ts"
import { markUnfinished, tidyLeft } from "./unfinished.ts"
import { writeFiles } from "./writeFiles.ts"

/**
 * Makes the folder of one run, `reports/PIPELINE/RUN/`, for its owner only (folders 0700, files 0600), and opens its spools. A run's folder is never written twice. While the run goes on
 * the folder holds nothing that looks finished: `finish` writes every file under another name, gives them their names when all are written, report.json last, and then points
 * `latest` to the folder. The CSVs always exist, with their header, so that scripts can rely on them. When the scope closes without that, what was begun is removed; the pipeline's next run does the same for
 * a run that was killed.
 */
export const openRunFolder = (options: {
  /** The project's folder of reports. */
  readonly reports: string
  readonly pipeline: string
  readonly run: string
  /** What is to stand in the place of values in every file (`--redact`). */
  readonly mask?: Mask | undefined
}): Effect.Effect<RunFolder, ReportError, Scope.Scope | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const ofPipeline = path.join(options.reports, options.pipeline)
    const folder = path.join(ofPipeline, options.run)
    const failed = Effect.mapError((cause: unknown) => new ReportError({ file: folder, cause }))
    if (!isFolderName(options.pipeline) || !isFolderName(options.run)) {
      return yield* new ReportError({ file: folder, cause: new Error("its name can't be the name of a folder") })
    }
    yield* fs.makeDirectory(ofPipeline, { recursive: true, mode: 0o700 }).pipe(failed)
    const me = (yield* LockHolder)()
    yield* tidyLeft(ofPipeline, me)
    const unfinished = yield* markUnfinished(ofPipeline, options.run, me).pipe(failed)
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failed)

    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    const rejected = yield* openSpool(path.join(folder, `rejected${spoolEnd}`), rejectedCodec)
    const differences = yield* openSpool(path.join(folder, `differences${spoolEnd}`), differenceCodec)
    const replaced = yield* openSpool(path.join(folder, `replaced${spoolEnd}`), replacementCodec)

    return {
      path: folder,
      run: options.run,
      mask: options.mask,
      reject: rejected.add,
      rejected: (fateOf) => Stream.map(rejected.sorted, (rows) => rows.map(fateOf).filter((row) => row !== undefined)),
      differ: differences.add,
      replace: replaced.add,
      of: (run) =>
        readReport(options.reports, options.pipeline, run).pipe(
          // One that was emptied because a row was forgotten has its counts left, and no rows.
          Effect.flatMap(({ folder, report }) =>
            Effect.map(fs.exists(path.join(folder, "rejected.csv")), (whole) =>
              whole && (report.values === "masked") === (options.mask !== undefined)
                ? { path: folder, problems: report.problems }
                : undefined)
          ),
          Effect.orElseSucceed(() => undefined),
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.provideService(Path.Path, path),
        ),
      finish: ({ report, columns, imported, inDoubt, fateOf, repeats, vanished = Stream.empty }) =>
        Effect.scoped(Effect.gen(function*() {
          const names = yield* writeFiles<Stream.Stream.Error<typeof inDoubt> | ReportError>(files, {
            report,
            columns,
            imported,
            vanished,
            repeats: repeats === undefined ? undefined : textOf(fs, path.join(repeats.path, "rejected.csv")),
            replaced: replaced.sorted,
            inDoubt,
            rejected: Stream.map(rejected.sorted, (rows) =>
              rows.map(fateOf).filter((row) => row !== undefined)),
            differences: differences.sorted,
            mask: options.mask,
          })
          yield* files.publish(names).pipe(
            Effect.zipRight(pointLatest(ofPipeline, options.run)),
            Effect.zipRight(unfinished.end),
            Effect.provideService(FileSystem.FileSystem, fs),
            Effect.provideService(Path.Path, path),
            Effect.uninterruptible,
          )
        })),
    }
  })

/** The text of a file, in pieces. */
const textOf = (fs: FileSystem.FileSystem, file: string): Stream.Stream<string, ReportError> =>
  Stream.mapError(Stream.decodeText(fs.stream(file)), (cause) => new ReportError({ file, cause }))
