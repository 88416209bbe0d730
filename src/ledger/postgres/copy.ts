import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { type LedgerError, LedgerRefused } from "../errors.ts"
import { makeDigester, proofOf } from "../secret.ts"
import { tableStatements } from "../sql/schema.ts"
import { type Connection, connectTo } from "./connection.ts"
import { continueNumbers, functions, quoted, tablesOf, withoutSamples } from "./dialect.ts"
import { readAt } from "./driver.ts"
import { attempt } from "./failures.ts"
import { hasTables, idIn, lockOf } from "./opening.ts"
import type { PostgresOptions } from "./options.ts"
import { Writer } from "./Writer.ts"

/** Whether there is a ledger. Creates none. */
export const postgresLedgerExists = (options: PostgresOptions): Effect.Effect<boolean, LedgerError | LedgerRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connectTo(options, "reading")
    return yield* attempt(connection.label, "opening it", () => readAt(connection, hasTables(options.schema)))
  }))

/**
 * Copies a ledger into a new schema of its database, for a rehearsal, and drops the schema when the scope closes. A run may be in progress. The copy
 * does not contain the run's lock. If there is no ledger yet, opening the copy makes one. Returns how to open the copy. Refuses a schema that opening it
 * would refuse.
 */
export const copyPostgresLedger = (
  options: PostgresOptions,
): Effect.Effect<PostgresOptions, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const { schema } = options
    const connection = yield* connectTo(options, "reading")
    const { label } = connection
    const copy = `${schema}_rehearsal_${randomBytes(4).toString("hex")}`
    const what = "copying it for a rehearsal"
    const doing = <A>(work: () => Promise<A>) => attempt(label, what, work)
    const part = { ...options, label, proof: proofOf(makeDigester(options.key)) }
    const id = yield* new Writer(connection).write<string | undefined, LedgerRefused>(what, () => idIn(part))
    const [mayCreate, user, database] = (yield* doing(() =>
      connection.send("SELECT has_database_privilege(current_database(), 'CREATE'), current_user, current_database()")
    )).rows[0] ?? []
    if (mayCreate !== 1) {
      return yield* new LedgerRefused({
        message: `A rehearsal works on a temporary schema next to the ledger ${label}, but the user ${
          String(user)
        } may not create schemas. Nothing was sent. Ask an administrator to run: GRANT CREATE ON DATABASE ${
          quoted(String(database))
        } TO ${quoted(String(user))}`,
      })
    }
    yield* Effect.acquireRelease(
      doing(async () => {
        await dropLeft(connection)
        await copyTables(connection, copy, id !== undefined)
      }),
      // If the connection was lost, the next rehearsal drops the schema.
      () =>
        Effect.ignore(doing(() => connection.exec(`DROP SCHEMA ${quoted(copy)} CASCADE`))),
    )
    return { ...options, schema: copy }
  })

/** Marks a schema as a copy, so that no other schema is ever dropped. */
const commentOf = (schema: string): string => `Temporary copy of the schema ${schema} for a rehearsal of formferry`

/** Returns the number of the advisory lock that a copy's connection holds as long as the copy is used. */
const useOf = (copy: string): bigint => lockOf(`rehearsal ${copy}`)

/** Drops the copies of rehearsals whose connection no longer exists. Returns the others, and those of other users. */
export const dropLeft = async (connection: Connection): Promise<ReadonlyArray<string>> => {
  const { rows } = await connection.send(
    "SELECT nspname, pg_has_role(nspowner, 'MEMBER') FROM pg_namespace WHERE obj_description(oid, 'pg_namespace') = $1",
    [commentOf(connection.schema)],
  )
  const left: Array<string> = []
  for (const [name, isOwn] of rows) {
    const copy = String(name)
    const isUnused = isOwn === 1
      && (await connection.send("SELECT pg_try_advisory_lock($1)", [useOf(copy)])).rows[0]?.[0] === 1
    if (!isUnused) left.push(copy)
    else {
      await connection.exec(
        `DROP SCHEMA IF EXISTS ${quoted(copy)} CASCADE; SELECT pg_advisory_unlock(${useOf(copy)})`,
      )
    }
  }
  return left
}

/** Creates the schema and fills it from one state of the ledger, if there is one. Tables are not logged, because nothing of them must survive a crash. */
const copyTables = async (connection: Connection, copy: string, isThere: boolean): Promise<void> => {
  await connection.send("SELECT pg_advisory_lock($1)", [useOf(copy)])
  await connection.exec(`
    BEGIN ISOLATION LEVEL REPEATABLE READ;
    CREATE SCHEMA ${quoted(copy)};
    COMMENT ON SCHEMA ${quoted(copy)} IS '${commentOf(connection.schema)}';
    SET LOCAL search_path = ${quoted(copy)}`)
  if (isThere) {
    const unlogged = tablesOf(tableStatements).replaceAll("CREATE TABLE", "CREATE UNLOGGED TABLE")
    await connection.exec(unlogged + functions + withoutSamples)
    const { rows } = await connection.send(
      `SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '')
       FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' ORDER BY c.oid`,
      [quoted(copy)],
    )
    // A table only refers to tables that were created before it.
    for (const [name, isNumbered] of rows) {
      const table = quoted(String(name))
      await connection.exec(`INSERT INTO ${table} SELECT * FROM ${connection.table(table)}`)
      if (isNumbered === 1) await connection.exec(continueNumbers(table))
    }
    await connection.exec("UPDATE lock SET held = 0")
  }
  await connection.exec("COMMIT")
}
