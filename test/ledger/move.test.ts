// Moves ledgers between a file and a PostgreSQL server.
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import { appendFileSync, cpSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterEach } from "vitest"
import { LedgerError } from "../../src/ledger/errors.ts"
import { MarkWriter } from "../../src/ledger/markFiles.ts"
import { cancelMove, moveLedger } from "../../src/ledger/move.ts"
import { Writer as PostgresWriter } from "../../src/ledger/postgres/Writer.ts"
import { newSecret } from "../../src/ledger/secret.ts"
import { tables } from "../../src/ledger/sql/tables.ts"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { Writer as FileWriter } from "../../src/ledger/sqlite/Writer.ts"
import { isLong } from "../long.ts"
import { contentOf, fill, type Options, type Project, project } from "./moving.ts"
import { connected } from "./postgres/connecting.ts"
import { withoutPostgres } from "./postgres/server.ts"
import { contacts } from "./rows.ts"

const show = () => Effect.void
const move = (from: Options, to: Options) => moveLedger(from, to, show)

/** Returns the message with which an effect is refused. */
const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const isOpen = ({ open }: Project, options: Options) =>
  Effect.map(Effect.exit(Effect.scoped(open(options))), Exit.isSuccess)

const removed = (options: Options) =>
  "file" in options
    ? Effect.sync(() => rmSync(options.file))
    : Effect.scoped(Effect.flatMap(connected(options.url), (connection) =>
      Effect.promise(() =>
        connection.exec(`DROP SCHEMA ${options.schema} CASCADE`)
      )))

describe.skipIf(withoutPostgres)("a ledger that is moved", () => {
  it("has a primary key in every table", () => {
    expect(tables.length).toBeGreaterThan(20)
    for (const { key } of tables) {
      expect(key.every(({ at, name }) => name !== "" && at >= 0) && key.length > 0).toBe(true)
    }
    expect(tables.find(({ name }) => name === "settled")).toEqual({
      name: "settled",
      texts: ["submission", "reason", "proof"],
      key: [{ name: "settlement", at: 0 }, { name: "row", at: 1 }],
      isNumbered: false,
      keyInPlace: undefined,
      belongsTo: ["row"],
    })
  })

  it.scopedLive("keeps every row, including rows added in between, from a file to PostgreSQL and back", () =>
    Effect.gen(function*() {
      const here = yield* project
      const [first, second, third] = [here.inFile("first"), here.inPostgres(), here.inFile("third")]
      yield* fill(here, first, 1, 520)
      const before = yield* contentOf(here, first)
      expect(before.rows).toHaveLength(520)
      const done = yield* move(first, second)
      expect(done.records).toBeGreaterThan(1_500)
      expect(yield* move(first, second)).toEqual({ ...done, records: 0 })
      const moved = yield* contentOf(here, second)
      // The run that was killed is abandoned when the ledger is closed.
      const abandoned = before.rows.map((row) => (row.state === "intended" ? { ...row, state: "inDoubt" } : row))
      expect(abandoned).not.toEqual(before.rows)
      expect(moved).toEqual({ rows: abandoned, findings: [] })
      yield* fill(here, second, 1_001)
      const more = yield* contentOf(here, second)
      expect(more.rows).toHaveLength(550)
      yield* move(second, third)
      const last = more.rows.map((row) => (row.state === "intended" ? { ...row, state: "inDoubt" } : row))
      expect(yield* contentOf(here, third)).toEqual({ rows: last, findings: [] })
      yield* fill(here, third, 2_001)
      expect((yield* contentOf(here, third)).rows).toHaveLength(580)
      expect(statSync(`${"file" in third ? third.file : ""}.key`).mode & 0o777).toBe(0o600)
      expect([yield* isOpen(here, first), yield* isOpen(here, second)]).toEqual([false, false])
    }))

  it.scopedLive("is refused afterwards under the old name, and as a copy from before the move", () =>
    Effect.gen(function*() {
      const here = yield* project
      const [old, next] = [here.inFile("old"), here.inPostgres()]
      yield* fill(here, old, 1)
      const file = "file" in old ? old.file : ""
      cpSync(file, join(here.at, "backup.db"))
      yield* move(old, next)
      const moved = yield* refusal(Effect.scoped(here.open(old)))
      expect(moved).toMatch(/was moved to postgresql:.*Nothing was sent\. .*rename `newLedger` to `ledger`/)
      expect(moved).not.toContain("formferry:formferry")
      cpSync(join(here.at, "backup.db"), file)
      const restored = Effect.scoped(
        Effect.flatMap(here.open(old), (ledger) => Effect.flatMap(contacts(ledger), (view) => view.hold("run9"))),
      )
      expect(yield* refusal(restored)).toMatch(/is not the one that earlier runs wrote/)
      yield* fill(here, next, 1_001)
      expect(yield* refusal(restored)).toMatch(/is not the one that earlier runs wrote/)
    }))

  it.scopedLive("refuses sessions, turns and writes of a process that opened it before the move", () =>
    Effect.gen(function*() {
      const here = yield* project
      for (
        const [name, one, other] of [
          ["from a file", here.inFile("old"), here.inPostgres()],
          ["from PostgreSQL", here.inPostgres(), here.inFile("next")],
        ] as const
      ) {
        const [old, next] = [here.marked(one, name), here.marked(other, name)]
        yield* fill(here, old, 1)
        const ledger = yield* here.open(old)
        const view = yield* contacts(ledger)
        yield* move(old, next)
        const refused: ReadonlyArray<Effect.Effect<unknown, { readonly message: string }, Scope.Scope>> = [
          view.hold("run2"),
          ledger.turns.record("contacts", () => "taken"),
          view.recordNotified("webhook", { codes: [], run: "run1" }),
          ledger.compact,
        ]
        for (const one of refused) expect(yield* refusal(one)).toContain("was moved to")
      }
    }))

  it.scopedLive("stays usable if it can't be moved", () =>
    Effect.gen(function*() {
      const here = yield* project
      const [old, next, occupied] = [here.inFile("old"), here.inPostgres(), here.inPostgres()]
      yield* fill(here, old, 1)
      const elsewhere = here.marked(occupied, "elsewhere")
      yield* fill(here, elsewhere, 1)
      expect(yield* refusal(move(old, { ...next, key: newSecret() } as Options))).toMatch(
        /The `key` of `newLedger` is not the key of the ledger.*ledger\.db\.key as the key/,
      )
      expect(yield* refusal(move(old, elsewhere))).toMatch(/already contains a ledger/)
      expect(yield* refusal(move(old, { ...next, marks: elsewhere.marks }))).toMatch(/marks of a different ledger/)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* (yield* contacts(yield* here.open(old))).hold("run2")
        expect(yield* refusal(move(old, next))).toMatch(/Another run of contacts has been in progress/)
      }))
      const clock = yield* Effect.clock
      const slow = Object.create(clock, {
        unsafeCurrentTimeMillis: { value: () => clock.unsafeCurrentTimeMillis() - 60_000 },
      }) as typeof clock
      expect(yield* refusal(Effect.withClock(move(old, next), slow))).toMatch(/differ by (60|61) seconds/)
      const keyed = here.inFile("keyed")
      mkdirSync(join(here.at, "keyed"))
      appendFileSync(join(here.at, "keyed", "ledger.db.key"), newSecret())
      expect(yield* refusal(move(elsewhere, keyed))).toMatch(/contains the key of a different ledger/)
      yield* fill(here, old, 1_001)
      yield* fill(here, elsewhere, 1_001)
      // As an earlier build wrote it.
      const db = new Database("file" in old ? old.file : "")
      db.exec("UPDATE row SET key = 'a' || char(0) || 'b' WHERE id = 1")
      db.close()
      expect(yield* refusal(move(old, next))).toMatch(/contains texts with the character NUL.*\(in row\)/)
      expect(yield* isOpen(here, old)).toBe(true)
    }))

  it.scopedLive("can be used again after the move was cancelled, until everything was copied", () =>
    Effect.gen(function*() {
      const here = yield* project
      const [old, next] = [here.inPostgres(), here.inFile("next")]
      yield* fill(here, old, 1)
      expect(yield* cancelMove(old)).toBe(false)
      yield* failing("copying records to it", 9, "before", move(old, next))
      expect(yield* refusal(Effect.scoped(here.open(old)))).toMatch(
        /is closed, because it is being moved to .*--cancel/,
      )
      expect(yield* refusal(Effect.scoped(here.open(next)))).toMatch(/is incomplete, because a move to it/)
      expect(yield* refusal(move(old, here.inFile("wrong")))).toMatch(/is being moved to .*next.*or first cancel/)
      expect(yield* cancelMove(old)).toBe(true)
      yield* fill(here, old, 1_001)
      expect(yield* refusal(move(old, next))).toMatch(
        /incomplete copy of a move that was cancelled\..*remove this copy: delete the files \S+ledger\.db, /,
      )
      yield* removed(next)
      yield* move(old, next)
      expect((yield* contentOf(here, next)).rows).toHaveLength(60)
      expect(yield* refusal(cancelMove(old))).toMatch(/can't be cancelled any more/)
      // A lost copy is never made again, because the old ledger lacks what the new one recorded.
      yield* fill(here, next, 2_001)
      yield* removed(next)
      expect(yield* refusal(move(old, next))).toMatch(/or the copy there was lost.*docs\/maintain\.md/)
    }))

  it.scopedLive("is not said to be an abandoned copy if a different process starts or finishes the move meanwhile", () =>
    Effect.gen(function*() {
      const here = yield* project
      for (
        const [name, said] of [
          ["started", /is closed, because it is being moved to/],
          ["finished", /was moved to .*rename `newLedger` to `ledger`/],
        ] as const
      ) {
        const own = `reports ${name}`
        const [old, next] = [here.marked(here.inPostgres(), own), here.marked(here.inFile(name), own)]
        yield* fill(here, old, 1)
        const other = move(old, next)
        const before = name === "started" ? failing("copying records to it", 9, "before", other) : Effect.orDie(other)
        FileWriter.prototype.write = function(this: FileWriter, what, program) {
          if (what !== "preparing it") return writeFile.call(this, what, program) as never
          restore()
          return Effect.zipRight(before as Effect.Effect<unknown>, writeFile.call(this, what, program)) as never
        }
        expect(yield* refusal(move(old, next)), name).toMatch(said)
        yield* move(old, next)
        expect((yield* contentOf(here, next)).rows).toHaveLength(30)
      }
    }))

  it.scopedLive.each(isLong ? ["a file", "PostgreSQL"] as const : ["a file"] as const)(
    "from %s is continued by the same command after a failure of any step, and both ledgers can never be used at once",
    (source) =>
      Effect.gen(function*() {
        const here = yield* project
        const chosen = (at: number) =>
          source === "a file"
            ? [here.inFile(`old${at}`), here.inPostgres()] as const
            : [here.inPostgres(), here.inFile(`next${at}`)] as const
        const steps: ReadonlyArray<readonly [doing: string, nth: number]> = [
          ["closing it", 1],
          ["recording its move", 1],
          ...isLong
            ? [
              ["preparing it", 1],
              ["copying records to it", 1],
              ["copying records to it", 8],
              ["completing it", 1],
              ["a mark", 1],
              ["a mark", 2],
              ["opening it", 2],
            ] as const
            : [],
        ]
        for (const [at, [doing, nth]] of steps.entries()) {
          for (const when of ["before", "after"] as const) {
            const [old, next] = chosen(at * 2 + (when === "after" ? 1 : 0))
            // Each ledger has marks of its own.
            const own = `reports ${doing} ${nth} ${when}`
            const [from, to] = [here.marked(old, own), here.marked(next, own)]
            yield* fill(here, from, 1, 12)
            const before = (yield* contentOf(here, from)).rows.map(({ key }) => key)
            yield* failing(doing, nth, when, move(from, to))
            const both = [yield* isOpen(here, from), yield* isOpen(here, to)]
            expect([doing, when, both]).toEqual([
              doing,
              when,
              doing === "preparing it" || (doing === "closing it" && when === "before")
                ? [true, false]
                : doing === "opening it" && when === "after"
                ? [false, true]
                : [false, false],
            ])
            yield* move(from, to)
            expect([yield* isOpen(here, from), yield* isOpen(here, to)]).toEqual([false, true])
            yield* fill(here, to, 1_001, 2)
            const after = yield* contentOf(here, to)
            expect(after.rows.map(({ key }) => key)).toEqual([...before, "key 1001", "key 1002"])
            expect(after.findings).toEqual([])
          }
        }
      }),
  )
})

const { write: writeFile } = FileWriter.prototype
const { write: writePostgres } = PostgresWriter.prototype
const { write: writeMark } = MarkWriter.prototype

const restore = () => {
  FileWriter.prototype.write = writeFile
  PostgresWriter.prototype.write = writePostgres
  MarkWriter.prototype.write = writeMark
}
afterEach(restore)

/** Runs a move that fails at the nth transaction of this name (or mark), before or after it is durable. */
const failing = <A, E>(
  doing: string,
  nth: number,
  when: "before" | "after",
  work: Effect.Effect<A, E, Scope.Scope>,
) =>
  Effect.gen(function*() {
    let count = 0
    const crash = new LedgerError({ file: "ledger1", doing, cause: new Error("crashed") })
    const isNow = (what: string) => what === doing && ++count === nth
    const around = (write: typeof writeFile): typeof writeFile =>
      function(this: FileWriter, what, program) {
        if (!isNow(what)) return write.call(this, what, program) as never
        return when === "before"
          ? Effect.fail(crash) as never
          : Effect.zipRight(write.call(this, what, program), Effect.fail(crash)) as never
      }
    FileWriter.prototype.write = around(writeFile)
    PostgresWriter.prototype.write = around(writePostgres as never) as never
    MarkWriter.prototype.write = function(this: MarkWriter, upTo) {
      const fails = isNow("a mark")
      const written = !fails || when === "after" ? writeMark.call(this, upTo) : undefined
      if (fails) throw crash
      return written
    }
    const exit = yield* Effect.exit(Effect.scoped(work))
    restore()
    expect([doing, nth, when, Exit.isFailure(exit)]).toEqual([doing, nth, when, true])
  })
