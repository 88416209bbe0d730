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

/** Returns why an item is in doubt if no submission in the response matches it. */
const whyInDoubt = (
  { submissions }: Extract<CreateOutcome, { readonly _tag: "Created" }>,
  sent: number,
  known: ReadonlySet<string>,
): string => {
  const [id] = known
  if (id !== undefined) return `the service answered with submission ${id}, which the ledger already has`
  return submissions.length === sent
    ? "the service answered with submissions that are malformed or repeat an id"
    : `the service answered with ${counted(submissions.length, "submission")} for ${counted(sent, "item")}`
}

/** How many rows must be refused for the same reason, with none created, to show that the mapping or the form is wrong. */
const enough = 10

/**
 * If the service only asks to wait, the configured number of attempts is multiplied by this. The service works, but
 * other clients are using the account.
 */
const patienceWhenThrottled = 5

export const makeSink = (options: SinkOptions): Sink => {
  const { session, service, formId } = options
  let hasCreated = false
  let refusals = 0
  /** The service's messages. Those that differ only in numbers count as one. */
  const reasons = new Map<string, string>()
  /** Returned submission ids that the ledger does not have yet. */
  const unrecorded = new Set<string>()

  /** Sends rows in one request, and decides what follows from its outcome. Retries after a wait if nothing was created. */
  const attempt = (
    rows: ReadonlyArray<IntendedRow>,
    tried: number,
    throttled: number,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      if (options.stop.aborted) return result(pending(rows))
      // If the process ends after this, `Ledger.hold` in the next run puts these rows in doubt.
      const batch = yield* Effect.catchTag(
        session.intend({ ...options.intent, rows }),
        "RowShared",
        ({ message }) => Effect.succeed(result(pending(rows), { _tag: "Protected", because: message })),
      )
      if (typeof batch !== "number") return batch
      const outcome = yield* service.create(formId, rows.map((row) => row.item), session.holdsLock, options.stop)
      switch (outcome._tag) {
        case "Created":
          return result(yield* created(batch, rows, outcome))
        case "InDoubt":
          return result(
            yield* recordAll(batch, rows, { _tag: "InDoubt", reason: outcome.reason }),
            outcome.error && { _tag: "Unavailable", because: outcome.error.message },
          )
        case "Unusable":
          return result(yield* recordAll(batch, rows, { _tag: "NotCreated" }), {
            _tag: "Unavailable",
            because: outcome.error.message,
          })
        case "NotCreated": {
          // Recorded before any wait, so that a crash during the wait leaves nothing in doubt.
          yield* recordAll(batch, rows, { _tag: "NotCreated" })
          if (options.stop.aborted) return result(pending(rows))
          const times = outcome.throttled ? { tried, throttled: throttled + 1 } : { tried: tried + 1, throttled }
          if (
            times.tried >= options.retries.attempts
            || times.throttled >= options.retries.attempts * patienceWhenThrottled
          ) {
            return result(pending(rows), {
              _tag: "Unavailable",
              because: `The service could not be reached in ${
                times.tried + times.throttled
              } attempts: ${outcome.reason}.`,
            })
          }
          yield* pause(Math.max(1, outcome.throttled ? times.throttled : times.tried), outcome.wait)
          return yield* attempt(rows, times.tried, times.throttled)
        }
        case "Refused":
          return yield* isolate(batch, rows, outcome)
      }
    })

  /** Assigns the submissions that a request created to the rows of its batch, and records the outcomes. */
  const created = (
    batch: number,
    rows: ReadonlyArray<IntendedRow>,
    outcome: Extract<CreateOutcome, { readonly _tag: "Created" }>,
  ) => {
    const answered = outcome.ids.filter((id) => unrecorded.has(id))
    for (const id of outcome.ids) unrecorded.add(id)
    const decide = (recorded: ReadonlySet<string>): Outcomes => {
      const known = new Set([...answered, ...recorded])
      // A submission that already existed was not created by this request, so it matches nothing.
      const { loose, submissions } = matchByContent(
        rows.map((row) => row.item),
        outcome.submissions.map((one) => (one === undefined || known.has(one.submissionId) ? undefined : one)),
        outcome.ids.filter((id) => !known.has(id)),
        options.fit,
      )
      const reason = whyInDoubt(outcome, rows.length, known)
      return {
        rows: rows.map((_, index): RowOutcome => {
          const submission = submissions[index]
          return submission === undefined ? { _tag: "InDoubt", reason } : {
            _tag: "Imported",
            submissionId: submission.submissionId,
            submissionTime: submission.submissionTime,
          }
        }),
        loose,
      }
    }
    return session.recordReturned(batch, outcome.ids, decide).pipe(
      Effect.mapBoth({
        onSuccess: (outcomes) => {
          hasCreated = true
          return Arr.zipWith(rows, outcomes.rows, (row, outcome): RowResult => ({ row, outcome }))
        },
        onFailure: (error) => lost(error, batch, rows, outcome.ids),
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
    refusal: Extract<CreateOutcome, { readonly _tag: "Refused" }>,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      const named = rows.length === 1 ? 0 : refusal.index
      if (named !== undefined && named < rows.length) {
        const sent = yield* record(
          batch,
          rows.map((row, index): RowResult => ({
            row,
            outcome: index === named
              ? {
                _tag: "Refused",
                message: refusal.message,
                item: options.digestOf(row),
                mapping: options.intent.mapping,
                form: options.form,
              }
              : { _tag: "NotCreated" },
          })),
        )
        refusals++
        // Indexes and values differ between rows, but words do not.
        reasons.set(refusal.message.replace(/\d+/gu, "#"), refusal.message)
        const refused = sent.filter((_, index) => index === named)
        const others = rows.filter((_, index) => index !== named)
        return yield* continued(refused, [others])
      }
      yield* recordAll(batch, rows, { _tag: "NotCreated" })
      const half = Math.ceil(rows.length / 2)
      return yield* continued([], [rows.slice(0, half), rows.slice(half)])
    })

  /** Sends the rest of a batch, group by group, until there is a problem. Rows that were not sent remain pending. */
  const continued = (
    done: ReadonlyArray<RowResult>,
    groups: ReadonlyArray<ReadonlyArray<IntendedRow>>,
  ): Effect.Effect<BatchResult, SinkFailure> =>
    Effect.gen(function*() {
      let rows = done
      let trouble: Trouble | undefined
      for (const group of groups) {
        trouble ??= allRefused()
        if (group.length === 0) continue
        if (trouble !== undefined) {
          rows = [...rows, ...pending(group)]
          continue
        }
        const next = yield* attempt(group, 0, 0)
        rows = [...rows, ...next.rows]
        trouble = next.trouble
      }
      return result(rows, trouble)
    })

  /** Returns the trouble if the service has refused every row so far, enough of them, and all for the same reason: hundreds of rows must not be tried one by one. */
  const allRefused = (): Trouble | undefined =>
    hasCreated || refusals < enough || reasons.size !== 1 ? undefined : {
      _tag: "Protected",
      because: `The service refuses every row for the same reason, so the mapping or the form is probably wrong: "${
        [...reasons.values()].join("")
      }"`,
    }

  /** Waits before the next attempt, unless sending stops. `asked`: the milliseconds for which the service asked to wait. */
  const pause = (attempt: number, asked: number | undefined) =>
    Effect.flatMap(Random.nextRange(0.5, 1), (jitter) => {
      const backoff = Math.min(
        Duration.toMillis(options.retries.base) * 2 ** (attempt - 1),
        Duration.toMillis(options.retries.max),
      )
      // Sending must not be interrupted, but the losing side of this race must end.
      return Effect.race(
        Effect.interruptible(Effect.sleep(Math.max(asked ?? 0, backoff * jitter))),
        Effect.interruptible(untilAborted(options.stop)),
      )
    })

  /** Records the outcomes of a batch's rows, and returns them. */
  const record = (
    batch: number,
    sent: ReadonlyArray<RowResult>,
  ): Effect.Effect<ReadonlyArray<RowResult>, SinkFailure> =>
    Effect.as(session.recordOutcomes(batch, sent.map((one) => one.outcome)), sent)

  /** Records the same outcome for all rows of a batch. */
  const recordAll = (batch: number, rows: ReadonlyArray<IntendedRow>, outcome: RowOutcome) =>
    record(batch, rows.map((row): RowResult => ({ row, outcome })))

  const pending = (rows: ReadonlyArray<IntendedRow>): ReadonlyArray<RowResult> =>
    rows.map((row) => ({ row, outcome: { _tag: "NotCreated" } }))

  const result = (rows: ReadonlyArray<RowResult>, trouble?: Trouble): BatchResult => ({ rows, trouble })

  /** Returns the failure if the ledger failed after submissions were created. It contains their ids, which must not be lost. */
  const lost = (
    error: LedgerError | LedgerOvertaken,
    batch: number,
    rows: ReadonlyArray<IntendedRow>,
    submissionIds: ReadonlyArray<string>,
  ): SinkFailure =>
    submissionIds.length === 0 ? error : new OutcomeUnrecorded({
      batches: [{ batch, rows: rows.map(({ row }) => row), submissionIds }],
      reason: error.message,
    })

  return { send: (rows) => Effect.uninterruptible(attempt(rows, 0, 0)) }
}
