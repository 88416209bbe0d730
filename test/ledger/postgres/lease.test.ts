import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Connection } from "../../../src/ledger/postgres/connection.ts"
import { readAt } from "../../../src/ledger/postgres/driver.ts"
import { PostgresLease } from "../../../src/ledger/postgres/lease.ts"
import { lockOf } from "../../../src/ledger/postgres/opening.ts"
import { Writer } from "../../../src/ledger/postgres/Writer.ts"
import { all, get, type Sql, write } from "../../../src/ledger/sql/statement.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

const leaseTimeout = 10_000

/** A ledger's tables as far as leases need them, and processes that use it. Each has its own clock. */
const ledger = Effect.gen(function*() {
  const url = yield* urlOf()
  const schema = newSchema()
  const connect = connected(url, schema)
  const admin = yield* connect
  yield* Effect.promise(() =>
    admin.exec(`CREATE SCHEMA ${schema};
      CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('version', 'v1');
      CREATE TABLE lock (pipeline TEXT, epoch BIGINT, held BIGINT, beat BIGINT); INSERT INTO lock VALUES ('contacts', 0, 0, 0);
      CREATE TABLE holder (epoch BIGINT, upTo BIGINT); CREATE TABLE batch (epoch BIGINT)`)
  )
  const real = yield* Effect.clock
  const process = Effect.gen(function*() {
    const connection = yield* connect
    const writer = new Writer(connection, lockOf(schema), () => undefined)
    const heartbeats = yield* connect
    let late = 0
    const clock = {
      ...real,
      unsafeCurrentTimeMillis: () => 1_000_000 + late,
      unsafeCurrentTimeNanos: () => BigInt(1_000_000 + late) * 1_000_000n,
    }
    const marks: Array<number> = []
    /** Takes the lock from its holder, as `takeLock` does. Returns the lease, and how many batches earlier holders recorded. */
    const take = Effect.gen(function*() {
      const taken = { wall: clock.unsafeCurrentTimeMillis(), steady: clock.unsafeCurrentTimeNanos() }
      const { epoch, seen } = yield* writer.write(
        "taking the lock",
        function*(): Sql<{ readonly epoch: number; readonly seen: number }> {
          const found = yield* all<readonly [number]>(
            "UPDATE lock SET epoch = epoch + 1, held = 1, beat = 0 RETURNING epoch",
          )
          const epoch = found[0]?.[0] ?? 0
          yield* write("INSERT INTO holder VALUES (?, 0)", [epoch])
          const [seen] = (yield* get<readonly [number]>("SELECT count(*) FROM batch")) ?? [0]
          return { epoch, seen }
        },
      )
      const options = {
        pipeline: "contacts",
        epoch,
        writer,
        heartbeats,
        clock,
        mark: { write: (upTo: number) => void marks.push(upTo) },
        version: "v1",
        leaseTimeout,
        heartbeat: 5,
      }
      return { lease: new PostgresLease(options, taken), seen, epoch }
    })
    const intend = (lease: PostgresLease, epoch: number) =>
      writer.writeOn(lease, "recording an intent", () => write("INSERT INTO batch VALUES (?)", [epoch]), {
        counts: true,
      })
    return { connection, heartbeats, writer, marks, take, intend, pass: (millis: number) => void (late += millis) }
  })
  const one = <R extends ReadonlyArray<unknown>>(sql: string) => Effect.promise(() => readAt(admin, get<R>(sql)))
  return { admin, process, one }
})

const sent = (connection: Connection, sql: string) => Effect.promise(() => connection.exec(sql))

describe.skipIf(withoutPostgres)("a lease in PostgreSQL", () => {
  it.scopedLive("an intent of an overtaken holder is refused, and its lease is lost", () =>
    Effect.gen(function*() {
      const { one, process } = yield* ledger
      const [first, second] = [yield* process, yield* process]
      const { epoch, lease } = yield* first.take
      yield* first.intend(lease, epoch)
      expect(first.marks).toEqual([1])
      yield* second.take
      const exit = yield* Effect.exit(first.intend(lease, epoch))
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("another run took over")
      expect(lease.held()).toBe(false)
      expect(yield* one("SELECT count(*) FROM batch")).toEqual([1])
      expect(yield* one("SELECT upTo FROM holder WHERE epoch = 1")).toEqual([1])
    }))

  it.scopedLive("the next holder sees every intent that succeeds, however its takeover interleaves with them", () =>
    Effect.gen(function*() {
      const { one, process } = yield* ledger
      const several = yield* Effect.all([process, process])
      let holder = 0
      let { epoch, lease, seen } = yield* several[0].take
      for (let round = 0; round < 150; round++) {
        const [present, next] = holder === 0 ? several : [several[1], several[0]]
        const before: number = seen
        const [intents, taken] = yield* Effect.all([
          Effect.forEach([1, 2, 3], () => Effect.exit(present.intend(lease, epoch))),
          next.take.pipe(Effect.delay(`${(round * 37) % 4_000} micros`)),
        ], { concurrency: "unbounded" })
        expect(taken.seen - before).toBe(intents.filter(Exit.isSuccess).length)
        ;({ epoch, lease, seen } = taken)
        holder = 1 - holder
      }
      expect(yield* one("SELECT count(*) FROM batch")).toEqual([seen])
      expect(seen).toBeGreaterThan(20)
    }))

  it.scopedLive("is held for half of its timeout after the last heartbeat, by the holder's own clock", () =>
    Effect.gen(function*() {
      const { process } = yield* ledger
      const { pass, take } = yield* process
      const { lease } = yield* take
      pass(leaseTimeout / 2 - 1)
      expect(lease.held()).toBe(true)
      pass(1)
      expect(lease.held()).toBe(false)
      yield* Effect.promise(() => lease.renew())
      expect(lease.held()).toBe(true)
    }))

  it.scopedLive("a heartbeat counts from the moment before it was sent, however long the database takes", () =>
    Effect.gen(function*() {
      const { admin, process } = yield* ledger
      const { pass, take } = yield* process
      const { lease } = yield* take
      yield* sent(admin, "BEGIN; SELECT 1 FROM lock FOR UPDATE")
      const renewed = lease.renew()
      pass(leaseTimeout / 2)
      yield* sent(admin, "COMMIT")
      expect(yield* Effect.promise(() => renewed)).toBe(true)
      expect(lease.held()).toBe(false)
    }))

  it.scopedLive("a heartbeat records the database's time, and shows that the lock is lost", () =>
    Effect.gen(function*() {
      const { one, process } = yield* ledger
      const [first, second] = [yield* process, yield* process]
      const { lease } = yield* first.take
      yield* Effect.promise(() => lease.renew())
      expect(yield* one("SELECT abs(extract(epoch FROM now()) * 1000 - beat) < 60000 FROM lock")).toEqual([1])
      yield* second.take
      expect(yield* Effect.promise(() => lease.renew())).toBe(false)
      expect(lease.held()).toBe(false)
      expect(yield* one("SELECT beat FROM lock")).toEqual([0])
    }))

  it.scopedLive("heartbeats go on until the database is lost, which ends the run", () =>
    Effect.gen(function*() {
      const { admin, one, process } = yield* ledger
      const { heartbeats, take, writer } = yield* process
      const { lease } = yield* take
      yield* lease.beating
      yield* Effect.repeat(one<readonly [number]>("SELECT beat FROM lock"), {
        until: (found) => Number(found?.[0]) > 0,
      })
      const { rows } = yield* Effect.promise(() => heartbeats.send("SELECT pg_backend_pid()"))
      yield* Effect.promise(() => admin.send("SELECT pg_terminate_backend($1)", [Number(rows[0]?.[0])]))
      yield* Effect.repeat(Effect.yieldNow(), { until: () => writer.failure !== undefined })
      expect(writer.failure?.message).toMatch(
        /ledger1 failed while renewing the lock: the (server ended the connection|connection to the database was lost)/,
      )
      expect(lease.held()).toBe(false)
    }))

  it.scopedLive("an intent fails if a different build has replaced the tables", () =>
    Effect.gen(function*() {
      const { admin, process } = yield* ledger
      const { intend, take } = yield* process
      const { epoch, lease } = yield* take
      yield* sent(admin, "UPDATE meta SET value = 'v2'")
      const exit = yield* Effect.exit(intend(lease, epoch))
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("its tables were replaced by a different build")
    }))

  it.scopedLive("a released lock is free at once", () =>
    Effect.gen(function*() {
      const { one, process } = yield* ledger
      const { take, writer } = yield* process
      const { lease } = yield* take
      yield* writer.write("releasing the lock", () => lease.release())
      expect(yield* one("SELECT held FROM lock")).toEqual([0])
      expect(lease.held()).toBe(false)
    }))

  it.scopedLive("a holder that is stopped inside a transaction keeps others waiting for three seconds at most", () =>
    Effect.gen(function*() {
      const { connection } = yield* (yield* ledger).process
      const { rows } = yield* Effect.promise(() => connection.send("SHOW idle_in_transaction_session_timeout"))
      expect(rows).toEqual([["3s"]])
    }))
})
