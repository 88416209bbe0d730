import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { type Forgotten, type Ledger, LedgerBusy, type LedgerError, type LedgerRefused } from "../Ledger.ts"
import { attempt, type Database, isBusy } from "./database.ts"
import { forget } from "./forget.ts"
import { holdAll } from "./lock.ts"
import { dropOldRuns } from "./standing.ts"
import { reading, type Store } from "./Store.ts"

/** Operations on the whole ledger. */
export const makeUpkeep = (store: Store): Pick<Ledger, "verify" | "compact" | "forget"> => {
  const { db, file, writer } = store
  return {
    verify: reading(store, "verifying it", () => verify(db)),
    compact: Effect.scoped(Effect.gen(function*() {
      const before = sizeOf(file)
      yield* holdAll(store)
      const { rejected, runs } = yield* writer.write("forgetting old runs", () => {
        const gone = dropOldRuns(db)
        return { runs: gone, rejected: dropOldAttention(db) }
      })
      yield* rewrite(store)
      return { before, after: sizeOf(file), runs, rejected }
    })),
    forget: (what) =>
      Effect.scoped(Effect.gen(function*() {
        const [lease] = yield* holdAll(store)
        if (lease === undefined) return { keys: [], already: [], unknown: what.keys, submissions: [] }
        const forgotten = yield* writer.writeOn<Forgotten, LedgerRefused>(
          lease,
          "forgetting rows",
          () => forget(store, what),
          { counts: true },
        )
        if (forgotten.keys.length > 0) yield* rewrite(store)
        return forgotten
      })),
  }
}

/** Deletes, inside a transaction, rejected rows that none of the kept runs has seen. They were fixed, or are no longer in the source. */
const dropOldAttention = (db: Database): number =>
  db.run(
    `DELETE FROM attention WHERE seen NOT IN (SELECT id FROM run)
     AND seen < (SELECT coalesce(latest, 0) FROM place p WHERE p.id = attention.place)`,
  ).changes

/** Returns the size of the ledger's file in bytes, including data that is still in its log. */
const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, one) => sum + (existsSync(one) ? statSync(one).size : 0), 0)

/**
 * Rewrites the file without deleted data and empties its log, so that neither contains a byte of deleted data. Call this between transactions, with
 * all locks held.
 */
const rewrite = (store: Store): Effect.Effect<void, LedgerError | LedgerBusy> =>
  Effect.gen(function*() {
    const emptied = yield* attempt(store.file, "rewriting it", () => {
      try {
        store.db.exec("VACUUM")
        const [busy] = store.db.all<readonly [number]>("PRAGMA wal_checkpoint(TRUNCATE)")[0] ?? [1]
        return busy === 0
      } catch (cause) {
        if (isBusy(cause)) return false
        throw cause
      }
    })
    if (emptied) return
    // The process that is still reading would delay closing the ledger by the full time-out again.
    store.db.set("busy_timeout = 500")
    return yield* new LedgerBusy({ file: store.file })
  })

/** Invariants of every ledger, each with a query that counts violations. */
const invariants: ReadonlyArray<readonly [finding: string, sql: string]> = [
  [
    "imported rows without a submission or a verdict",
    `SELECT count(*) FROM row r WHERE r.state = 2 AND (r.verdict IS NULL OR (r.submission IS NULL
      AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.row = r.id AND s.landed = 1 AND s.submission IS NULL)))`,
  ],
  ["rows in an unknown state", "SELECT count(*) FROM row WHERE state NOT IN (0, 1, 2, 3, 4, 5)"],
  [
    "rows in doubt without a reason",
    "SELECT count(*) FROM row r LEFT JOIN doubt d ON d.row = r.id WHERE r.state = 1 AND d.row IS NULL",
  ],
  [
    "refused rows without the service's reason",
    "SELECT count(*) FROM row r LEFT JOIN refusal f ON f.row = r.id WHERE r.state = 3 AND f.row IS NULL",
  ],
  [
    "rows of a batch that does not exist",
    "SELECT count(*) FROM row r LEFT JOIN batch b ON b.id = r.batch WHERE b.id IS NULL",
  ],
  [
    "open intents in a settled batch",
    "SELECT count(*) FROM row r JOIN batch b ON b.id = r.batch WHERE r.state = 0 AND b.open = 0",
  ],
  [
    "verified rows whose content is still kept",
    "SELECT count(*) FROM row r JOIN detail d ON d.row = r.id WHERE r.state = 2 AND r.verdict = 0 AND d.item IS NOT NULL",
  ],
  [
    "digests of returned answers for rows that are not imported",
    "SELECT count(*) FROM verified v LEFT JOIN row r ON r.id = v.row WHERE r.state IS NOT 2",
  ],
  [
    "undone rows that still have a verdict or content, or that lack the id of the deleted submission although they had landed",
    `SELECT count(*) FROM row r LEFT JOIN detail d ON d.row = r.id
     WHERE r.state = 5 AND (r.verdict IS NOT NULL OR d.row IS NOT NULL
       OR (r.submission IS NULL AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.row = r.id AND s.landed = 0)))`,
  ],
  [
    "rows in doubt without their content",
    "SELECT count(*) FROM row r LEFT JOIN detail d ON d.row = r.id WHERE r.state IN (0, 1) AND d.item IS NULL",
  ],
  [
    "submissions that are recorded for several rows of a form",
    `SELECT count(*) FROM (SELECT 1 FROM (SELECT place, submission FROM row WHERE submission IS NOT NULL
        UNION ALL SELECT r.place, o.submission FROM replaced o JOIN row r ON r.id = o.row) r
      JOIN place p ON p.id = r.place GROUP BY p.service, p.form, r.submission HAVING count(*) > 1)`,
  ],
  [
    "rows that replace a submission but are neither sent nor in doubt",
    "SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NULL AND r.state NOT IN (0, 1)",
  ],
  [
    "replaced submissions whose rows were not created again",
    // An undone row counts as created again, because its submission existed. After a resend, the row belongs to a later batch.
    `SELECT count(*) FROM replaced o JOIN row r ON r.id = o.row WHERE o.at IS NOT NULL AND r.state NOT IN (2, 5) AND r.batch <= o.by
      AND NOT EXISTS (SELECT 1 FROM replaced later WHERE later.row = o.row AND later.id > o.id)`,
  ],
  [
    "rows that were refused after a change but had never been imported",
    "SELECT count(*) FROM refusedAgain f JOIN row r ON r.id = f.row WHERE r.state <> 2",
  ],
]

/** Runs SQLite's own check, then checks the invariants. Returns findings as sentences, none if the ledger is sound. */
const verify = (db: Database): ReadonlyArray<string> => {
  const damage = db.all<readonly [string]>("PRAGMA integrity_check").map(([line]) => line).filter((line) =>
    line !== "ok"
  )
  const dangling = db.all("PRAGMA foreign_key_check").length
  return [
    ...damage.map((line) => `The file is damaged: ${line}.`),
    ...(dangling === 0 ? [] : [`The ledger contains references to records that do not exist: ${dangling}.`]),
    ...invariants.flatMap(([finding, sql]) => {
      const count = db.get<readonly [number]>(sql)?.[0] ?? 0
      return count === 0 ? [] : [`The ledger contains ${finding}: ${count}.`]
    }),
  ]
}
