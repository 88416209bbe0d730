import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import type { LedgerError, LedgerRefused } from "../../src/ledger/Ledger.ts"
import { connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import type { Bench } from "./contacts.ts"
import type { Ran } from "./formferry.ts"

/** A key whose beginning must never be shown. */
export const newKey = () => "5ec2e75ec2e7".padEnd(32, "0") + randomBytes(16).toString("hex")

/** Where a test's ledger is. */
export interface Place {
  readonly url: string
  readonly schema: string
  readonly project: string
  readonly key: string
}

/** A user of the test's own, whose password must never be shown. */
export const password = "pw_51e0d24b8892"

const newUser = Effect.gen(function*() {
  const name = newSchema()
  const admin = yield* connected(yield* urlOf())
  yield* Effect.promise(() =>
    admin.exec(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'; GRANT CREATE ON DATABASE postgres TO ${name}`)
  )
  return `${name}:${password}`
})

/** A place for a ledger of the test's own, with a user of its own. */
export const newPlace = Effect.gen(function*() {
  const place: Place = {
    url: yield* urlOf({ user: yield* newUser, tcp: true }),
    schema: newSchema(),
    project: "acme",
    key: newKey(),
  }
  return place
})

/** Puts a project's ledger into PostgreSQL. */
export const configure = (at: Pick<Bench, "read" | "write">, { key, project, schema, url }: Place, more = ""): void => {
  const own = at.read("config/formferry.yaml").replace(/\nledger:.*\n/, "\n")
  at.write(
    "config/formferry.yaml",
    `${own}\nledger: { url: { env: DATABASE_URL }, project: ${project}, schema: ${schema}, key: { env: LEDGER_KEY }, marks: { folder: ../marks }${more} }\n`,
  )
  at.write(".env", `DATABASE_URL=${url}\nLEDGER_KEY=${key}\n`)
}

/** A database for a project's ledger. */
interface Database {
  readonly name: string
  /** Makes a place for a ledger. Returns what configures it in a project. */
  readonly place: Effect.Effect<(at: Pick<Bench, "read" | "write">) => void, LedgerError | LedgerRefused, Scope.Scope>
}

const inFile: Database = { name: "SQLite", place: Effect.succeed(() => undefined) }

/** The databases of tests that run with each. */
export const databases: ReadonlyArray<Database> = withoutPostgres ? [inFile] : [inFile, {
  name: "PostgreSQL",
  place: Effect.map(newPlace, (place) => (at) => configure(at, place)),
}]

/** The databases of tests that run with PostgreSQL only in the longer proofs. */
export const databasesIfLong: ReadonlyArray<Database> = isLong ? databases : [inFile]

/** Returns a command's exit code and output on one line. Fails if the output contains a password or a key. */
export const said = ({ status, stderr, stdout }: Ran): string => {
  const text = `${status} ${stdout}${stderr}`.replaceAll(/\s+/g, " ")
  expect(text).not.toMatch(/pw_51e0d24b8892|5ec2e75ec2e7/)
  return text
}
