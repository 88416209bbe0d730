import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { setImmediate } from "node:timers/promises"
import { readAt } from "../../../src/ledger/postgres/driver.ts"
import { Writer } from "../../../src/ledger/postgres/Writer.ts"
import { get, Refusal, run, type Sql, write } from "../../../src/ledger/sql/statement.ts"
import type { Hold } from "../../../src/ledger/sql/Store.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

/** A writer of a schema with a table of counters, as one of several processes opens it. */
const writers = Effect.gen(function*() {
  const url = yield* urlOf()
  const schema = newSchema()
  const first = yield* connected(url, schema)
  yield* Effect.promise(() =>
    first.exec(
      `CREATE SCHEMA ${schema}; CREATE TABLE counter (name TEXT PRIMARY KEY, count INTEGER NOT NULL); INSERT INTO counter VALUES ('a', 0), ('b', 0)`,
    )
  )
  const open = Effect.map(connected(url, schema), (connection) => {
    let rollbacks = 0
    const writer = new Writer(connection, () => void rollbacks++)
    return { connection, writer, rollbacks: () => rollbacks }
  })
  const countOf = (name: string) =>
    Effect.promise(() => readAt(first, get<readonly [number]>("SELECT count FROM counter WHERE name = ?", [name])))
      .pipe(Effect.map((row) => row?.[0]))
  return { open, countOf, reader: first }
})

/** A hold that is never lost. It notes what happens to it. */
const hold = (noted: Array<string> = []): Hold => ({
  *confirm() {
    yield* get("SELECT 1")
    noted.push("confirmed inside")
  },
  *count() {
    yield* write("UPDATE counter SET count = count + 1 WHERE name = 'b'")
  },
  confirmed: async (isCounted) => {
    await setImmediate()
    noted.push(isCounted ? "counted" : "not counted")
  },
})

/** A hold whose mark is written when `marked` is done. `marking` is done when the commit was sent and answered. */
const slowHold = Effect.gen(function*() {
  const marking = yield* Deferred.make<void>()
  const marked = yield* Deferred.make<void, Error>()
  const slow: Hold = {
    ...hold(),
    confirmed: () => Effect.runPromise(Effect.zipRight(Deferred.succeed(marking, undefined), Deferred.await(marked))),
  }
  return { slow, marking, marked }
})

function* add(name: string, noted: Array<string> = []): Sql<number> {
  noted.push(`${name} starts`)
  const [count] = (yield* get<readonly [number]>("SELECT count FROM counter WHERE name = ?", [name])) ?? [0]
  noted.push(`${name} read`)
  yield* write("UPDATE counter SET count = ? WHERE name = ?", [count + 1, name])
  return count + 1
}

describe.skipIf(withoutPostgres)("the writer of a ledger in PostgreSQL", () => {
  it.scopedLive("sees what was committed while it waited, even if a pooler lends it a connection with a different isolation", () =>
    Effect.gen(function*() {
      const { connection, writer } = yield* (yield* writers).open
      yield* Effect.promise(() => connection.exec("SET default_transaction_isolation = 'repeatable read'"))
      const isolation = yield* writer.write("testing", () => get("SELECT current_setting('transaction_isolation')"))
      expect(isolation).toEqual(["read committed"])
    }))

  it.scopedLive("programs of one transaction run in lockstep if they change nothing in common", () =>
    Effect.gen(function*() {
      const { writer } = yield* (yield* writers).open
      const noted: Array<string> = []
      const one = hold(noted)
      const at = (name: string) =>
        writer.writeOn(one, "adding", () => add(name, noted), { isCounted: true, touches: [name] })
      expect(yield* Effect.all([at("a"), at("b")], { concurrency: "unbounded" })).toEqual([1, 1])
      expect(noted).toEqual(["a starts", "b starts", "confirmed inside", "a read", "b read", "counted"])
    }))

  it.scopedLive("programs of one transaction run one after the other if they change something in common", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const { writer } = yield* open
      const one = hold()
      const sharing = { isCounted: false, touches: ["a"] }
      const adding = Array.from({ length: 5 }, () => writer.writeOn(one, "adding", () => add("a"), sharing))
      expect(yield* Effect.all(adding, { concurrency: "unbounded" })).toEqual([1, 2, 3, 4, 5])
      const alone = Array.from({ length: 5 }, () => writer.write("adding", () => add("a")))
      expect(yield* Effect.all(alone, { concurrency: "unbounded" })).toEqual([6, 7, 8, 9, 10])
      expect(yield* countOf("a")).toBe(10)
    }))

  it.scopedLive("writers of several processes never write at the same time", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const several = yield* Effect.all([open, open, open])
      yield* Effect.all(
        Array.from({ length: 60 }, (_, at) => several[at % 3]?.writer.write("adding", () => add("a")) ?? Effect.void),
        { concurrency: "unbounded" },
      )
      expect(yield* countOf("a")).toBe(60)
    }))

  it.scopedLive("a transaction commits while the previous one's mark is written, and each is reported after its own mark", () =>
    Effect.gen(function*() {
      const { open } = yield* writers
      const { writer } = yield* open
      const adding = (hold: Hold) => Effect.fork(writer.writeOn(hold, "adding", () => add("a"), { isCounted: true }))
      const one = yield* slowHold
      const first = yield* adding(one.slow)
      yield* Deferred.await(one.marking)
      const two = yield* slowHold
      const second = yield* adding(two.slow)
      yield* Deferred.await(two.marking)
      yield* Deferred.succeed(two.marked, undefined)
      expect(yield* Fiber.join(second)).toBe(2)
      expect(yield* Fiber.poll(first)).toEqual(Option.none())
      yield* Deferred.succeed(one.marked, undefined)
      expect(yield* Fiber.join(first)).toBe(1)
    }))

  it.scopedLive("every later write fails once a mark can't be written", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const { writer } = yield* open
      const { marked, marking, slow } = yield* slowHold
      const first = yield* Effect.fork(
        Effect.flip(writer.writeOn(slow, "marking", () => add("a"), { isCounted: true })),
      )
      yield* Deferred.await(marking)
      yield* Deferred.fail(marked, new Error("the folder is full"))
      const failed = yield* Fiber.join(first)
      expect(String(failed)).toContain("failed while marking: the folder is full")
      expect(yield* Effect.flip(writer.write("adding", () => add("a")))).toBe(failed)
      expect(yield* countOf("a")).toBe(1)
    }))

  it.scopedLive("a transaction is rolled back if the commit before it fails", () =>
    Effect.gen(function*() {
      const { countOf, open, reader } = yield* writers
      const { writer } = yield* open
      yield* Effect.promise(() => reader.exec("CREATE TABLE late (id INTEGER UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
      const started = yield* Deferred.make<void>()
      const first = yield* Effect.fork(Effect.flip(writer.write("breaking", function*() {
        yield* get("SELECT 1")
        Deferred.unsafeDone(started, Effect.void)
        yield* write("INSERT INTO late VALUES (1), (1)")
      })))
      yield* Deferred.await(started)
      const second = yield* Effect.fork(Effect.flip(writer.write("adding", () => add("a"))))
      const failed = yield* Fiber.join(first)
      expect(String(failed)).toContain("failed while breaking")
      expect(yield* Fiber.join(second)).toBe(failed)
      expect(yield* countOf("a")).toBe(0)
    }))

  it.scopedLive("a refused job fails alone, and the other jobs of its transaction are done", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const { rollbacks, writer } = yield* open
      const refused = writer.write("adding", function*(): Sql<number> {
        yield* add("a")
        throw new Refusal(Effect.dieMessage("no"))
      })
      const [a, b, c] = yield* Effect.all(
        [writer.write("adding", () => add("a")), refused, writer.write("adding", () => add("a"))].map(Effect.exit),
        { concurrency: "unbounded" },
      )
      expect(a).toEqual(Exit.succeed(1))
      expect(b !== undefined && Exit.isFailure(b) && b.cause._tag).toBe("Die")
      expect(c).toEqual(Exit.succeed(2))
      expect(rollbacks()).toBe(1)
      expect(yield* countOf("a")).toBe(2)
    }))

  it.scopedLive("all jobs of a lost hold are refused, without the jobs of others", () =>
    Effect.gen(function*() {
      const { writer } = yield* (yield* writers).open
      const lost: Hold = {
        ...hold(),
        *confirm() {
          yield* get("SELECT 1")
          throw new Refusal(Effect.fail("lost"))
        },
      }
      const exits = yield* Effect.all(
        [lost, hold(), lost].map((one) =>
          Effect.exit(writer.writeOn(one, "adding", () => add("a"), { isCounted: false }))
        ),
        { concurrency: "unbounded" },
      )
      expect(exits).toEqual([Exit.fail("lost"), Exit.succeed(1), Exit.fail("lost")])
      expect(writer.failure).toBeUndefined()
    }))

  it.scopedLive("a statement that fails without being awaited fails its transaction and every later write", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const { writer } = yield* open
      const failed = yield* Effect.flip(writer.write("adding", function*() {
        yield* write("INSERT INTO counter (name, count) VALUES ('a', 7)")
        return yield* run("UPDATE counter SET count = 9 WHERE name = 'a'")
      }))
      expect(failed.message).toMatch(
        /^The ledger ledger1 failed while adding: PostgreSQL reports an error \(23505: duplicate key value violates unique constraint "counter_pkey"\)/,
      )
      expect(yield* Effect.flip(writer.write("adding", () => add("a")))).toBe(failed)
      expect(yield* countOf("a")).toBe(0)
    }))

  it.scopedLive("a writer whose connection is lost inside a transaction leaves nothing behind", () =>
    Effect.gen(function*() {
      const { countOf, open } = yield* writers
      const { writer } = yield* open
      const failed = yield* Effect.flip(writer.write("adding", function*() {
        yield* add("a")
        yield* get("SELECT pg_terminate_backend(pg_backend_pid())")
      }))
      expect(failed.message).toContain("the server ended the connection (57P01")
      expect(writer.failure).toBe(failed)
      expect(yield* countOf("a")).toBe(0)
    }))

  it.scopedLive("a program that reads sees one state of the ledger, while others write", () =>
    Effect.gen(function*() {
      const { open, reader } = yield* writers
      const { writer } = yield* open
      const written: Array<number> = []
      const seen = function*(): Sql<ReadonlyArray<unknown>> {
        const before = yield* get("SELECT count FROM counter WHERE name = 'a'")
        void Effect.runPromise(writer.write("adding", () => add("a"))).then((count) => void written.push(count))
        while (written.length === 0) yield* get("SELECT pg_sleep(0.001)")
        return [before, yield* get("SELECT count FROM counter WHERE name = 'a'")]
      }
      const counts = yield* Effect.promise(() => readAt(reader, seen()))
      expect(counts).toEqual([[0], [0]])
      expect(yield* Effect.promise(() => readAt(reader, get("SELECT count FROM counter WHERE name = 'a'")))).toEqual([
        1,
      ])
    }))
})
