import { hash } from "node:crypto"
import { tableStatements } from "../sql/schema.ts"
import type { Database } from "./database.ts"

/** Spells "ffry", and marks the file as a ledger of formferry. */
const applicationId = 0x66667279

/** The `user_version` of this schema: 31 bits of its digest, so that every change gives a new version. Never 0, SQLite's default. */
const version = (hash("sha256", tableStatements, "buffer").readUInt32BE() >>> 1) || 1

/** Returns what an opened file is: a usable ledger, an empty file, a ledger with a different schema, or a foreign file. */
export const standingOf = (db: Database): "usable" | "empty" | "otherSchema" | "foreign" => {
  // Uses one read transaction, because another process may be creating the tables.
  db.exec("BEGIN")
  const at = Number(db.pragma("user_version"))
  const isOurs = Number(db.pragma("application_id")) === applicationId
  const tables = db.get<readonly [number]>("SELECT count(*) FROM sqlite_schema")?.[0] ?? 0
  db.exec("COMMIT")
  if (isOurs) return at === version ? "usable" : "otherSchema"
  return tables === 0 && at === 0 ? "empty" : "foreign"
}

/** Creates the tables in a new file, in one transaction. If two processes open a new ledger at once, one of them does it. */
export const createTables = (db: Database, meta: Readonly<Record<string, string>>): void => {
  if (Number(db.pragma("user_version")) === version) return
  db.exec("BEGIN IMMEDIATE")
  try {
    if (Number(db.pragma("user_version")) === 0) {
      db.exec(`${tableStatements}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
      for (const one of Object.entries(meta)) db.run("INSERT INTO meta (name, value) VALUES (?, ?)", one)
    }
    db.exec("COMMIT")
  } catch (cause) {
    if (db.inTransaction) db.exec("ROLLBACK")
    throw cause
  }
}
