import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Form } from "../domain/form.ts"
import { compareSubmission } from "../kinds/submission.ts"
import { type Digester, LedgerOvertaken, type LedgerSession, type PipelineLedger } from "../ledger/Ledger.ts"
import type { SentRow } from "../ledger/pages.ts"
import type { MappedAnswer } from "../mapping/Mapping.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { checkDrift, type DriftOptions } from "../reconcile/drift.ts"
import { readBack, type ReadBackOptions } from "../reconcile/ReadBack.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { type FormService, ServiceUnusable } from "../service/FormService.ts"
import { showWork } from "./Progress.ts"
import type { Stop } from "./Stop.ts"

/** What is needed to delete the submissions of a run. */
export interface UndoContext {
  /** The id of the run whose submissions are deleted. */
  readonly run: string
  readonly pipeline: Pipeline
  readonly form: Form
  readonly service: FormService
  readonly remove: NonNullable<FormService["remove"]>
  /** The pipeline's answers. If the mapping no longer compiles, there are none, and every difference counts as an edit. */
  readonly answers: ReadonlyArray<MappedAnswer>
  readonly view: PipelineLedger
  readonly session: LedgerSession
  readonly digest: Digester
  readonly stop: Stop["Type"]
  /** Whether submissions are also deleted that were edited after the import. */
  readonly editedToo: boolean
}

/** What was done now with the submissions of a run. */
export interface Deleted {
  /** The number of submissions that were deleted. */
  readonly deleted: number
  /** The number of these that the service no longer had. */
  readonly absent: number
  /** The edit links of submissions that remain because they were edited, by submission id. Empty if there is none. */
  readonly edited: ReadonlyMap<string, string>
}

/** The number of submissions that are read and deleted at the same time. */
const atOnce = 32

/**
 * Deletes the submissions of a run, and records each deletion as soon as it is done. Each submission is first read and compared with what was imported.
 *
 * @param total the number of submissions, for the progress display
 */
export const deleteRun = (context: UndoContext, total: number) =>
  Effect.gen(function*() {
    const { editedToo, form, pipeline, remove, run, service, session, stop, view } = context
    const reading = readingOf(context)
    const edited = new Map<string, string>()
    let deleted = 0
    let absent = 0
    let done = 0
    const showDone = Effect.suspend(() => showWork("undo", done, total))

    /** Deletes a submission and records that. A service that can't delete may answer 404, so the submission must be gone then. */
    const deleteOne = ({ keyDigest, submissionId }: SentRow) =>
      Effect.gen(function*() {
        const result = yield* remove(form.id, submissionId, session.held)
        if (result === "heldBack") return yield* new LedgerOvertaken({ pipeline: pipeline.name })
        if (result === "absent" && (yield* service.read(form.id, submissionId)) !== undefined) {
          return yield* new ServiceUnusable({
            reason: "unexpected",
            status: 404,
            message:
              `${service.baseUrl} answered a deletion with status 404, but still has the submission ${submissionId}: it was not deleted. `
              + "If the service can't delete submissions, remove `delete` from its `capabilities` in config/formferry.yaml.",
          })
        }
        yield* session.undo([{ keyDigest, submissionId }])
        deleted++
        if (result === "absent") absent++
      }).pipe(Effect.uninterruptible)

    const undoOne = (row: SentRow) =>
      Effect.gen(function*() {
        if (stop.requested()) return
        const found = yield* unlessAborted(stateOf(row, reading), stop.sending)
        if (found === undefined || stop.requested()) return
        if (found.isEdited && !editedToo) edited.set(row.submissionId, found.editLink ?? "")
        else yield* deleteOne(row)
        done++
        yield* showDone
      }).pipe(
        Effect.catchTag("ServiceUnusable", ({ message }) => stop.request({ _tag: "Unavailable", because: message })),
        Effect.catchTag("LedgerOvertaken", ({ message }) => stop.request({ _tag: "Overtaken", because: message })),
      )

    yield* showDone
    yield* Stream.runForEach(
      view.pages("sent", { run }),
      (rows) => Effect.forEach(rows, undoOne, { concurrency: atOnce, discard: true }),
    )
    const result: Deleted = { deleted, absent, edited }
    return result
  })

/** Counts what remains of a run according to the ledger. */
export const remaining = (view: PipelineLedger, run: string) =>
  Effect.gen(function*() {
    const found = { sent: 0, undone: 0, inDoubt: 0, unknown: 0, replaced: 0, uncovered: 0 }
    yield* Stream.runForEach(view.pages("sent", { run, content: false }), (rows) =>
      Effect.sync(() => void (found.sent += rows.length)))
    yield* Stream.runForEach(view.pages("undeletable", { run }), (rows) =>
      Effect.sync(() => {
        for (const { replaces, state } of rows) {
          if (state === "undone") {
            found.undone++
          } else if (state === "inDoubt") {
            found.inDoubt++
          } else found.unknown++
          if (state === "undone" && replaces !== undefined) {
            found.uncovered++
          }
        }
      }))
    yield* Stream.runForEach(view.pages("replaced", { run }), (rows) =>
      Effect.sync(() =>
        void (found.replaced += rows.length)
      ))
    return found
  })

interface Reading {
  readonly drift: DriftOptions
  readonly readBack: ReadBackOptions
}

/** Returns how submissions are compared. */
const readingOf = ({ answers, digest, form, pipeline, service, stop }: UndoContext): Reading => {
  const options: ReadBackOptions = {
    formId: form.id,
    service,
    // The list may be older than the submission, so each one is read.
    listing: undefined,
    digest,
    compare: (item, submission) => compareSubmission(answers, item, submission),
    tolerated: new Set(answers.flatMap((answer) => (answer.tolerated === undefined ? [] : [answer.id]))),
    visibleWithin: pipeline.reconcile.visibleWithin,
    signal: stop.reading,
  }
  // A tolerated answer that was edited is an edit, too.
  const drift = { ...options, names: new Map(answers.map(({ id, name }) => [id, name])), tolerated: new Set<string>() }
  return { readBack: options, drift }
}

/**
 * Returns whether a submission was edited after the import. A submission that was never verified counts as edited if it differs from what was sent,
 * because nothing shows how it came back at first. It has time to become visible: a service might not find it for deletion before.
 */
const stateOf = ({ answers, item, submissionId, verdict }: SentRow, { drift, readBack: options }: Reading) =>
  Effect.gen(function*() {
    if (answers !== undefined && verdict === "verified") {
      const { editLink, standing } = yield* checkDrift({ submissionId, answers }, drift)
      return { isEdited: standing === "edited", editLink }
    }
    if (item === undefined) return { isEdited: true, editLink: undefined }
    let found: { readonly isEdited: boolean; readonly editLink: string | undefined } | undefined
    // The submission had time to become visible if it was already missing when it was read back.
    const visibleWithin = verdict === "missing" ? Duration.zero : options.visibleWithin
    yield* readBack([{ submissionId, item }], { ...options, visibleWithin }, (_, result) => {
      found = { isEdited: result.verdict === "differing", editLink: result.editLink }
    })
    return found
  })
