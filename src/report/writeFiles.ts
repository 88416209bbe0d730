import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { rejectedIn } from "../domain/fate.ts"
import type { RunReport } from "../domain/report.ts"
import { type Mask, maskedTitle } from "../domain/reportFields.ts"
import { type AttentionEntry, type CsvFile, csvFiles, type CsvRows, csvText, lineOf } from "./csvFiles.ts"
import type { WrittenFile } from "./html/details.ts"
import { entryText, reportPage } from "./html/reportPage.ts"
import type { PartFiles, ReportError } from "./partFiles.ts"
import { reportName } from "./pastRuns.ts"
import { reportJson } from "./reportFile.ts"

type Rows<A, E> = Stream.Stream<ReadonlyArray<A>, E>

/** The content of a run's files. Each stream can be run more than once. */
export interface ReportContent<E> {
  /** The report. If there is a mask, it must already be masked. */
  readonly report: RunReport
  /** The titles of the source's columns, in order. */
  readonly columns: ReadonlyArray<string>
  readonly rows: { readonly [N in keyof CsvRows]: Rows<CsvRows[N], E> }
  /** The text of the rejected.csv that this run repeats from an earlier run. */
  readonly repeats: Stream.Stream<string, E> | undefined
  readonly mask: Mask | undefined
}

/** The title of the last column of a rehearsal's CSV files, so that they can't be mistaken for those of an import. */
export const rehearsalTitle = "_rehearsal"

/** Marks the messages of a rehearsal's rejected.csv. It can't have an additional column, because a row with a cell after `_message` is rejected when the file is imported. */
const asRehearsed = (row: CsvRows["rejected"]): CsvRows["rejected"] => ({
  ...row,
  problems: row.problems.map((problem) => ({ ...problem, message: `rehearsal: ${problem.message}` })),
})

/** The maximum number of entries on a page. The CSV files contain all of them. */
const mostEntries = 50_000

/** Writes all files of a run under temporary names. They stay open for the scope. Returns their names, report.json last. */
export const writeFiles = <E>(
  files: PartFiles,
  content: ReportContent<E>,
): Effect.Effect<ReadonlyArray<string>, ReportError | E, Scope.Scope> =>
  Effect.gen(function*() {
    const { columns, mask, report, rows } = content
    const isRehearsal = report.mode === "rehearsal"
    const written: Array<WrittenFile> = []
    const entries: Array<Rows<AttentionEntry, E>> = []
    const listed = new Set<string>()
    let total = 0

    const write = <A extends object>(file: CsvFile<A>, whole: Rows<A, E>, asLine: (row: A) => A = (row) => row) =>
      Effect.gen(function*() {
        const { entryOf, holds, name, titles } = file
        const shown = mask === undefined
          ? whole
          : Stream.map(whole, (some) => some.map((row) => file.redact(row, mask)))
        const toEntry = entryOf(report)
        const marks = (rehearsed: string, masked: string) => [
          ...(isRehearsal && name !== csvFiles.rejected.name ? [rehearsed] : []),
          ...(mask !== undefined && file.hasCells ? [masked] : []),
        ]
        let lines = 0
        let found = 0
        const text = Stream.map(shown, (some) => {
          lines += some.length
          for (const row of some) {
            const entry = toEntry(row)
            if (entry === undefined) continue
            if (total + found < mostEntries) listed.add(entry.what)
            found++
          }
          return csvText(
            file,
            some.map((row) => [...lineOf(file, asLine(row), columns.length), ...marks("rehearsal", "masked")]),
          )
        })
        const header = csvText(file, [[
          ...(file.hasCells ? columns : []),
          ...titles,
          ...marks(rehearsalTitle, maskedTitle),
        ]])
        yield* files.write(name, Stream.concat(Stream.succeed(header), text))
        written.push({ name, rows: lines, holds })
        total += found
        if (found > 0) {
          entries.push(Stream.map(shown, (some) => some.map(toEntry).filter((one) => one !== undefined)))
        }
      })

    yield* write(csvFiles.differences, rows.differences)
    yield* write(csvFiles.imported, rows.imported)
    // These files exist only if they have content.
    if ((report.replaced?.count ?? 0) > 0) yield* write(csvFiles.replaced, rows.replaced)
    if ((report.vanished?.count ?? 0) > 0 && report.unchangedSince === undefined) {
      yield* write(csvFiles.vanished, rows.vanished)
    }
    if ((report.wholeForm?.unknown ?? 0) + (report.wholeForm?.missing ?? 0) > 0) {
      yield* write(csvFiles.wholeForm, rows.wholeForm)
    }
    yield* write(csvFiles.inDoubt, rows.inDoubt)
    if (content.repeats === undefined) {
      yield* write(csvFiles.rejected, rows.rejected, isRehearsal ? asRehearsed : undefined)
    } else {
      const { holds, name } = csvFiles.rejected
      yield* files.write(name, content.repeats)
      written.push({ name, rows: rejectedIn(report.rows), holds })
    }

    const page = reportPage(report, written, { total, shown: Math.min(total, mostEntries), listed })
    const data = Stream.fromIterable(entries).pipe(
      Stream.flatten(),
      Stream.mapConcat((some) => some),
      Stream.take(mostEntries),
      Stream.map(entryText),
      Stream.intersperse(",\n"),
      Stream.mapChunks((texts) => Chunk.of(Chunk.join(texts, ""))),
    )
    yield* files.write(
      "report.html",
      Stream.concat(Stream.concat(Stream.succeed(page.before), data), Stream.succeed(page.after)),
    )
    yield* files.write(reportName, Stream.succeed(reportJson(report) + "\n"))
    return [...written.map(({ name }) => name), "report.html", reportName]
  })
