import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { LedgerError, LedgerRefused } from "../../../src/ledger/errors.ts"
import { addressIn } from "../../../src/ledger/postgres/address.ts"
import { connect, type Connection } from "../../../src/ledger/postgres/connection.ts"
import { testServer } from "./server.ts"

/** The URL of the test server's database on its Unix socket, or over TCP. */
export const urlOf = (
  { database = "postgres", more = "", server = testServer, tcp = false, user = "formferry:formferry" } = {},
): Effect.Effect<string> =>
  Effect.map(Effect.promise(server), ({ folder, port }) => {
    const host = tcp ? "127.0.0.1" : encodeURIComponent(folder)
    return `postgresql://${user}@${host}:${port}/${database}${more}`
  })

/** Connects to the database at a URL, for the scope. */
export const connected = (
  url: string,
  schema = "public",
): Effect.Effect<Connection, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.suspend(() => {
    const address = addressIn(url)
    return address instanceof LedgerRefused ? address : connect("ledger1", address, schema)
  })

/** Runs SQL that changes rights to the whole database. Other tests may do so at the same time, which PostgreSQL refuses without a lock. */
export const changeRights = (admin: Connection, sql: string): Promise<void> =>
  admin.exec(`SELECT pg_advisory_xact_lock(1); ${sql}`)

/** Returns the name of a schema that no other test uses. Each test has its own ledger in the same database. */
export const newSchema = (): string => `ledger_${randomBytes(6).toString("hex")}`
