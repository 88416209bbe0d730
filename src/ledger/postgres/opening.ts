import { createHash, randomBytes } from "node:crypto"
import { LedgerRefused } from "../Ledger.ts"
import { Refusal } from "../sql/Refusal.ts"
import { schema as tables } from "../sql/schema.ts"
import { all, get, run, type Sql, write } from "../sql/statement.ts"
import { functions, quoted, tablesOf } from "./dialect.ts"

/** The part of a database that is one project's ledger. */
export interface Part {
  /** What messages call the ledger. */
  readonly label: string
  /** Name of the schema, which belongs to one project. */
  readonly schema: string
  readonly project: string
  /** Shows whether the key belongs to this ledger, without revealing the key. */
  readonly proof: string
  /** When the ledger is opened (ISO 8601). */
  readonly opened: string
  /** Whether a managed service vouches that commits are durable, whatever its server reports. */
  readonly isManaged: boolean
}

const oldest = 15

/** Returns the number of the advisory lock of a schema. Two schemas with the same number would only wait for each other. */
export const lockOf = (schema: string): bigint =>
  createHash("sha256").update(`formferry ${schema}`).digest().readBigInt64BE()

/** The version of the ledger's tables. Every change of a table gives a new version. */
export const version = createHash("sha256").update(tablesOf(tables) + functions).digest("hex").slice(0, 16)

const refuse = (message: string): never => {
  throw new Refusal(new LedgerRefused({ message }))
}

type Server = readonly [version: number, encoding: string, isStandby: number, fsync: string, fullPages: string]

/** Refuses, inside a transaction, a server that could lose what it reported as written. */
function* checkServer({ isManaged, label }: Part): Sql<void> {
  const server = yield* get<Server>(
    `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_is_in_recovery(),
       current_setting('fsync'), current_setting('full_page_writes')`,
  )
  const [version, encoding, isStandby, fsync, fullPages] = server ?? [0, "", 0, "", ""]
  if (version < oldest) {
    refuse(`The ledger ${label} needs PostgreSQL ${oldest} or newer, but its server is version ${version}.`)
  }
  if (encoding !== "UTF8") {
    refuse(
      `The database of the ledger ${label} has the encoding ${encoding}, which lacks characters. Create a database with the encoding UTF8.`,
    )
  }
  if (isStandby === 1) {
    refuse(
      `The server of the ledger ${label} is a standby, which can't be written to. Name the primary server in the \`url\`.`,
    )
  }
  const off = [["fsync", fsync], ["full_page_writes", fullPages]].filter(([, value]) => value !== "on").map(([name]) =>
    name
  )
  if (off.length > 0 && !isManaged) {
    refuse(
      `The server of the ledger ${label} runs with ${
        off.join(" and ")
      } off. After a crash, it could have lost rows that were sent, and they would be sent a second time. Nothing was sent. `
        + `Set ${
          off.join(" and ")
        } to on. If it is a managed service that keeps every commit in a different way, set \`ledger.durability: managed\`.`,
    )
  }
}

/** Whether a schema contains anything. */
export function* hasTables(schema: string): Sql<boolean> {
  return (yield* get(
    "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? LIMIT 1",
    [schema],
  )) !== undefined
}

/**
 * Returns the ledger's id, inside a transaction that holds the advisory lock. Creates the schema and its tables if there are none. Refuses a schema
 * that is not this project's ledger.
 *
 * @param mayCreate throws if there must have been a ledger
 */
export function* openSchema(part: Part, mayCreate: () => void): Sql<string> {
  yield* checkServer(part)
  const { label, project, proof, schema } = part
  const isNew = !(yield* hasTables(schema))
  if (isNew) {
    mayCreate()
    yield* createTables(part)
  }
  const isLedger = isNew
    || (yield* get(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name = 'meta' AND column_name = 'value'",
        [schema],
      ))
      !== undefined
  const meta = new Map(isLedger ? yield* all<readonly [string, string]>("SELECT name, value FROM meta") : [])
  const owner = meta.get("project")
  if (owner === undefined) {
    return refuse(
      `The schema ${schema} contains tables that are not a ledger of formferry. Nothing was changed or sent. Set \`ledger.schema\` to another name.`,
    )
  }
  if (owner !== project) {
    return refuse(
      `The ledger ${label} belongs to the project ${owner}, not to ${project}. Nothing was sent. Set \`ledger.schema\` to another name: each project has its own schema.`,
    )
  }
  if (meta.get("version") !== version) {
    return refuse(
      `The ledger ${label} was written by a different build of formferry, whose ledgers this one can't read. Nothing was changed or sent. Run the build that wrote it.`,
    )
  }
  if (meta.get("proof") !== proof) {
    return refuse(
      `The ledger's \`key\` does not belong to the ledger ${label}. With a different key no row is recognised, and every row would be sent a second time. Nothing was sent. Use the key with which the ledger was created.`,
    )
  }
  return meta.get("id") ?? ""
}

function* createTables({ opened, project, proof, schema }: Part): Sql<void> {
  const exists = yield* get("SELECT 1 FROM pg_namespace WHERE nspname = ?", [schema])
  if (exists === undefined) yield* write(`CREATE SCHEMA ${quoted(schema)}`)
  // PostgreSQL prepares one statement at a time.
  for (const statement of `${tablesOf(tables)};${functions}`.split(";")) {
    if (statement.trim() !== "") yield* write(statement)
  }
  const meta = { id: randomBytes(8).toString("hex"), proof, started: opened, project, version: version }
  for (const [name, value] of Object.entries(meta)) {
    yield* run("INSERT INTO meta (name, value) VALUES (?, ?)", [name, value])
  }
}
