import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Form } from "../domain/form.ts"
import { LedgerOvertaken } from "../ledger/errors.ts"
import type { LedgerSession, PipelineLedger } from "../ledger/Ledger.ts"
import type { ReplacedSubmission, SentRow } from "../ledger/pages.ts"
import type { MappedAnswer } from "../mapping/Mapping.ts"
import { stampsOf } from "../mapping/stamps.ts"
import { checkDrift } from "../reconcile/drift.ts"
import { readBack, type ReadBackOptions } from "../reconcile/ReadBack.ts"
import { unlessAborted } from "../service/cancellation.ts"
import { type FormService, ServiceUnusable } from "../service/FormService.ts"
import { showWork } from "./Progress.ts"
import { type Comparing, comparingWith } from "./readBackRows.ts"
import { settleByList } from "./settleDoubts.ts"
import type { Stop } from "./Stop.ts"

/** What is needed to delete the submissions of a run. */
export interface UndoContext extends Comparing {
  /** The id of the run whose submissions are deleted. */
  readonly run: string
  readonly form: Form
  readonly remove: NonNullable<FormService["remove"]>
  /** The pipeline's answers. If the mapping no longer compiles, there are none, and every difference counts as an edit. */
  readonly answers: ReadonlyArray<MappedAnswer>
  readonly view: PipelineLedger
  readonly session: LedgerSession
  readonly stop: Stop["Type"]
  /** Whether submissions are also deleted that were edited after the import, or that only their answers assign to the run. */
  readonly editedToo: boolean
}

/** A submission of the run that may be deleted. */
type Deletable =
  & Pick<SentRow, "row" | "key" | "keyDigest" | "submissionId" | "verdict" | "answers" | "item" | "isFound">
  & Partial<Pick<ReplacedSubmission, "isUncovered">>

/** What was done now with the submissions of a run. */
export interface UndoneRun {
  /** The number of submissions that were deleted. */
  readonly deleted: number
  /** The number of these that the service no longer had. */
  readonly absent: number
  /** Those of the deleted submissions that their rows had replaced, so that the ledger knows only their ids now. */
  readonly replaced: ReadonlyArray<Pick<SentRow, "row" | "key" | "submissionId">>
  /** Submissions that were not deleted on purpose, by submission id. */
  readonly kept: ReadonlyMap<string, Kept>
  /** What remains of the run. */
  readonly remaining: Remaining
}

/**
 * Why a submission was not deleted. `edited`: it was edited. `likely`: nothing but its answers shows that the run created it. `refused`: the service
 * refused to delete it. `unseen`: it was never seen in the form, so that nothing shows whether it exists.
 */
export interface Kept {
  readonly why: "edited" | "likely" | "refused" | "unseen"
  /** The submission's edit link, if it was edited. */
  readonly editLink?: string | undefined
  /** The service's reason, if it refused. */
  readonly because?: string
}

/** The number of submissions that are read and deleted at the same time. */
const atOnce = 32

/** If the service refused this many deletions and made none, the command stops. */
const mostRefused = 32

/**
 * Deletes the submissions of a run, and records each deletion as soon as it is done. Each submission is first read and compared with what was imported.
 * Rows in doubt are settled first if the service can list. Those that have not landed are then undone, too, and stay so if they are settled later.
 *
 * @param before what remains of the run
 */
export const undoRun = (context: UndoContext, before: Remaining) =>
  Effect.gen(function*() {
    const { form, pipeline, remove, run, service, session, stop, view } = context
    if (before.inDoubt > 0) yield* undoDoubts(context)
    // The list may be older than a submission, so each one is read.
    const reading = comparingWith(context, undefined)
    const runParameter = stampsOf(pipeline, form).find(({ carries }) => carries === "run")?.id
    const kept = new Map<string, Kept>()
    const replaced: Array<Deletable> = []
    let deleted = 0
    let absent = 0
    let refused = 0
    let done = 0
    const showDone = Effect.suspend(() => showWork("undo", done, before.sent))

    /** Deletes a submission. Returns false if the service refuses. A service that can't delete may answer 404, so the submission must be gone then. */
    const isDeleted = ({ submissionId }: Deletable): Effect.Effect<boolean, ServiceUnusable | LedgerOvertaken> =>
      Effect.gen(function*() {
        const result = yield* remove(form.id, submissionId, session.holdsLock)
        if (result === "heldBack") return yield* new LedgerOvertaken({ pipeline: pipeline.name })
        if (result === "deleted") return true
        if ((yield* service.read(form.id, submissionId)) === undefined) {
          absent++
          return true
        }
        return yield* new ServiceUnusable({
          reason: "unexpected",
          status: 404,
          message:
            `${service.baseUrl} answered the deletion with status 404, but still has the submission. If the service can't delete submissions, `
            + "remove `delete` from its `capabilities` in config/formferry.yaml.",
        })
      }).pipe(
        Effect.catchIf(
          (error): error is ServiceUnusable => error._tag === "ServiceUnusable" && isAboutOne(error),
          (error) => {
            kept.set(submissionId, { why: "refused", because: error.message })
            return deleted === 0 && ++refused >= mostRefused ? error : Effect.succeed(false)
          },
        ),
      )

    const deleteOne = (row: Deletable) =>
      Effect.gen(function*() {
        if (!(yield* isDeleted(row))) return
        yield* session.undo([row])
        deleted++
        if (row.isUncovered === true) replaced.push(row)
      }).pipe(Effect.uninterruptible)

    /** Whether nothing but its answers shows that the run created a submission: the answer to its request was lost, and it does not carry the run's id. */
    const isOnlyLikely = ({ isFound, submissionId }: Deletable) =>
      Effect.gen(function*() {
        if (!isFound) return false
        const submission = runParameter === undefined ? undefined : yield* service.read(form.id, submissionId)
        return submission?.urlParameters.some(({ id, value }) => id === runParameter && value === run) !== true
      })

    const undoOne = (row: Deletable) =>
      Effect.gen(function*() {
        if (stop.requested()) return
        const found = yield* unlessAborted(stateOf(row, reading), stop.sending)
        if (found === undefined || stop.requested()) return
        const { editLink, state } = found
        if (state === "unseen") {
          yield* session.recordVerdicts([{ keyDigest: row.keyDigest, verdict: "missing", answers: new Map() }])
          kept.set(row.submissionId, { why: "unseen" })
        } else if (state === "edited" && !context.editedToo) kept.set(row.submissionId, { why: "edited", editLink })
        else if (!context.editedToo && state !== "gone" && (yield* isOnlyLikely(row))) {
          kept.set(row.submissionId, { why: "likely" })
        } else yield* deleteOne(row)
        done++
        yield* showDone
      }).pipe(Effect.catchTags({ ServiceUnusable: stop.unavailable, LedgerOvertaken: stop.overtaken }))
    const undoAll = (rows: ReadonlyArray<Deletable>) =>
      Effect.forEach(rows, undoOne, { concurrency: atOnce, discard: true })

    yield* showDone
    yield* Stream.runForEach(view.pages("sent", { run }), undoAll)
    yield* Stream.runForEach(view.pages("replaced", { run }), (rows) => undoAll(rows.flatMap(deletable)))
    return { deleted, absent, replaced, kept, remaining: yield* remainingOf(view, run) } satisfies UndoneRun
  })

/** Whether the service refused to delete this submission, but may delete others. */
const isAboutOne = ({ reason, status = 0 }: ServiceUnusable): boolean =>
  reason === "unexpected" && status >= 400 && status < 500 && status !== 405

/** Returns a replaced submission if it may be deleted: once the submission that replaced it was deleted. */
const deletable = (row: ReplacedSubmission): ReadonlyArray<Deletable> =>
  row.isUncovered ? [{ ...row, item: undefined }] : []

/** Records that the run is undone, so that its rows in doubt are undone if they have not landed. Settles them now if the service can list. */
const undoDoubts = ({ answers, digest, form, pipeline, run, service: { list }, session, stop, view }: UndoContext) =>
  Effect.gen(function*() {
    const { undone } = yield* view.facts
    if (!undone.includes(run)) yield* session.recordFacts({ undone: [...undone, run] })
    if (list === undefined) return
    const context = { list, form, pipeline, answers, view, digest: digest.key }
    yield* settleByList(context, session, stop, (row) => row.run === run)
  }).pipe(
    Effect.catchTag(
      "ServiceUnusable",
      ({ message }) =>
        Effect.logWarning(`The form could not be listed, so the rows in doubt stay in doubt. ${message}`),
    ),
    Effect.catchTag("LedgerOvertaken", stop.overtaken),
  )

/** What the ledger contains of a run. */
export interface Remaining {
  /** The number of submissions that may be deleted. */
  readonly sent: number
  /** The number of submissions that were deleted. Without those that their rows had replaced. */
  readonly undone: number
  /** The number of undone rows that had not landed. */
  readonly notLanded: number
  readonly inDoubt: number
  /** The number of rows whose submissions have no known id, because a person said that they had landed. */
  readonly unknown: number
  /** The number of submissions that a later run replaced. */
  readonly replaced: number
  /** The number of earlier submissions that remain although the submissions that replaced them were deleted. */
  readonly uncovered: number
}

/** Counts what remains of a run according to the ledger. */
export const remainingOf = (view: Pick<PipelineLedger, "pages">, run: string) =>
  Effect.gen(function*() {
    const found = { sent: 0, undone: 0, notLanded: 0, inDoubt: 0, unknown: 0, replaced: 0, uncovered: 0 }
    yield* Stream.runForEach(view.pages("imported", { run }), (rows) =>
      Effect.sync(() => void (found.sent += rows.length)))
    yield* Stream.runForEach(view.pages("undeletable", { run }), (rows) =>
      Effect.sync(() => {
        for (const { replaces, state, submissionId } of rows) {
          if (state === "inDoubt") {
            found.inDoubt++
          } else if (state !== "undone") {
            found.unknown++
          } else if (submissionId === undefined) {
            found.notLanded++
          } else found.undone++
          if (state === "undone" && replaces !== undefined) {
            found.uncovered++
          }
        }
      }))
    yield* Stream.runForEach(view.pages("replaced", { run }), (rows) =>
      Effect.sync(() => {
        for (const { isUncovered } of rows) {
          found[isUncovered ? "sent" : "replaced"]++
        }
      }))
    return found
  })

/** The state of a submission. `unseen`: no one has ever seen it in the form. */
interface State {
  readonly state: "unchanged" | "edited" | "gone" | "unseen"
  readonly editLink?: string | undefined
}

/**
 * Returns the state of a submission. One that was never verified counts as edited if it differs from what was sent, because nothing shows how it came
 * back at first. One that was never read has time to become visible. If it does not, nothing shows that it is gone: only a second look, by a later
 * command, counts.
 */
const stateOf = ({ answers, item, submissionId, verdict }: Deletable, options: ReadBackOptions) =>
  Effect.gen(function*() {
    if (answers !== undefined && verdict === "verified") {
      // A tolerated answer that was edited is an edit, too.
      const { editLink, standing } = yield* checkDrift({ submissionId, answers }, { ...options, tolerated: new Set() })
      return { state: standing, editLink } satisfies State
    }
    if (item === undefined) return { state: "edited" } satisfies State
    let found: State | undefined
    const isFirst = verdict === "unread"
    const visibleWithin = isFirst ? options.visibleWithin : Duration.zero
    yield* readBack([{ submissionId, item }], { ...options, visibleWithin }, (_, { editLink, verdict }) => {
      found = verdict === "missing"
        ? { state: isFirst ? "unseen" : "gone" }
        : { state: verdict === "differing" ? "edited" : "unchanged", editLink }
    })
    return found
  })
