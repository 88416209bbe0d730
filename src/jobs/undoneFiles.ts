import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LedgerError } from "../ledger/errors.ts"
import { LockHolder } from "../ledger/holder.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { Project } from "../project/Project.ts"
import { spreadsheetCsv } from "../report/csv.ts"
import { newRunFolder } from "../report/partFiles.ts"
import type { Kept, UndoneRun } from "../run/undoRun.ts"

const titles = ["row", "key", "submission_id", "outcome", "earlier_submission_id", "edit_link", "because"]

const keptWords: { readonly [W in Kept["why"]]: string } = {
  edited: "edited, not deleted",
  likely: "not certainly of this run, not deleted",
  refused: "refused, not deleted",
  unseen: "never seen, not deleted",
}

interface Line {
  readonly row: number
  readonly key: string
  readonly submissionId?: string | undefined
  readonly outcome: string
  /** The submission that the row's submission replaced. */
  readonly replaces?: string | undefined
  readonly editLink?: string | undefined
  readonly because?: string | undefined
}

/** Returns the lines of undone.csv: what the ledger now contains about each submission of the run, and why some remain. */
export const undoneLines = (
  view: PipelineLedger,
  run: string,
  { kept, replaced }: Pick<UndoneRun, "kept" | "replaced">,
): Stream.Stream<ReadonlyArray<ReadonlyArray<string>>, LedgerError> => {
  const undeletable = Stream.map(view.pages("undeletable", { run }), (rows) =>
    rows.map((row): Line => {
      const hasLanded = row.submissionId !== undefined
      const outcome = row.state === "undone"
        ? (hasLanded ? "deleted" : "not landed")
        : row.state === "inDoubt"
        ? "in doubt"
        : "id unknown"
      return { ...row, outcome }
    }))
  const deleted = Stream.make(replaced.map((row): Line => ({ ...row, outcome: "deleted" })))
  const left = (row: Omit<Line, "outcome"> & { readonly submissionId: string }): Line => {
    const { because, editLink, why } = kept.get(row.submissionId) ?? {}
    return { ...row, outcome: why === undefined ? "not deleted yet" : keptWords[why], because, editLink }
  }
  const sent = Stream.map(view.pages("imported", { run }), (rows) => rows.map(left))
  const earlier = Stream.map(
    view.pages("replaced", { run }),
    (rows) =>
      rows.map(({ isUncovered, key, row, submissionId }) =>
        isUncovered
          ? left({ row, key, submissionId })
          : { row, key, submissionId, outcome: "replaced by a later run, not deleted" }
      ),
  )
  const all = [undeletable, deleted, sent, earlier].reduce((before, next) => Stream.concat(before, next))
  return Stream.map(
    all,
    (lines) =>
      lines.map(({ because = "", editLink = "", key, outcome, replaces = "", row, submissionId = "" }) => [
        String(row),
        key,
        submissionId,
        outcome,
        replaces,
        editLink,
        because,
      ]),
  )
}

/** Writes undone.csv and undo.json into a new folder among the pipeline's reports, which only its owner can read. Returns the folder. */
export const writeUndone = <E>(project: Project, pipeline: string, id: string, { lines, summary }: {
  readonly summary: object
  readonly lines: Stream.Stream<ReadonlyArray<ReadonlyArray<string>>, E>
}) =>
  Effect.scoped(Effect.gen(function*() {
    const path = yield* Path.Path
    const { end, files, folder } = yield* newRunFolder(path.join(project.reports, pipeline), id, (yield* LockHolder)())
    yield* files.write(
      "undone.csv",
      Stream.concat(Stream.make(spreadsheetCsv([titles])), Stream.map(lines, spreadsheetCsv)),
    )
    yield* files.write("undo.json", Stream.make(`${JSON.stringify(summary, undefined, 2)}\n`))
    yield* files.publish(["undone.csv", "undo.json"])
    yield* end
    return folder
  }))
