import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { LedgerError, LedgerRefused } from "../../src/ledger/errors.ts"
import { changeRights, connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"
import { client, testServer, withoutPostgres } from "../ledger/postgres/server.ts"
import { folder } from "../ledger/rows.ts"
import { isLong } from "../long.ts"
import type { Bench } from "./contacts.ts"
import { onOneLine, type Ran } from "./formferry.ts"

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
    changeRights(
      admin,
      `CREATE ROLE ${name} LOGIN PASSWORD '${password}'; GRANT CREATE ON DATABASE postgres TO ${name}`,
    )
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

type Asking<A = void> = Effect.Effect<A, LedgerError | LedgerRefused, Scope.Scope>

/** A database for a project's ledger. */
interface Database {
  readonly name: "SQLite" | "PostgreSQL"
  /** Makes a place for a ledger. Returns what configures it in a project. */
  readonly place: Asking<(at: Pick<Bench, "read" | "write">) => void>
  /** The folder of the marks that are not among the reports, in the project's folder. */
  readonly marks: string
  /** Copies a project's ledger as it is. Returns what replaces the ledger with the copy. */
  readonly copy: (at: Bench) => Asking<Asking>
  /** Ends the lease of a killed run at once. No lease of a ledger in a file outlives its process. */
  readonly endLease: (at: Bench) => Asking
}

export const inFile: Database = {
  name: "SQLite",
  place: Effect.succeed(() => undefined),
  marks: join(".formferry", "ledger.db.marks"),
  copy: (at) =>
    Effect.map(folder, (kept) => {
      const ledger = join(at.folder, ".formferry")
      cpSync(ledger, kept, { recursive: true })
      return Effect.sync(() => {
        rmSync(ledger, { recursive: true, force: true })
        cpSync(kept, ledger, { recursive: true })
      })
    }),
  endLease: () => Effect.void,
}

/** Runs statements as a superuser, in the schema of a project's ledger. */
export const execIn = (at: Pick<Bench, "read">, sqlFor: (schema: string) => string): Asking =>
  Effect.gen(function*() {
    const schema = schemaOf(at)
    const database = yield* connected(yield* urlOf(), schema)
    yield* Effect.promise(() => database.exec(sqlFor(schema)))
  })

const schemaOf = (at: Pick<Bench, "read">): string => /schema: (\w+)/.exec(at.read("config/formferry.yaml"))?.[1] ?? ""

export const dropIn = (at: Pick<Bench, "read">): Asking => execIn(at, (schema) => `DROP SCHEMA ${schema} CASCADE`)

export const inPostgres: Database = {
  name: "PostgreSQL",
  place: Effect.map(newPlace, (place) => (at) => configure(at, place)),
  marks: "marks",
  copy: (at) =>
    Effect.gen(function*() {
      const server = yield* Effect.promise(testServer)
      const dump = join(server.folder, `${newSchema()}.sql`)
      yield* client("pg_dump", server, ["-n", schemaOf(at), "-f", dump])
      return Effect.zipRight(dropIn(at), client("psql", server, ["-q", "-v", "ON_ERROR_STOP=1", "-f", dump]))
    }),
  endLease: (at) => execIn(at, () => "UPDATE lock SET beat = beat - 60000"),
}

/** The databases of tests that run with each. */
export const databases: ReadonlyArray<Database> = withoutPostgres ? [inFile] : [inFile, inPostgres]

/** The databases of tests that run with PostgreSQL only in the longer proofs. */
export const databasesIfLong: ReadonlyArray<Database> = isLong ? databases : [inFile]

/** Returns a command's exit code and output on one line. Fails if the output contains a password or a key. */
export const said = ({ status, stderr, stdout }: Ran): string => {
  const text = onOneLine(`${status} ${stdout}${stderr}`)
  expect(text).not.toMatch(/pw_51e0d24b8892|5ec2e75ec2e7/)
  return text
}
