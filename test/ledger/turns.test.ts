import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import { join } from "node:path"
import { type Holder, LockHolder } from "../../src/ledger/holder.ts"
import type { Ledger } from "../../src/ledger/Ledger.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import type { LastTurn, TurnChange } from "../../src/ledger/turns.ts"
import { databases } from "./databases.ts"
import { contacts, folder } from "./rows.ts"

const me = LockHolder.defaultValue()()
/** The id of a process that doesn't exist. */
const gone: Holder = { ...me, pid: 2 ** 30, born: "1" }
/** A process in a different container, which can't be inspected. */
const elsewhere: Holder = { ...me, pid: 7, boot: `${me.boot.split(" ")[0] ?? ""} pid:[0]` }

const taken = (): TurnChange => "taken"
const ledgers = Effect.map(
  folder,
  (at) => (holder: Holder = me) =>
    Effect.provideService(openLedger({ file: join(at, "ledger.db") }), LockHolder, () => holder),
)

describe.each(databases)("a ledger in $name", ({ openLedger }) => {
  it.scopedLive("a turn is taken by only one of two concurrent processes, and the other sees the state", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const one = yield* openLedger({ file })
      const other = yield* openLedger({ file })
      const unless = (last: LastTurn) => (last.at === undefined ? "taken" : undefined)
      const both = yield* Effect.all([one.turns.record("contacts", unless), other.turns.record("contacts", unless)], {
        concurrency: 2,
      })
      expect(both.filter(({ change }) => change === "taken")).toHaveLength(1)
      expect((yield* one.turns.last("contacts")).state).toBe("inProgress")
      // A different pipeline has its own turn.
      expect((yield* other.turns.record("people", unless)).change).toBe("taken")
    }))

  it.scopedLive("missed times count from the earliest moment at which a process found the schedule of a pipeline without turns", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const { turns } = yield* openLedger({ file })
      const now = yield* Clock.currentTimeMillis
      const first = yield* turns.seen("contacts", now)
      expect(first).toMatchObject({ state: "done", lease: undefined, tries: 0, ran: undefined })
      expect(first.at).toBeGreaterThanOrEqual(now)
      expect(yield* turns.seen("contacts", now + 60_000)).toEqual(first)
      const { at: earlier = 0 } = yield* turns.seen("contacts", now - 60_000)
      expect(earlier - now).toBeLessThan(-30_000)
      yield* turns.record("contacts", taken)
      const { at } = yield* turns.last("contacts")
      expect((yield* turns.seen("contacts", now - 120_000)).at).toBe(at)
    }))

  it.scopedLive("a turn contains the time of the last run at any destination, except rehearsals and reconciliations", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "ledger.db")
      const one = yield* openLedger({ file })
      const view = yield* contacts(one)
      // The clock was wrong. The newest run counts, not the one with the latest time.
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* view.hold("r0")
        yield* session.startRun({ run: "r0", mode: "run", startedAt: "2099-01-01T02:00:00.000Z" })
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const session = yield* view.hold("r1")
        yield* session.startRun({ run: "r1", mode: "run", startedAt: "2026-11-20T02:00:00.000Z" })
        yield* session.startRun({ run: "r2", mode: "reconcile", startedAt: "2026-11-21T02:00:00.000Z" })
      }))
      expect((yield* one.turns.last("contacts")).ran).toBe(Date.parse("2026-11-20T02:00:00Z"))
      expect((yield* one.turns.last("people")).ran).toBeUndefined()
    }))
})

// In PostgreSQL, the server's clock decides, and the ledger's process can't be simulated. So `postgres/lease.test.ts` tests the same there.
describe("turns of a schedule in a ledger in a file", () => {
  it.scoped("a turn is done when its holder ends it, and no other process can end it", () =>
    Effect.gen(function*() {
      const open = yield* ledgers
      const one = yield* open()
      const other = yield* open(elsewhere)
      yield* one.turns.record("contacts", taken)
      yield* other.turns.record("contacts", () => "done")
      expect((yield* one.turns.last("contacts")).state).toBe("inProgress")
      yield* one.turns.record("contacts", () => "done")
      expect(yield* other.turns.last("contacts")).toMatchObject({ state: "done", tries: 1 })
    }))

  it.scoped("a turn counts as stopped if its process ended, and its attempts are counted until the next turn", () =>
    Effect.gen(function*() {
      const open = yield* ledgers
      const dead = yield* open(gone)
      const one = yield* open()
      yield* dead.turns.record("contacts", taken)
      expect(yield* one.turns.last("contacts")).toMatchObject({ state: "stopped", tries: 1 })
      yield* dead.turns.record("contacts", () => "retaken")
      expect(yield* one.turns.last("contacts")).toMatchObject({ state: "stopped", tries: 2 })
      yield* dead.turns.record("contacts", taken)
      expect(yield* one.turns.last("contacts")).toMatchObject({ tries: 1 })
    }))

  it.scoped("the turn of an inaccessible container lasts until a minute after its last heartbeat", () =>
    Effect.gen(function*() {
      const open = yield* ledgers
      const far = yield* open(elsewhere)
      const one = yield* open()
      yield* far.turns.record("contacts", taken)
      yield* far.turns.record("people", taken)
      yield* one.turns.record("others", taken)
      yield* far.turns.record("others", () => "done")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* far.turns.keep
        for (let tenth = 0; tenth < 30; tenth++) yield* TestClock.adjust("5 seconds")
      }))
      yield* TestClock.adjust("20 seconds")
      for (const pipeline of ["contacts", "people"]) {
        expect(yield* one.turns.last(pipeline)).toMatchObject({
          state: "inProgress",
          lease: { pid: 7, silentFor: 20_000, expiresIn: 40_000 },
        })
      }
      // Only the holder's own turns are kept.
      expect(yield* far.turns.last("others")).toMatchObject({ state: "stopped", lease: undefined })
      yield* TestClock.adjust("40 seconds")
      expect(yield* one.turns.last("contacts")).toMatchObject({ state: "stopped", lease: undefined, tries: 1 })
    }))

  it.scoped("a lease that was taken while the clock was ahead ends a minute after it is first in the way", () =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const isFree = (ledger: Ledger) => ({
        turn: Effect.map(ledger.turns.record("contacts", () => undefined), ({ last }) => last.state === "stopped"),
        lock: Effect.flatMap(contacts(ledger), (view) => Effect.isSuccess(view.hold("r2"))),
      })
      for (const lease of ["turn", "lock"] as const) {
        const open = yield* ledgers
        const far = yield* open(elsewhere)
        const free = isFree(yield* open())[lease]
        yield* TestClock.setTime(now + 86_400_000)
        yield* far.turns.record("contacts", taken)
        yield* (yield* contacts(far)).hold("r1")
        yield* TestClock.setTime(now)
        expect(yield* free).toBe(false)
        yield* TestClock.adjust("59 seconds")
        expect(yield* free).toBe(false)
        yield* TestClock.adjust("1 second")
        expect(yield* free).toBe(true)
      }
    }))

  it.scoped("a turn lasts as long as its run holds the lock", () =>
    Effect.gen(function*() {
      const open = yield* ledgers
      const far = yield* open(elsewhere)
      const one = yield* open()
      yield* far.turns.record("contacts", taken)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* (yield* contacts(far)).hold("r1")
        for (let minute = 0; minute < 10; minute++) yield* TestClock.adjust("30 seconds")
        expect((yield* one.turns.last("contacts")).state).toBe("inProgress")
      }))
      expect((yield* one.turns.last("contacts")).state).toBe("stopped")
    }))
})
