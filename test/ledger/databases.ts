import { Effect, type Scope } from "effect"
import Libsql from "libsql"
import { createHash } from "node:crypto"
import { marksFolder } from "../../src/domain/marks.ts"
import type { LedgerError, LedgerRefused } from "../../src/ledger/errors.ts"
import type { Ledger, LedgerOptions } from "../../src/ledger/Ledger.ts"
import { type AnyLedgerOptions, openLedger } from "../../src/ledger/openLedger.ts"
import { isLong, seeds } from "../long.ts"
import { connected, urlOf } from "./postgres/connecting.ts"
import { withoutPostgres } from "./postgres/server.ts"

/** A database that can contain a ledger. */
interface Database {
  readonly name: string
  /** How many sequences of steps the model test tries. */
  readonly modelRuns: number
  /** Returns how to open the ledger of a test. The file's path distinguishes it from the ledgers of other tests. */
  readonly optionsOf: (options: LedgerOptions) => Effect.Effect<AnyLedgerOptions>
  /** Runs statements of a different program on the ledger. */
  readonly exec: (file: string, sql: string) => Effect.Effect<void, LedgerError | LedgerRefused>
}

const sqlite: Database = {
  name: "SQLite",
  modelRuns: 40,
  optionsOf: Effect.succeed,
  exec: (file, sql) =>
    Effect.sync(() => {
      const other = new Libsql(file)
      other.exec(sql)
      other.close()
    }),
}

const schemaOf = (file: string) => `ledger_${createHash("sha256").update(file).digest("hex").slice(0, 16)}`

const postgres: Database = {
  name: "PostgreSQL",
  modelRuns: seeds(6, 14),
  optionsOf: ({ file, ...options }) =>
    Effect.map(urlOf(), (url) => ({
      ...options,
      marks: options.marks ?? { ledger: file, folders: [marksFolder(file)], write: true },
      url,
      project: "tests",
      schema: schemaOf(file),
      key: "0123456789abcdef".repeat(4),
    })),
  exec: (file, sql) =>
    Effect.scoped(Effect.flatMap(
      Effect.flatMap(urlOf(), (url) => connected(url, schemaOf(file))),
      (other) => Effect.promise(() => other.exec(sql)),
    )),
}

const withOpen = (
  database: Database,
): Database & {
  /** Opens the ledger of a test. */
  readonly openLedger: (options: LedgerOptions) => Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope>
} => ({ ...database, openLedger: (options) => Effect.flatMap(database.optionsOf(options), openLedger) })

/** All databases. */
export const everyDatabase = (withoutPostgres ? [sqlite] : [sqlite, postgres]).map(withOpen)

/**
 * The databases in which every test of the ledger's rules runs. PostgreSQL only with the longer proofs, because the
 * rules are the same code; the model test compares both in every `npm test`.
 */
export const databases = isLong ? everyDatabase : everyDatabase.slice(0, 1)
