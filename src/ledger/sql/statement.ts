// The ledger's rules are programs: generators that yield statements, and continue with the database's answers. They contain no `await`, so SQLite runs
// a program within one turn of the event loop. SQLite and PostgreSQL understand their SQL (docs/decisions/0035-one-ledger-two-databases.md).

import type * as Effect from "effect/Effect"

/** The values of parameters. A boolean or a Date is excluded, because libsql would abort the process. */
export type Param = string | number | bigint | Buffer | null

/**
 * Returns a parameter as databases store it: with the visible symbol of NUL instead of NUL. PostgreSQL can't store NUL in texts, and libsql cuts a text
 * there when it reads it. Digests still distinguish the two.
 */
export const storable = (param: Param): Param => typeof param === "string" ? param.replaceAll("\0", "␀") : param

/** A statement for the database. Its parameters are `?`, or `?1` and so on. */
export interface Statement {
  readonly sql: string
  readonly params: ReadonlyArray<Param>
  /** What the answer contains: the rows, one row with the number of changed rows, or nothing. For `nothing`, a database need not wait. */
  readonly answer: "rows" | "changes" | "nothing"
  /**
   * Returns a statement that follows. The answer then has two rows: the rows of both statements. `rows` are the first statement's, or undefined if the
   * database gets both at once.
   */
  readonly following?: (rows: Rows | undefined) => Pick<Statement, "sql" | "params">
  /** The statement runs once with each of these parameters, in this order. The answer then has a row for each, which contains the selected rows. */
  readonly each?: ReadonlyArray<ReadonlyArray<Param>>
}

/** The answer to a statement. A row is an array, in the order of the selected columns. A boolean is 1 or 0. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A program that asks a database, and returns `A`. */
export type Sql<A> = Generator<Statement, A, Rows>

/** Thrown by a program that must not be done. Only that program fails. The other programs of its transaction are carried out without it. */
export class Refusal<E> {
  readonly failure: Effect.Effect<never, E>

  constructor(failure: Effect.Effect<never, E>) {
    this.failure = failure
  }
}

/** Returns a value without asking the database. */
export function* just<A>(value: A): Sql<A> {
  yield* []
  return value
}

/** Returns every row. `R` is what the caller's SQL selects. */
export function* all<R extends ReadonlyArray<unknown>>(
  sql: string,
  params: ReadonlyArray<Param> = [],
): Sql<ReadonlyArray<R>> {
  return (yield { sql, params, answer: "rows" }) as ReadonlyArray<R>
}

/**
 * Returns the rows of two statements. No statement of a different program runs between them. A remote database gets both at once, so that they take
 * one round trip.
 */
export function* both<R extends ReadonlyArray<unknown>, S extends ReadonlyArray<unknown>>(
  { params, sql }: Pick<Statement, "sql" | "params">,
  following: (rows: ReadonlyArray<R> | undefined) => Pick<Statement, "sql" | "params">,
): Sql<readonly [ReadonlyArray<R>, ReadonlyArray<S>]> {
  const answer: unknown = yield {
    sql,
    params,
    answer: "rows",
    following: (rows) => following(rows as typeof rows & ReadonlyArray<R>),
  }
  return answer as readonly [ReadonlyArray<R>, ReadonlyArray<S>]
}

/** Returns every row, for each of several parameters of a statement. A remote database gets all of them at once, so that they take one round trip. */
export function* each<R extends ReadonlyArray<unknown>>(
  sql: string,
  params: ReadonlyArray<ReadonlyArray<Param>>,
): Sql<ReadonlyArray<ReadonlyArray<R>>> {
  return (yield { sql, params: [], answer: "rows", each: params }) as ReadonlyArray<ReadonlyArray<R>>
}

/** Returns the only value that a statement selects. 0 if it is NULL, or if there is no row. */
export function* numberIn(sql: string, params: ReadonlyArray<Param> = []): Sql<number> {
  return (yield* get<readonly [number | null]>(sql, params))?.[0] ?? 0
}

/** Returns the first row. Select only one row. */
export function* get<R extends ReadonlyArray<unknown>>(
  sql: string,
  params: ReadonlyArray<Param> = [],
): Sql<R | undefined> {
  return (yield { sql, params, answer: "rows" })[0] as R | undefined
}

/**
 * Returns what a statement selects about ids, such as rows of the ledger. No ids: asks nothing.
 *
 * @param id the column, in a statement without WHERE, that contains the ids
 */
export function* ofIds<R extends ReadonlyArray<unknown>>(
  sql: string,
  id: string,
  ids: ReadonlyArray<number>,
): Sql<ReadonlyArray<R>> {
  if (ids.length === 0) return []
  return yield* all<R>(`${sql} WHERE ${id} IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`, [JSON.stringify(ids)])
}

/** Whether a statement selects any row. */
export function* exists(sql: string, params: ReadonlyArray<Param> = []): Sql<boolean> {
  return (yield { sql, params, answer: "rows" }).length > 0
}

/** Runs a statement that writes. Returns how many rows changed. */
export function* run(sql: string, params: ReadonlyArray<Param> = []): Sql<number> {
  return Number((yield { sql, params, answer: "changes" })[0]?.[0])
}

/** Runs a statement that writes, if it doesn't matter how many rows change. */
export function* write(sql: string, params: ReadonlyArray<Param> = []): Sql<void> {
  yield { sql, params, answer: "nothing" }
}

/**
 * Adds a row to a table.
 *
 * @param key the columns by which an existing row is found, which then gets the other values. Empty: an existing row stays as it is
 */
export function* insert(table: string, row: Readonly<Record<string, Param>>, key?: ReadonlyArray<string>): Sql<void> {
  const names = Object.keys(row)
  const others = names.filter((name) => key?.includes(name) !== true).map((name) => `${name} = excluded.${name}`)
  const existing = key === undefined
    ? ""
    : ` ON CONFLICT ${key.length === 0 ? "DO NOTHING" : `(${key.join(", ")}) DO UPDATE SET ${others.join(", ")}`}`
  const marks = names.map(() => "?").join(", ")
  yield* write(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})${existing}`, Object.values(row))
}

/** How many rows one transaction changes at most, if a person changes many. Other processes can't write until it ends. */
export const rowsAtOnce = 500

/** The maximum number of rows in one statement: as many as in a batch. One statement is prepared for each number of rows. */
const most = 10

/**
 * Splits rows into groups of one statement each, because a statement with ten rows takes half the time of ten statements.
 *
 * @returns each group, and a function that repeats a pattern for each of the group's rows. For a group of two, `values("(?, ?)")` is `(?, ?), (?, ?)`
 */
export const inTens = <A>(
  rows: ReadonlyArray<A>,
): ReadonlyArray<readonly [group: ReadonlyArray<A>, values: (one: string) => string]> =>
  Array.from({ length: Math.ceil(rows.length / most) }, (_, index) => {
    const group = rows.slice(index * most, (index + 1) * most)
    return [group, (one) => new Array<string>(group.length).fill(one).join(", ")]
  })
