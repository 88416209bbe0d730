import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import type { SqliteStore } from "../../src/ledger/sqlite/Store.ts"
import type { LedgerRow } from "./truth.ts"

/** Makes a folder for temporary files, which are in memory if possible: each commit is flushed, which is slow on a disk. */
export const temporaryFolder = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix))

const states = ["intended", "inDoubt", "imported", "refused", "notCreated", "undone"] as const
const verdicts = ["verified", "unread", "differing", "missing"] as const

type Found = readonly [
  key: string,
  state: number,
  resent: number,
  batch: number,
  run: string,
  verdict: number | null,
  submission: string | null,
  replaced: string | null,
]

const rowOf = ([key, state, resent, batch, run, verdict, submission, replaced]: Found): LedgerRow => ({
  key,
  state: states[state] ?? "intended",
  resent: resent === 1,
  batch,
  run,
  verdict: verdict === null ? undefined : verdicts[verdict],
  submissionId: submission ?? undefined,
  replaced: replaced === null ? [] : JSON.parse(replaced) as ReadonlyArray<string>,
})

const select =
  `SELECT key, state, resent, batch, (SELECT u.name FROM batch b JOIN run u ON u.id = b.run WHERE b.id = row.batch), verdict, submission,
  (SELECT json_group_array(p.submission) FROM (SELECT submission FROM replaced WHERE replaced.row = row.id ORDER BY id) p) FROM row`

const selectLeftOut =
  "SELECT r.key FROM leftOut l JOIN row r ON r.place = l.place AND r.digest = l.digest WHERE l.keyed = 1"

/** Returns every row that a connection can see, or only those with a key. */
export const ledgerRows = (db: Database, key?: string): ReadonlyArray<LedgerRow> =>
  key === undefined
    ? db.all<Found>(select).map(rowOf)
    : db.all<Found>(`${select} WHERE key = ?`, [key]).map(rowOf)

/** The ledger's file, with crashes and full disks. */
export class LedgerOnDisk {
  readonly folder = temporaryFolder("formferry-simulation-")
  readonly file = join(this.folder, "ledger.db")
  /** Connections of processes that have not ended. */
  private readonly open = new Set<SqliteStore>()

  /** Returns the committed rows, read directly even if a different process has the file open. */
  rows(): ReadonlyArray<LedgerRow> {
    return this.reading((db) => ledgerRows(db))
  }

  row(key: string): LedgerRow | undefined {
    return this.reading((db) => ledgerRows(db, key)[0])
  }

  /** Returns the runs that sent rows, oldest first. */
  runs(): ReadonlyArray<string> {
    return this.reading((db) =>
      db.all<readonly [string]>("SELECT name FROM run WHERE id IN (SELECT run FROM batch) ORDER BY id")
        .map(([name]) => name)
    )
  }

  /** Returns the keys of rows that a person skipped permanently. Rows that were never to be sent are not included. */
  leftOut(): ReadonlySet<string> {
    return this.reading((db) => new Set(db.all<readonly [string]>(selectLeftOut).map(([key]) => key)))
  }

  /** Returns a number that increases with every process that takes the lock. */
  epoch(): number {
    return this.reading((db) => db.get<readonly [number | null]>("SELECT max(epoch) FROM lock")?.[0] ?? 0)
  }

  private reading<A>(read: (db: Database) => A): A {
    const [live] = this.open
    if (live !== undefined) return read(live.db)
    const db = new Database(this.file)
    try {
      return read(db)
    } finally {
      db.close()
    }
  }

  opened(store: SqliteStore): void {
    this.open.add(store)
  }

  /** Removes the connection of a process that closed it. */
  closed(store: SqliteStore): void {
    this.open.delete(store)
  }

  /** Simulates a killed process: uncommitted data is lost, and the log is not moved into the file. */
  crashed(store: SqliteStore): void {
    this.open.delete(store)
    // Closing a file releases this process's locks on it, so the file is only copied if no other connection has it
    // open.
    const names = this.open.size > 0 ? [] : [this.file, `${this.file}-wal`].filter((name) => existsSync(name))
    if (store.db.inTransaction) store.db.exec("ROLLBACK")
    const files = names.map((name) => [name, readFileSync(name)] as const)
    store.db.close()
    if (files.length === 0) return
    // The copies replace the files. libsql closes old files only when their statements are garbage-collected, and its
    // last connection then writes the log into its own file.
    for (const name of [this.file, `${this.file}-wal`, `${this.file}-shm`]) rmSync(name, { force: true })
    for (const [name, bytes] of files) writeFileSync(name, bytes)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
