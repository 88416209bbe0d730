import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerError, LedgerLocked, LedgerRefused, LedgerSession } from "../Ledger.ts"
import { readMarks } from "../marks.ts"
import { undo } from "../sql/undo.ts"
import { acknowledge } from "./attention.ts"
import { attempt, isDamage } from "./database.ts"
import { knownSubmissions } from "./evidence.ts"
import { recordFacts, rekey } from "./facts.ts"
import { intend, type OpenBatch } from "./intend.ts"
import { holdersByEpoch, LockLease, takeLock, timeOf } from "./lock.ts"
import { mustBeNewest } from "./newest.ts"
import { type Place, placeOf, runOf } from "./place.ts"
import { abandon, settle, settleDoubts } from "./settle.ts"
import { dropOldRuns, finishRun, startRun } from "./standing.ts"
import { reading, type Store } from "./Store.ts"
import { recordVerdicts } from "./verdicts.ts"

/** Takes the pipeline's lock for the scope, and puts in doubt the rows that earlier holders left open. */
export const makeSession = (
  store: Store,
  at: Place,
  run: string,
  overruling: ReadonlyArray<string>,
): Effect.Effect<LedgerSession, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope> =>
  Effect.gen(function*() {
    const { db, writer } = store
    const asker = { pipeline: at.pipeline, target: store.asker?.target }
    const marks = yield* attempt(store.file, "reading its marks", () => readMarks(store.marks))
    const held = yield* Effect.acquireRelease(
      Effect.suspend(() => {
        const taken = timeOf(store)
        return Effect.map(
          writer.write<Held, LedgerLocked | LedgerRefused>("taking the lock", () => {
            const holders = holdersByEpoch(db)
            const { epoch, word } = takeLock(store, at.pipeline, store.holder)
            const place = placeOf(db, at)
            mustBeNewest(store, marks, { asker, where: place, overruling })
            const abandoned = abandon(store, at.pipeline, epoch, holders)
            return { epoch, word, place, run: runOf(db, place, run), abandoned }
          }),
          (one) => ({ ...one, lease: new LockLease(store, at.pipeline, one, taken) }),
        )
      }),
      ({ lease }) =>
        // A failed ledger can't release its lock. The next run detects that this process has ended.
        Effect.ignore(writer.write("releasing the lock", () => lease.release())).pipe(
          Effect.andThen(Effect.sync(() => lease.end())),
        ),
    )
    const { lease, place } = held
    yield* writer.writeOn(lease, "renewing the lock", () => undefined, { counts: false }).pipe(
      Effect.delay(Duration.millis(store.heartbeat)),
      Effect.forever,
      // If the lock was lost or the ledger failed, `held` and every write report it.
      Effect.ignore,
      Effect.forkScoped,
    )
    /** Writes what can be determined again, or may be lost without harm. */
    const write = <A>(doing: string, work: () => A) => writer.writeOn(lease, doing, work, { counts: false })
    const writeForGood = <A>(doing: string, work: () => A) => writer.writeOn(lease, doing, work, { counts: true })
    const open = new Map<number, OpenBatch>()
    return {
      epoch: held.epoch,
      held: () => lease.held(),
      abandoned: held.abandoned,
      intend: (intent) =>
        Effect.map(
          writeForGood("recording an intent", () => intend(store, held, intent)),
          (intended) => {
            open.set(intended.batch, intended)
            return intended.batch
          },
        ),
      knownSubmissions: (ids) => reading(store, "looking up submissions", () => knownSubmissions(db, place, ids)),
      settle: (batch, outcomes, loose = []) =>
        Effect.suspend(() => {
          const intended = open.get(batch)
          if (intended === undefined) return Effect.dieMessage(`Batch ${batch} is not open in this run.`)
          if (outcomes.length !== intended.rows.length) {
            return Effect.dieMessage(`Batch ${batch} has ${intended.rows.length} rows and ${outcomes.length} outcomes.`)
          }
          return Effect.map(
            writeForGood("recording an outcome", () => settle(store, intended, outcomes, loose)),
            () => void open.delete(batch),
          )
        }),
      verdicts: (rows) => write("recording verdicts", () => recordVerdicts(store, held, rows)),
      record: (facts) =>
        (facts.acceptance === undefined && facts.undone === undefined ? write : writeForGood)(
          "recording facts",
          () => recordFacts(store, held, facts),
        ),
      rekey: (rows) => write("recording row keys", () => rekey(db, place, rows)),
      acknowledge: (what) => writeForGood("recording an acknowledgement", () => acknowledge(store, place, what)),
      settleDoubts: (what) =>
        writeForGood("recording how rows in doubt were settled", () => settleDoubts(store, place, what)),
      undo: (rows) => writeForGood("recording deleted submissions", () => db.perform(undo(place, rows))),
      startRun: (record) =>
        write("recording the run's start", () => startRun(db, place, runOf(db, place, record.run), record)),
      finishRun: (record) =>
        Effect.flatMap(
          writeForGood("recording the run's end", () => {
            finishRun(db, runOf(db, place, record.run), record)
            try {
              dropOldRuns(db)
              return undefined
            } catch (cause) {
              if (!db.inTransaction || isDamage(cause)) throw cause
              return cause instanceof Error ? cause.message : String(cause)
            }
          }),
          (reason) =>
            reason === undefined ? Effect.void : Effect.logWarning(
              `Records of old runs could not be deleted from the ledger ${store.file}: ${reason}. This run is not affected.`,
            ),
        ),
    }
  })

interface Held {
  readonly epoch: number
  readonly word: string
  readonly place: number
  readonly run: number
  readonly abandoned: number
}
