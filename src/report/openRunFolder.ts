import { FileSystem, Path } from "@effect/platform"
import { Effect, Stream } from "effect"
import type { Scope } from "effect"
import { faithfulCsv, spreadsheetCsv } from "./csv.ts"
import type { CsvLine } from "./csv.ts"
import { differenceCodec, differenceLine, differenceTitles } from "./differences.ts"
import { isFolderName } from "./folderName.ts"
import { reportPage } from "./html/reportPage.ts"
import { importedLine, importedTitles } from "./importedRows.ts"
import { inDoubtLine, inDoubtTitles } from "./inDoubtRows.ts"
import { pointLatest } from "./latest.ts"
import { partFiles } from "./partFiles.ts"
import { rejectedCodec, rejectedLine, rejectedTitles } from "./rejectedRows.ts"
import { reportJson } from "./reportJson.ts"
import { ReportError } from "./RunFolder.ts"
import type { RunFolder } from "./RunFolder.ts"
import { openSpool } from "./spool.ts"

/**
 * Makes the folder of one run, `reports/PIPELINE/RUN/`, for its owner only (folders 0700, files 0600), and opens its spools. A run's folder is never written twice. While the run goes on
 * the folder holds nothing that looks finished: `finish` writes every file under another name, gives them their names when all are written, report.json last, and then points
 * `latest` to the folder. The CSVs always exist, with their header, so that scripts can rely on them. When the scope closes without that, what was begun is removed.
 */
export const openRunFolder = (options: {
  /** The project's folder of reports. */
  readonly reports: string
  readonly pipeline: string
  readonly run: string
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
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failed)

    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    const rejected = yield* openSpool(path.join(folder, "rejected.spool"), rejectedCodec)
    const differences = yield* openSpool(path.join(folder, "differences.spool"), differenceCodec)

    /** Writes a CSV and gives its number of lines below the header. */
    const writeCsv = <A, E>(
      name: string,
      titles: CsvLine,
      rows: Stream.Stream<ReadonlyArray<A>, E>,
      lines: (row: A) => CsvLine | undefined,
      toCsv: (lines: ReadonlyArray<CsvLine>) => string,
    ): Effect.Effect<{ readonly name: string; readonly rows: number }, ReportError | E> =>
      Effect.suspend(() => {
        let written = 0
        const text = Stream.map(rows, (some) => {
          const csv = some.map(lines).filter((line) => line !== undefined)
          written += csv.length
          return toCsv(csv)
        })
        return Effect.map(
          files.write(name, Stream.concat(Stream.succeed(toCsv([titles])), text)),
          () => ({ name, rows: written }),
        )
      })

    return {
      path: folder,
      run: options.run,
      reject: rejected.add,
      rejected: (fateOf) => Stream.map(rejected.sorted, (rows) => rows.map(fateOf).filter((row) => row !== undefined)),
      differ: differences.add,
      finish: ({ report, columns, imported, inDoubt, fateOf }) =>
        Effect.gen(function*() {
          const csvs = [
            yield* writeCsv("rejected.csv", [...columns, ...rejectedTitles], rejected.sorted, (row) => {
              const last = fateOf(row)
              return last === undefined ? undefined : rejectedLine(last, columns.length)
            }, faithfulCsv),
            yield* writeCsv(
              "in-doubt.csv",
              [...columns, ...inDoubtTitles],
              inDoubt,
              (row) => inDoubtLine(row, columns.length),
              faithfulCsv,
            ),
            yield* writeCsv("differences.csv", differenceTitles, differences.sorted, differenceLine, spreadsheetCsv),
            yield* writeCsv("imported.csv", importedTitles, imported, importedLine, spreadsheetCsv),
          ]
          yield* files.write("report.html", Stream.succeed(reportPage(report, csvs)))
          yield* files.write("report.json", Stream.succeed(reportJson(report) + "\n"))
          yield* files.publish([...csvs.map(({ name }) => name), "report.html", "report.json"]).pipe(
            Effect.zipRight(pointLatest(ofPipeline, options.run)),
            Effect.provideService(FileSystem.FileSystem, fs),
            Effect.provideService(Path.Path, path),
            Effect.uninterruptible,
          )
        }),
    }
  })
