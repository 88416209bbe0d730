// What the schema says about tables, and reading and writing whole tables, to move a ledger. A new table or column needs no change here.
import { tableStatements } from "./schema.ts"
import { all, exists, type Param, type Sql, write } from "./statement.ts"

interface Table {
  readonly name: string
  /** Names of the columns that contain texts. */
  readonly texts: ReadonlyArray<string>
  /** The primary key: names of its columns, and their positions in a row. */
  readonly key: ReadonlyArray<{ readonly name: string; readonly at: number }>
  /** Whether the database numbers new rows. */
  readonly isNumbered: boolean
  /** For tables whose rows belong to a place: the names of the columns that identify a row within it. Empty: a place has one row. Undefined: only a number identifies rows. */
  readonly keyInPlace: ReadonlyArray<string> | undefined
  /** The tables that its columns `place` and `row` refer to. */
  readonly belongsTo: ReadonlyArray<"place" | "row">
}

const tableIn = (name: string, body: string): Table => {
  // Commas within parentheses separate the columns of a constraint.
  const parts = body.split(/,(?![^(]*\))/).map((part) => part.trim())
  const columns = parts.filter((part) => !/^(PRIMARY KEY|UNIQUE)\b/.test(part))
  const names = columns.map((column) => column.split(" ")[0] ?? "")
  const listed = (constraint: string) =>
    parts.find((part) => part.startsWith(constraint))?.match(/\((.*)\)/)?.[1]?.split(",").map((one) => one.trim())
  const key = listed("PRIMARY KEY") ?? names.filter((_, at) => columns[at]?.includes("PRIMARY KEY"))
  const unique = [key, listed("UNIQUE") ?? []].find((one) => one.includes("place"))
  return {
    name,
    texts: names.filter((_, at) => columns[at]?.includes(" TEXT")),
    key: key.map((one) => ({ name: one, at: names.indexOf(one) })),
    isNumbered: columns.includes("id INTEGER PRIMARY KEY"),
    keyInPlace: unique?.filter((one) => one !== "place"),
    belongsTo: (["place", "row"] as const).filter((owner) =>
      columns[names.indexOf(owner)]?.includes(`REFERENCES ${owner}`)
    ),
  }
}

/** Every table, in an order in which each only refers to earlier ones. */
export const tables: ReadonlyArray<Table> = Array.from(
  tableStatements.replaceAll(/--[^\n]*/g, "").matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\)\s*STRICT\b[^;]*;/g),
  ([, name = "", body = ""]) => tableIn(name, body),
)

export type TableRow = ReadonlyArray<Param>

/** The number of rows in a page, and the number of rows in one statement. */
export const pageSize = 500
const together = 100

/** Returns the next page of a table, in the order of its key. A page that is not full is the last one. */
export function* pageOf({ key, name }: Table, after: TableRow | undefined): Sql<ReadonlyArray<TableRow>> {
  const names = key.map((one) => one.name).join(", ")
  const where = after === undefined ? "" : ` WHERE (${names}) > (${key.map(() => "?").join(", ")})`
  return yield* all<TableRow>(
    `SELECT * FROM ${name}${where} ORDER BY ${names} LIMIT ${pageSize}`,
    after === undefined ? [] : key.map(({ at }) => after[at] ?? null),
  )
}

export function* addRows({ name }: Table, rows: ReadonlyArray<TableRow>): Sql<void> {
  for (let at = 0; at < rows.length; at += together) {
    const some = rows.slice(at, at + together)
    const values = some.map((row) => `(${row.map(() => "?").join(", ")})`).join(", ")
    yield* write(`INSERT INTO ${name} VALUES ${values}`, some.flat())
  }
}

export const areSame = (some: ReadonlyArray<TableRow>, others: ReadonlyArray<TableRow>): boolean =>
  some.length === others.length
  && some.every((row, at) => row.every((cell, column) => isSame(cell, others[at]?.[column])))

const isSame = (cell: Param, other: Param | undefined): boolean =>
  cell === other || (Buffer.isBuffer(cell) && Buffer.isBuffer(other) && cell.equals(other))

/** Returns the names of the tables whose texts contain the character NUL (`Dialect.mayHaveNul`). */
export function* tablesWithNul(): Sql<ReadonlyArray<string>> {
  const found: Array<string> = []
  for (const { name, texts } of tables) {
    const where = texts.map((text) => `instr(${text}, char(0)) > 0`).join(" OR ")
    if (where !== "" && (yield* exists(`SELECT 1 FROM ${name} WHERE ${where} LIMIT 1`))) found.push(name)
  }
  return found
}
