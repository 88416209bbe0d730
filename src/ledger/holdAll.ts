import { Effect } from "effect"
import type { Scope } from "effect"
import { attempt } from "./failure.ts"
import type { LedgerError, LedgerLocked, LedgerRefused } from "./Ledger.ts"
import { LockLease, takeLock, timeOf } from "./lock.ts"
import { readMarks } from "./marks.ts"
import { mustBeNewest } from "./newest.ts"
import type { Store } from "./Store.ts"

/**
 * Takes the locks of all pipelines for the scope: what works on the whole file (VACUUM) must not run beside a run. A run that starts meanwhile is told that another one is in progress. Returns the leases, none if
 * there is no pipeline.
 */
export const holdAll = (
  store: Store,
): Effect.Effect<ReadonlyArray<LockLease>, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope> => {
  const { db, writer } = store
  return Effect.acquireRelease(
    Effect.gen(function*() {
      const taken = timeOf(store)
      const marks = yield* attempt(store.file, "reading its marks", () => readMarks(store.marks))
      const held = yield* writer.write<
        ReadonlyArray<{ readonly pipeline: string; readonly epoch: number; readonly word: string }>,
        LedgerLocked | LedgerRefused
      >("taking the locks", () => {
        mustBeNewest(store, marks, { asker: store.asker, where: "anywhere" })
        return db.all<readonly [string]>("SELECT pipeline FROM place UNION SELECT pipeline FROM lock ORDER BY 1").map((
          [pipeline],
        ) => ({ pipeline, ...takeLock(store, pipeline, store.holder) }))
      })
      return held.map((one) => new LockLease(store, one.pipeline, one, taken))
    }),
    (leases) =>
      Effect.ignore(writer.write("giving the locks back", () => leases.forEach((lease) => lease.release()))).pipe(
        Effect.andThen(Effect.sync(() => leases.forEach((lease) => lease.end()))),
      ),
  )
}
