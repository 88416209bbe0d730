import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import type { Store } from "../../src/ledger/sqlite/Store.ts"
import type { LedgerRow } from "./truth.ts"

/** A folder whose files are in memory if the system supports that: every commit of the simulation is a real one and syncs to disk. */
export const temporaryFolder = (prefix: string): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), prefix))

const states = ["intended", "inDoubt", "imported", "refused", "notCreated"] as const
const verdicts = ["verified", "unread", "differing", "missing"] as const

type Found = readonly [
  key: string,
  state: number,
  resent: number,
  batch: number,
  verdict: number | null,
  submission: string | null,
  replaced: string | null,
]

const rowOf = ([key, state, resent, batch, verdict, submission, replaced]: Found): LedgerRow => ({
  key,
  state: states[state] ?? "intended",
  resent: resent === 1,
  batch,
  verdict: verdict === null ? undefined : verdicts[verdict],
  submissionId: submission ?? undefined,
  replaced: replaced === null ? [] : JSON.parse(replaced) as ReadonlyArray<string>,
})

const select = `SELECT key, state, resent, batch, verdict, submission,
  (SELECT json_group_array(p.submission) FROM (SELECT submission FROM replaced WHERE replaced.row = row.id ORDER BY id) p) FROM row`

const selectLeftOut =
  "SELECT r.key FROM leftOut l JOIN row r ON r.place = l.place AND r.digest = l.digest WHERE l.keyed = 1"

/** Every row of a ledger that a connection can see, or those with a key. */
export const ledgerRows = (db: Database, key?: string): ReadonlyArray<LedgerRow> =>
  key === undefined
    ? db.all<Found>(select).map(rowOf)
    : db.all<Found>(`${select} WHERE key = ?`, [key]).map(rowOf)

/** The ledger's file, with crashes and full disks. */
export class LedgerOnDisk {
  readonly folder = temporaryFolder("formferry-simulation-")
  readonly file = join(this.folder, "ledger.db")
  /** Connections of processes that have not ended. */
  private readonly open = new Set<Store>()

  /** The committed rows, read directly, although a different process has the file open. */
  rows(): ReadonlyArray<LedgerRow> {
    return this.reading((db) => ledgerRows(db))
  }

  row(key: string): LedgerRow | undefined {
    return this.reading((db) => ledgerRows(db, key)[0])
  }

  /** Keys of rows that a person skipped permanently, among those that were ever to be sent. */
  leftOut(): ReadonlySet<string> {
    return this.reading((db) => new Set(db.all<readonly [string]>(selectLeftOut).map(([key]) => key)))
  }

  /** Rises with every process that takes the lock. */
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

  opened(store: Store): void {
    this.open.add(store)
  }

  /** A process closed it properly. */
  closed(store: Store): void {
    this.open.delete(store)
  }

  /** A process was killed: uncommitted data is lost, and the log is not moved into the file. */
  crashed(store: Store): void {
    this.open.delete(store)
    // Closing a file releases this process's locks on it, so it is only copied if no one else has it open.
    const names = this.open.size > 0 ? [] : [this.file, `${this.file}-wal`].filter((name) => existsSync(name))
    if (store.db.inTransaction) store.db.exec("ROLLBACK")
    const files = names.map((name) => [name, readFileSync(name)] as const)
    store.db.close()
    if (files.length === 0) return
    // As new files: libsql only closes the old ones when their statements are garbage-collected, and the last connection then writes its log into its file.
    for (const name of [this.file, `${this.file}-wal`, `${this.file}-shm`]) rmSync(name, { force: true })
    for (const [name, bytes] of files) writeFileSync(name, bytes)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
