import { Effect } from "effect"
import { existsSync, statSync } from "node:fs"
import type { Database } from "./database.ts"
import { attempt, isBusy } from "./failure.ts"
import { LedgerBusy, type LedgerError } from "./Ledger.ts"
import type { Store } from "./Store.ts"

/** Run records of a pipeline that are kept at each destination, besides those that something else refers to. */
export const keptRuns = 100

/**
 * Forgets old runs, inside a transaction: all but the newest of each pipeline and destination, the last one that was complete, and those that rows, batches or a reconciliation refer to. Gives
 * how many went.
 */
export const dropOldRuns = (db: Database, keep = keptRuns): number =>
  db.run(
    `DELETE FROM run WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY place, mode IS NULL ORDER BY id DESC) AS nth FROM run) WHERE nth > ?)
     AND id NOT IN (SELECT max(id) FROM run WHERE outcome = 'complete' GROUP BY place)
     AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run = run.id)
     AND id NOT IN (SELECT run FROM drift UNION SELECT run FROM reconciliation UNION SELECT run FROM vanished
       UNION SELECT latest FROM place WHERE latest IS NOT NULL)`,
    [keep],
  ).changes

/** Forgets, inside a transaction, rejected rows that no run met any more since the runs that are kept: they were mended, or left the source. */
export const dropOldAttention = (db: Database): number =>
  db.run(
    `DELETE FROM attention WHERE seen NOT IN (SELECT id FROM run)
     AND seen < (SELECT coalesce(latest, 0) FROM place p WHERE p.id = attention.place)`,
  ).changes

/** Bytes of the ledger's file, with what waits in its log. */
export const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, one) => sum + (existsSync(one) ? statSync(one).size : 0), 0)

/**
 * Writes the file anew without what was deleted, and empties its log: after this no byte of what was deleted is in either. Between transactions, and with all locks held.
 */
export const rewrite = (store: Store): Effect.Effect<void, LedgerError | LedgerBusy> =>
  Effect.gen(function*() {
    const emptied = yield* attempt(store.file, "writing it anew", () => {
      try {
        store.db.exec("VACUUM")
        const [busy] = store.db.all<readonly [number]>("PRAGMA wal_checkpoint(TRUNCATE)")[0] ?? [1]
        return busy === 0
      } catch (cause) {
        if (isBusy(cause)) return false
        throw cause
      }
    })
    if (!emptied) return yield* new LedgerBusy({ file: store.file })
  })
