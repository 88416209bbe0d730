import Libsql from "libsql"

/** All that libsql takes: a boolean or a Date aborts the process, so the type keeps them out. */
export type Param = string | number | bigint | Buffer | null

interface Reader {
  readonly all: (params: ReadonlyArray<Param>) => ReadonlyArray<unknown>
  readonly get: (params: ReadonlyArray<Param>) => unknown
}

/** One SQLite connection with its prepared statements. Synchronous; rows come as arrays, in the order of the columns asked for. */
export class Database {
  readonly file: string
  private readonly db: Libsql.Database
  private open = true
  private readonly readers = new Map<string, Reader>()
  private readonly writers = new Map<string, Libsql.Statement>()

  constructor(file: string) {
    this.file = file
    this.db = new Libsql(file)
  }

  /** Runs statements without parameters and results, as `BEGIN` and `COMMIT`. */
  exec(sql: string): void {
    this.mustBeOpen()
    this.db.exec(sql)
  }

  /** Every row. `R` is what the caller's SQL selects. */
  all<R extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Param> = []): ReadonlyArray<R> {
    return this.reader(sql).all(params) as ReadonlyArray<R>
  }

  /** The first row; ask for one only, or the statement stays open. */
  get<R extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Param> = []): R | undefined {
    return this.reader(sql).all(params)[0] as R | undefined
  }

  /** Writes, and gives how many rows changed and the id of the last one that was added. */
  run(sql: string, params: ReadonlyArray<Param> = []): { readonly changes: number; readonly id: number } {
    this.mustBeOpen()
    let statement = this.writers.get(sql)
    if (statement === undefined) {
      statement = this.db.prepare(sql)
      this.writers.set(sql, statement)
    }
    const result = statement.run(params)
    return { changes: result.changes, id: Number(result.lastInsertRowid) }
  }

  /** Sets a pragma, whether or not it answers. */
  set(pragma: string): void {
    this.mustBeOpen()
    const statement = this.db.prepare(`PRAGMA ${pragma}`)
    // Some pragmas answer when they are set and some don't, and libsql has a method for each.
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
    // The file stays open as long as a statement lives.
    this.readers.clear()
    this.writers.clear()
    this.db.close()
  }

  /** libsql aborts the process when a closed database is used. */
  private mustBeOpen(): void {
    if (!this.open) throw new Error("it is closed")
  }

  private reader(sql: string): Reader {
    this.mustBeOpen()
    let reader = this.readers.get(sql)
    if (reader === undefined) {
      reader = this.db.prepare(sql).raw()
      this.readers.set(sql, reader)
    }
    return reader
  }
}
