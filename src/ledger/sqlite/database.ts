import * as Effect from "effect/Effect"
import Libsql from "libsql"
import { codeOf } from "../../domain/systemErrors.ts"
import { LedgerError, LedgerRefused } from "../errors.ts"
import { type Param, type Rows, type Sql, type Statement, storable } from "../sql/statement.ts"

/** One SQLite connection with its prepared statements. All methods are synchronous. Rows are arrays, in the order of the selected columns. */
export class Database {
  readonly file: string
  private readonly db: Libsql.Database
  private open = true
  private readonly readers = new Map<string, Libsql.Statement>()
  private readonly writers = new Map<string, Libsql.Statement>()

  constructor(file: string) {
    this.file = file
    this.db = new Libsql(file)
  }

  /** Runs statements that have no parameters and no results, such as `BEGIN` and `COMMIT`. */
  exec(sql: string): void {
    this.mustBeOpen()
    this.db.exec(sql)
  }

  /** Returns every row. `R` is what the caller's SQL selects. */
  all<R extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Param> = []): ReadonlyArray<R> {
    return this.reader(sql).all(params.map(storable)) as ReadonlyArray<R>
  }

  /** Returns the first row. Select only one row: otherwise the statement stays open. */
  get<R extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Param> = []): R | undefined {
    return this.all<R>(sql, params)[0]
  }

  /** Runs a statement that writes. Returns how many rows changed. */
  run(sql: string, params: ReadonlyArray<Param> = []): number {
    this.mustBeOpen()
    let statement = this.writers.get(sql)
    if (statement === undefined) {
      statement = this.db.prepare(sql)
      this.writers.set(sql, statement)
    }
    return statement.run(params.map(storable)).changes
  }

  perform<A>(program: Sql<A>): A {
    let step = program.next()
    while (step.done !== true) {
      let rows: Rows
      try {
        rows = this.answer(step.value)
      } catch (cause) {
        // A program may catch a failed statement, unless it can't be repeated or the ledger is damaged.
        if (!this.inTransaction || isDamage(cause)) throw cause
        step = program.throw(cause)
        continue
      }
      step = program.next(rows)
    }
    return step.value
  }

  /** Runs a program that reads. It sees one consistent state, even while another process writes. */
  read<A>(program: Sql<A>): A {
    this.exec("BEGIN")
    try {
      const result = this.perform(program)
      this.exec("COMMIT")
      return result
    } finally {
      // Otherwise the connection would see no later commit.
      if (this.inTransaction) this.exec("ROLLBACK")
    }
  }

  set(pragma: string): void {
    this.mustBeOpen()
    const statement = this.db.prepare(`PRAGMA ${pragma}`)
    // Some pragmas return a row when they are set, and some don't. libsql has a different method for each case.
    if (statement.reader) statement.all([])
    else statement.run([])
  }

  pragma(name: string): string | number {
    const row = this.all<readonly [string | number]>(`PRAGMA ${name}`)[0]
    return row?.[0] ?? ""
  }

  get inTransaction(): boolean {
    return this.open && this.db.inTransaction
  }

  close(): void {
    if (!this.open) return
    this.open = false
    // The file stays open while a statement exists.
    this.readers.clear()
    this.writers.clear()
    this.db.close()
  }

  private answer({ answer, each, following, params, sql }: Statement): Rows {
    if (each !== undefined) return each.map((one) => this.all(sql, one))
    if (following !== undefined) {
      const rows = this.all(sql, params)
      const next = following(rows)
      return [rows, this.all(next.sql, next.params)]
    }
    if (answer === "rows") return this.all(sql, params)
    const changes = this.run(sql, params)
    return answer === "changes" ? [[changes]] : []
  }

  /** libsql aborts the process when a closed database is used. */
  private mustBeOpen(): void {
    if (!this.open) throw new Error("it is closed")
  }

  private reader(sql: string): Libsql.Statement {
    this.mustBeOpen()
    let reader = this.readers.get(sql)
    if (reader === undefined) {
      reader = this.db.prepare(sql).raw()
      this.readers.set(sql, reader)
    }
    return reader
  }
}

const busy = /^SQLITE_(BUSY|LOCKED)/

/** Readable meanings of SQLite's codes. SQLite's own messages contain no values from rows, only names of tables and columns. */
const meanings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_NOTADB/, "the file is damaged or is not a ledger. Restore it, with its .key file, from a backup"],
  [/^SQLITE_CORRUPT/, "the file is damaged. Restore it, with its .key file, from a backup"],
  [/^SQLITE_READONLY/, "the file or its folder is write-protected"],
  [/^SQLITE_CANTOPEN/, "the file can't be opened"],
  [busy, "another process is using it"],
  // SQLite could not enlarge its index of the log.
  [/^SQLITE_IOERR_SHMSIZE/, "the disk may be full"],
  [/^SQLITE_IOERR/, "the disk reports an error"],
]

/** Whether SQLite reports that the file or the disk is damaged. */
const isDamage = (cause: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(codeOf(cause))

/** Whether SQLite waited too long for another connection. */
export const isBusy = (cause: unknown): boolean => busy.test(codeOf(cause))

const inWords = (cause: unknown): unknown => {
  if (cause instanceof LedgerError) return cause
  const text = cause instanceof Error ? cause.message : String(cause)
  const code = codeOf(cause)
  // libsql gives no code for some failures to open a file.
  const known = meanings.find(([pattern]) => pattern.test(code))?.[1]
    ?? (/not a database/i.test(text) ? meanings[1]?.[1] : /malformed/i.test(text) ? meanings[2]?.[1] : undefined)
  return known === undefined ? cause : new Error(`${known} (${code === "" ? "" : `${code}: `}${text})`, { cause })
}

/** Returns a failure of SQLite or the file system as a LedgerError. */
export const ledgerError = (file: string, doing: string) => (cause: unknown): LedgerError =>
  cause instanceof LedgerError ? cause : new LedgerError({ file, doing, cause: inWords(cause) })

/** Runs synchronous work on the ledger's file. */
export const attempt = <A>(file: string, doing: string, work: () => A): Effect.Effect<A, LedgerError> =>
  Effect.try({ try: work, catch: ledgerError(file, doing) })

/** Runs synchronous work on the ledger's file. Fails with the refusal that it returns. */
export const attemptOrRefuse = <A>(
  file: string,
  doing: string,
  work: () => A | LedgerRefused,
): Effect.Effect<A, LedgerError | LedgerRefused> =>
  Effect.flatMap(
    attempt(file, doing, work),
    (result) => (result instanceof LedgerRefused ? Effect.fail(result) : Effect.succeed(result)),
  )
