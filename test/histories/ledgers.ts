import { Effect, type Scope } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import Client from "pg/lib/client.js"
import { MarkWriter } from "../../src/ledger/markFiles.ts"
import type { Connection } from "../../src/ledger/postgres/connection.ts"
import { continueNumbers, quoted } from "../../src/ledger/postgres/dialect.ts"
import { Database } from "../../src/ledger/sqlite/database.ts"
import type { VirtualTime } from "../faults/VirtualTime.ts"
import { connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"

/** A process of formferry that may be killed at any step. */
export interface Killable {
  readonly time: VirtualTime
  readonly isOff: () => boolean
  /** Counts a step: each request, and before and after each commit and each mark. Throws if the process is killed. */
  readonly step: () => void
  /** Whether what the process sends at the step at which it is killed still arrives. */
  readonly arrives: () => boolean
}

/** The process that is running. There is one at a time. */
let running: Killable | undefined

/** Sets the process that runs from now on. */
export const runs = (process: Killable | undefined): void => {
  running = process
}

const { exec } = Database.prototype
Database.prototype.exec = function(sql) {
  if (sql === "COMMIT") running?.step()
  exec.call(this, sql)
  if (sql === "COMMIT") running?.step()
}

const { write } = MarkWriter.prototype
MarkWriter.prototype.write = function(upTo) {
  running?.step()
  const written = write.call(this, upTo)
  if (written !== undefined) return running?.time.outside(written).then(() => running?.step()) ?? written
  running?.step()
  return written
}

// Holders of a shared ledger look for the marks of others.
const { readdir } = promises
const listing = (...args: Parameters<typeof readdir>) => {
  const names = readdir(...args)
  return running?.time.outside(names) ?? names
}
Object.assign(promises, { readdir: listing })
syncBuiltinESMExports()

type PgClient = InstanceType<typeof Client>

/** Returns the server's process of a connection. The client's types lack it. */
const processOf = (client: PgClient): number => (client as unknown as { readonly processID: number }).processID

/** The connections of each process to a PostgreSQL server. */
const connections = new Map<PgClient, Killable>()

// These have further signatures with callbacks, which formferry doesn't use.
type Method = (...args: ReadonlyArray<unknown>) => Promise<unknown>
const client = Client.prototype as unknown as Record<"connect" | "end" | "query", Method>
const { connect, end, query } = client
client.connect = function(this: PgClient) {
  if (running === undefined) return connect.call(this)
  connections.set(this, running)
  return running.time.outside(connect.call(this))
}
client.end = function(this: PgClient) {
  const process = connections.get(this)
  connections.delete(this)
  return process?.time.outside(end.call(this)) ?? end.call(this)
}
client.query = async function(this: PgClient, statement) {
  const process = connections.get(this)
  if (process === undefined) return query.call(this, statement)
  const send = () => process.time.outside(query.call(this, statement))
  if (process.isOff()) throw new Error("the machine is off")
  if (typeof statement !== "object" || (statement as { readonly text?: string }).text !== "COMMIT") return send()
  try {
    process.step()
  } catch (cause) {
    if (process.arrives()) void send()
    throw cause
  }
  const committed = await send()
  process.step()
  return committed
}

/** A copy of a ledger, without marks. */
export interface Image {
  /** Replaces the ledger. */
  readonly restore: () => Promise<void>
}

/** The ledger of a history. */
export interface HistoryLedger {
  /** The ledger's key of `config/formferry.yaml`, and its secrets in `.env`. */
  readonly settings: string
  readonly secrets: string
  /** Whether several hosts may use the ledger. */
  readonly isShared: boolean
  /** The folder of the marks that are not among the reports, in the project's folder. */
  readonly marks: string
  /** The folders that a new machine needs in addition to the project's files. */
  readonly kept: ReadonlyArray<string>
  readonly image: () => Promise<Image>
  /** Deletes the ledger. Returns false if there is none. */
  readonly remove: () => Promise<boolean>
  /** Whether the ledger has a mark up to which records were pulled. True if there is no ledger. */
  readonly hasPulled: () => Promise<boolean>
  /** Separates the ledger from a killed process, whose connections are still open in this process. */
  readonly leave: () => Promise<void>
  /** Damages the log that a killed process left. Returns false if there is none. Undefined if the database's server repairs its log. */
  readonly damageLog: ((change: (log: Buffer) => Buffer | undefined) => boolean) | undefined
}

/** The folder in which a project keeps its ledger in a file, and its marks. */
const folder = ".formferry"

/** A ledger in a file of a project. */
export const inFile = (project: { readonly root: string }): HistoryLedger => {
  const at = () => join(project.root, folder)
  const files = (): ReadonlyMap<string, Buffer> => {
    const names = existsSync(at()) ? readdirSync(at()) : []
    return new Map(
      names.filter((name) => /^ledger\.db(?:-wal|\.key)?$/.test(name))
        .map((name) => [name, readFileSync(join(at(), name))]),
    )
  }
  const restore = (files: ReadonlyMap<string, Buffer>) => {
    for (const name of ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.key"]) {
      rmSync(join(at(), name), { force: true })
    }
    if (files.size > 0) mkdirSync(at(), { recursive: true })
    for (const [name, bytes] of files) writeFileSync(join(at(), name), bytes, { mode: 0o600 })
  }
  return {
    settings: "",
    secrets: "",
    isShared: false,
    marks: join(folder, "ledger.db.marks"),
    kept: [folder],
    image: async () => {
      const image = files()
      return { restore: async () => restore(image) }
    },
    remove: async () => {
      if (files().size === 0) return false
      rmSync(at(), { recursive: true })
      return true
    },
    hasPulled: async () => {
      const copy = join(project.root, "copy")
      mkdirSync(copy)
      for (const [name, bytes] of files()) writeFileSync(join(copy, name), bytes)
      try {
        if (!existsSync(join(copy, "ledger.db"))) return true
        const db = new Database(join(copy, "ledger.db"))
        const hasTable = db.get("SELECT 1 FROM sqlite_schema WHERE name = 'fact'") !== undefined
        const found = hasTable ? db.get("SELECT 1 FROM fact WHERE name = 'pulled'") : undefined
        db.close()
        return !hasTable || found !== undefined
      } finally {
        rmSync(copy, { recursive: true })
      }
    },
    // Copies replace the files, because the process's connections must not write to them later.
    leave: async () => restore(files()),
    damageLog: (change) => {
      const image = new Map(files())
      const before = image.get("ledger.db-wal")
      if (before === undefined || before.length === 0) return false
      const after = change(before)
      if (after === undefined) image.delete("ledger.db-wal")
      else image.set("ledger.db-wal", after)
      restore(image)
      return true
    },
  }
}

/** How far the server's clock advances until another process may take over the lock of a killed one, in milliseconds. */
const lease = 120_000

/** A ledger in a schema of the test server, for the scope. */
export const inPostgres: Effect.Effect<HistoryLedger, never, Scope.Scope> = Effect.gen(function*() {
  const url = yield* urlOf()
  const schema = newSchema()
  const admin = yield* Effect.orDie(connected(url, schema))
  return inSchema(admin, url, schema)
})

const inSchema = (admin: Connection, url: string, schema: string): HistoryLedger => {
  const lost = `${schema}_lost`
  const tables = async (of: string) =>
    (await admin.send(
      "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.oid",
      [of],
    )).rows.map(([name]) => String(name))
  /** Renames the schema instead of dropping it, because a restored copy needs its tables. */
  const remove = async () => {
    if ((await tables(schema)).length === 0) return false
    await admin.exec(`DROP SCHEMA IF EXISTS ${lost} CASCADE; ALTER SCHEMA ${schema} RENAME TO ${lost}`)
    return true
  }
  return {
    settings:
      `ledger: { url: { env: DATABASE_URL }, project: history, schema: ${schema}, key: { env: LEDGER_KEY }, marks: { folder: ../../marks } }\n`,
    secrets: `DATABASE_URL=${url}\nLEDGER_KEY=${"0123456789abcdef".repeat(4)}\n`,
    isShared: true,
    marks: join("..", "marks"),
    kept: [],
    // A dump has the same content, but each takes a third of a second.
    image: async () => {
      const rows = await Promise.all(
        (await tables(schema)).map(async (table) =>
          [
            `${schema}.${quoted(table)}`,
            String((await admin.send(`SELECT coalesce(json_agg(t), '[]') FROM ${quoted(table)} t`)).rows[0]?.[0]),
          ] as const
        ),
      )
      return {
        restore: async () => {
          if (rows.length === 0) return void await remove()
          if ((await tables(schema)).length === 0) await admin.exec(`ALTER SCHEMA ${lost} RENAME TO ${schema}`)
          // As a restored dump does, it adds rows without following their references.
          await admin.exec("BEGIN; SET LOCAL session_replication_role = replica")
          for (const [table, json] of rows) {
            await admin.exec(`DELETE FROM ${table}`)
            await admin.send(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [json])
          }
          const { rows: numbered } = await admin.send(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = $1 AND is_identity = 'YES'",
            [schema],
          )
          await admin.exec([...numbered.map(([table]) => continueNumbers(quoted(String(table)))), "COMMIT"].join("; "))
        },
      }
    },
    remove,
    hasPulled: async () =>
      !(await tables(schema)).includes("fact")
      || (await admin.send("SELECT 1 FROM fact WHERE name = 'pulled'")).rows.length > 0,
    leave: async () => {
      for (const client of connections.keys()) {
        client.connection.stream.destroy()
        await admin.send("SELECT pg_terminate_backend($1, 5000)", [processOf(client)])
      }
      connections.clear()
      if ((await tables(schema)).includes("lock")) await admin.send("UPDATE lock SET beat = beat - $1", [lease])
    },
    damageLog: undefined,
  }
}
