import { Effect } from "effect"
import type { Scope } from "effect"
import type { LedgerError, LedgerLocked } from "./Ledger.ts"
import { takeLock } from "./lock.ts"
import type { Store } from "./Store.ts"

/**
 * Takes the locks of all pipelines for the scope: what works on the whole file (VACUUM) must meet no run. A run that begins meanwhile is told that another one is going on.
 */
export const holdAll = (store: Store): Effect.Effect<void, LedgerLocked | LedgerError, Scope.Scope> => {
  const { db, writer } = store
  return Effect.asVoid(Effect.acquireRelease(
    writer.write<ReadonlyArray<readonly [string, number]>, LedgerLocked>(
      "taking the locks",
      () =>
        db.all<readonly [string]>("SELECT pipeline FROM place UNION SELECT pipeline FROM lock ORDER BY 1").map((
          [pipeline],
        ) => [pipeline, takeLock(store, pipeline, store.holder).epoch]),
    ),
    (held) =>
      Effect.ignore(writer.write("giving the locks back", () => {
        for (const [pipeline, epoch] of held) {
          db.run("UPDATE lock SET held = 0 WHERE pipeline = ? AND epoch = ?", [pipeline, epoch])
        }
      })),
  ))
}
