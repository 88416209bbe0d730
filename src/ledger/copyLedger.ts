import { Effect } from "effect"
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { attempt } from "./failure.ts"
import { LedgerRefused } from "./Ledger.ts"
import type { LedgerError } from "./Ledger.ts"
import { openDatabase } from "./openDatabase.ts"
import { ledgerExists, readSecret, secretFile } from "./secret.ts"

/**
 * Copies a ledger as it stands, with its secret, into another folder, for a rehearsal: a run may go on meanwhile, and its lock does not come along. Gives the copy's path. Where there is no ledger yet
 * there is no copy either: opening that path makes a new one.
 */
export const copyLedger = (file: string, toFolder: string): Effect.Effect<string, LedgerError | LedgerRefused> => {
  const from = resolve(file)
  const to = join(resolve(toFolder), basename(from))
  return Effect.gen(function*() {
    const refused = yield* attempt(from, "copying it", () => (ledgerExists(from) ? copy(from, to) : undefined))
    if (refused !== undefined) return yield* refused
    return to
  })
}

const copy = (from: string, to: string): LedgerRefused | undefined => {
  if (existsSync(to)) return new LedgerRefused({ message: `${to} is there already: a ledger is not copied over it.` })
  const secret = readSecret(from)
  if (secret instanceof LedgerRefused) return secret
  mkdirSync(resolve(to, ".."), { recursive: true, mode: 0o700 })
  const db = openDatabase(from)
  if (db instanceof LedgerRefused) return db
  try {
    copyFileSync(secretFile(from), secretFile(to))
    chmodSync(secretFile(to), 0o600)
    db.run("VACUUM INTO ?", [to])
    chmodSync(to, 0o600)
    withoutLocks(to)
    return undefined
  } catch (cause) {
    for (const one of [to, secretFile(to)]) rmSync(one, { force: true })
    throw cause
  } finally {
    db.close()
  }
}

const withoutLocks = (file: string): void => {
  const db = openDatabase(file)
  if (db instanceof LedgerRefused) throw db
  try {
    if (Number(db.pragma("user_version")) > 0) db.exec("UPDATE lock SET held = 0")
    db.set("wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}
