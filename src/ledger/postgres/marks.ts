import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { reasonOf } from "../../domain/words.ts"
import { type Behind, type LedgerError, LedgerRefused, type MarkPlaces } from "../Ledger.ts"
import { type Mark, type MarkedServer, type Marks, marksIn, missing, readMarks } from "../marks.ts"
import { exists, type Sql, write } from "../sql/statement.ts"
import { connect, type Connection, type Row } from "./connection.ts"
import { quoted } from "./dialect.ts"
import { inWords, ledgerError } from "./failures.ts"
import { serverOf } from "./identity.ts"
import { checkServer, lockOf } from "./opening.ts"
import { addressOf, type PostgresOptions } from "./options.ts"
import { inTime, Writer } from "./Writer.ts"

/** The schema of the marks. Several projects may share it. */
const schema = "formferry_marks"

/** What the marks of a ledger in PostgreSQL depend on. */
interface Marking {
  /** What messages call the ledger. */
  readonly label: string
  readonly project: string
  /** Whether a managed service guarantees that commits are durable, whatever its server reports. */
  readonly isManaged: boolean
  /** Returns the ledger's server after the last commit. */
  readonly server: () => MarkedServer | undefined
}

/** Opens the marks of a ledger in PostgreSQL for the scope. They are in folders, and on a second server if there is one. */
export const openMarks = (
  places: MarkPlaces,
  { isManaged, label, project, server }: Marking,
): Effect.Effect<Marks, LedgerError | LedgerRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const shared = (place: string) => ({ place: places.write ? place : undefined, server })
    if (places.server === undefined) return marksIn(places, shared(places.folders.join(" or ")))
    const { connection, place, read } = yield* connectMarks(places, places.server.url, label, project)
    yield* mustDiffer(label, server(), yield* serverOf(label, connection))
    yield* new Writer(connection, lockOf(schema), () => undefined)
      .write<void, LedgerRefused>("preparing its marks", () => prepare(label, isManaged))
    const queue = new MarkQueue(connection, place, project)
    const inFolders = marksIn(places, shared(place))
    return {
      ...inFolders,
      read,
      of: (holder, me) => {
        const own = inFolders.of(holder, me)
        return {
          write: (upTo) => {
            const inFolders = own.write(upTo)
            if (!places.write) return
            return Promise.all([inFolders, queue.write({ ...holder, upTo, server: server() })]).then(() => undefined)
          },
          close: () => own.close(),
        }
      },
    }
  })

/** Returns what is wrong if a ledger in PostgreSQL is missing. Undefined if no mark shows that there was one. Creates nothing. */
export const missingInPostgres = (
  options: PostgresOptions,
): Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError | LedgerRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const { marks, project } = options
    const { label } = yield* addressOf(options)
    const read = marks.server === undefined
      ? readMarks(marks)
      : (yield* connectMarks(marks, marks.server.url, label, project)).read
    return yield* missing({ ledger: label, read, shared: { place: undefined, server: () => undefined } })
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
      isClosed: true,
      message:
        `The ledger ${label} and its marks may be on the same server: their users have no permission to see which server it is. Permit both users to call pg_control_system(). ${advice}`,
    })
  }
  return ledger.system !== marks.system ? Effect.void : new LedgerRefused({
    isClosed: true,
    message:
      `The marks of the ledger ${label} are on the ledger's own server, or on a copy of it. If the server were restored from a backup, both would lose the same commits, and rows would be imported again. ${advice}`,
  })
}

/** Creates the table of marks, unless it exists. */
function* prepare(label: string, isManaged: boolean): Sql<void> {
  yield* checkServer(`marks of the ledger ${label}`, isManaged)
  if (yield* exists("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'mark'", [schema])) return
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
  "SELECT ledger, epoch, word, upTo, system, timeline, position FROM mark WHERE project = $1 ORDER BY ledger, epoch, word"

/** Whether a statement failed because no marks were written yet. */
const isWithoutTable = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "42P01"

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
  INSERT INTO mark AS m (project, ledger, epoch, word, upTo, system, timeline, position)
  SELECT $1, ledger, epoch, word, "upTo", server ->> 'system', CAST(server ->> 'timeline' AS BIGINT), server ->> 'position'
  FROM json_to_recordset($2) AS r (ledger TEXT, epoch BIGINT, word TEXT, "upTo" BIGINT, server JSON)
  ON CONFLICT (project, ledger, epoch, word) DO UPDATE
  SET upTo = greatest(m.upTo, excluded.upTo), system = excluded.system, timeline = excluded.timeline, position = excluded.position`

/** Writes marks on a server. Those that arrive in the same turn of the event loop share a commit. */
class MarkQueue {
  private readonly connection: Connection
  private readonly place: string
  private readonly project: string
  /** The newest mark of each holder. */
  private waiting = new Map<string, Mark>()
  private written: Promise<void> | undefined

  constructor(connection: Connection, place: string, project: string) {
    this.connection = connection
    this.place = place
    this.project = project
  }

  /** Writes a holder's mark. */
  write(mark: Mark): Promise<void> {
    this.waiting.set(`${mark.ledger} ${mark.epoch} ${mark.word}`, mark)
    return this.written ??= Promise.resolve().then(() => this.flush())
  }

  private async flush(): Promise<void> {
    const marks = [...this.waiting.values()]
    this.waiting.clear()
    this.written = undefined
    try {
      await inTime(this.connection, () => this.connection.send(upsert, [this.project, JSON.stringify(marks)]))
    } catch (cause) {
      throw new Error(`its mark in ${this.place} can't be written: ${reasonOf(inWords(cause))}`, { cause })
    }
  }
}
