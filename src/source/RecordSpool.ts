import Libsql from "libsql"
import { type Cell, DateCell, ErrorCell, JsonCell, PercentCell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import { looseKey } from "../domain/looseKey.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells } from "../domain/row.ts"

type Encoded =
  | string
  | number
  | boolean
  | null
  | { readonly date: string }
  | { readonly percent: number }
  | { readonly error: string }
  | { readonly json: Json }

const encode = (cell: Cell | undefined): Encoded =>
  cell instanceof DateCell
    ? { date: cell.iso }
    : cell instanceof PercentCell
    ? { percent: cell.percent }
    : cell instanceof ErrorCell
    ? { error: cell.code }
    : cell instanceof JsonCell
    ? { json: cell.value }
    : cell ?? null

const decode = (cell: Encoded): Cell =>
  typeof cell !== "object" || cell === null
    ? cell
    : "date" in cell
    ? new DateCell(cell.date)
    : "percent" in cell
    ? new PercentCell(cell.percent)
    : "error" in cell
    ? new ErrorCell(cell.error)
    : new JsonCell(cell.json)

/** A record, and the row to which it belongs. */
export interface SpooledRecord {
  /** From 1. */
  readonly row: number
  /** The index of the record's source. */
  readonly part: number
  /** The index of the record's place in that source. */
  readonly place: number
  /** The record's number in that source, counting from 1. */
  readonly number: number
  readonly cells: Cells
  readonly fault: Problem | undefined
}

/** Keeps records in a temporary database. Each record belongs to one combined row. Only this process needs the database, and only until it ends. */
export class RecordSpool {
  readonly #db: Libsql.Database
  readonly #statements: {
    readonly rowOf: Libsql.Statement
    readonly rowsLike: Libsql.Statement
    readonly addKey: Libsql.Statement
    readonly addAlike: Libsql.Statement
    readonly add: Libsql.Statement
    readonly mostOf: Libsql.Statement
    readonly repeatedOf: Libsql.Statement
    readonly between: Libsql.Statement
  }
  #rows = 0
  #records = 0

  constructor(path: string) {
    const db = new Libsql(path)
    db.pragma("journal_mode = OFF")
    db.pragma("synchronous = OFF")
    db.exec("CREATE TABLE key (text TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID")
    db.exec("CREATE TABLE alike (text TEXT, row INTEGER, PRIMARY KEY (text, row)) WITHOUT ROWID")
    db.exec(
      "CREATE TABLE record (row INTEGER, at INTEGER, part INTEGER, place INTEGER, number INTEGER, cells TEXT, fault TEXT, PRIMARY KEY (row, at)) WITHOUT ROWID",
    )
    this.#db = db
    this.#statements = {
      rowOf: db.prepare("SELECT row FROM key WHERE text = ?").raw(),
      rowsLike: db.prepare("SELECT DISTINCT row FROM alike WHERE text IN (SELECT value FROM json_each(?))").raw(),
      addKey: db.prepare("INSERT INTO key VALUES (?, ?)"),
      addAlike: db.prepare("INSERT INTO alike VALUES (?, ?)"),
      add: db.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)"),
      mostOf: db.prepare(
        "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM record WHERE part = ? GROUP BY row)",
      ).raw(),
      repeatedOf: db.prepare(
        "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) - count(DISTINCT place || ' ' || cells) AS n FROM record WHERE part = ? AND fault IS NULL GROUP BY row)",
      ).raw(),
      between: db.prepare(
        "SELECT row, part, place, number, cells, fault FROM record WHERE row BETWEEN ? AND ? ORDER BY row, at",
      ).raw(),
    }
  }

  get rows(): number {
    return this.#rows
  }

  get records(): number {
    return this.#records
  }

  /** Returns the row of a key, or undefined if there is none. */
  rowOf(key: string): number | undefined {
    return this.#numberOf(this.#statements.rowOf, key)
  }

  /** Returns the rows whose keys are similar to a key. */
  rowsLike(key: string): ReadonlyArray<number> {
    const found = this.#statements.rowsLike.all(JSON.stringify(looseKey(key).sought)) as ReadonlyArray<[number]>
    return found.map(([row]) => row)
  }

  /** Adds a row, and returns its number. Without a key, no other record belongs to it. */
  addRow(key?: string): number {
    this.#rows++
    if (key !== undefined) this.#statements.addKey.run(key, this.#rows)
    return this.#rows
  }

  /** Lets `rowsLike` find a row by its key. */
  addAlike(key: string, row: number): void {
    for (const text of looseKey(key).stored) this.#statements.addAlike.run(text, row)
  }

  add({ cells, fault, number, part, place, row }: SpooledRecord): void {
    const [text, problem] = [JSON.stringify(cells.map(encode)), fault === undefined ? null : JSON.stringify(fault)]
    this.#statements.add.run(row, ++this.#records, part, place, number, text, problem)
  }

  transaction(work: () => void): void {
    this.#db.exec("BEGIN")
    work()
    this.#db.exec("COMMIT")
  }

  /** Returns the largest number of records that a source has for one row. */
  mostOf(part: number): number {
    return this.#numberOf(this.#statements.mostOf, part) ?? 0
  }

  /** Returns the number of a source's records whose cells and place equal those of an earlier record of the same row. */
  repeatedOf(part: number): number {
    return this.#numberOf(this.#statements.repeatedOf, part) ?? 0
  }

  /** Returns the records of these rows, sorted by row, and within a row in the order in which they were added. */
  between(first: number, last: number): ReadonlyArray<SpooledRecord> {
    const rows = this.#statements.between.all(first, last) as ReadonlyArray<
      readonly [number, number, number, number, string, string | null]
    >
    return rows.map(([row, part, place, number, cells, fault]) => ({
      row,
      part,
      place,
      number,
      cells: (JSON.parse(cells) as ReadonlyArray<Encoded>).map(decode),
      fault: fault === null ? undefined : JSON.parse(fault) as Problem,
    }))
  }

  close(): void {
    this.#db.close()
  }

  #numberOf(statement: Libsql.Statement, value: string | number): number | undefined {
    // `get` would leave the statement open.
    return (statement.all(value) as ReadonlyArray<readonly [number]>)[0]?.[0]
  }
}
