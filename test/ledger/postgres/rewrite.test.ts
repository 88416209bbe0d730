import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { setTimeout } from "node:timers/promises"
import { rewriteTables } from "../../../src/ledger/postgres/rewrite.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

/** Two tables with a deleted row, in a database without other tests' transactions. A stranger's transaction does this, and stays open. */
const tables = (stranger: string) =>
  Effect.gen(function*() {
    const database = newSchema()
    const admin = yield* connected(yield* urlOf())
    yield* Effect.promise(() => admin.exec(`CREATE DATABASE ${database}`))
    const url = yield* urlOf({ database })
    const connection = yield* connected(url)
    const create = ["one", "two"].map((name) =>
      `CREATE TABLE ${name} (text TEXT); INSERT INTO ${name} VALUES ('secret')`
    )
    yield* Effect.promise(() => connection.exec(create.join("; ")))
    const open = yield* connected(url)
    yield* Effect.promise(() =>
      open.exec(`SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ; ${stranger}`)
    )
    yield* Effect.promise(() => connection.exec("DELETE FROM one; DELETE FROM two; SET lock_timeout = '50ms'"))
    return {
      rewrite: Effect.gen(function*() {
        const rewriting = yield* Effect.fork(rewriteTables(connection, ["one", "two"]))
        while (Option.isNone(yield* Fiber.poll(rewriting))) {
          yield* TestClock.adjust("1 second")
          // The server itself may have a transaction for a moment (autovacuum).
          yield* Effect.promise(() => setTimeout(100))
        }
        yield* Fiber.join(rewriting)
      }),
      end: Effect.promise(() => open.exec("COMMIT")),
      sizes: Effect.promise(async () => {
        const { rows } = await connection.send("SELECT pg_relation_size('one'), pg_relation_size('two')")
        return rows[0]
      }),
    }
  })

describe.skipIf(withoutPostgres)("rewriting tables", () => {
  it.scoped.each(
    [
      ["may still read deleted rows", "SELECT 1"],
      ["has locked a table", "LOCK TABLE two IN ACCESS SHARE MODE"],
    ] as const,
  )("fails while a transaction %s, and deletes the rows after it", ([, stranger]) =>
    Effect.gen(function*() {
      const { end, rewrite, sizes } = yield* tables(stranger)
      const busy = yield* Effect.flip(rewrite)
      expect(busy.message).toContain("Then run the command again")
      expect(Number((yield* sizes)?.[1])).toBeGreaterThan(0)
      yield* end
      yield* rewrite
      expect(yield* sizes).toEqual([0, 0])
    }))
})
