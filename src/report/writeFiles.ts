import { Effect, Stream } from "effect"
import type { Scope } from "effect"
import type { Difference, Replacement, RunReport } from "../domain/run.ts"
import {
  differenceEntry,
  entriesOf,
  importedEntry,
  inDoubtEntry,
  mostEntries,
  rejectedEntry,
  replacedEntry,
  vanishedEntry,
} from "./attention.ts"
import type { AttentionEntry } from "./attention.ts"
import { faithfulCsv, spreadsheetCsv } from "./csv.ts"
import type { CsvLine } from "./csv.ts"
import { differenceLine, differenceTitles } from "./differences.ts"
import { importedLine, importedTitles } from "./importedRows.ts"
import { inDoubtLine, inDoubtTitles } from "./inDoubtRows.ts"
import { maskDifference, maskImported, maskInDoubt, maskRejected, maskReplaced, maskVanished } from "./masked.ts"
import type { PartFiles } from "./partFiles.ts"
import { rejectedLine, rejectedTitles } from "./rejectedRows.ts"
import { replacedLine, replacedTitles } from "./replacedRows.ts"
import { reportJson } from "./reportJson.ts"
import type { ImportedRow, InDoubtRow, Mask, RejectedRow, ReportError, VanishedRow } from "./RunFolder.ts"
import { vanishedLine, vanishedTitles } from "./vanishedRows.ts"

type Rows<A, E> = Stream.Stream<ReadonlyArray<A>, E>

/** Everything that the files of a run are written from. The streams can be run more than once. */
export interface ReportContent<E> {
  /** Masked already where there is a mask. */
  readonly report: RunReport
  /** Titles of the source's columns, in their order. */
  readonly columns: ReadonlyArray<string>
  readonly rejected: Rows<RejectedRow, E>
  readonly inDoubt: Rows<InDoubtRow, E>
  readonly differences: Rows<Difference, E>
  readonly imported: Rows<ImportedRow, E>
  readonly replaced: Rows<Replacement, E>
  readonly vanished: Rows<VanishedRow, E>
  /** The text of the rejected.csv of the run that this one repeats. */
  readonly repeats: Stream.Stream<string, E> | undefined
  readonly mask: Mask | undefined
}

/** The last column of a rehearsal's CSVs, so that none can be taken for the real thing. */
export const rehearsalTitle = "_rehearsal"

/** rejected.csv is recognised by its last columns when it is fed back: there the messages tell. */
const rehearsed = (row: RejectedRow): RejectedRow => ({
  ...row,
  problems: row.problems.map((problem) => ({ ...problem, message: `rehearsal: ${problem.message}` })),
})

/** How rows of one kind become lines of a CSV and entries of the page. */
interface Table<A, E> {
  readonly name: string
  readonly titles: CsvLine
  readonly rows: Rows<A, E>
  readonly line: (row: A) => CsvLine
  readonly toCsv: (lines: ReadonlyArray<CsvLine>) => string
  readonly entry: (row: A) => AttentionEntry | undefined
  /** Whether a rehearsal's mark is a column of its own. */
  readonly marked: boolean
}

/** Writes all files of product.md's "What a run leaves", under their names for the time being, open for the scope. Gives the names, report.json last. */
export const writeFiles = <E>(
  files: PartFiles,
  content: ReportContent<E>,
): Effect.Effect<ReadonlyArray<string>, ReportError | E, Scope.Scope> =>
  Effect.gen(function*() {
    const { columns, mask, report } = content
    const masked = <A>(rows: Rows<A, E>, hide: (row: A, mask: Mask) => A): Rows<A, E> =>
      mask === undefined ? rows : Stream.map(rows, (some) => some.map((row) => hide(row, mask)))
    const rehearsal = report.mode === "rehearsal"
    const written: Array<{ readonly name: string; readonly rows: number }> = []
    const entries: Array<Rows<AttentionEntry, E>> = []
    let attention = 0

    const write = <A>({ entry, line, marked, name, rows, titles, toCsv }: Table<A, E>) =>
      Effect.gen(function*() {
        const mark = (cells: CsvLine, sign: string) => (rehearsal && marked ? [...cells, sign] : cells)
        let lines = 0
        let entered = 0
        const text = Stream.map(rows, (some) => {
          lines += some.length
          for (const row of some) if (entry(row) !== undefined) entered++
          return toCsv(some.map((row) => mark(line(row), "rehearsal")))
        })
        const header = toCsv([mark(titles, rehearsalTitle)])
        yield* files.write(name, Stream.concat(Stream.succeed(header), text))
        written.push({ name, rows: lines })
        attention += entered
        if (entered === 0) return
        entries.push(Stream.map(rows, (some) => some.map(entry).filter((one) => one !== undefined)))
      })

    const tolerated = new Set(
      report.findings.flatMap((finding) => (finding.tolerated === undefined ? [] : [finding.question])),
    )
    // Differences first: where a page can't hold everything, they are what no other file shows as well.
    yield* write({
      name: "differences.csv",
      titles: differenceTitles,
      rows: masked(content.differences, maskDifference),
      line: differenceLine,
      toCsv: spreadsheetCsv,
      entry: differenceEntry(tolerated),
      marked: true,
    })
    yield* write({
      name: "imported.csv",
      titles: importedTitles,
      rows: masked(content.imported, maskImported),
      line: importedLine,
      toCsv: spreadsheetCsv,
      entry: importedEntry,
      marked: true,
    })
    // The two that follow are there only when there is something in them.
    if ((report.replaced?.count ?? 0) > 0) {
      yield* write({
        name: "replaced.csv",
        titles: replacedTitles,
        rows: masked(content.replaced, maskReplaced),
        line: replacedLine,
        toCsv: spreadsheetCsv,
        entry: replacedEntry,
        marked: true,
      })
    }
    if ((report.vanished?.count ?? 0) > 0 && report.unchangedSince === undefined) {
      yield* write({
        name: "vanished.csv",
        titles: vanishedTitles,
        rows: masked(content.vanished, maskVanished),
        line: vanishedLine,
        toCsv: spreadsheetCsv,
        entry: vanishedEntry(report.run),
        marked: true,
      })
    }
    yield* write({
      name: "in-doubt.csv",
      titles: [...columns, ...inDoubtTitles],
      rows: masked(content.inDoubt, maskInDoubt),
      line: (row) => inDoubtLine(row, columns.length),
      toCsv: faithfulCsv,
      entry: inDoubtEntry,
      marked: true,
    })
    if (content.repeats === undefined) {
      yield* write({
        name: "rejected.csv",
        titles: [...columns, ...rejectedTitles],
        rows: masked(content.rejected, maskRejected),
        line: (row) => rejectedLine(rehearsal ? rehearsed(row) : row, columns.length),
        toCsv: faithfulCsv,
        entry: rejectedEntry,
        marked: false,
      })
    } else {
      yield* files.write("rejected.csv", content.repeats)
      const { changed, duplicate, invalid, refused } = report.rows
      written.push({ name: "rejected.csv", rows: changed + duplicate + invalid + refused })
    }

    // The page and its charts are loaded only when a page is written.
    const { reportPage } = yield* Effect.promise(() => import("./html/reportPage.ts"))
    const page = reportPage(report, written, { total: attention, shown: Math.min(attention, mostEntries) })
    const { entryText } = yield* Effect.promise(() => import("./html/attention.ts"))
    let first = true
    const data = Stream.map(entriesOf(entries), (some) => {
      const text = some.map(entryText).join(",\n")
      const between = first || text === "" ? "" : ",\n"
      if (text !== "") first = false
      return between + text
    })
    yield* files.write(
      "report.html",
      Stream.concat(Stream.concat(Stream.succeed(page.before), data), Stream.succeed(page.after)),
    )
    yield* files.write("report.json", Stream.succeed(reportJson(report) + "\n"))
    return [...written.map(({ name }) => name), "report.html", "report.json"]
  })
