import { all, type Param, type Sql } from "./statement.ts"
import type { Texts } from "./texts.ts"

/** An expression that a statement selects, and how its value is read. */
export interface Selected<A> {
  readonly sql: string
  readonly read: (value: unknown, texts: Texts) => A
}

/** @param read converts the value as the database returns it, of type `V`. Default: returns it unchanged */
export const selected = <V, A = V>(
  sql: string,
  read: (value: V, texts: Texts) => A = (value) => value as unknown as A,
): Selected<A> => ({ sql, read: read as (value: unknown, texts: Texts) => A })

/** Selects a value that may be NULL, which is read as undefined. */
export const optional = <V, A = V>(sql: string, read?: (value: V, texts: Texts) => A): Selected<A | undefined> => {
  const present = selected<V, A>(sql, read).read
  return { sql, read: (value, texts) => (value === null ? undefined : present(value, texts)) }
}

export const condition = (sql: string): Selected<boolean> => selected(sql, (value: number) => value === 1)

/** Selects a value that is never NULL, because the statement excludes rows without it. */
export const required = <A>(one: Selected<A | undefined>): Selected<A> => one as Selected<A>

/** The columns of a statement, and how its rows are read as objects. */
export interface Selection<A> {
  readonly sql: string
  /** @param from index of the first field's value */
  readonly read: (values: ReadonlyArray<unknown>, texts: Texts, from?: number) => A
  /** @param from the rest of the statement, after its list of columns */
  readonly all: (store: { readonly texts: Texts }, from: string, params: ReadonlyArray<Param>) => Sql<ReadonlyArray<A>>
}

/** Selects a statement's rows as objects. `fields` has an expression for each field. */
export const selection = <A extends object>(
  fields: { readonly [K in keyof A]-?: Selected<A[K]> },
): Selection<A> => {
  const names = Object.keys(fields)
  const selections = Object.values<Selected<unknown>>(fields)
  const sql = selections.map((one) => one.sql).join(", ")
  const read: Selection<A>["read"] = (values, texts, from = 0) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) row[names[at] ?? ""] = selections[at]?.read(values[from + at], texts)
    return row as A
  }
  return {
    sql,
    read,
    *all({ texts }, from, params) {
      const rows = yield* all(`SELECT ${sql} ${from}`, params)
      return yield* texts.read(() => rows.map((values) => read(values, texts)))
    },
  }
}
