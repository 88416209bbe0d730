// The ledger's rules are programs: generators that yield statements, and continue with the database's answers. They contain no `await`, so SQLite runs
// a program within one turn of the event loop. Their SQL is understood by SQLite and PostgreSQL (docs/decisions/0035-one-ledger-two-databases.md).

/** The values of parameters. A boolean or a Date is excluded, because libsql would abort the process. */
export type Param = string | number | bigint | Buffer | null

/** A statement for the database. Its parameters are `?`, or `?1` and so on. */
export interface Statement {
  readonly sql: string
  readonly params: ReadonlyArray<Param>
  /** What the answer contains: the rows, one row with the number of changed rows, or nothing. For `nothing`, a database need not wait. */
  readonly answer: "rows" | "changes" | "nothing"
}

/** The answer to a statement. A row is an array, in the order of the selected columns. A boolean is 1 or 0. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A program that asks a database, and returns `A`. */
export type Sql<A> = Generator<Statement, A, Rows>

/** Returns every row. `R` is what the caller's SQL selects. */
export function* all<R extends ReadonlyArray<unknown>>(
  sql: string,
  params: ReadonlyArray<Param> = [],
): Sql<ReadonlyArray<R>> {
  return (yield { sql, params, answer: "rows" }) as ReadonlyArray<R>
}

/** Returns the first row. Select only one row. */
export function* get<R extends ReadonlyArray<unknown>>(
  sql: string,
  params: ReadonlyArray<Param> = [],
): Sql<R | undefined> {
  return (yield { sql, params, answer: "rows" })[0] as R | undefined
}

/** Runs a statement that writes. Returns how many rows changed. */
export function* run(sql: string, params: ReadonlyArray<Param> = []): Sql<number> {
  return Number((yield { sql, params, answer: "changes" })[0]?.[0])
}

/** Runs a statement that writes, if it doesn't matter how many rows change. */
export function* write(sql: string, params: ReadonlyArray<Param> = []): Sql<void> {
  yield { sql, params, answer: "nothing" }
}
