import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { type LedgerError, LedgerRefused } from "../errors.ts"
import type { LedgerDatabase } from "../LedgerDatabase.ts"
import type { PostgresOptions } from "./options.ts"
import type { PostgresStore } from "./Store.ts"

// Most projects don't use PostgreSQL, so its client is not loaded for them.
const store = Effect.promise(() => import("./Store.ts"))
const marks = Effect.promise(() => import("./marks.ts"))
const copy = Effect.promise(() => import("./copy.ts"))
const rate = Effect.promise(() => import("./rate.ts"))
const reports = Effect.promise(() => import("./reports.ts"))

/** A ledger in a schema of a PostgreSQL database, which several hosts can use. */
export const inPostgres = (options: PostgresOptions): LedgerDatabase<PostgresOptions> => {
  const { asker, key, schema } = options
  return {
    open: Effect.flatMap(Shared, (open = openOwn) => Effect.map(open(options), (store) => ({ ...store, asker }))),
    exists: Effect.flatMap(copy, ({ postgresLedgerExists }) => postgresLedgerExists(options)),
    missing: Effect.flatMap(marks, ({ missingInPostgres }) => missingInPostgres(options)),
    migrate: (owner) => Effect.flatMap(store, ({ migratePostgres }) => migratePostgres({ ...options, owner })),
    copy: Effect.flatMap(copy, ({ copyPostgresLedger }) => copyPostgresLedger(options)),
    backUp: backUpWithTools(options),
    rate: (account) => Effect.flatMap(rate, ({ openRate }) => openRate(options, account)),
    reports: Effect.flatMap(reports, ({ openReports }) => openReports(options)),
    secret: Effect.succeed(key),
    keyAdvice: "Let `newLedger.key` name the same variable as `ledger.key`.",
    adopt: (secret, advice) =>
      secret === key ? Effect.void : new LedgerRefused({
        message:
          `The \`key\` of \`newLedger\` is not the key of the ledger. With a different key, no row is recognised, and every row would be sent a second time. Nothing was changed. ${advice}`,
      }),
    removal: `in the database of \`newLedger\`, run: DROP SCHEMA ${schema} CASCADE`,
  }
}

const backUpWithTools = ({ marks, schema }: PostgresOptions): LedgerRefused =>
  new LedgerRefused({
    message:
      `The ledger is in PostgreSQL, whose own tools back it up. To copy the ledger alone, run: pg_dump --schema=${schema} --format=custom `
      + "--file=ledger.dump, followed by the database's address. To be able to restore each commit, set up continuous archiving (point-in-time recovery), or use your provider's. "
      + `Keep the ledger's key with the backups. Don't restore the marks ${
        marks.server === undefined ? `in ${marks.folders[0]}` : "on the second server"
      } together with the database: they show whether the restored ledger lacks commits. docs/postgresql.md says more.`,
  })

/** The connections that the runs of this process share. By default, each has its own. */
class Shared extends Context.Reference<Shared>()("formferry/SharedLedgers", {
  defaultValue: ():
    | ((options: PostgresOptions) => Effect.Effect<PostgresStore, LedgerError | LedgerRefused, Scope.Scope>)
    | undefined => undefined,
}) {}

const openOwn = (options: PostgresOptions) =>
  Effect.flatMap(store, ({ openPostgresStore }) => openPostgresStore(options))

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
