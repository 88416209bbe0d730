import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope } from "effect"
import { copyFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeLedger } from "../../../src/ledger/sql/ledger.ts"
import { all, Refusal, run, write } from "../../../src/ledger/sql/statement.ts"
import { Database } from "../../../src/ledger/sqlite/database.ts"
import { openStore } from "../../../src/ledger/sqlite/Store.ts"
import { commitsOfRest, millisOfRest } from "../../../src/ledger/sqlite/Writer.ts"
import { batchOf, contacts, folder, imported, rowOf } from "../rows.ts"

const open = Effect.gen(function*() {
  const store = yield* openStore({ file: join(yield* folder, "ledger.db") })
  const ledger = makeLedger(store)
  return { store, ledger, view: yield* contacts(ledger) }
})

const changes = (db: { pragma: (name: string) => string | number }) => Number(db.pragma("data_version"))

describe("closing a ledger", () => {
  it.scopedLive("a ledger closes while another connection is reading it, and leaves its log", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const store = yield* Scope.extend(openStore({ file: join(yield* folder, "ledger.db") }), scope)
      const other = new Database(store.file)
      other.exec("BEGIN")
      other.all("SELECT * FROM row")
      const view = yield* contacts(makeLedger(store))
      yield* Scope.extend(view.hold("run1"), scope)
      // Closing happens without a turn of the event loop. If it waited for the reader, this timer would be due at its end.
      const timer = yield* Effect.fork(Effect.sleep("5 seconds"))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      yield* Effect.sleep("1 millis")
      expect(Option.isNone(yield* Fiber.poll(timer))).toBe(true)
      expect(statSync(`${store.file}-wal`).size).toBeGreaterThan(0)
      other.exec("COMMIT")
      other.close()
    }))
})

it.scopedLive("a connection whose read can't be ended sees later commits", () =>
  Effect.gen(function*() {
    const { ledger, store, view } = yield* open
    const session = yield* view.hold("run1")
    const other = new Database(store.file)
    const exec = other.exec.bind(other)
    other.exec = (sql) => {
      if (sql === "COMMIT") throw new Error("disk I/O error")
      exec(sql)
    }
    const count = () => other.all<readonly [number]>("SELECT count(*) FROM row")[0]?.[0]
    expect(() => other.read(all("SELECT * FROM row"))).toThrow("disk I/O error")
    yield* session.intend(batchOf([rowOf(ledger, 1)]))
    expect(count()).toBe(1)
    other.close()
  }))

describe("concurrent commits", () => {
  it.scopedLive("concurrent commits share one transaction, in the order in which they were requested", () =>
    Effect.gen(function*() {
      const { store, ledger, view } = yield* open
      const session = yield* view.hold("run1")
      const order: Array<number> = []
      const commits: Array<string> = []
      const exec = store.db.exec.bind(store.db)
      store.db.exec = (sql) => {
        commits.push(sql)
        exec(sql)
      }
      const batches = yield* Effect.forEach(
        Array.from({ length: 32 }, (_, index) => index),
        (number) =>
          Effect.tap(session.intend(batchOf([rowOf(ledger, number)])), () => Effect.sync(() => order.push(number))),
        { concurrency: 32 },
      )
      expect(commits).toEqual(["BEGIN IMMEDIATE", "COMMIT"])
      expect(batches).toEqual(Array.from({ length: 32 }, (_, index) => index + 1))
      expect(order).toEqual(Array.from({ length: 32 }, (_, index) => index))
    }))

  it.scopedLive("a commit returns to its callers only after other connections can see the transaction", () =>
    Effect.gen(function*() {
      const { store, ledger, view } = yield* open
      const session = yield* view.hold("run1")
      const other = yield* openStore({ file: store.file })
      const before = changes(other.db)
      yield* session.intend(batchOf([rowOf(ledger, 1)]))
      expect(changes(other.db)).not.toBe(before)
      expect(other.db.get("SELECT state FROM row")).toEqual([0])
    }))

  it.scopedLive("a commit that is refused after a write does not affect concurrent commits", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const insert = (name: string, refuse: boolean) =>
        Effect.exit(store.writer.write("testing", function*() {
          yield* write("INSERT INTO meta (name, value) VALUES (?, '')", [name])
          if (refuse) throw new Refusal(Effect.fail(`not ${name}`))
          return name
        }))
      const exits = yield* Effect.all([insert("a", false), insert("b", true), insert("c", false), insert("d", true)], {
        concurrency: 4,
      })
      expect(exits).toEqual([Exit.succeed("a"), Exit.fail("not b"), Exit.succeed("c"), Exit.fail("not d")])
      const names = store.db.all<readonly [string]>("SELECT name FROM meta WHERE length(name) = 1 ORDER BY name")
      expect(names.map(([name]) => name)).toEqual(["a", "c"])
      expect(store.writer.failure).toBeUndefined()
    }))

  it.scopedLive("commits are moved from the log into the ledger's file after a short time without writes", () =>
    Effect.gen(function*() {
      // Only the ledger's own timers are faked. Commits are real.
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers()),
      )
      const { store } = yield* open
      let rests = 0
      let broken = false
      let written = 0
      const set = store.db.set.bind(store.db)
      store.db.set = (pragma) => {
        if (pragma === "wal_checkpoint(PASSIVE)") {
          rests++
          if (broken) throw new Error("disk I/O error")
        }
        set(pragma)
      }
      const inFile = Effect.gen(function*() {
        const copy = join(yield* folder, "copy.db")
        copyFileSync(store.file, copy)
        const db = new Database(copy)
        const found = db.all<readonly [string]>("SELECT name FROM meta WHERE name LIKE 'row %'")
        db.close()
        return found.length
      })
      const insert = (count: number) =>
        Effect.replicateEffect(
          store.writer.write("testing", function*() {
            written++
            yield* write("INSERT INTO meta (name, value) VALUES (?, '')", [`row ${written}`])
          }),
          count,
        )
      const pass = (millis: number) => Effect.sync(() => vi.advanceTimersByTime(millis))
      const aRest = pass(millisOfRest)
      yield* insert(commitsOfRest)
      yield* aRest
      expect([rests, yield* inFile]).toEqual([1, commitsOfRest])
      // With so few commits, the log is not moved. Commits in it are equally durable.
      yield* insert(commitsOfRest - 1)
      yield* aRest
      expect([rests, yield* inFile]).toEqual([1, commitsOfRest])
      yield* insert(1)
      yield* aRest
      expect([rests, yield* inFile]).toEqual([2, 2 * commitsOfRest])
      // A continuous writer has no pause. Its log is moved only when it is long.
      yield* Effect.repeatN(Effect.zipRight(insert(8), pass(millisOfRest - 1)), 15)
      expect(rests).toBe(2)
      // A failing disk does not fail the writer.
      broken = true
      yield* aRest
      expect(rests).toBe(3)
      expect(store.writer.failure).toBeUndefined()
      broken = false
      yield* insert(commitsOfRest)
      yield* aRest
      expect([rests, yield* inFile]).toEqual([4, written])
    }))

  it.scopedLive("the log of a continuous writer stays below 8 MiB, and is moved into the ledger's file meanwhile", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const text = "x".repeat(2_000)
      let longest = 0
      for (let part = 0; part < 60; part++) {
        yield* store.writer.write("testing", function*() {
          for (let row = 0; row < 100; row++) {
            yield* write("INSERT INTO meta (name, value) VALUES (?, ?)", [`row ${part} ${row}`, text])
          }
        })
        longest = Math.max(longest, statSync(`${store.file}-wal`).size)
      }
      // 12 MB were written.
      expect(longest).toBeGreaterThan(1_000_000)
      expect(longest).toBeLessThan(8 * 1024 * 1024)
      expect(statSync(store.file).size).toBeGreaterThan(4_000_000)
    }))

  it.scopedLive("a commit never refers to a text whose insertion was rolled back", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      yield* Effect.all([
        store.writer.write("testing", () => store.texts.idOf("kept")),
        Effect.ignore(store.writer.write("testing", function*() {
          yield* store.texts.idOf("undone")
          throw new Refusal(Effect.fail("no"))
        })),
      ], { concurrency: 2 })
      const later = yield* store.writer.write("testing", () => store.texts.idOf("later"))
      const undone = yield* store.writer.write("testing", () => store.texts.idOf("undone"))
      expect(store.db.all("SELECT id, text FROM text ORDER BY id")).toEqual([[1, "kept"], [later, "later"], [
        undone,
        "undone",
      ]])
      const text = yield* store.read("testing", () => store.texts.read(() => store.texts.textOf(later)))
      expect(text).toBe("later")
    }))
})

describe("a full disk", () => {
  it.scopedLive("a full disk fails its whole commit and every later write, loses no acknowledged commit, and prevents further sending", () =>
    Effect.gen(function*() {
      const { store, ledger, view } = yield* open
      const session = yield* view.hold("run1")
      store.db.set(`max_page_count = ${Number(store.db.pragma("page_count")) + 8}`)
      const acknowledged: Array<number> = []
      const failures: Array<number> = []
      for (let round = 0; failures.length === 0 && round < 200; round++) {
        const exits = yield* Effect.forEach(
          [0, 1, 2, 3],
          (index) => Effect.exit(session.intend(batchOf([rowOf(ledger, round * 4 + index)]))),
          { concurrency: 4 },
        )
        exits.forEach((exit, index) => {
          if (Exit.isSuccess(exit)) acknowledged.push(round * 4 + index)
          else failures.push(round * 4 + index)
        })
      }
      expect(failures).toHaveLength(4)
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(session.holdsLock()).toBe(false)
      const error = yield* Effect.flip(session.recordOutcomes(1, [imported("s1")]))
      expect(error._tag).toBe("LedgerError")
      expect(error.message).toContain("the disk is full")
      store.db.set("max_page_count = 1000000")
      expect((yield* Effect.flip(session.recordOutcomes(1, [imported("s1")])))._tag).toBe("LedgerError")
      const next = makeLedger(yield* openStore({ file: store.file }))
      const rows = yield* (yield* contacts(next)).lookUp(
        Array.from({ length: acknowledged.length + 4 }, (_, number) => next.digest.key(`key ${number}`)),
      )
      expect(rows.flatMap((row, number) => (row === undefined ? [] : [number]))).toEqual(acknowledged)
      expect(yield* next.verify).toEqual([])
    }))
})

describe("compacting", () => {
  it.scopedLive("compacting is refused as busy while another connection reads the ledger, and works afterwards", () =>
    Effect.gen(function*() {
      const { store, ledger } = yield* open
      const reader = new Database(store.file)
      reader.exec("BEGIN")
      reader.all("SELECT count(*) FROM row")
      // Usually it waits for 10 seconds.
      store.db.set("busy_timeout = 50")
      const busy = yield* Effect.flip(ledger.compact)
      expect([busy._tag, busy.message]).toEqual(["LedgerBusy", expect.stringContaining("Another process is reading")])
      reader.exec("COMMIT")
      reader.close()
      expect((yield* ledger.compact).after).toBeGreaterThan(0)
    }))
})

describe("a closed ledger", () => {
  it.live("writes to a closed ledger fail", () =>
    Effect.gen(function*() {
      const write = yield* Effect.scoped(
        Effect.map(open, ({ store }) => store.writer.write("testing", () => run("DELETE FROM meta"))),
      )
      expect((yield* Effect.flip(write))._tag).toBe("LedgerError")
    }))
})
