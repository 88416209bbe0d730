import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ExitCode } from "../domain/exit.ts"
import type { Form } from "../domain/form.ts"
import { isoOf } from "../domain/times.ts"
import type { Project } from "../project/Project.ts"
import { ending } from "../run/ending.ts"
import { type Signal, Stop } from "../run/Stop.ts"
import { type Remaining, remainingOf, type UndoneRun, undoRun } from "../run/undoRun.ts"
import { JobRefused } from "./JobRefused.ts"
import { answersWithoutSource, orInterrupted } from "./prepare.ts"
import { newRunId, openIfAny, openPlace } from "./projectLedger.ts"
import { ConfirmationMissing } from "./run.ts"
import { serviceToConfirm } from "./services.ts"
import { findTarget, type OfPipeline, openTarget } from "./target.ts"
import { undoneLines, writeUndone } from "./undoneFiles.ts"

/** What a person has to confirm before submissions are deleted. */
export interface UndoQuestion {
  readonly service: string
  readonly form: Pick<Form, "id" | "name">
  readonly submissions: number
  /** The number of rows in doubt. If they have landed, their submissions are deleted, too. */
  readonly inDoubt: number
}

export interface UndoOptions extends OfPipeline {
  readonly run: string
  /** Whether submissions that were edited after the import are deleted, too. */
  readonly editedToo: boolean
  readonly by: string
  readonly confirm: (service: string) => boolean
  /** Asks for the confirmation. Undefined if no one can be asked. */
  readonly ask: ((question: UndoQuestion) => Effect.Effect<boolean>) | undefined
  /** Says what is about to be deleted, if no question is needed. */
  readonly tell: (question: UndoQuestion) => Effect.Effect<void>
  readonly interrupted: Effect.Effect<Signal>
}

/** What happened to the submissions of a run. */
export interface UndoResult extends Pick<UndoneRun, "deleted" | "absent">, Omit<Remaining, "sent" | "undone"> {
  readonly pipeline: string
  readonly run: string
  readonly form: { readonly service: string; readonly id: string; readonly name: string }
  /** The folder with undone.csv and undo.json. */
  readonly folder: string
  /** The number of submissions that earlier calls deleted. */
  readonly earlier: number
  /** The number of submissions that remain because they were edited, or because they differ from what was sent and were never verified. */
  readonly edited: number
  /** The number of submissions that remain because nothing but their answers shows that the run created them. */
  readonly likely: number
  /** The number of submissions that remain because the service refused to delete them. */
  readonly refused: number
  /** The number of submissions that were never seen in the form, so that nothing shows whether they exist. */
  readonly unseen: number
  /** The number of submissions that were not deleted, because the command stopped. */
  readonly left: number
  readonly exitCode: ExitCode
  /** Why the command stopped. Undefined if it did not. */
  readonly because: string | undefined
}

/**
 * Deletes the submissions that a run created according to the ledger, and writes what happened to each into a new folder. Each deletion is recorded as soon
 * as it is done, so that an interrupted command can be repeated. Takes the pipeline's lock.
 */
export const undoPipeline = (project: Project, options: UndoOptions) =>
  Effect.scoped(
    Effect.gen(function*() {
      const at = yield* findTarget(project, options)
      const { pipeline, target } = at
      const refusal = (message: string) =>
        new JobRefused({ code: "UndoRefused", next: ["status", pipeline.name], message })
      const { service: name } = target
      const service = yield* orInterrupted(options.interrupted, openTarget(at))
      const { remove } = service
      if (remove === undefined) {
        return yield* refusal(
          `The project does not say that ${name} can delete submissions, so nothing was deleted. If it can, add \`capabilities: [delete]\` to \`services.${name}\` in config/formferry.yaml.`,
        )
      }
      const toConfirm = serviceToConfirm(project, name)
      const isConfirmed = toConfirm === undefined || options.confirm(toConfirm)
      const unconfirmed = new ConfirmationMissing({ service: name, pipeline: pipeline.name, deletes: true })
      if (!isConfirmed && options.ask === undefined) return yield* unconfirmed
      const form = yield* orInterrupted(options.interrupted, service.form(target.form))
      const ledger = yield* openIfAny(project, at)
      if (ledger === undefined) return yield* refusal(`${pipeline.name} has not sent anything yet.`)
      const view = yield* openPlace(at, ledger, form.id)
      yield* view.isNewest
      const id = yield* newRunId
      const session = yield* view.hold(id)
      const before = yield* remainingOf(view, options.run)
      if (Object.values(before).every((count) => count === 0)) {
        const runs = (yield* view.runs({ limit: 20 })).flatMap(({ mode, run }) => (mode === "run" ? [run] : []))
        return yield* refusal(
          `The ledger has no row of ${pipeline.name} that run ${options.run} sent to ${form.name} on ${name}. Nothing was deleted. `
            + "Rows that a later run sent again belong to that run. "
            + (runs.length === 0 ? "No run has sent rows there." : `Runs, the newest first: ${runs.join(", ")}.`),
        )
      }
      const question = { service: name, form, submissions: before.sent, inDoubt: before.inDoubt }
      const isNothing = before.sent + before.inDoubt === 0
      if (isConfirmed && !isNothing) yield* options.tell(question)
      const isAgreed = isConfirmed || isNothing || (options.ask !== undefined && (yield* options.ask(question)))
      if (!isAgreed) return yield* unconfirmed

      const startedAt = isoOf(yield* Clock.currentTimeMillis)
      yield* session.startRun({ run: id, mode: "undo", startedAt })
      const stop = Context.get(yield* Layer.build(Stop.layer(options.interrupted)), Stop)
      const { digest } = ledger
      const context = {
        pipeline,
        form,
        service,
        remove,
        answers: answersWithoutSource(pipeline, form),
        view,
        session,
        digest,
        stop,
        run: options.run,
        editedToo: options.editedToo,
      }
      const undone = yield* undoRun(context, before)
      const counts = countsOf(undone)
      // A stop does not matter if everything was finished anyway. Without the lock, it may not be recorded that the run is undone.
      const reasons = stop.reasons().filter(({ _tag }) => counts.left > 0 || _tag === "Overtaken")
      const { exitCode, outcome } = ending({
        balanced: true,
        reasons,
        inDoubt: counts.inDoubt + counts.unseen,
        unproven: 0,
        needed: counts.edited + counts.likely + counts.refused + counts.replaced + counts.unknown,
        uncovered: false,
      })
      const because = reasons.flatMap((reason) =>
        reason._tag === "Interrupted"
          ? `The command was interrupted (${reason.signal}).`
          : "because" in reason
          ? reason.because
          : []
      )
      const finishedAt = isoOf(yield* Clock.currentTimeMillis)
      const about = {
        pipeline: pipeline.name,
        run: options.run,
        form: { service: name, id: form.id, name: form.name },
      }
      const folder = yield* writeUndone(project, pipeline.name, id, {
        summary: {
          ...about,
          startedAt,
          finishedAt,
          by: options.by,
          editedToo: options.editedToo,
          ...counts,
          exitCode,
        },
        lines: undoneLines(view, options.run, undone),
      })
      yield* session.finishRun({ run: id, finishedAt, outcome, exitCode, counts: { undo: options.run, ...counts } })
        .pipe(Effect.catchTag("LedgerOvertaken", () => Effect.void))
      return {
        ...about,
        folder,
        ...counts,
        exitCode,
        because: [...new Set(because)].join(" ") || undefined,
      } satisfies UndoResult
    }),
  )

const countsOf = ({ absent, deleted, kept, remaining: { sent, undone, ...after }, replaced }: UndoneRun) => {
  const keptAs = { edited: 0, likely: 0, refused: 0, unseen: 0 }
  for (const { why } of kept.values()) keptAs[why]++
  return {
    ...after,
    deleted,
    absent,
    earlier: undone + replaced.length - deleted,
    ...keptAs,
    left: sent - kept.size,
  }
}
