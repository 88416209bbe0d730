import { Effect, Stream } from "effect"
import { fit } from "../kinds/submission.ts"
import type { LedgerError, LedgerOvertaken, LedgerSession } from "../ledger/Ledger.ts"
import type { ReportError } from "../report/partFiles.ts"
import { makeSink, type SinkFailure } from "../sink/Sink.ts"
import { canaryIsNeeded, judgeCanary } from "./canary.ts"
import { columnNames } from "./content.ts"
import { deliver, type Delivery } from "./deliver.ts"
import { outgoing } from "./outgoing.ts"
import { paged, pageSize } from "./paged.ts"
import { readBackOptions, readBackRows } from "./readBackRows.ts"
import type { RunContext } from "./RunContext.ts"
import type { Survey } from "./survey.ts"
import type { Tally } from "./Tally.ts"

/** Reads back what earlier runs left unread, then sends: the canary first, and the rest when it passed. */
export const send = (
  run: RunContext,
  session: LedgerSession,
  survey: Survey,
  tally: Tally,
): Effect.Effect<void, SinkFailure | ReportError> =>
  Effect.gen(function*() {
    const settings = run.pipeline.sink
    const delivery: Delivery = {
      run,
      session,
      survey,
      tally,
      newRows: survey.fates.count("pending"),
      sink: makeSink({
        formId: run.form.id,
        service: run.service,
        session,
        fit: (item, submission) => fit(item, submission, run.mapping.answers),
        columns: columnNames(run.columns),
        mapping: run.mapping.fingerprint,
        form: run.formFingerprint,
        resend: settings.inDoubt === "resend",
        digestOf: (row) => run.ledger.digest.value(row.item),
        retries: settings.retries,
        stopped: run.stop.requested,
        unwanted: run.stop.sending,
      }),
      readBack: readBackOptions(run),
    }
    // A rehearsal's service does not have what earlier runs created.
    if (run.mode !== "rehearsal") yield* readUnread(delivery)
    const most = Math.min(run.limit ?? Number.POSITIVE_INFINITY, delivery.newRows)
    if (most === 0 || run.stop.requested()) return
    const needed = yield* canaryIsNeeded(run)
    if (run.stop.requested()) return
    if (run.mayBeSent !== undefined && !(yield* run.mayBeSent(most))) {
      return yield* run.stop.request({ _tag: "Unconfirmed", service: run.serviceName })
    }
    const shape = yield* session.shapeOf(run.shape)
    const rows = (choose: (row: number) => boolean, count: number) => outgoing(run, survey, shape, choose, count)

    const canary = needed ? canaryOf(survey, settings.canary, most) : new Set<number>()
    if (canary.size > 0) {
      tally.phase = "canary"
      tally.total = canary.size
      yield* deliver(delivery, rows((row) => canary.has(row), canary.size))
      yield* judgeCanary(run, session, tally, canary.size)
      if (run.stop.requested()) return
    }
    tally.phase = "import"
    tally.total = most
    yield* deliver(
      delivery,
      rows((row) => !canary.has(row) && survey.fates.get(row) === "pending", most - canary.size),
    )
  })

/** The rows that go first. Where none of those that were chosen goes out after all, the first ones that do. */
const canaryOf = (survey: Survey, size: number, most: number): ReadonlySet<number> => {
  const chosen = survey.canary.choose(most, (row) => survey.fates.get(row) === "pending")
  return new Set(chosen.length > 0 ? chosen : survey.fates.first("pending", Math.min(size, most)))
}

/** What earlier runs created and did not read back is read first. */
const readUnread = (delivery: Delivery): Effect.Effect<void, LedgerError | LedgerOvertaken | ReportError> =>
  Stream.runForEach(
    unread(delivery.run),
    (rows) => delivery.run.stop.requested() ? Effect.void : readBackRows(delivery, rows, false),
  )

const unread = (run: RunContext) =>
  Stream.map(
    paged((after) => run.view.sent({ after, limit: pageSize, verdicts: ["unread"] })),
    (rows) => rows.flatMap(({ item, ...row }) => (item === undefined ? [] : [{ ...row, item }])),
  )
