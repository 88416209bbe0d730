import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Mask } from "../domain/reportFields.ts"
import { type Disk, disk } from "../project/disk.ts"
import { type CsvFile, csvFiles, readCsv } from "./csvFiles.ts"
import { failing, partFiles, type ReportError } from "./partFiles.ts"
import type { FoundReport } from "./pastRuns.ts"
import { redactReport } from "./reportFile.ts"
import { rehearsalTitle, writeFiles } from "./writeFiles.ts"

/**
 * Writes a copy of a run's report with keyed digests instead of values into `redacted/` in the run's folder. Replaces an earlier copy. Reads all of the run's own files.
 *
 * @returns the copy's folder and its report
 */
export const redactRun = (
  run: FoundReport,
  mask: Mask,
): Effect.Effect<FoundReport, ReportError, Disk> =>
  Effect.scoped(Effect.gen(function*() {
    const { fs, path } = yield* disk
    const folder = path.join(run.folder, "redacted")
    const failed = failing(folder)
    const read = <A>(file: CsvFile<A>) => {
      const original = path.join(run.folder, file.name)
      return Effect.flatMap(fs.readFileString(original), (text) => {
        const { lines, own, titles } = readCsv(file, text)
        const to = own + file.titles.length
        // The mark of a rehearsal is removed here and added again when the copy is written.
        const end = titles.at(-1) === rehearsalTitle ? -1 : undefined
        return Effect.map(
          Effect.try(() =>
            lines.map((line) => file.read(line.slice(own, to), [...line.slice(0, own), ...line.slice(to, end)]))
          ),
          (rows) => ({ columns: titles.slice(0, own), rows: Stream.make(rows) }),
        )
      }).pipe(failing(original))
    }
    /** Files that exist only if they have content. */
    const some = <A>(file: CsvFile<A>) =>
      Effect.map(
        Effect.option(read(file)),
        Option.match({ onNone: () => Stream.empty, onSome: ({ rows }) => rows }),
      )
    const rejected = yield* read(csvFiles.rejected)
    const rows = {
      differences: (yield* read(csvFiles.differences)).rows,
      imported: (yield* read(csvFiles.imported)).rows,
      replaced: yield* some(csvFiles.replaced),
      vanished: yield* some(csvFiles.vanished),
      wholeForm: yield* some(csvFiles.wholeForm),
      inDoubt: (yield* read(csvFiles.inDoubt)).rows,
      rejected: rejected.rows,
    }
    const report = redactReport(run.report, mask)
    yield* fs.remove(folder, { recursive: true, force: true }).pipe(failed)
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failed)
    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    yield* files.publish(
      yield* writeFiles<ReportError>(files, { report, columns: rejected.columns, rows, repeats: undefined, mask }),
    )
    return { report, folder }
  }))
