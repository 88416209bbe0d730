import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { LedgerRefused } from "../errors.ts"
import { networkFileSystem } from "../fileSystem.ts"
import { Database, isBusy } from "./database.ts"
import { secretFile } from "./secretFile.ts"
import { standingOf } from "./tables.ts"

/** How many milliseconds to wait for another process's transaction. */
const patience = 10_000

/** The number of pages in SQLite's log after which they are moved into the file. */
const logPages = 1_024

/** Twice the size in bytes at which SQLite's log is moved into the file, because the log can grow while that happens. */
export const mostLogBytes = 2 * logPages * 4096

/** Settings of every connection. Each is read back after it is set, because a reopened WAL database starts with different values. */
const pragmas: ReadonlyArray<readonly [set: string, name: string, value: string | number]> = [
  // Waits while another process writes.
  [`busy_timeout = ${patience}`, "busy_timeout", patience],
  ["journal_mode = WAL", "journal_mode", "wal"],
  // Survives a power cut. If a power cut undid an intent, its rows would be sent again.
  ["synchronous = FULL", "synchronous", 2],
  // Overwrites deleted content.
  ["secure_delete = ON", "secure_delete", 1],
  ["foreign_keys = ON", "foreign_keys", 1],
  // 32 MiB, so that the index of a million rows stays in memory during look-ups.
  ["cache_size = -32768", "cache_size", -32_768],
  // Each checkpoint waits for the disk twice, and a copy of the file alone lacks the log's content. With 4 MiB instead of
  // 16 MiB, 9,000 commits without a pause took 4% longer; with 2 MiB, 11%.
  [`wal_autocheckpoint = ${logPages}`, "wal_autocheckpoint", logPages],
]

/**
 * Opens a ledger's file, and makes one that only its owner can access if there is none. The file's folder must exist. Refuses a file that is not a
 * ledger or must not be used.
 */
export const openDatabase = (path: string): Database | LedgerRefused => {
  const file = resolve(path)
  // The file may be a link to a different disk.
  const type = networkFileSystem(existsSync(file) ? file : dirname(file))
  if (type !== undefined) {
    return new LedgerRefused({
      message:
        `The ledger ${file} is on a network file system (${type}), where it could be damaged and its lock would not work. Nothing was sent. Set ledger.file to a path on a local disk.`,
    })
  }
  if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1) {
    return new LedgerRefused({
      message:
        `The ledger ${file} has a second name (a hard link): under that name a different log would be used, and rows could be imported twice. Nothing was sent. Remove the link, or copy the file while no run is in progress.`,
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
      if (got !== value) throw new Error(`SQLite ignored the setting ${set}: ${name} is ${got}`)
    }
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * Makes the file first, because SQLite would make it with wider permissions. SQLite gives the -wal and -shm files the same permissions. Only SQLite
 * may open an existing file, here and elsewhere. Closing a different handle would release all locks that this process has on the file (POSIX).
 * Another process could then delete the log as if no other process used the file, and the next write would damage the ledger.
 */
const make = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if (!existsSync(file)) throw cause
  }
}

/** Sets a pragma with retries. If several processes make a ledger at the same time, SQLite's switch to WAL fails at once, even with a `busy_timeout`. */
const setPatiently = (db: Database, pragma: string): void => {
  const end = performance.now() + patience
  for (;;) {
    try {
      return db.set(pragma)
    } catch (cause) {
      if (performance.now() >= end || !isBusy(cause)) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, turn)
    }
  }
}

const turn = 20

const refusals = {
  otherSchema: (file: string) =>
    `The ledger ${file} was written by a different build of formferry, whose ledgers this one can't read. Nothing was changed or sent. Run the build that wrote it. `
    + "If it was only a trial and none of its rows matter, delete it with its .key file and run again.",
  foreign: (file: string) =>
    `${file} is a database, but not a ledger of formferry. Nothing was changed or sent. Set ledger.file to another path.`,
}

/**
 * Returns a function that throws if a file of an open ledger was removed or replaced. Commits are then lost without an error from SQLite. Never opens
 * the files (ARCHITECTURE.md). Call this after the first read. From then on, the log exists until the connection is closed.
 */
export const watchFiles = (file: string): () => void => {
  const real = realpathSync(file)
  const known = [real, `${real}-wal`, `${real}-shm`, secretFile(file)].map((path) => [path, identityOf(path)] as const)
  return () => {
    for (const [path, identity] of known) {
      if (identityOf(path) !== identity) throw new Error(`its file ${path} was replaced while it was in use`)
    }
  }
}

const identityOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw new Error(`its file ${path} was removed while it was in use`)
  return `${found.dev} ${found.ino}`
}
