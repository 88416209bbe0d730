import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { isLedgerSecret } from "../../domain/secret.ts"
import { isoOf } from "../../domain/times.ts"
import { missing, movedServer, notNewest } from "../behind.ts"
import { type LedgerError, type LedgerLocked, LedgerRefused } from "../errors.ts"
import { anyHost } from "../holder.ts"
import { makeDigester, proofOf } from "../secret.ts"
import { lackedOf, lacking, readMarked } from "../sql/newest.ts"
import { numberIn, Refusal, type Sql } from "../sql/statement.ts"
import { type Heartbeats, lockTimes, type Store } from "../sql/Store.ts"
import { Texts } from "../sql/texts.ts"
import { takeEveryLease } from "../sql/turns.ts"
import { type Connection, connectTo } from "./connection.ts"
import { dropLeft } from "./copy.ts"
import { dialect, now } from "./dialect.ts"
import { readAt, runAtOnce } from "./driver.ts"
import { attempt, isWithoutTable, ledgerError } from "./failures.ts"
import { serverOf } from "./identity.ts"
import { openMarks } from "./marks.ts"
import { metaOf, openSchema, refuseVersion, version } from "./opening.ts"
import type { PostgresOptions } from "./options.ts"
import { mayRewrite, rewriteTables } from "./rewrite.ts"
import { Writer } from "./Writer.ts"

/** A ledger's parts, which several runs of a process may share. */
export interface PostgresStore extends Store {
  /** Whether no connection is known to be lost. */
  readonly isUsable: () => boolean
}

/**
 * Opens a ledger's parts for the scope. If there is no ledger, makes its tables. Fails with `LedgerRefused` if the ledger must not be used: the address
 * or the key is wrong, the schema belongs to something else, or the server could lose commits. Fails with `LedgerError` if the server can't be reached.
 */
export const openPostgresStore = (
  options: PostgresOptions,
): Effect.Effect<PostgresStore, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const { isManaged = false, key, project } = options
    if (!isLedgerSecret(key)) {
      return yield* new LedgerRefused({
        message: "The ledger's `key` must contain 64 hexadecimal digits. Nothing was sent.",
      })
    }
    const clock = yield* Effect.clock
    const opened = isoOf(clock.unsafeCurrentTimeMillis())
    const texts = new Texts()
    const [writing, reader] = yield* Effect.all([
      connectTo(options),
      connectTo(options, "reading"),
    ], { concurrency: "unbounded" })
    const { label } = writing
    const writer = new Writer(writing, () => texts.forget())
    writer.server = yield* serverOf(`ledger ${label}`, writing)
    const marks = yield* openMarks(options.marks, {
      label,
      project,
      isManaged,
      server: () => writer.server,
      lacked: (holders) => Effect.runPromise(read("reading its holders", () => lackedOf(id, holders))),
    })
    const read = readingOn(label, reader)
    const digest = makeDigester(key)
    const proof = proofOf(digest)
    const wrong = options.overruling === true ? undefined : yield* missing(marks)
    const id = yield* writer.write<string, LedgerRefused>(
      "opening it",
      () =>
        openSchema({ ...options, label, proof, opened }, () => {
          if (wrong !== undefined) throw new Refusal(notNewest(wrong, options.asker))
        }),
    )
    const times = lockTimes(options)
    // Opened with the first lock. Everything that this process holds shares it.
    const heartbeats = yield* RcRef.make({
      acquire: Effect.map(connectTo(options), (connection) =>
        heartbeatsOn(connection, times.staleAfter / 2, (cause) => {
          writer.fail(renewing, cause)
          for (const one of [connection, writing, reader]) {
            one.destroy(cause)
          }
        })),
    })
    const store: PostgresStore = {
      file: label,
      id,
      version,
      marks,
      asker: options.asker,
      dialect,
      writer,
      texts,
      digest,
      clock,
      ...times,
      heartbeats: RcRef.get(heartbeats),
      holder,
      now: serverNow,
      present: () => ({ sql: now, params: [] }),
      read,
      mustBeSame: () => undefined,
      // The server checks its own files and its references.
      damage: Effect.succeed([]),
      size: attempt(label, "reading its size", () => sizeOf(reader)),
      mayRewrite: mayRewrite(reader),
      rewrite: Effect.flatMap(
        attempt(label, "listing its tables", () => tablesIn(reader)),
        (tables) => rewriteTables(reader, tables),
      ),
      removeCopies: attempt(label, "removing copies of it", () => dropLeft(reader)),
      // The server's administrator looks after its disk. A full disk fails an intent, so nothing is sent.
      roomFor: () => Effect.void,
      isUsable: () => writer.failure === undefined && !writing.isLost && !reader.isLost,
    }
    yield* reportMovedServer(store)
    return store
  })

const serverNow = () => numberIn(`SELECT ${now}`)

/**
 * Makes a ledger's tables, if there are none. Returns false if the tables are those of this build, so that there is nothing to do. If they are those of
 * a different build, takes every lease in the same transaction, so that no run is in progress, and then refuses the ledger.
 */
export const migratePostgres = (
  options: PostgresOptions,
): Effect.Effect<boolean, LedgerError | LedgerLocked | LedgerRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const { project, schema } = options
    const connection = yield* connectTo(options)
    const { label } = connection
    const writer = new Writer(connection)
    const isThere = yield* writer.write<boolean, LedgerLocked | LedgerRefused>("migrating it", function*() {
      const meta = yield* metaOf({ label, schema })
      if (meta?.get("project") === project && meta.get("version") !== version) {
        try {
          yield* takeEveryLease({ dialect, holder, now: serverNow })
        } catch (cause) {
          if (!isWithoutTable(cause)) throw cause
        }
        refuseVersion({ label })
      }
      return meta !== undefined
    })
    yield* openPostgresStore(options)
    return !isThere
  }))

/** Logs that the ledger's server was replaced, if the ledger has everything that its marks record. Otherwise a run is refused, and says so. */
const reportMovedServer = (store: Store): Effect.Effect<void, LedgerError> =>
  Effect.gen(function*() {
    const marked = yield* readMarked(store)
    const moved = movedServer(store, marked.marks)
    if (
      moved === undefined || (yield* store.read("reading its marks", () => lacking(store, marked))) !== undefined
    ) return
    yield* Effect.logInfo(`${moved}. The ledger ${store.file} has every commit that its marks record, so it is used.`)
  })

const renewing = "renewing the lock"

/** This process, by its host and a random text, because another host can't see its processes. The same for each ledger that it opens. */
const holder = { pid: process.pid, born: randomBytes(8).toString("hex"), boot: `${anyHost} ${hostname()}` }

/**
 * Sends heartbeats on a connection of their own, because the writer may wait for transactions of other hosts.
 *
 * @param patience milliseconds after which an unanswered heartbeat counts as failed
 * @param fail ends the use of the ledger
 */
const heartbeatsOn = (connection: Connection, patience: number, fail: (cause: unknown) => void): Heartbeats => {
  const inTurn = oneByOne()
  const failed = ledgerError(connection.label, renewing)
  // If this process is suspended, one part of the time ends at once when it continues. The other parts are left for an answer that has arrived.
  const parts = 4
  const tooLate = Effect.zipRight(
    Effect.repeatN(Effect.sleep(patience / parts), parts - 1),
    Effect.fail(failed(new Error("the database did not answer in time"))),
  )
  return (statement, after) =>
    Effect.tryPromise({
      try: async () => {
        const changes = await inTurn(() => runAtOnce(connection, statement))
        await after?.()
        return changes
      },
      catch: failed,
    }).pipe(
      Effect.raceFirst(tooLate),
      Effect.tapError((cause) => Effect.sync(() => fail(cause))),
    )
}

const readingOn = (label: string, connection: Connection) => {
  const inTurn = oneByOne()
  return <A>(doing: string, program: () => Sql<A>): Effect.Effect<A, LedgerError> =>
    attempt(label, doing, () => inTurn(() => readAt(connection, program())))
}

/** Returns a function that does work one after another, because each has its own transaction on the connection. */
const oneByOne = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(work: () => Promise<A>): Promise<A> => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}

/** Heartbeats are written to these tables. They contain nothing about rows of a source. */
const beating: ReadonlyArray<string> = ["lock", "turn"]

/** Returns the tables to rewrite. Heartbeats must not wait until a table is rewritten, because their leases could end meanwhile. */
const tablesIn = async (connection: Connection): Promise<ReadonlyArray<string>> => {
  const { rows } = await connection.send("SELECT tablename FROM pg_tables WHERE schemaname = $1", [connection.schema])
  return rows.map(([table]) => String(table)).filter((table) => !beating.includes(table))
}

const sizeOf = async (connection: Connection): Promise<number> => {
  const { rows } = await connection.send(
    "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'",
    [connection.schema],
  )
  return Number(rows[0]?.[0])
}
