import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { hash } from "node:crypto"
import type { ConnectionOptions } from "node:tls"
import Client from "pg/lib/client.js"
import { atStart, type LedgerError, type LedgerRefused } from "../errors.ts"
import { type Param, storable } from "../sql/statement.ts"
import type { Address } from "./address.ts"
import { quoted } from "./dialect.ts"
import { ledgerError, refusalOf } from "./failures.ts"
import { addressOf, type PostgresOptions } from "./options.ts"

/** A row: an array in the order of the selected columns. */
export type Row = ReadonlyArray<unknown>

export interface Answer {
  readonly rows: ReadonlyArray<Row>
  /** How many rows a statement changed, or returned. */
  readonly changes: number
  /** What the server did, such as `COMMIT`, or `ROLLBACK` if a transaction that had failed was committed. */
  readonly command: string
}

/** The types that differ from text, by PostgreSQL's numbers of types: boolean, integers and decimals are numbers, as in SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === "t" ? 1 : 0)],
  [17, (text) => Buffer.from(text.slice(2), "hex")],
  ...[20, 21, 23, 700, 701, 1700].map((type) => [type, Number] as const),
])

const asText = (text: string): string => text

const types = { getTypeParser: (type: number) => parsers.get(type) ?? asText }

/** How long a dead connection may stay unnoticed while the server is expected to send something, in milliseconds. */
const keepAlive = 5_000

/**
 * How long a statement with few results may take, in milliseconds. Then the connection counts as lost, because a network that drops everything
 * reports no failure.
 */
const patience = 120_000

/** How long a connection that is closed waits for the server, in milliseconds. */
const closingTime = 2_000

/**
 * One connection. Statements are sent at once, without waiting for the results of earlier ones, and are answered in order. Once the connection is
 * lost, each statement fails with the same reason.
 */
export class Connection {
  readonly label: string
  readonly schema: string
  private readonly client: InstanceType<typeof Client>
  private readonly names = new Map<string, string>()
  private lost: unknown
  private gathers = false

  /**
   * @param label what messages call the ledger
   * @param schema the schema of its tables
   */
  constructor(label: string, client: InstanceType<typeof Client>, schema: string) {
    this.label = label
    this.schema = schema
    this.client = client
    client.on("error", (cause) => {
      this.lost ??= cause
    })
    client.on("end", () => {
      this.lost ??= new Error("the connection to the database was lost")
    })
  }

  /**
   * Sets the schema for one transaction. A pooler that lends a server connection for a single transaction (transaction pooling) would otherwise run it
   * with the settings of a different client.
   */
  get inSchema(): string {
    return `SET LOCAL search_path = ${pathOf(this.schema)}`
  }

  /** Returns the name of a table in the schema, for statements outside a transaction. */
  table(name: string): string {
    return `${quoted(this.schema)}.${name}`
  }

  async hasTable(name: string): Promise<boolean> {
    return (await this.send("SELECT to_regclass($1) IS NOT NULL", [this.table(name)])).rows[0]?.[0] === 1
  }

  get isLost(): boolean {
    return this.lost !== undefined
  }

  /** Sends a statement. The server prepares each text once for a connection. */
  async send(sql: string, params: ReadonlyArray<Param> = []): Promise<Answer> {
    if (this.lost !== undefined) throw this.lost
    let name = this.names.get(sql)
    if (name === undefined) {
      // Made from the text. A pooler may lend a connection on which a different client has prepared its statements.
      name = hash("sha256", sql, "base64url")
      this.names.set(sql, name)
    }
    this.gather()
    const { command, rowCount, rows } = await this.within(patience, () =>
      this.client.query<Array<unknown>>({
        name,
        text: sql,
        values: params.map(storable),
        rowMode: "array",
        types,
      }))
    return { rows, changes: rowCount ?? 0, command }
  }

  /**
   * Sends statements without parameters and results, as one text. They share a transaction unless they say otherwise. They may take any time, because
   * they may copy whole tables.
   */
  async exec(sql: string): Promise<void> {
    if (this.lost !== undefined) throw this.lost
    this.gather()
    await this.client.query(sql).catch((cause: unknown) => {
      throw this.lost ?? cause
    })
  }

  /** Sends statements as `exec` does, alone on the connection. Returns the details of the server's notices. */
  async explained(sql: string): Promise<ReadonlyArray<string>> {
    const details: Array<string> = []
    const note = ({ detail }: { readonly detail?: string | undefined }) => details.push(detail ?? "")
    this.client.on("notice", note)
    try {
      await this.exec(sql)
    } finally {
      this.client.off("notice", note)
    }
    return details
  }

  /** Lets the statements of the present turn of the event loop leave together, because each write to the network takes time. */
  private gather(): void {
    if (this.gathers) return
    this.gathers = true
    const { stream } = this.client.connection
    stream.cork()
    process.nextTick(() => {
      this.gathers = false
      stream.uncork()
    })
  }

  /**
   * Returns what the work returns. Ends the connection if the work takes longer than this many milliseconds.
   *
   * @param reason why, as part of a sentence that ends with the number of seconds. Default: there was one statement
   */
  async within<A>(millis: number, work: () => Promise<A>, reason = "the database did not answer for"): Promise<A> {
    const timer = setTimeout(() => this.destroy(new Error(`${reason} ${millis / 1_000} seconds`)), millis)
    try {
      return await work()
    } catch (cause) {
      throw this.lost ?? cause
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the connection at once. Its unfinished transaction is rolled back. */
  destroy(cause: unknown): void {
    this.lost ??= cause
    this.client.connection.stream.destroy()
  }

  /** Ends the connection once every statement was answered. If the server doesn't answer, ends it at once. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.destroy(new Error("the database did not answer")), closingTime)
    try {
      await this.client.end()
    } finally {
      clearTimeout(timer)
    }
  }
}

const pathOf = (schema: string): string => `${quoted(schema)}, pg_temp`

/**
 * Settings of every connection. A holder that is stopped inside a transaction must not keep others waiting. `jit` would make short statements slow.
 * Settings that the server does not know are omitted.
 */
const settings = (schema: string, more: Readonly<Record<string, string>>): string => {
  const wanted = Object.entries({
    search_path: pathOf(schema),
    application_name: "formferry",
    client_encoding: "UTF8",
    bytea_output: "hex",
    standard_conforming_strings: "on",
    default_transaction_isolation: "read committed",
    synchronous_commit: "on",
    idle_in_transaction_session_timeout: "3s",
    lock_timeout: "10s",
    // A server's defaults must not end a long statement or an idle run.
    statement_timeout: "0",
    idle_session_timeout: "0",
    transaction_timeout: "0",
    jit: "off",
    ...more,
  })
  return `SELECT set_config(name, wanted, false) FROM pg_settings JOIN (VALUES ${
    wanted.map(([name, value]) => `('${name}', '${value}')`).join(", ")
  }) AS settings (of, wanted) ON name = of`
}

/**
 * A plan is kept for the whole connection. While a table is empty, the best plan reads all of it, and that plan would remain when the table has grown.
 * Reading plans each statement with the present sizes. Writing finds few rows, always by an index.
 */
const purposes = {
  reading: { plan_cache_mode: "force_custom_plan" },
  writing: { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" },
} as const

/** Opens a connection for the scope. Fails with `LedgerRefused` if the address or the access is wrong. */
export const connect = (
  label: string,
  address: Address,
  schema: string,
  purpose: keyof typeof purposes = "writing",
): Effect.Effect<Connection, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.acquireRelease(
    atStart(Effect.tryPromise({
      try: async () => {
        const connection = new Connection(label, await opened(address, address.tls), schema)
        await connection.within(patience, () => connection.exec(settings(schema, purposes[purpose])))
        return connection
      },
      catch: (cause) =>
        refusalOf(label, address.key, cause)
          ?? ledgerError(label, `connecting to the database of its \`${address.key}\``)(cause),
    })),
    (connection) => Effect.promise(() => connection.close().catch(() => undefined)),
  )

/** Opens a connection to a ledger's database for the scope, as `connect` does. */
export const connectTo = (
  options: Pick<PostgresOptions, "schema" | "url">,
  purpose?: keyof typeof purposes,
): Effect.Effect<Connection, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.flatMap(addressOf(options), ({ address, label }) => connect(label, address, options.schema, purpose))

const opened = async (
  address: Address,
  [tls, ...others]: ReadonlyArray<ConnectionOptions | false>,
): Promise<InstanceType<typeof Client>> => {
  const { database, host, password, patience, port, user } = address
  const client = new Client({
    ...Object.fromEntries(
      Object.entries({ database, host, password, port, user }).filter(([, value]) => value !== undefined),
    ),
    ssl: tls ?? false,
    enableChannelBinding: true,
    connectionTimeoutMillis: patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAlive,
    pipeline: true,
  })
  // A connection that fails while it is opened reports the failure twice.
  client.on("error", () => undefined)
  try {
    await client.connect()
    return client
  } catch (cause) {
    client.connection.stream.destroy()
    if (others.length > 0 && cause instanceof Error && /does not support SSL/.test(cause.message)) {
      return opened(address, others)
    }
    throw cause
  }
}
