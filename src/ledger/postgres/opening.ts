import { hash, randomBytes } from "node:crypto"
import { LedgerRefused } from "../errors.ts"
import { unfinishedIf } from "../sql/closing.ts"
import { tableStatements } from "../sql/schema.ts"
import { all, exists, get, Refusal, run, type Sql, write } from "../sql/statement.ts"
import { functions, ownTables, quoted, tablesOf, withoutSamples } from "./dialect.ts"
import { notOwner } from "./failures.ts"
import { standbyRefused } from "./identity.ts"
import type { PostgresOptions } from "./options.ts"

/** The part of a database that is one project's ledger. */
export interface Part extends Pick<PostgresOptions, "isManaged" | "isMoved" | "owner" | "project" | "schema"> {
  /** What messages call the ledger. */
  readonly label: string
  /** Shows whether the key belongs to this ledger, without revealing the key. */
  readonly proof: string
  /** When the ledger is opened (ISO 8601). */
  readonly opened: string
}

const oldest = 15

/** Returns the number of the advisory lock of a schema. Two schemas with the same number would only wait for each other. */
export const lockOf = (schema: string): bigint => hash("sha256", `formferry ${schema}`, "buffer").readBigInt64BE()

const tables = tablesOf(tableStatements + ownTables)

/** The version of the ledger's tables. Every change of a table gives a new version. */
export const version = hash("sha256", tables + functions + withoutSamples).slice(0, 16)

const refuse = (message: string): never => {
  throw new Refusal(new LedgerRefused({ message }))
}

type Server = readonly [version: number, encoding: string, isStandby: number, fsync: string, fullPages: string]

/**
 * Refuses, inside a transaction, a server that could lose what it reported as written.
 *
 * @param of what is on the server, for messages
 */
export function* checkServer(of: string, isManaged: boolean): Sql<void> {
  const server = yield* get<Server>(
    `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_is_in_recovery(),
       current_setting('fsync'), current_setting('full_page_writes')`,
  )
  const [version, encoding, isStandby, fsync, fullPages] = server ?? [0, "", 0, "", ""]
  if (version < oldest) {
    refuse(`The server of the ${of} is PostgreSQL ${version}, but formferry needs version ${oldest} or newer.`)
  }
  if (encoding !== "UTF8") {
    refuse(
      `The database of the ${of} has the encoding ${encoding}, which lacks characters. Create a database with the encoding UTF8.`,
    )
  }
  if (isStandby === 1) throw new Refusal(standbyRefused(of))
  const off = [["fsync", fsync], ["full_page_writes", fullPages]].filter(([, value]) => value !== "on").map(([name]) =>
    name
  )
  if (off.length > 0 && !isManaged) {
    refuse(
      `The server of the ${of} runs with ${
        off.join(" and ")
      } off. After a crash, it could have lost what it had written, and rows would be sent a second time. Nothing was sent. `
        + `Set ${
          off.join(" and ")
        } to on. If it is a managed service that keeps every commit in a different way, set \`ledger.durability: managed\`.`,
    )
  }
}

/** Whether a schema contains anything. */
export function* hasTables(schema: string): Sql<boolean> {
  return yield* exists(
    "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? LIMIT 1",
    [schema],
  )
}

/**
 * Returns the ledger's id, inside a transaction that holds the advisory lock. Creates the schema and its tables if there are none. Refuses what `idIn`
 * refuses.
 *
 * @param mayCreate throws if there must have been a ledger
 */
export function* openSchema(part: Part, mayCreate: () => void): Sql<string> {
  yield* checkServer(`ledger ${part.label}`, part.isManaged === true)
  const id = yield* idIn(part)
  if (id !== undefined) return id
  mayCreate()
  return yield* createTables(part)
}

/** Returns the id of the ledger in a schema. Undefined if the schema is empty. Refuses a schema that is not this project's ledger. */
export function* idIn(part: Pick<Part, "label" | "project" | "proof" | "schema">): Sql<string | undefined> {
  const { label, project, proof, schema } = part
  const meta = yield* metaOf(part)
  if (meta === undefined) return undefined
  const owner = meta.get("project")
  if (owner === undefined) {
    return refuse(
      `The schema ${schema} contains tables that are not a ledger of formferry. Nothing was changed or sent. Set \`ledger.schema\` to a different name.`,
    )
  }
  if (owner !== project) {
    return refuse(
      `The ledger ${label} belongs to the project ${owner}, not to ${project}. Nothing was sent. Set \`ledger.schema\` to a different name: each project has its own schema.`,
    )
  }
  if (meta.get("version") !== version) return refuseVersion(part)
  if (meta.get("proof") !== proof) {
    return refuse(
      `The ledger's \`key\` does not belong to the ledger ${label}. With a different key, no row is recognised, and every row would be sent a second time. Nothing was sent. Use the key with which the ledger was created.`,
    )
  }
  return meta.get("id") ?? ""
}

/** Refuses a ledger whose tables are not those of this build. No build has changed the tables of an earlier one yet, so there is nothing to convert. */
export const refuseVersion = ({ label }: Pick<Part, "label">): never =>
  refuse(
    `The ledger ${label} was written by a different build of formferry, whose tables this one can neither read nor convert. Nothing was changed or sent. Run the build that wrote it.`,
  )

/**
 * Returns what a schema's `meta` contains: nothing if the schema is not a ledger. Undefined if the schema is empty. Refuses a user who may not use its
 * tables.
 */
export function* metaOf(part: Pick<Part, "label" | "schema">): Sql<ReadonlyMap<string, string> | undefined> {
  if (!(yield* hasTables(part.schema))) return undefined
  yield* checkAccess({ of: `ledger ${part.label}`, key: "url" }, part.schema, privileges)
  const isLedger = yield* exists(
    "SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name = 'meta' AND column_name = 'value'",
    [part.schema],
  )
  return new Map(isLedger ? yield* all<readonly [string, string]>("SELECT name, value FROM meta") : [])
}

const privileges = ["SELECT", "INSERT", "UPDATE", "DELETE"]

/**
 * Refuses a user who may not use the tables. Without a permission, the schema would look as if it contained no ledger.
 *
 * @param tables what is in the schema, and the key of its address, for messages
 */
export function* checkAccess(
  tables: Parameters<typeof notOwner>[1],
  schema: string,
  needed: ReadonlyArray<string>,
): Sql<void> {
  const denied = yield* get<readonly [user: string, owner: string]>(
    `SELECT current_user, pg_get_userbyid(c.relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ? AND c.relkind = 'r' AND NOT (has_schema_privilege(n.oid, 'USAGE') AND ${
      needed.map((one) => `has_table_privilege(c.oid, '${one}')`).join(" AND ")
    }) LIMIT 1`,
    [schema],
  )
  if (denied !== undefined) throw new Refusal(notOwner("use", tables, ...denied))
}

type Rights = readonly [
  user: string,
  exists: number,
  inSchema: number | null,
  inDatabase: number,
  asOwner: number | null,
]

/** Refuses a user who may not create the tables. Returns whether the schema exists. */
function* checkRights({ label, owner, schema }: Part): Sql<boolean> {
  const [user, exists, inSchema, inDatabase, asOwner] = (yield* get<Rights>(
    `SELECT current_user, n.oid IS NOT NULL, has_schema_privilege(n.oid, 'CREATE'), has_database_privilege(current_database(), 'CREATE'),
       (SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = ?)
     FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = ?`,
    [owner ?? "", schema],
  )) ?? ["", 0, 0, 0, 0]
  if ((exists === 1 ? inSchema : inDatabase) !== 1) {
    refuse(
      `The ledger ${label} has no tables yet, and the user ${user} may not create them. Nothing was sent. `
        + `Put an administrator's address into the variable of the ledger's \`url\` for one command, and run: formferry ledger migrate --owner ${user}`,
    )
  }
  if (owner !== undefined && asOwner !== 1) {
    refuse(
      asOwner === null
        ? `The server of the ledger ${label} has no user ${owner}. Nothing was changed. Create it first: CREATE ROLE ${
          quoted(owner)
        } LOGIN PASSWORD '…'`
        : `The user ${user} may not create tables for ${owner}. Nothing was changed. Use a superuser, or first run: GRANT ${
          quoted(owner)
        } TO ${quoted(user)}`,
    )
  }
  return exists === 1
}

/** Creates the schema, unless it exists, and its tables. Returns the ledger's id. */
function* createTables(part: Part): Sql<string> {
  const { isMoved, opened, owner, project, proof, schema } = part
  const exists = yield* checkRights(part)
  if (!exists) {
    yield* write(`CREATE SCHEMA ${quoted(schema)}${owner === undefined ? "" : ` AUTHORIZATION ${quoted(owner)}`}`)
  }
  if (owner !== undefined) {
    if (exists) yield* write(`GRANT ALL ON SCHEMA ${quoted(schema)} TO ${quoted(owner)}`)
    yield* write(`SET LOCAL ROLE ${quoted(owner)}`)
  }
  // PostgreSQL prepares one statement at a time.
  for (const statement of `${tables};${functions};${withoutSamples}`.split(";")) {
    if (statement.trim() !== "") yield* write(statement)
  }
  const id = randomBytes(8).toString("hex")
  const meta = { id, proof, started: opened, project, version, ...unfinishedIf(isMoved) }
  for (const [name, value] of Object.entries(meta)) {
    yield* run("INSERT INTO meta (name, value) VALUES (?, ?)", [name, value])
  }
  return id
}
