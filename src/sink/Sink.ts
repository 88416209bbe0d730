import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { counted, listed } from "../domain/words.ts"
import type { LedgerError, LedgerOvertaken } from "../ledger/errors.ts"
import type { LedgerSession } from "../ledger/Ledger.ts"
import type { IntendedRow, Outcomes, RowOutcome } from "../ledger/rows.ts"
import { untilAborted } from "../service/cancellation.ts"
import type { CreateOutcome, FormService } from "../service/FormService.ts"
import type { RetryPolicy } from "../service/schedules.ts"
import { type Fit, matchByContent } from "./match.ts"

/** A row that was passed to the sink, and its outcome. */
export interface RowResult {
  readonly row: IntendedRow
  /** `NotCreated` means that the row remains pending. */
  readonly outcome: RowOutcome
}

/** Why the sink should not receive more rows: the service can't be used, or the form must be protected. `because`: a sentence. */
interface Trouble {
  readonly _tag: "Unavailable" | "Protected"
  readonly because: string
}

/** The result of a batch. Every row has an outcome, which is recorded in the ledger. */
export interface BatchResult {
  readonly rows: ReadonlyArray<RowResult>
  readonly trouble: Trouble | undefined
}

/** Submissions were created, but the ledger could not record them (exit code 70). Their ids must not be lost. */
export class OutcomeUnrecorded extends Schema.TaggedError<OutcomeUnrecorded>()("OutcomeUnrecorded", {
  /** The numbers of the rows in the order in which they were sent, and the submission ids that were returned for them. */
  batches: Schema.Array(
    Schema.Struct({
      batch: Schema.Number,
      rows: Schema.Array(Schema.Number),
      submissionIds: Schema.Array(Schema.String),
    }),
  ),
  reason: Schema.String,
}) {
  override get message() {
    const lines = this.batches.map(({ batch, rows, submissionIds }) =>
      `Batch ${batch}: ${rows.length === 1 ? "row" : "rows"} ${listed(rows.map(String))} became ${
        submissionIds.length === 1 ? "submission" : "submissions"
      } ${listed(submissionIds)}.`
    )
    return [
      `The service has created submissions, but the ledger could not record them (${this.reason}).`,
      ...lines,
      "Keep these lines: the next run treats the rows as in doubt, and `settle` resolves them with an export of the form's results.",
    ].join("\n")
  }
}

/** An error of the ledger, after which nothing more may be sent. */
export type SinkFailure = LedgerError | LedgerOvertaken | OutcomeUnrecorded

export interface Sink {
  /**
   * Sends rows in one create request, or in several if a refused row must be isolated. Every request's intent is durable before its first byte, and
   * every outcome before any wait. A request that may have arrived is never repeated. Must not be interrupted.
   */
  readonly send: (
    rows: ReadonlyArray<IntendedRow>,
  ) => Effect.Effect<BatchResult, SinkFailure>
}

export interface SinkOptions {
  readonly formId: string
  readonly service: FormService
  readonly session: LedgerSession
  readonly fit: Fit
  /** What is recorded about each batch in addition to its rows. */
  readonly intent: Omit<Parameters<LedgerSession["intend"]>[0], "rows">
  /** Fingerprint of the form. A refused row is sent again after the form or the mapping has changed. */
  readonly form: string
  readonly digestOf: (row: IntendedRow) => Buffer
  readonly retries: RetryPolicy
  /** When this is aborted, nothing new is sent and all waits end. */
  readonly stop: AbortSignal
}

/** How many rows must be refused for the same reason, with none created, to show that the mapping or the form is wrong. */
const enough = 10

/** Detects that the service refuses every row for the same reason: hundreds of rows must not be tried one by one. */
class Refusals {
  private rows = 0
  private hasCreated = false
  /** The service's messages. Those that differ only in numbers count as one, because indexes and values differ between rows, but words do not. */
  private readonly messages = new Map<string, string>()

  created(): void {
    this.hasCreated = true
  }

  refused(message: string): void {
    this.rows++
    this.messages.set(message.replace(/\d+/gu, "#"), message)
  }

  get trouble(): Trouble | undefined {
    return this.hasCreated || this.rows < enough || this.messages.size !== 1 ? undefined : {
      _tag: "Protected",
      because: `The service refuses every row for the same reason, so the mapping or the form is probably wrong: "${
        [...this.messages.values()].join("")
      }"`,
    }
  }
}

/**
 * If the service only asks to wait, the configured number of attempts is multiplied by this. The service works, but
 * other clients are using the account.
 */
const patienceWhenThrottled = 5

/** How many attempts to create rows have failed. `throttled`: those after which the service asked to wait. */
interface Attempts {
  readonly failed: number
  readonly throttled: number
}

const noAttempts: Attempts = { failed: 0, throttled: 0 }

type Created = Extract<CreateOutcome, { readonly _tag: "Created" }>
type NotCreated = Extract<CreateOutcome, { readonly _tag: "NotCreated" }>
type Refused = Extract<CreateOutcome, { readonly _tag: "Refused" }>

export const makeSink = (
  { digestOf, fit, form, formId, intent, retries, service, session, stop }: SinkOptions,
): Sink => {
  const refusals = new Refusals()
  /** Returned submission ids that the ledger does not have yet. */
  const unrecorded = new Set<string>()

  /** Sends rows in one request, and decides what follows from its outcome. */
  const attempt = (
    rows: ReadonlyArray<IntendedRow>,
    earlier: Attempts = noAttempts,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      if (stop.aborted) return pending(rows)
      // If the process ends after this, `Ledger.hold` in the next run puts these rows in doubt.
      const batch = yield* Effect.catchTag(
        session.intend({ ...intent, rows }),
        "RowShared",
        ({ message }) => Effect.succeed(pending(rows, { _tag: "Protected", because: message })),
      )
      if (typeof batch !== "number") return batch
      const outcome = yield* service.create(formId, rows.map((row) => row.item), session.holdsLock, stop)
      switch (outcome._tag) {
        case "Created":
          return { rows: yield* assign(batch, rows, outcome), trouble: undefined }
        case "InDoubt":
          return {
            rows: yield* recordAll(batch, rows, { _tag: "InDoubt", reason: outcome.reason }),
            trouble: outcome.error && unavailable(outcome.error.message),
          }
        case "Unusable":
          return {
            rows: yield* recordAll(batch, rows, { _tag: "NotCreated" }),
            trouble: unavailable(outcome.error.message),
          }
        case "NotCreated":
          return yield* retry(batch, rows, outcome, earlier)
        case "Refused":
          return yield* isolate(batch, rows, outcome)
      }
    })

  /** Sends rows again after a wait, because nothing was created. Gives up after too many attempts. */
  const retry = (
    batch: number,
    rows: ReadonlyArray<IntendedRow>,
    outcome: NotCreated,
    earlier: Attempts,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      // Recorded before any wait, so that a crash during the wait leaves nothing in doubt.
      yield* recordAll(batch, rows, { _tag: "NotCreated" })
      if (stop.aborted) return pending(rows)
      const { failed, throttled } = outcome.throttled
        ? { ...earlier, throttled: earlier.throttled + 1 }
        : { ...earlier, failed: earlier.failed + 1 }
      const { attempts } = retries
      if (failed >= attempts || throttled >= attempts * patienceWhenThrottled) {
        const because = `The service could not be reached in ${failed + throttled} attempts: ${outcome.reason}.`
        return pending(rows, unavailable(because))
      }
      yield* pause(retries, stop, Math.max(1, outcome.throttled ? throttled : failed), outcome.wait)
      return yield* attempt(rows, { failed, throttled })
    })

  /** Assigns the submissions that a request created to the rows of its batch, and records the outcomes. */
  const assign = (batch: number, rows: ReadonlyArray<IntendedRow>, outcome: Created) => {
    const answered = outcome.ids.filter((id) => unrecorded.has(id))
    for (const id of outcome.ids) unrecorded.add(id)
    return session.recordReturned(
      batch,
      outcome.ids,
      (recorded) => outcomesOf(rows, outcome, new Set([...answered, ...recorded]), fit),
    ).pipe(
      Effect.mapBoth({
        onSuccess: (outcomes) => {
          refusals.created()
          return paired(rows, outcomes.rows)
        },
        // The ids of the created submissions must not be lost.
        onFailure: (error) =>
          outcome.ids.length === 0 ? error : new OutcomeUnrecorded({
            batches: [{ batch, rows: rows.map(({ row }) => row), submissionIds: outcome.ids }],
            reason: error.message,
          }),
      }),
      Effect.ensuring(Effect.sync(() => {
        for (const id of outcome.ids) if (!answered.includes(id)) unrecorded.delete(id)
      })),
    )
  }

  /**
   * If the error names a row, that row counts as refused. Otherwise, halves the batch until the refused row is
   * isolated. The other rows are sent again.
   */
  const isolate = (
    batch: number,
    rows: ReadonlyArray<IntendedRow>,
    { index, message }: Refused,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      const named = rows.length === 1 ? 0 : index
      const row = named === undefined ? undefined : rows[named]
      if (row === undefined) {
        yield* recordAll(batch, rows, { _tag: "NotCreated" })
        const half = Math.ceil(rows.length / 2)
        return yield* sendGroups([rows.slice(0, half), rows.slice(half)])
      }
      const refused: RowOutcome = { _tag: "Refused", message, item: digestOf(row), mapping: intent.mapping, form }
      yield* record(batch, rows, rows.map((one) => (one === row ? refused : { _tag: "NotCreated" })))
      refusals.refused(message)
      return yield* sendGroups([rows.filter((one) => one !== row)], [{ row, outcome: refused }])
    })

  /** Sends the rest of a batch, group by group, until there is a problem. Rows that were not sent remain pending. */
  const sendGroups = (
    groups: ReadonlyArray<ReadonlyArray<IntendedRow>>,
    done: ReadonlyArray<RowResult> = [],
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.reduce(groups, { rows: done, trouble: undefined } as BatchResult, (before, group) => {
      const trouble = before.trouble ?? refusals.trouble
      const sent = trouble !== undefined || group.length === 0
        ? Effect.succeed(pending(group, trouble))
        : attempt(group)
      return Effect.map(sent, (next) => ({ rows: [...before.rows, ...next.rows], trouble: next.trouble }))
    })

  /** Records the outcomes of a batch's rows, and returns them. */
  const record = (batch: number, rows: ReadonlyArray<IntendedRow>, outcomes: ReadonlyArray<RowOutcome>) =>
    Effect.as(session.recordOutcomes(batch, outcomes), paired(rows, outcomes))

  /** Records the same outcome for all rows of a batch. */
  const recordAll = (batch: number, rows: ReadonlyArray<IntendedRow>, outcome: RowOutcome) =>
    record(batch, rows, rows.map(() => outcome))

  return { send: (rows) => Effect.uninterruptible(attempt(rows)) }
}

const unavailable = (because: string): Trouble => ({ _tag: "Unavailable", because })

/** Returns the result of rows that were not sent. */
const pending = (rows: ReadonlyArray<IntendedRow>, trouble?: Trouble): BatchResult => ({
  rows: rows.map((row) => ({ row, outcome: { _tag: "NotCreated" } })),
  trouble,
})

const paired = (rows: ReadonlyArray<IntendedRow>, outcomes: ReadonlyArray<RowOutcome>) =>
  Arr.zipWith(rows, outcomes, (row, outcome): RowResult => ({ row, outcome }))

/**
 * Returns the outcomes of rows whose request created submissions. A row is in doubt if no submission matches it.
 *
 * @param known returned ids of submissions that already existed. This request did not create them, so they match nothing
 */
const outcomesOf = (
  rows: ReadonlyArray<IntendedRow>,
  { ids, submissions: returned }: Created,
  known: ReadonlySet<string>,
  fit: Fit,
): Outcomes => {
  const { loose, submissions } = matchByContent(
    rows.map((row) => row.item),
    returned.map((one) => (one === undefined || known.has(one.submissionId) ? undefined : one)),
    ids.filter((id) => !known.has(id)),
    fit,
  )
  const [knownId] = known
  const reason = knownId !== undefined
    ? `the service answered with submission ${knownId}, which the ledger already has`
    : returned.length === rows.length
    ? "the service answered with submissions that are malformed or repeat an id"
    : `the service answered with ${counted(returned.length, "submission")} for ${counted(rows.length, "item")}`
  return {
    rows: submissions.map((submission): RowOutcome =>
      submission === undefined ? { _tag: "InDoubt", reason } : {
        _tag: "Imported",
        submissionId: submission.submissionId,
        submissionTime: submission.submissionTime,
      }
    ),
    loose,
  }
}

/** Waits before the next attempt, unless sending stops. `asked`: the milliseconds for which the service asked to wait. */
const pause = ({ base, max }: RetryPolicy, stop: AbortSignal, attempt: number, asked: number | undefined) =>
  Effect.flatMap(Random.nextRange(0.5, 1), (jitter) => {
    const backoff = Math.min(Duration.toMillis(base) * 2 ** (attempt - 1), Duration.toMillis(max))
    // Sending must not be interrupted, but the losing side of this race must end.
    return Effect.race(
      Effect.interruptible(Effect.sleep(Math.max(asked ?? 0, backoff * jitter))),
      Effect.interruptible(untilAborted(stop)),
    )
  })
