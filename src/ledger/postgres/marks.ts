import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { reasonOf } from "../../domain/systemErrors.ts"
import { missing } from "../behind.ts"
import { type LedgerError, LedgerRefused } from "../errors.ts"
import type { Behind, MarkPlaces } from "../Ledger.ts"
import { holdersIn, marksIn, readMarks } from "../markFiles.ts"
import { holderName, type Mark, type MarkedServer, type Marks, type SharedLedger } from "../marks.ts"
import { exists, get, Refusal, type Sql, write } from "../sql/statement.ts"
import { connect, type Connection, type Row } from "./connection.ts"
import { quoted } from "./dialect.ts"
import { inWords, isWithoutTable, ledgerError } from "./failures.ts"
import { serverOf } from "./identity.ts"
import { checkAccess, checkServer } from "./opening.ts"
import { addressOf, type PostgresOptions } from "./options.ts"
import { inTime, Writer } from "./Writer.ts"

/** The schema of the marks. Several projects may share it. */
const schema = "formferry_marks"

interface Marking {
  /** What messages call the ledger. */
  readonly label: string
  readonly project: string
  /** Whether a managed service guarantees that commits are durable, whatever its server reports. */
  readonly isManaged: boolean
  /** Returns the ledger's server after the last commit. */
  readonly server: () => MarkedServer | undefined
  /** Returns those holders, by the names of their marks, that the ledger doesn't have. */
  readonly lacked: (holders: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
}

/** Opens the marks of a ledger in PostgreSQL for the scope. They are in folders, and on a second server if there is one. */
export const openMarks = (
  places: MarkPlaces,
  { isManaged, label, lacked, project, server }: Marking,
): Effect.Effect<Marks, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const marksAt = (place: string, holders: SharedLedger["holders"], queue?: ReturnType<typeof markQueue>): Marks => {
      const marks = marksIn(places, { place: places.write ? place : undefined, holders, server })
      return !places.write ? marks : {
        ...marks,
        of: (holder, me) => {
          const own = marks.of(holder, me)
          const look = lookWith(lacked)
          return {
            write: async (upTo) => {
              const [onServer] = await Promise.all([
                queue?.write({ ...holder, upTo, server: server() }),
                own.write(upTo),
              ])
              await look(onServer ?? await holders())
            },
            mustBeOnly: async () => look(await holders()),
            close: () => own.close(),
          }
        },
      }
    }
    if (places.server === undefined) {
      const [folder = ""] = places.folders
      return marksAt(folder, holdersIn(folder))
    }
    const { connection, place, read } = yield* connectMarks(places, places.server.url, label, project)
    yield* mustDiffer(label, server(), yield* serverOf(`marks of the ledger ${label}`, connection))
    yield* new Writer(connection).write<void, LedgerRefused>("preparing its marks", () => prepare(label, isManaged))
    const queue = markQueue(connection, place, project)
    return { ...marksAt(place, queue.holders, queue), read }
  })

/**
 * Returns a function that gets the names of all holders that have a mark. The first time, it only notes them. Later, it fails if there is a further one
 * that the ledger doesn't have: the ledger was copied, for example by promoting a standby, and the copy is in use.
 */
const lookWith = (lacked: Marking["lacked"]) => {
  let seen: Set<string> | undefined
  let last: ReadonlyArray<string> | undefined
  return async (found: ReadonlyArray<string>): Promise<void> => {
    if (found === last) return
    if (seen === undefined) seen = new Set(found)
    const since = seen
    const further = found.filter((name) => !since.has(name))
    const [unknownHolder] = further.length === 0 ? [] : await lacked(further)
    if (unknownHolder !== undefined) {
      throw new Error(
        `a run has started on a different copy of the ledger, which made the mark ${unknownHolder}. Both copies would send the same rows. `
          + "Stop the server that was replaced, and name the other one in `ledger.url`",
      )
    }
    for (const name of further) since.add(name)
    last = found
  }
}

/** Returns what is wrong if a ledger in PostgreSQL is missing. Undefined if no mark shows that there was one. Creates nothing. */
export const missingInPostgres = (
  options: PostgresOptions,
): Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError | LedgerRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const { marks, project } = options
    const { label } = yield* addressOf(options)
    const { place, read } = marks.server === undefined
      ? { place: marks.folders[0], read: readMarks(marks) }
      : yield* connectMarks(marks, marks.server.url, label, project)
    return yield* missing({ ledger: label, read, shared: { place } })
  }))

/** Connects to the server of the marks. `read` also reads those in folders. */
const connectMarks = (places: MarkPlaces, url: string, label: string, project: string) =>
  Effect.gen(function*() {
    const { address, label: place } = yield* addressOf({ schema, url }, "marks.url")
    const connection = yield* connect(label, address, schema)
    const onServer = Effect.tryPromise({
      try: async () => (await connection.send(select, [project])).rows.map(markIn),
      catch: (cause) => cause,
    }).pipe(
      // No marks were written yet.
      Effect.catchIf(isWithoutTable, () => Effect.succeed([])),
      Effect.mapError(ledgerError(label, "reading its marks")),
    )
    const read = Effect.zipWith(onServer, readMarks(places), (marks, more) => [...marks, ...more])
    return { connection, place, read }
  })

/** Refuses the ledger's own server. */
const mustDiffer = (
  label: string,
  ledger: MarkedServer | undefined,
  marks: MarkedServer | undefined,
): Effect.Effect<void, LedgerRefused> => {
  const advice =
    "Nothing was sent. Name a database on a different server in `ledger.marks.url`, or use a folder that every host can read (`ledger.marks.folder`)."
  if (ledger === undefined || marks === undefined) {
    return new LedgerRefused({
      message:
        `The ledger ${label} and its marks may be on the same server: their users have no permission to see which server it is. Permit both users to call pg_control_system(). ${advice}`,
    })
  }
  return ledger.system !== marks.system ? Effect.void : new LedgerRefused({
    message:
      `The marks of the ledger ${label} are on the ledger's own server, or on a copy of it. If the server were restored from a backup, both would lose the same commits, and rows would be imported again. ${advice}`,
  })
}

function* prepare(label: string, isManaged: boolean): Sql<void> {
  const of = `marks of the ledger ${label}`
  yield* checkServer(of, isManaged)
  yield* checkAccess({ of, key: "marks.url" }, schema, ["SELECT", "INSERT", "UPDATE"])
  if (yield* exists("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'mark'", [schema])) return
  const [user, mayCreate] = (yield* get<readonly [string, number]>(
    `SELECT current_user, coalesce(has_schema_privilege(to_regnamespace(?), 'CREATE'), has_database_privilege(current_database(), 'CREATE'))`,
    [schema],
  )) ?? ["", 0]
  if (mayCreate !== 1) {
    throw new Refusal(
      new LedgerRefused({
        message: `The user ${user} may not create the table of the ${of}. Nothing was sent. `
          + `Ask an administrator to run, in the database of \`marks.url\`: CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT ALL ON SCHEMA ${schema} TO ${
            quoted(user)
          }`,
      }),
    )
  }
  if (!(yield* exists("SELECT 1 FROM pg_namespace WHERE nspname = ?", [schema]))) {
    yield* write(`CREATE SCHEMA ${quoted(schema)}`)
  }
  yield* write(`
    CREATE TABLE mark (
      project TEXT NOT NULL, ledger TEXT NOT NULL, epoch BIGINT NOT NULL, word TEXT NOT NULL, upTo BIGINT NOT NULL,
      system TEXT, timeline BIGINT, position TEXT, PRIMARY KEY (project, ledger, epoch, word)
    )`)
}

const select =
  `SELECT ledger, epoch, word, upTo, system, timeline, position FROM ${schema}.mark WHERE project = $1 ORDER BY ledger, epoch, word`

const count = `SELECT count(*) FROM ${schema}.mark WHERE project = $1`

const markIn = (row: Row): Mark => {
  const [ledger, epoch, word, upTo, system, timeline, position] = row
  return {
    ledger: String(ledger),
    epoch: Number(epoch),
    word: String(word),
    upTo: Number(upTo),
    ...(system === null
      ? {}
      : { server: { system: String(system), timeline: Number(timeline), position: String(position) } }),
  }
}

const upsert = `
  INSERT INTO ${schema}.mark AS m (project, ledger, epoch, word, upTo, system, timeline, position)
  SELECT $1, ledger, epoch, word, "upTo", server ->> 'system', CAST(server ->> 'timeline' AS BIGINT), server ->> 'position'
  FROM json_to_recordset($2) AS r (ledger TEXT, epoch BIGINT, word TEXT, "upTo" BIGINT, server JSON)
  ON CONFLICT (project, ledger, epoch, word) DO UPDATE
  SET upTo = greatest(m.upTo, excluded.upTo), system = excluded.system, timeline = excluded.timeline, position = excluded.position`

/** Returns how to write marks on a server. Those that arrive in the same turn of the event loop share a commit. */
const markQueue = (connection: Connection, place: string, project: string) => {
  /** The newest mark of each holder. */
  const waiting = new Map<string, Mark>()
  let written: Promise<ReadonlyArray<string>> | undefined
  let known: ReadonlyArray<string> = []

  /** Returns the names of all holders that have a mark. Marks are never removed, so none is new if there are as many as before. */
  const holders = async (): Promise<ReadonlyArray<string>> => {
    const { rows: [counted] } = await connection.send(count, [project])
    if (counted?.[0] !== known.length) {
      const { rows } = await connection.send(select, [project])
      known = rows.map(markIn).map(holderName)
    }
    return known
  }

  const flush = async (): Promise<ReadonlyArray<string>> => {
    const marks = [...waiting.values()]
    waiting.clear()
    written = undefined
    try {
      return await inTime(connection, async () => {
        const sent = connection.send(upsert, [project, JSON.stringify(marks)])
        // Sent with it, so that looking costs no round trip.
        const [, found] = await Promise.all([sent, holders()])
        return found
      })
    } catch (cause) {
      throw new Error(`its mark in ${place} can't be written: ${reasonOf(inWords(cause))}`, { cause })
    }
  }

  return {
    holders,
    /** Writes a holder's mark. Then returns the names of all holders. */
    write: (mark: Mark): Promise<ReadonlyArray<string>> => {
      waiting.set(holderName(mark), mark)
      return written ??= Promise.resolve().then(flush)
    },
  }
}
