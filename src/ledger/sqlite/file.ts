// What only SQLite can do to the whole ledger.
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { LedgerBusy, type LedgerError } from "../errors.ts"
import { attempt, type Database, isBusy } from "./database.ts"

/** Runs SQLite's own checks. Returns findings as sentences. */
export const damage = (db: Database): ReadonlyArray<string> => {
  const lines = db.all<readonly [string]>("PRAGMA integrity_check").map(([line]) => line).filter((line) =>
    line !== "ok"
  )
  const dangling = db.all("PRAGMA foreign_key_check").length
  return [
    ...lines.map((line) => `The file is damaged: ${line}.`),
    ...(dangling === 0 ? [] : [`The ledger contains references to records that do not exist: ${dangling}.`]),
  ]
}

/** Returns the size of the ledger's file in bytes, including data that is still in its log. */
export const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, one) => sum + (existsSync(one) ? statSync(one).size : 0), 0)

/**
 * Rewrites the file without deleted data and empties its log, so that neither contains a byte of deleted data. Call this between transactions, with
 * all locks held.
 */
export const rewrite = (db: Database): Effect.Effect<void, LedgerError | LedgerBusy> =>
  Effect.gen(function*() {
    const emptied = yield* attempt(db.file, "rewriting it", () => {
      try {
        db.exec("VACUUM")
        const [busy] = db.all<readonly [number]>("PRAGMA wal_checkpoint(TRUNCATE)")[0] ?? [1]
        return busy === 0
      } catch (cause) {
        if (isBusy(cause)) return false
        throw cause
      }
    })
    if (!emptied) return yield* new LedgerBusy({ file: db.file, by: "process" })
  })
