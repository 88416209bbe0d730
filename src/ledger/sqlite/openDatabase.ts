import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { networkFileSystem } from "../disk.ts"
import { LedgerRefused } from "../Ledger.ts"
import { secretFile } from "../secret.ts"
import { Database } from "./database.ts"
import { standingOf } from "./schema.ts"

/** Milliseconds to wait for another process's transaction. */
const patience = 10_000

/** Pages of SQLite's log from which on it is brought into the file. */
const logPages = 4_096

/** Bytes that SQLite's log takes before it is brought into the file, with as many again while that goes on. */
export const mostLogBytes = 2 * logPages * 4096

/** What every connection is set to, and must read back: a WAL database that is opened again begins with other values. */
const pragmas: ReadonlyArray<readonly [set: string, name: string, value: string | number]> = [
  // Another process may be writing.
  [`busy_timeout = ${patience}`, "busy_timeout", patience],
  ["journal_mode = WAL", "journal_mode", "wal"],
  // FULL: an intent that a power cut undid would be sent again.
  ["synchronous = FULL", "synchronous", 2],
  // Deleted content is overwritten.
  ["secure_delete = ON", "secure_delete", 1],
  ["foreign_keys = ON", "foreign_keys", 1],
  // 32 MiB: the index of a million rows stays in memory while they are looked up.
  ["cache_size = -32768", "cache_size", -32_768],
  // Every 16 MiB: each checkpoint waits for the disk twice, and a page that changed often in between is written once. Not more, because whoever copies the file alone lacks what is in the log.
  [`wal_autocheckpoint = ${logPages}`, "wal_autocheckpoint", logPages],
]

/** Opens a ledger's file, made when there is none, for its owner only; its folder is there. Not a ledger, or not one to use: refused. */
export const openDatabase = (path: string): Database | LedgerRefused => {
  const file = resolve(path)
  const type = networkFileSystem(dirname(file))
  if (type !== undefined) {
    return new LedgerRefused({
      message:
        `The ledger ${file} lies on a network file system (${type}), where it could be damaged and its lock would not hold. Set ledger.file to a path on a local disk.`,
    })
  }
  if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1) {
    return new LedgerRefused({
      message:
        `The ledger ${file} has a second name (a hard link): under that name another log would be used, and rows would be imported twice. Nothing was sent. Remove the link, or copy the file while no run is in progress.`,
    })
  }
  make(file)
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600)
  const db = new Database(file)
  try {
    db.set(`busy_timeout = ${patience}`)
    const stands = standingOf(db)
    if (stands !== "usable" && stands !== "empty") {
      db.close()
      return new LedgerRefused({ message: refusals[stands](file) })
    }
    for (const [set, name, value] of pragmas) {
      setPatiently(db, set)
      const got = db.pragma(name)
      if (got !== value) throw new Error(`SQLite does not take ${set}: ${name} is ${got}`)
    }
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * Makes the file before SQLite makes it with the rights of others; its -wal and -shm take after it. One that is there is not opened past SQLite, here or anywhere: closing it would let go of all locks that
 * this process has on it (POSIX), another process would take itself for the last one and the log away, and what this one writes next would damage the ledger.
 */
const make = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if (!existsSync(file)) throw cause
  }
}

/** Where several processes make a ledger at the same time, SQLite gives up the switch to WAL at once, whatever `busy_timeout` says. */
const setPatiently = (db: Database, pragma: string): void => {
  for (let waited = 0;; waited += turn) {
    try {
      return db.set(pragma)
    } catch (cause) {
      if (waited >= patience || !isBusy(cause)) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, turn)
    }
  }
}

const turn = 20

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY")

const refusals = {
  otherSchema: (file: string) =>
    `The ledger ${file} was written by a different build of formferry, whose ledgers this one can't read. Nothing was changed or sent. Run the build that wrote it. `
    + "If no row in it counts any more (it was a trial), delete it with its .key file and run again.",
  foreign: (file: string) => `${file} is a database, but no ledger of formferry's. Set ledger.file to another path.`,
}

/** The files of an open ledger, by path: if one is removed or replaced, commits are lost without SQLite noticing. Never opens them (ARCHITECTURE.md). */
export class LedgerFiles {
  private readonly known: ReadonlyArray<readonly [path: string, identity: string]>

  /** Construct it after the first read: then the log exists, and stays until the connection is closed. */
  constructor(file: string) {
    const real = realpathSync(file)
    this.known = [real, `${real}-wal`, `${real}-shm`, secretFile(file)].map((path) => [path, identityOf(path)])
  }

  /** Throws if a file was removed or replaced since. */
  check(): void {
    for (const [path, identity] of this.known) {
      if (identityOf(path) !== identity) throw new Error(`its file ${path} was replaced while it was in use`)
    }
  }
}

const identityOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw new Error(`its file ${path} was removed while it was in use`)
  return `${found.dev} ${found.ino}`
}
