import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { functions, tablesOf, translated, withoutSamples } from "../../../src/ledger/postgres/dialect.ts"
import { readAt } from "../../../src/ledger/postgres/driver.ts"
import { tableStatements } from "../../../src/ledger/sql/schema.ts"
import { all, type Param } from "../../../src/ledger/sql/statement.ts"
import { Database } from "../../../src/ledger/sqlite/database.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

const tables = `
  CREATE TABLE row (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest BLOB) STRICT; -- Rows; with a comment.
  CREATE INDEX row_digest ON row (digest);
  CREATE TABLE said (row INTEGER NOT NULL REFERENCES row, what TEXT, PRIMARY KEY (row, what)) STRICT, WITHOUT ROWID;
`
const rows = `
  INSERT INTO row (key, digest) VALUES ('b', x'00ff'), ('B', x''), ('ä', NULL), ('a ?', x'0102');
  INSERT INTO said VALUES (1, 'no'), (4, 'yes');
`

const statements: Readonly<Record<string, readonly [string, ReadonlyArray<Param>?]>> = {
  "placeholders without numbers": ["SELECT id FROM row WHERE key = ? OR id = ? ORDER BY id", ["b", 4]],
  "numbered placeholders, used twice": ["SELECT id FROM row WHERE id = ?2 OR key = ?1 OR id = ?2 + 1 ORDER BY 1", [
    "b",
    2,
  ]],
  "question marks in texts and comments": ["SELECT 'it''s ?', id FROM row -- why?\nWHERE key = ?", ["a ?"]],
  "hints for the planner": [
    "SELECT r.id, s.what FROM said s CROSS JOIN row r INDEXED BY row_digest ON r.id = s.row AND r.digest = ? UNION ALL SELECT id, 'all' FROM row NOT INDEXED WHERE +id = 2",
    [Buffer.from([1, 2])],
  ],
  "the order of texts by their bytes": ["SELECT key FROM row ORDER BY key"],
  bytes: ["SELECT digest, hex(digest), digest = x'00ff', length(digest) FROM row ORDER BY id"],
  "bytes from hexadecimal digits": ["SELECT id FROM row WHERE digest IN (SELECT unhex(value) FROM json_each(?))", [
    '["00FF"]',
  ]],
  "a byte at a position": ["SELECT id FROM row WHERE substr(?1, id, 1) = x'00' ORDER BY id", [
    Buffer.from([0, 1, 0, 1]),
  ]],
  "lists of texts": ["SELECT value FROM json_each(?)", ['["a","it\'s","ä"]']],
  "types of parameters": [
    "SELECT column1 + 1, column2 FROM (VALUES (CAST(? AS INTEGER), CAST(? AS TEXT)), (?, ?)) v",
    [1_700_000_000_000, "a", 2, null],
  ],
  booleans: [
    "SELECT id > 1, key IS NULL, count(*) FILTER (WHERE digest IS NULL) FROM row GROUP BY id, key ORDER BY id",
  ],
}

describe.skipIf(withoutPostgres)("one text of SQL for SQLite and PostgreSQL", () => {
  it.scopedLive.each(Object.entries(statements))(
    "both return the same rows: %s",
    ([, statement]) =>
      Effect.gen(function*() {
        const [sql, params = []] = statement as (typeof statements)[string]
        const schema = newSchema()
        const connection = yield* connected(yield* urlOf(), schema)
        yield* Effect.promise(() =>
          connection.exec(`CREATE SCHEMA ${schema}; ${tablesOf(tables)}; ${functions}; ${translated(rows)}`)
        )
        const db = yield* Effect.acquireRelease(
          Effect.sync(() => new Database(":memory:")),
          (one) => Effect.sync(() => one.close()),
        )
        db.exec(`${tables}; ${rows}`)
        const expected = db.all(sql, params)
        expect(expected.length).toBeGreaterThan(0)
        expect(yield* Effect.promise(() => readAt(connection, all(sql, params)))).toEqual(expected)
      }),
  )

  it.scopedLive("keeps no samples of cells, or of digests of cells", () =>
    Effect.gen(function*() {
      const schema = newSchema()
      const connection = yield* connected(yield* urlOf(), schema)
      yield* Effect.promise(() =>
        connection.exec(`CREATE SCHEMA ${schema}; ${tablesOf(tableStatements)}; ${functions}; ${withoutSamples}`)
      )
      // All texts and digests in tables about rows of a source.
      const { rows } = yield* Effect.promise(() =>
        connection.send(
          `SELECT DISTINCT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
           WHERE c.relnamespace = $1::regnamespace AND a.atttypid IN ('text'::regtype, 'bytea'::regtype) AND a.attstattarget IS DISTINCT FROM 0
             AND EXISTS (SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname IN ('row', 'digest'))
           ORDER BY 1`,
          [schema],
        )
      )
      // A digest of a key remains when its row is forgotten. The others contain nothing of rows.
      const others = ["because", "by", "digest", "proof", "reason", "submission", "time"]
      expect(rows.map(([name]) => name)).toEqual(others)
    }))
})
