// A ledger is in a file, read by SQLite, or in a PostgreSQL database. This file chooses. The ledger's rules are in `sql/`.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { atStart, type LedgerError, type LedgerRefused } from "./errors.ts"
import type { Ledger, LedgerOptions } from "./Ledger.ts"
import type { LedgerDatabase } from "./LedgerDatabase.ts"
import { inPostgres } from "./postgres/inPostgres.ts"
import type { PostgresOptions } from "./postgres/options.ts"
import { ledgerOver } from "./sql/ledger.ts"
import { inFile } from "./sqlite/inFile.ts"

export { sharingConnections } from "./postgres/inPostgres.ts"

/** How to open a ledger in any database. */
export type AnyLedgerOptions = LedgerOptions | PostgresOptions

/** Returns a ledger in its database. Opens nothing yet. */
export const databaseOf = (options: AnyLedgerOptions): LedgerDatabase<AnyLedgerOptions> =>
  "file" in options ? inFile(options) : inPostgres(options)

/**
 * Opens the ledger for the scope. If there is none, creates it. Fails with `LedgerRefused` if the ledger must not be used, and with `LedgerError` if
 * it is damaged, or can't be reached or written.
 */
export const openLedger = (
  options: AnyLedgerOptions,
): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  atStart(Effect.flatMap(databaseOf(options).open, ledgerOver))
