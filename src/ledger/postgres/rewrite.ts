import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { LedgerBusy, type LedgerError, type LedgerRefused } from "../errors.ts"
import type { Connection } from "./connection.ts"
import { quoted } from "./dialect.ts"
import { attempt, isLocked, notOwner } from "./failures.ts"

/** Transactions that only read end within seconds. So the last attempt is half a minute after the first one. */
const attempts = Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(5))

/**
 * Rewrites tables without deleted rows. The server retains deleted rows that an open transaction may still read, even if it only reads other tables of
 * the database. So each table that contains such rows is rewritten again later. Fails with `LedgerBusy` if they remain.
 */
export const rewriteTables = (
  connection: Connection,
  tables: ReadonlyArray<string>,
): Effect.Effect<void, LedgerError | LedgerBusy> => {
  const { label } = connection
  let left = tables
  return attempt(label, "rewriting it", async () => {
    left = await rewritten(connection, left)
  }).pipe(
    Effect.flatMap(() => left.length === 0 ? Effect.void : new LedgerBusy({ file: label, by: "transaction" })),
    Effect.retry({ schedule: attempts, while: ({ _tag }) => _tag === "LedgerBusy" }),
  )
}

const foreign =
  `SELECT current_user, pg_get_userbyid(c.relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT pg_has_role(c.relowner, 'USAGE')
    AND NOT (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) LIMIT 1`

/** Fails with `LedgerRefused` if the user owns neither the tables nor the database. The server would skip the rewriting with a mere warning. */
export const mayRewrite = (connection: Connection): Effect.Effect<void, LedgerError | LedgerRefused> =>
  attempt(
    connection.label,
    "reading who owns its tables",
    () => connection.send(foreign, [connection.schema]),
  ).pipe(Effect.flatMap(({ rows: [row] }) => {
    if (row === undefined) return Effect.void
    const [user = "", owner = ""] = row.map(String)
    return notOwner("rewrite", { of: `ledger ${connection.label}`, key: "url" }, user, owner)
  }))

/** Rewrites tables once. Returns those that still contain deleted rows. */
const rewritten = async (
  connection: Connection,
  tables: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  const left: Array<string> = []
  for (const [at, table] of tables.entries()) {
    try {
      const details = await connection.explained(`VACUUM (FULL, VERBOSE, ANALYZE) ${connection.table(quoted(table))}`)
      if (!details.some(saysNoneRemain)) left.push(table)
    } catch (cause) {
      if (!isLocked(cause)) throw cause
      // The transaction that holds this table may hold the others, too.
      return [...left, ...tables.slice(at)]
    }
  }
  return left
}

/** Whether the server says "0 dead row versions cannot be removed yet", in any language. */
const saysNoneRemain = (detail: string): boolean => /\d+/.exec(detail)?.[0] === "0"
