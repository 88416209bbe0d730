import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { LedgerError, LedgerRefused } from "../errors.ts"
import { sync } from "../fileSystem.ts"
import { type Holder, ownedFolder, removeLeft } from "../holder.ts"
import type { LedgerOptions } from "../Ledger.ts"
import { attempt, attemptOrRefuse, Database } from "./database.ts"
import { openDatabase } from "./openDatabase.ts"
import { ledgerExists, readSecret, secretFile } from "./secretFile.ts"

/**
 * Copies a ledger in its present state, with its secret, into a new folder next to it, which only the folder's owner can read. A run may be in progress.
 * The copy does not contain the run's lock. If there is no ledger yet, opening the copy makes one. The folder is removed when the scope closes. If the
 * process is killed, the next copy removes it. Returns how to open the copy.
 */
export const temporaryCopy = (
  { file }: Pick<LedgerOptions, "file">,
): Effect.Effect<Pick<LedgerOptions, "file">, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const from = resolve(file)
    const folder = dirname(from)
    const made = yield* Effect.try(() => mkdirSync(folder, { recursive: true, mode: 0o700 })).pipe(
      Effect.zipRight(ownedFolder(folder, prefix)),
      Effect.mapError((cause) => new LedgerError({ file, doing: "making room for a copy of it", cause })),
    )
    const to = join(made, basename(from))
    yield* attemptOrRefuse(from, "copying it", () => (ledgerExists(from) ? snapshot(from, to) : undefined))
    return { file: to }
  })

/** The beginning of the name of a copy's folder. */
const prefix = "rehearsal-"

/** Removes the copies of a ledger that ended processes left. Returns the others. */
export const removeCopies = (file: string, me: Holder): ReadonlyArray<string> => {
  const folder = dirname(file)
  removeLeft(folder, prefix, me)
  return readdirSync(folder).filter((name) => name.startsWith(prefix)).map((name) => join(folder, name))
}

/**
 * Backs a ledger up into a new file, with its secret next to it (`.key`). The backup is a consistent state of one moment, even while a run is in
 * progress. Only the owner can read the two files, and they are durable when this function returns. Returns the backup's size in bytes.
 */
export const backUpLedger = (file: string, toFile: string): Effect.Effect<number, LedgerError | LedgerRefused> => {
  const from = resolve(file)
  const to = resolve(toFile)
  return Effect.gen(function*() {
    yield* attemptOrRefuse(from, `backing it up into ${to}`, () => {
      if (!ledgerExists(from)) return new LedgerRefused({ message: `There is no ledger ${from} to back up.` })
      const refused = snapshot(from, to)
      if (refused !== undefined) return refused
      // SQLite does not make a copy durable.
      for (const one of [to, secretFile(to)]) sync(one, "r+")
      sync(dirname(to))
      return undefined
    })
    return yield* attempt(to, "checking the copy", () => statSync(to).size)
  })
}

const snapshot = (from: string, to: string): LedgerRefused | undefined => {
  for (const one of [to, secretFile(to)]) {
    if (existsSync(one)) {
      return new LedgerRefused({
        message: `${one} already exists, and a copy of the ledger never replaces a file. Choose a different name.`,
      })
    }
  }
  const secret = readSecret(from)
  if (secret instanceof LedgerRefused) return secret
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const db = openDatabase(from)
  if (db instanceof LedgerRefused) return db
  const made: Array<string> = []
  try {
    copyFileSync(secretFile(from), secretFile(to), constants.COPYFILE_EXCL)
    made.push(secretFile(to))
    chmodSync(secretFile(to), 0o600)
    // Makes an empty file that only its owner can access, before SQLite writes to it. SQLite accepts an empty file.
    closeSync(openSync(to, "wx", 0o600))
    made.push(to)
    db.run("VACUUM INTO ?", [to])
    withoutLocks(to)
    return undefined
  } catch (cause) {
    for (const one of made) rmSync(one, { force: true })
    throw cause
  } finally {
    db.close()
  }
}

/**
 * Releases the copied locks of runs in progress. `Database` opens the copy because the copy may be in a place that is not allowed for a ledger. No run uses
 * it there.
 */
const withoutLocks = (file: string): void => {
  const db = new Database(file)
  try {
    if (Number(db.pragma("user_version")) > 0) db.exec("UPDATE lock SET held = 0")
  } finally {
    db.close()
  }
}
