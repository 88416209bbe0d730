import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ExitCode, exits } from "../domain/exit.ts"
import type { Form } from "../domain/form.ts"
import type { Outcome } from "../domain/run.ts"
import { LockHolder } from "../ledger/holder.ts"
import type { PipelineLedger } from "../ledger/Ledger.ts"
import type { Project } from "../project/Project.ts"
import { spreadsheetCsv } from "../report/csvFiles.ts"
import { failing, markUnfinished, partFiles } from "../report/partFiles.ts"
import { statusOfSignal } from "../run/ending.ts"
import { now } from "../run/Run.ts"
import { type Signal, Stop, type StopReason } from "../run/Stop.ts"
import { deleteRun, remaining } from "../run/undoRun.ts"
import { compileWithoutSource, orInterrupted } from "./prepare.ts"
import { newRunId, openIfAny, openPlace } from "./projectLedger.ts"
import { ConfirmationMissing } from "./run.ts"
import { serviceToConfirm } from "./services.ts"
import { chooseTarget, findPipeline, openTarget } from "./target.ts"

/** The submissions of a run can't be deleted (exit code 2). */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", {
  pipeline: Schema.String,
  message: Schema.String,
}) {}

/** What a person has to confirm before submissions are deleted. */
export interface UndoQuestion {
  readonly service: string
  readonly form: Pick<Form, "id" | "name">
  readonly submissions: number
}

export interface UndoOptions {
  readonly pipeline: string
  readonly to: string | undefined
  /** The id of the run whose submissions are deleted. */
  readonly run: string
  /** Whether submissions are also deleted that were edited after the import. */
  readonly editedToo: boolean
  /** The name of the person. */
  readonly by: string
  readonly confirm: (service: string) => boolean
  /** Asks for the confirmation. Undefined if no one can be asked. */
  readonly ask: ((question: UndoQuestion) => Effect.Effect<boolean>) | undefined
  /** Completes when the user interrupts. */
  readonly interrupted: Effect.Effect<Signal>
}

/** What happened to the submissions of a run. */
export interface UndoResult {
  readonly pipeline: string
  /** The run whose submissions were deleted. */
  readonly run: string
  readonly form: { readonly service: string; readonly id: string; readonly name: string }
  /** The folder with undone.csv and undo.json. */
  readonly folder: string
  /** The number of submissions that were deleted now. */
  readonly deleted: number
  /** The number of these that the service no longer had. */
  readonly absent: number
  /** The number of submissions that were deleted before. */
  readonly earlier: number
  /** The number of submissions that remain because they were edited, or because they differ from what was sent and were never verified. */
  readonly edited: number
  /** The number of rows in doubt. */
  readonly inDoubt: number
  /** The number of rows whose submissions have no known id, because a person said that they had landed. */
  readonly unknown: number
  /** The number of submissions that remain because a later run replaced them. */
  readonly replaced: number
  /** The number of earlier submissions that remain although the submissions that replaced them were deleted. */
  readonly uncovered: number
  /** The number of submissions that were not deleted, because the command stopped. */
  readonly left: number
  readonly exitCode: ExitCode
  /** Why the command stopped. Undefined if it did not. */
  readonly because: string | undefined
}

/**
 * Deletes the submissions that a run created, by the ledger alone, and writes what happened to each into a new folder. Each deletion is recorded as soon
 * as it is done, so that an interrupted command can be repeated. Takes the pipeline's lock.
 */
export const undoPipeline = (project: Project, options: UndoOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const pipeline = yield* findPipeline(project, options.pipeline)
      const target = yield* chooseTarget(pipeline, options.to)
      const refused = (message: string) => new UndoRefused({ pipeline: pipeline.name, message })
      const { name, service } = yield* orInterrupted(options.interrupted, openTarget(project, pipeline, target))
      const { remove } = service
      if (remove === undefined) {
        return yield* refused(
          `The project does not say that ${name} can delete submissions, so nothing was deleted. If it can, add \`capabilities: [delete]\` to \`services.${name}\` in config/formferry.yaml.`,
        )
      }
      const toConfirm = serviceToConfirm(project, name)
      const isConfirmed = toConfirm === undefined || options.confirm(toConfirm)
      if (!isConfirmed && options.ask === undefined) {
        return yield* new ConfirmationMissing({ service: name, pipeline: pipeline.name, deletes: true })
      }
      const form = yield* orInterrupted(options.interrupted, service.form(target.form))
      const ledger = yield* openIfAny(project, { pipeline: pipeline.name, target: target.target })
      if (ledger === undefined) return yield* refused(`${pipeline.name} has not sent anything yet.`)
      const view = yield* openPlace(project, ledger, pipeline, target, form.id)
      yield* view.isNewest
      const id = yield* newRunId
      const session = yield* view.hold(id)
      const before = yield* remaining(view, options.run)
      if (before.sent + before.undone + before.inDoubt + before.unknown + before.replaced === 0) {
        const runs = (yield* view.runs({ limit: 20 })).flatMap(({ mode, run }) => (mode === "run" ? [run] : []))
        return yield* refused(
          `The ledger has no row of ${pipeline.name} that run ${options.run} sent to ${form.name} on ${name}. Nothing was deleted. `
            + "Rows that a later run sent again belong to that run. "
            + (runs.length === 0 ? "No run has sent rows there." : `Runs, the newest first: ${runs.join(", ")}.`),
        )
      }
      const isAgreed = isConfirmed || before.sent === 0
        || (options.ask !== undefined && (yield* options.ask({ service: name, form, submissions: before.sent })))
      if (!isAgreed) return yield* new ConfirmationMissing({ service: name, pipeline: pipeline.name, deletes: true })

      const startedAt = yield* now
      yield* session.startRun({ run: id, mode: "undo", startedAt })
      const stop = Context.get(yield* Layer.build(Stop.layer(options.interrupted)), Stop)
      const answers = Either.match(compileWithoutSource(pipeline, form), {
        onLeft: () => [],
        onRight: ({ mapping }) => mapping.answers,
      })
      const { digest } = ledger
      const context = {
        pipeline,
        form,
        service,
        remove,
        answers,
        view,
        session,
        digest,
        stop,
        run: options.run,
        editedToo: options.editedToo,
      }
      const { absent, deleted, edited } = yield* deleteRun(context, before.sent)

      const after = yield* remaining(view, options.run)
      const counts = {
        deleted,
        absent,
        earlier: after.undone - deleted,
        edited: edited.size,
        inDoubt: after.inDoubt,
        unknown: after.unknown,
        replaced: after.replaced,
        uncovered: after.uncovered,
        left: after.sent - edited.size,
      }
      const { because, exitCode, outcome } = ending(stop.reasons(), counts)
      const finishedAt = yield* now
      const folder = yield* writeFiles(project, pipeline.name, id, {
        summary: {
          pipeline: pipeline.name,
          run: options.run,
          form: { service: name, id: form.id, name: form.name },
          startedAt,
          finishedAt,
          by: options.by,
          editedToo: options.editedToo,
          ...counts,
          exitCode,
        },
        lines: linesOf(view, options.run, edited),
      })
      yield* session.finishRun({ run: id, finishedAt, outcome, exitCode, counts: { undo: options.run, ...counts } })
        .pipe(Effect.catchTag("LedgerOvertaken", () => Effect.void))
      const result: UndoResult = {
        pipeline: pipeline.name,
        run: options.run,
        form: { service: name, id: form.id, name: form.name },
        folder,
        ...counts,
        exitCode,
        because,
      }
      return result
    }),
  )

type Counted = Pick<UndoResult, "edited" | "inDoubt" | "left" | "replaced" | "unknown">

const ending = (
  reasons: ReadonlyArray<StopReason>,
  { edited, inDoubt, left, replaced, unknown }: Counted,
): { readonly exitCode: ExitCode; readonly outcome: Outcome; readonly because: string | undefined } => {
  // An interrupt does not matter if everything was finished anyway.
  for (const reason of left > 0 ? reasons : []) {
    if (reason._tag === "Interrupted") {
      return {
        exitCode: statusOfSignal[reason.signal],
        outcome: "interrupted",
        because: `The command was interrupted (${reason.signal}).`,
      }
    }
    if (reason._tag === "Overtaken") {
      return { exitCode: exits.busy.code, outcome: "stopped", because: reason.because }
    }
    if (reason._tag === "Unavailable") {
      return { exitCode: exits.unavailable.code, outcome: "unavailable", because: reason.because }
    }
  }
  const because = undefined
  if (inDoubt > 0) return { exitCode: exits.unproven.code, outcome: "inDoubt", because }
  if (edited + replaced + unknown > 0) return { exitCode: exits.attention.code, outcome: "attention", because }
  return { exitCode: exits.complete.code, outcome: "complete", because }
}

const titles = ["row", "key", "submission_id", "outcome", "earlier_submission_id", "edit_link"]

const outcomeOf = { undone: "deleted", inDoubt: "in doubt", imported: "id unknown" } as const

/** Returns the lines of undone.csv: what the ledger now contains about each submission of the run. */
const linesOf = (view: PipelineLedger, run: string, edited: ReadonlyMap<string, string>) => {
  const line = (
    row: { readonly row: number; readonly key: string; readonly submissionId: string | undefined },
    outcome: string,
    earlier = "",
    editLink = "",
  ) => [String(row.row), row.key, row.submissionId ?? "", outcome, earlier, editLink]
  const gone = Stream.map(view.pages("undeletable", { run }), (rows) =>
    rows.map((row) =>
      line(
        row,
        row.state === "undone" || row.state === "inDoubt" ? outcomeOf[row.state] : outcomeOf.imported,
        row.replaces,
      )
    ))
  const left = Stream.map(view.pages("sent", { run, content: false }), (rows) =>
    rows.map((row) => {
      const link = edited.get(row.submissionId)
      return line(row, link === undefined ? "not deleted yet" : "edited, not deleted", row.replaces, link)
    }))
  const replaced = Stream.map(
    view.pages("replaced", { run }),
    (rows) => rows.map((row) => line(row, "replaced by a later run, not deleted")),
  )
  return Stream.concat(Stream.concat(gone, left), replaced)
}

/** Writes undone.csv and undo.json into a new folder among the pipeline's reports, which only its owner can read. Returns the folder. */
const writeFiles = <E>(project: Project, pipeline: string, id: string, { lines, summary }: {
  readonly summary: object
  readonly lines: Stream.Stream<ReadonlyArray<ReadonlyArray<string>>, E>
}) =>
  Effect.scoped(Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const ofPipeline = path.join(project.reports, pipeline)
    const folder = path.join(ofPipeline, id)
    yield* fs.makeDirectory(ofPipeline, { recursive: true, mode: 0o700 }).pipe(failing(folder))
    const unfinished = yield* markUnfinished(ofPipeline, id, (yield* LockHolder)()).pipe(failing(folder))
    yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(failing(folder))
    const files = yield* partFiles(folder)
    yield* Effect.addFinalizer(() => files.tidy)
    yield* files.write(
      "undone.csv",
      Stream.concat(Stream.make(spreadsheetCsv([titles])), Stream.map(lines, spreadsheetCsv)),
    )
    yield* files.write("undo.json", Stream.make(`${JSON.stringify(summary, undefined, 2)}\n`))
    yield* files.publish(["undone.csv", "undo.json"])
    yield* unfinished.end
    return folder
  }))
