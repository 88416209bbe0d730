import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerError, LedgerRefused } from "../../../src/ledger/errors.ts"
import { readAt } from "../../../src/ledger/postgres/driver.ts"
import { openSchema, type Part } from "../../../src/ledger/postgres/opening.ts"
import { Writer } from "../../../src/ledger/postgres/Writer.ts"
import { all } from "../../../src/ledger/sql/statement.ts"
import { changeRights, connected, newSchema, urlOf } from "./connecting.ts"
import { ownServer, withoutPostgres } from "./server.ts"

const openedAs = (
  schema: string,
  { url = urlOf(), ...more }: Partial<Part> & {
    readonly url?: Effect.Effect<string>
  } = {},
) =>
  Effect.gen(function*() {
    const connection = yield* connected(yield* url, schema)
    const part: Part = {
      label: "ledger1",
      schema,
      project: "shop",
      proof: "p",
      opened: "2026-01-02T03:04:05.000Z",
      isManaged: false,
      owner: undefined,
      ...more,
    }
    const id = yield* new Writer(connection).write<string, LedgerRefused>("opening it", () =>
      openSchema(part, () => undefined))
    return { id, connection }
  })

const refusal = (opening: Effect.Effect<unknown, LedgerError | LedgerRefused>) =>
  Effect.map(Effect.flip(opening), ({ _tag, message }) => `${_tag}: ${message}`)

describe.skipIf(withoutPostgres)("opening a ledger in PostgreSQL", () => {
  it.scopedLive("creates its tables once, even if several processes open it at the same time", () =>
    Effect.gen(function*() {
      const schema = newSchema()
      const opened = yield* Effect.all(Array.from({ length: 4 }, () => openedAs(schema)), { concurrency: "unbounded" })
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
      const [first] = opened
      const columns = yield* Effect.promise(() =>
        readAt(
          first!.connection,
          all(
            "SELECT column_name, data_type, is_identity, collation_name FROM information_schema.columns WHERE table_schema = ? AND table_name = 'row' AND column_name IN ('id', 'key', 'content') ORDER BY 1",
            [schema],
          ),
        )
      )
      expect(columns).toEqual([
        ["content", "bytea", "NO", null],
        ["id", "bigint", "YES", null],
        ["key", "text", "NO", "C"],
      ])
    }))

  it.scopedLive("refuses another project, another key and another version, and changes nothing", () =>
    Effect.gen(function*() {
      const schema = newSchema()
      const { connection, id } = yield* openedAs(schema)
      expect(yield* refusal(Effect.scoped(openedAs(schema, { project: "other" })))).toContain(
        "LedgerRefused: The ledger ledger1 belongs to the project shop, not to other",
      )
      expect(yield* refusal(Effect.scoped(openedAs(schema, { proof: "q" })))).toContain(
        "LedgerRefused: The ledger's `key` does not belong to the ledger ledger1",
      )
      expect((yield* openedAs(schema)).id).toBe(id)
      yield* Effect.promise(() => connection.exec("UPDATE meta SET value = 'earlier' WHERE name = 'version'"))
      expect(yield* refusal(Effect.scoped(openedAs(schema)))).toContain(
        "LedgerRefused: The ledger ledger1 was written by a different build",
      )
    }))

  it.scopedLive("refuses a schema with foreign tables", () =>
    Effect.gen(function*() {
      const schema = newSchema()
      const connection = yield* connected(yield* urlOf(), schema)
      for (const columns of ["name TEXT", "name TEXT, value TEXT"]) {
        yield* Effect.promise(() => connection.exec(`CREATE SCHEMA ${schema}; CREATE TABLE meta (${columns})`))
        expect(yield* refusal(Effect.scoped(openedAs(schema)))).toContain(
          `LedgerRefused: The schema ${schema} contains tables that are not a ledger`,
        )
        yield* Effect.promise(() => connection.exec(`DROP SCHEMA ${schema} CASCADE`))
      }
    }))

  it.scopedLive("uses an empty schema that an administrator created, and refuses one that the user may not create", () =>
    Effect.gen(function*() {
      const [schema, user] = [newSchema(), newSchema()]
      const connection = yield* connected(yield* urlOf())
      yield* Effect.promise(() =>
        connection.exec(`CREATE ROLE ${user} LOGIN PASSWORD 'x'; CREATE SCHEMA ${schema} AUTHORIZATION ${user}`)
      )
      const url = urlOf({ user: `${user}:x` })
      expect((yield* openedAs(schema, { url })).id).toMatch(/^[0-9a-f]{16}$/)
      expect(yield* refusal(Effect.scoped(openedAs(newSchema(), { url })))).toBe(
        `LedgerRefused: The ledger ledger1 has no tables yet, and the user ${user} may not create them. Nothing was sent. Put an administrator's address into the variable of the ledger's \`url\` for one command, and run: formferry ledger migrate --owner ${user}`,
      )
    }))

  it.scopedLive("creates tables that belong to another user", () =>
    Effect.gen(function*() {
      const [given, created, user, other] = [newSchema(), newSchema(), newSchema(), newSchema()]
      const connection = yield* connected(yield* urlOf())
      yield* Effect.promise(() =>
        connection.exec(
          `CREATE ROLE ${user} LOGIN PASSWORD 'x'; CREATE ROLE ${other} LOGIN PASSWORD 'x'; CREATE SCHEMA ${given}`,
        )
      )
      expect(yield* refusal(Effect.scoped(openedAs(given, { owner: "nobody1" })))).toContain("has no user nobody1.")
      expect(yield* refusal(Effect.scoped(openedAs(given, { owner: other, url: urlOf({ user: `${user}:x` }) }))))
        .toContain("may not create them")
      for (const schema of [given, created]) {
        const { id } = yield* Effect.scoped(openedAs(schema, { owner: user }))
        expect((yield* openedAs(schema, { url: urlOf({ user: `${user}:x` }) })).id).toBe(id)
        expect(yield* refusal(Effect.scoped(openedAs(schema, { url: urlOf({ user: `${other}:x` }) })))).toContain(
          `LedgerRefused: The user ${other} may not use the tables of the ledger ledger1, which belong to ${user}.`,
        )
        // As a restored backup may have it.
        yield* Effect.promise(() => connection.exec(`ALTER TABLE ${schema}.row OWNER TO ${other}`))
        expect(yield* refusal(Effect.scoped(openedAs(schema, { url: urlOf({ user: `${user}:x` }) })))).toContain(
          `The user ${user} may not use the tables of the ledger ledger1, which belong to ${other}.`,
        )
      }
    }))

  it.scopedLive("says that the database may be read-only by default", () =>
    Effect.gen(function*() {
      const user = newSchema()
      const connection = yield* connected(yield* urlOf())
      yield* Effect.promise(() =>
        changeRights(
          connection,
          `CREATE ROLE ${user} LOGIN PASSWORD 'x'; ALTER ROLE ${user} SET default_transaction_read_only = on; GRANT CREATE ON DATABASE postgres TO ${user}`,
        )
      )
      expect(yield* refusal(Effect.scoped(openedAs(newSchema(), { url: urlOf({ user: `${user}:x` }) })))).toContain(
        "can't be written to: default_transaction_read_only is on, or its server is a standby (25006",
      )
    }))

  it.scopedLive("refuses a server that can lose commits, unless a managed service guarantees that they are durable", () =>
    Effect.gen(function*() {
      const server = yield* ownServer("unsafe", ["fsync=off", "full_page_writes=off"])
      const url = urlOf({ server: () => Promise.resolve(server) })
      expect(yield* refusal(Effect.scoped(openedAs("ledger", { url })))).toContain(
        "LedgerRefused: The server of the ledger ledger1 runs with fsync and full_page_writes off.",
      )
      expect((yield* openedAs("ledger", { url, isManaged: true })).id).not.toBe("")
    }))
})
