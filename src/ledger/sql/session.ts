import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { reasonOf } from "../../domain/systemErrors.ts"
import type { Marked } from "../behind.ts"
import type { LedgerError, LedgerLocked, LedgerRefused, RowShared } from "../errors.ts"
import { hostOf } from "../holder.ts"
import type { LedgerSession } from "../Ledger.ts"
import { acknowledge } from "./attention.ts"
import { knownSubmissions } from "./evidence.ts"
import { recordFacts, rekey, unkey } from "./facts.ts"
import { intend, lastIntent, type OpenBatch } from "./intend.ts"
import { holdersByEpoch, holdLocks, takeLock, type TakenLock } from "./lock.ts"
import { mustBeNewest } from "./newest.ts"
import { abandon, recordOutcomes } from "./outcomes.ts"
import { type Place, placeOf, runOf } from "./place.ts"
import { settleDoubts } from "./settleDoubts.ts"
import { dropOldRuns, finishRun, startRun } from "./standing.ts"
import { just, Refusal, rowsAtOnce, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"
import { undo } from "./undo.ts"
import { recordVerdicts } from "./verdicts.ts"

/** Takes the pipeline's lock for the scope, and puts in doubt the rows that earlier holders left open. */
export const makeSession = (
  store: Store,
  at: Place,
  run: string,
  overruling: ReadonlyArray<string>,
): Effect.Effect<LedgerSession, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope> =>
  Effect.gen(function*() {
    const { writer } = store
    const asker = { pipeline: at.pipeline, target: store.asker?.target }
    const take = function*(marks: Marked): Sql<ReadonlyArray<Held>> {
      const holders = yield* holdersByEpoch()
      const lock = yield* takeLock(store, at.pipeline)
      const place = yield* placeOf(at)
      yield* mustBeNewest(store, marks, { asker, where: place, overruling })
      yield* abandon(store, at.pipeline, lock.epoch, holders)
      return [{ ...lock, place, run: yield* runOf(place, run), since: yield* lastIntent() }]
    }
    const [held] = yield* holdLocks(
      store,
      "the lock",
      take,
      ({ place }) => ({ asker, where: () => just(place), overruling }),
    )
    if (held === undefined) return yield* Effect.dieMessage("No lock was taken.")
    const { hold, place } = held
    /** Writes what can be determined again, or may be lost without harm. */
    const write = <A>(doing: string, program: () => Sql<A>, touches?: ReadonlyArray<string>) =>
      writer.writeOn(hold, doing, program, { isCounted: false, touches })
    const writeForGood = <A>(doing: string, program: () => Sql<A>, touches?: ReadonlyArray<string>) =>
      writer.writeOn(hold, doing, program, { isCounted: true, touches })
    /** Texts that are equal for the same key in all pipelines of the form, because an intent looks for its rows in the others. */
    const keysOf = (rows: ReadonlyArray<{ readonly keyDigest: Buffer }>) =>
      rows.map(({ keyDigest }) =>
        `row ${at.destination.service} ${at.destination.form} ${keyDigest.toString("latin1")}`
      )
    const open = new Map<number, OpenBatch>()
    const recordReturned: LedgerSession["recordReturned"] = (batch, ids, decide) =>
      Effect.suspend(() => {
        const intended = open.get(batch)
        if (intended === undefined) return Effect.dieMessage(`Batch ${batch} is not open in this run.`)
        const program = function*() {
          const outcomes = decide(yield* knownSubmissions(place, ids))
          yield* recordOutcomes(store, intended, outcomes)
          return outcomes
        }
        return Effect.tap(
          writeForGood("recording an outcome", program, [
            `batch ${batch}`,
            ...ids.map((id) => `submission ${at.destination.service} ${at.destination.form} ${id}`),
          ]),
          () => void open.delete(batch),
        )
      })
    return {
      epoch: held.epoch,
      holdsLock: hold.isOurs,
      lease: { host: hostOf(store.holder), isTakenOver: held.isTakenOver, silentFor: hold.silentFor },
      intend: (intent) =>
        Effect.map(
          writer.writeOn<OpenBatch, RowShared>(hold, "recording an intent", () => intend(store, held, intent), {
            isCounted: true,
            touches: keysOf(intent.rows),
          }),
          (intended) => {
            open.set(intended.batch, intended)
            return intended.batch
          },
        ),
      recordOutcomes: (batch, rows) => Effect.asVoid(recordReturned(batch, [], () => ({ rows, loose: [] }))),
      recordReturned,
      recordVerdicts: (rows) => write("recording verdicts", () => recordVerdicts(store, held, rows), keysOf(rows)),
      recordFacts: (facts) =>
        (facts.acceptance === undefined && facts.undone === undefined ? write : writeForGood)(
          "recording facts",
          () => recordFacts(store, held, facts),
        ),
      rekey: (rows) =>
        Effect.reduce(
          Arr.chunksOf(rows, rowsAtOnce),
          0,
          (sum, some) =>
            Effect.map(writeForGood("recording row keys", () => rekey(place, some)), (moved) => sum + moved),
        ),
      unkey: (rows) => writeForGood("recording rows without a key", () => unkey(store, place, rows)),
      acknowledge: (what) => writeForGood("recording an acknowledgement", () => acknowledge(store, place, what)),
      settleDoubts: (what) =>
        settleDoubts(
          store,
          place,
          what,
          (program) => writeForGood("recording how rows in doubt were settled", program),
        ),
      undo: (rows) => writeForGood("recording deleted submissions", () => undo(place, rows)),
      startRun: (record) =>
        write("recording the run's start", function*() {
          yield* startRun(yield* runOf(place, record.run), record)
        }),
      finishRun: (record) =>
        Effect.asVoid(Effect.all([
          writeForGood("recording the run's end", function*() {
            yield* finishRun(yield* runOf(place, record.run), record)
          }),
          Effect.catchTag(
            writer.writeOn<number, NotDeleted>(hold, "deleting records of old runs", dropIfPossible, {
              isCounted: false,
            }),
            "NotDeleted",
            ({ reason }) =>
              Effect.logWarning(
                `Records of old runs could not be deleted from the ledger ${store.file}: ${reason}. This run is not affected.`,
              ),
          ),
        ], { concurrency: "unbounded" })),
    }
  })

interface NotDeleted {
  readonly _tag: "NotDeleted"
  readonly reason: string
}

/** Deletes records of old runs, or fails without affecting other programs. */
function* dropIfPossible(): Sql<number> {
  try {
    return yield* dropOldRuns()
  } catch (cause) {
    throw new Refusal(Effect.fail<NotDeleted>({ _tag: "NotDeleted", reason: reasonOf(cause) }))
  }
}

interface Held extends TakenLock {
  readonly place: number
  readonly run: number
  /** The number of the last batch when the lock was taken. */
  readonly since: number
}
