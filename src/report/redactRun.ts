import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Stream } from "effect"
import Papa from "papaparse"
import { answerVerdicts } from "../domain/comparison.ts"
import type { AnswerVerdict } from "../domain/comparison.ts"
import { verdicts } from "../domain/fate.ts"
import { problemCodes } from "../domain/problem.ts"
import type { Difference, Replacement, RunReport } from "../domain/run.ts"
import { withoutApostrophe } from "./csv.ts"
import { differenceTitles } from "./differences.ts"
import { importedTitles } from "./importedRows.ts"
import { inDoubtTitles } from "./inDoubtRows.ts"
import { maskReport } from "./masked.ts"
import { partFiles } from "./partFiles.ts"
import { rejectedJoint, rejectedTitles } from "./rejectedRows.ts"
import { replacedTitles } from "./replacedRows.ts"
import { ReportError } from "./RunFolder.ts"
import type { ImportedRow, InDoubtRow, Mask, RejectedRow, VanishedRow } from "./RunFolder.ts"
import { vanishedTitles } from "./vanishedRows.ts"
import { rehearsalTitle, writeFiles } from "./writeFiles.ts"

/** A CSV of ours: its titles, and its lines. */
interface Lines {
  readonly titles: ReadonlyArray<string>
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
}

/** The cells of a line that stand in our own columns, by title, and those of the source before and behind them. */
const split = ({ titles }: Lines, line: ReadonlyArray<string>, own: ReadonlyArray<string>) => {
  const at = titles.lastIndexOf(own[0] ?? "")
  const cell = (title: string) => line[at + own.indexOf(title)] ?? ""
  return { cell, cells: [...line.slice(0, at), ...line.slice(at + own.length)] }
}

const codeOf = (text: string) => problemCodes.find((code) => code === text)

const rejectedOf = (file: Lines): ReadonlyArray<RejectedRow> =>
  file.lines.map((line) => {
    const { cell, cells } = split(file, line, rejectedTitles)
    const columns = cell("_column").split(rejectedJoint)
    const codes = cell("_code").split(rejectedJoint).map(codeOf).filter((code) => code !== undefined)
    const fate = codes.includes("refused")
      ? "refused"
      : codes.includes("duplicate-key")
      ? "duplicate"
      : codes.includes("changed")
      ? "changed"
      : "invalid"
    return {
      row: Number(cell("_row")),
      key: cell("_key") === "" ? undefined : cell("_key"),
      fate,
      cells,
      quiet: false,
      // What the message says is not kept: it repeats the value.
      problems: codes.map((code, index) => ({
        code,
        column: columns[index] === "" ? undefined : columns[index],
        message: "",
      })),
    }
  })

const inDoubtOf = (file: Lines): ReadonlyArray<InDoubtRow> =>
  file.lines.map((line) => {
    const { cell, cells } = split(file, line, inDoubtTitles)
    return {
      row: Number(cell("_row")),
      key: cell("_key"),
      batch: Number(cell("_batch")),
      sentAt: cell("_sent_at"),
      reason: cell("_reason"),
      cells,
    }
  })

const differencesOf = (file: Lines): ReadonlyArray<Difference> =>
  file.lines.map((line) => {
    const { cell } = split(file, line, differenceTitles)
    const text = (title: string) => withoutApostrophe(cell(title))
    const verdict: AnswerVerdict = answerVerdicts.find((one) => one === cell("verdict")) ?? "different"
    return {
      row: Number(cell("row")),
      key: text("key"),
      submissionId: text("submission_id"),
      question: text("question"),
      name: text("name"),
      verdict,
      sent: text("sent"),
      returned: text("returned"),
      editLink: undefined,
    }
  })

const importedOf = (file: Lines): ReadonlyArray<ImportedRow> =>
  file.lines.map((line) => {
    const { cell } = split(file, line, importedTitles)
    return {
      row: Number(cell("row")),
      key: withoutApostrophe(cell("key")),
      submissionId: withoutApostrophe(cell("submission_id")),
      verdict: verdicts.find((one) => one === cell("verdict")) ?? "unread",
      submissionTime: cell("submission_time") === "" ? undefined : cell("submission_time"),
      replaces: cell("replaces") === "" ? undefined : withoutApostrophe(cell("replaces")),
    }
  })

const replacedOf = (file: Lines): ReadonlyArray<Replacement> =>
  file.lines.map((line) => {
    const { cell } = split(file, line, replacedTitles)
    const text = (title: string) => withoutApostrophe(cell(title))
    return {
      row: Number(cell("row")),
      key: text("key"),
      submissionId: text("submission_id"),
      replaces: text("replaces"),
      editLink: undefined,
    }
  })

const vanishedOf = (file: Lines): ReadonlyArray<VanishedRow> =>
  file.lines.map((line) => {
    const { cell } = split(file, line, vanishedTitles)
    const submissionId = withoutApostrophe(cell("submission_id"))
    return {
      row: Number(cell("row")),
      key: withoutApostrophe(cell("key")),
      submissionId: submissionId === "" ? undefined : submissionId,
      since: cell("run") === "" ? undefined : { run: cell("run"), at: cell("missing_since") },
    }
  })

/**
 * Writes a copy of a run's report with keyed digests in the place of values, into `redacted/` in the run's folder; a copy that is there already is replaced. Reads the run's own files, whole.
 * @returns the copy's folder and its report
 */
export const redactRun = (
  run: { readonly report: RunReport; readonly folder: string },
  mask: Mask,
): Effect.Effect<
  { readonly report: RunReport; readonly folder: string },
  ReportError,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join(run.folder, "redacted")
    const failed = Effect.mapError((cause: unknown) => new ReportError({ file: folder, cause }))
    const read = (name: string) =>
      Effect.map(fs.readFileString(path.join(run.folder, name)).pipe(failed), (text): Lines => {
        const [titles = [], ...lines] = Papa.parse<Array<string>>(text, { skipEmptyLines: true }).data
        // A rehearsal's mark is put on again.
        return titles.at(-1) === rehearsalTitle
          ? { titles: titles.slice(0, -1), lines: lines.map((line) => line.slice(0, -1)) }
          : { titles, lines }
      })
    /** A file that a run only leaves when there is something in it. */
    const some = <A>(name: string, of: (file: Lines) => ReadonlyArray<A>) =>
      Effect.map(
        Effect.option(read(name)),
        Option.match({ onNone: () => Stream.empty, onSome: (file) => Stream.make(of(file)) }),
      )
    const rejected = yield* read("rejected.csv")
    const inDoubt = yield* read("in-doubt.csv")
    const report = maskReport(run.report, mask)
    yield* fs.remove(folder, { recursive: true, force: true }).pipe(failed)
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failed)
    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    yield* files.publish(
      yield* writeFiles(files, {
        report,
        columns: rejected.titles.slice(0, rejected.titles.lastIndexOf(rejectedTitles[0] ?? "")),
        rejected: Stream.make(rejectedOf(rejected)),
        inDoubt: Stream.make(inDoubtOf(inDoubt)),
        differences: Stream.make(differencesOf(yield* read("differences.csv"))),
        imported: Stream.make(importedOf(yield* read("imported.csv"))),
        replaced: yield* some("replaced.csv", replacedOf),
        vanished: yield* some("vanished.csv", vanishedOf),
        repeats: undefined,
        mask,
      }),
    )
    return { report, folder }
  }))
