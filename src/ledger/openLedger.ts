// A ledger is in a file, read by SQLite, or in a PostgreSQL database. This file chooses. The ledger's rules are in `sql/`.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { statSync } from "node:fs"
import type { SharedAccount, SharedRate } from "../domain/sharedRate.ts"
import { codeOf } from "../domain/words.ts"
import { missing } from "./behind.ts"
import { atStart, type LedgerError, type LedgerLocked, type LedgerRefused } from "./errors.ts"
import type { Behind, Ledger, LedgerOptions, MarkPlaces } from "./Ledger.ts"
import { marksIn } from "./markFiles.ts"
import type { PostgresOptions } from "./postgres/options.ts"
import type { PostgresStore } from "./postgres/postgresLedger.ts"
import { ledgerOver } from "./sql/ledger.ts"
import type { Store } from "./sql/Store.ts"
import { temporaryCopy } from "./sqlite/copyLedger.ts"
import { openStore as openFileStore } from "./sqlite/Store.ts"

export { backUpLedger } from "./sqlite/copyLedger.ts"

/** How to open a ledger in any database. */
export type AnyLedgerOptions = LedgerOptions | PostgresOptions

// Most projects don't use PostgreSQL, so its client is not loaded for them.
const postgres = Effect.promise(() => import("./postgres/postgresLedger.ts"))
const postgresMarks = Effect.promise(() => import("./postgres/marks.ts"))
const postgresCopy = Effect.promise(() => import("./postgres/copy.ts"))
const postgresRate = Effect.promise(() => import("./postgres/rate.ts"))
const postgresReports = Effect.promise(() => import("./postgres/reports.ts"))

/** The connections that the runs of this process share. By default, each has its own. */
class Shared extends Context.Reference<Shared>()("formferry/SharedLedgers", {
  defaultValue: ():
    | ((options: PostgresOptions) => Effect.Effect<PostgresStore, LedgerError | LedgerRefused, Scope.Scope>)
    | undefined => undefined,
}) {}

const openOwn = (options: PostgresOptions) =>
  Effect.flatMap(postgres, ({ openPostgresStore }) => openPostgresStore(options))

/**
 * Lets all work that uses the same ledger in PostgreSQL at the same time share its connections, because a server has few of them. The last user closes
 * them.
 */
export const sharingConnections = <A, E, R>(
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  Effect.gen(function*() {
    const openings = new Map<string, PostgresOptions>()
    const stores = yield* RcMap.make({ lookup: (key: string) => openOwn(openings.get(key)!) })
    const open = (options: PostgresOptions) =>
      Effect.gen(function*() {
        // Equal for all pipelines of a project.
        const key = JSON.stringify({ ...options, asker: undefined })
        openings.set(key, options)
        const store = yield* RcMap.get(stores, key)
        if (store.isUsable()) return store
        // Its other users fail soon.
        yield* RcMap.invalidate(stores, key)
        return yield* RcMap.get(stores, key)
      })
    return yield* Effect.provideService(work, Shared, open)
  }).pipe(Effect.scoped)

const openPostgres = (options: PostgresOptions): Effect.Effect<Store, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.flatMap(Shared, (open = openOwn) => Effect.map(open(options), (store) => ({ ...store, asker: options.asker })))

/**
 * Opens the ledger for the scope. If there is none, creates it. Fails with `LedgerRefused` if the ledger must not be used, and with `LedgerError` if
 * it is damaged, or can't be reached or written.
 */
export const openLedger = (
  options: AnyLedgerOptions,
): Effect.Effect<Ledger, LedgerError | LedgerRefused, Scope.Scope> =>
  atStart(Effect.flatMap(openStore(options), ledgerOver))

/** Opens the parts of a ledger for the scope, to move it. Fails as `openLedger` does, but doesn't refuse a ledger that a move has closed. */
export const openStore = (
  options: AnyLedgerOptions,
): Effect.Effect<Store, LedgerError | LedgerRefused, Scope.Scope> =>
  atStart("file" in options ? openFileStore(options) : openPostgres(options))

/**
 * Prepares the tables of a ledger for this build. Returns whether it made them. Fails with `LedgerRefused` if they are those of a different build, or
 * with `LedgerLocked` if a run is in progress there.
 */
export const migrate = (
  options: AnyLedgerOptions,
): Effect.Effect<boolean, LedgerError | LedgerLocked | LedgerRefused> =>
  "file" in options
    ? Effect.succeed(false)
    : Effect.flatMap(postgres, ({ migratePostgres }) => migratePostgres(options))

/** Whether there is a file with content. True if that is unknown, because opening it then says what is wrong. */
const isThere = (file: string): boolean => {
  try {
    const found = statSync(file)
    return !found.isFile() || found.size > 0
  } catch (cause) {
    return codeOf(cause) !== "ENOENT"
  }
}

/** Whether there is a ledger. Creates none. */
export const ledgerExists = (options: AnyLedgerOptions): Effect.Effect<boolean, LedgerError | LedgerRefused> =>
  "file" in options
    ? Effect.sync(() => isThere(options.file))
    : Effect.flatMap(postgresCopy, ({ postgresLedgerExists }) => postgresLedgerExists(options))

/** Returns what is wrong if the ledger is missing. Undefined if no mark shows that there was one. Creates none. */
export const missingLedger = (
  options: AnyLedgerOptions & { readonly marks: MarkPlaces },
): Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError | LedgerRefused> =>
  "file" in options
    ? missing(marksIn(options.marks))
    : Effect.flatMap(postgresMarks, ({ missingInPostgres }) => missingInPostgres(options))

/**
 * Copies a ledger in its present state for the scope. A run may be in progress. The copy does not contain the run's lock. If the process is killed,
 * the next copy removes it. Returns how to open the copy.
 */
export const copyLedger = (
  options: AnyLedgerOptions,
): Effect.Effect<AnyLedgerOptions, LedgerError | LedgerRefused, Scope.Scope> =>
  "file" in options
    ? temporaryCopy(options)
    : Effect.flatMap(postgresCopy, ({ copyPostgresLedger }) => copyPostgresLedger(options))

/** Opens the rate of an account for the scope. All hosts with this ledger share it. */
export const openRate = (
  options: Pick<PostgresOptions, "key" | "schema" | "url">,
  account: SharedAccount,
): Effect.Effect<SharedRate, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.flatMap(postgresRate, ({ openRate }) => openRate(options, account))

/** Opens the reports that are stored with a ledger, for the scope. Undefined if there is no ledger, or if it is a file, which stores none. */
export const openReports = (options: AnyLedgerOptions) =>
  "file" in options
    ? Effect.succeed(undefined)
    : Effect.flatMap(postgresReports, ({ openReports }) => openReports(options))
