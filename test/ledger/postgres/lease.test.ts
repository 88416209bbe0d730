import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import type { LedgerOptions } from "../../../src/ledger/Ledger.ts"
import { databaseOf, openLedger, sharingConnections } from "../../../src/ledger/openLedger.ts"
import { Connection } from "../../../src/ledger/postgres/connection.ts"
import { lockOf } from "../../../src/ledger/postgres/opening.ts"
import { openRate } from "../../../src/ledger/postgres/rate.ts"
import { openReports } from "../../../src/ledger/postgres/reports.ts"
import type { TurnChange } from "../../../src/ledger/turns.ts"
import { batchOf, contacts, folder, rowOf } from "../rows.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { withoutPostgres } from "./server.ts"

/** The lease is longer than a busy machine delays a heartbeat. */
const times = { staleAfter: 4_000, heartbeat: 100 }

/** A ledger in a schema of its own, as each of several hosts opens it, and a connection that sees everything. */
const hosts = Effect.gen(function*() {
  const [schema, user] = [newSchema(), newSchema()]
  const watcher = yield* connected(yield* urlOf(), schema)
  const exec = (sql: string) => Effect.promise(() => watcher.exec(sql))
  yield* exec("SET idle_in_transaction_session_timeout = 0")
  yield* exec(`CREATE ROLE ${user} LOGIN PASSWORD 'x'; CREATE SCHEMA ${schema} AUTHORIZATION ${user}`)
  const optionsWith = (more: Partial<LedgerOptions>) =>
    Effect.map(urlOf({ user: `${user}:x` }), (url) => {
      const marks = { ledger: "ledger1", folders: [], write: false }
      return { url, project: "tests", marks, schema, key: "0123456789abcdef".repeat(4), ...times, ...more }
    })
  const open = (more: Partial<LedgerOptions> = {}) => Effect.flatMap(optionsWith(more), openLedger)
  const host = (more?: Partial<LedgerOptions>) =>
    Effect.gen(function*() {
      const ledger = yield* open(more)
      return { ledger, view: yield* contacts(ledger) }
    })
  /** Waits until something is so. */
  const until = (isSo: () => boolean) =>
    Effect.repeat(Effect.delay(Effect.sync(isSo), "5 millis"), { until: (so) => so })
  /** Returns the first value of the first row. */
  const select = (sql: string) => Effect.promise(async () => (await watcher.send(sql)).rows[0]?.[0])
  const connections = select(`SELECT count(*) FROM pg_stat_activity WHERE usename = '${user}'`)
  const migrating = Effect.flatMap(
    optionsWith({ staleAfter: 60_000 }),
    (options) => databaseOf(options).migrate(undefined),
  )
  return {
    connections,
    options: optionsWith({}),
    schema,
    exec,
    host,
    lock: lockOf(schema),
    migrating,
    open,
    select,
    until,
    user,
  }
})

describe.skipIf(withoutPostgres)("the lock of a pipeline in PostgreSQL", () => {
  it.scopedLive("a run keeps its lock while a transaction of another host keeps it from writing", () =>
    Effect.gen(function*() {
      const { exec, host, lock } = yield* hosts
      const { ledger, view } = yield* host()
      const session = yield* view.hold("first")
      yield* exec(`BEGIN; SELECT pg_advisory_xact_lock(${lock})`)
      const intended = yield* Effect.fork(session.intend(batchOf([rowOf(ledger, 1)])))
      for (let tenth = 0; tenth < 12; tenth++) {
        yield* Effect.sleep(times.staleAfter / 10)
        expect(session.holdsLock()).toBe(true)
      }
      yield* exec("COMMIT")
      expect(yield* intended).toBe(1)
      expect((yield* Effect.flip(Effect.scoped((yield* host()).view.hold("second"))))._tag).toBe("LedgerLocked")
    }))

  it.scopedLive("a turn lasts while its process sends heartbeats, even during a transaction of another host, and then expires", () =>
    Effect.gen(function*() {
      const { exec, host, lock } = yield* hosts
      const { ledger } = yield* host()
      yield* ledger.turns.record("contacts", () => "taken")
      const { ledger: other } = yield* host()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* (yield* host()).ledger.turns.keep
        yield* exec(`BEGIN; SELECT pg_advisory_xact_lock(${lock})`)
        for (let tenth = 0; tenth < 12; tenth++) {
          yield* Effect.sleep(times.staleAfter / 10)
          expect((yield* other.turns.last("contacts")).state).toBe("inProgress")
        }
        yield* exec("COMMIT")
      }))
      const { lease } = yield* other.turns.last("contacts")
      const { expiresIn = 0 } = lease ?? {}
      expect(expiresIn).toBeGreaterThan(0)
      expect(expiresIn).toBeLessThanOrEqual(times.staleAfter)
      yield* Effect.sleep(expiresIn + 100)
      expect(yield* other.turns.last("contacts")).toMatchObject({ state: "stopped", lease: undefined })
    }))

  it.scopedLive("a process that opens the ledger again can end the turn that it took, and no other process can", () =>
    Effect.gen(function*() {
      const { exec, host } = yield* hosts
      const turn = (change: TurnChange) =>
        Effect.scoped(Effect.flatMap(host(), ({ ledger }) => ledger.turns.record("contacts", () => change)))
      yield* turn("taken")
      yield* exec("UPDATE turn SET born = born || 'other'")
      yield* turn("done")
      const { ledger } = yield* host()
      expect(yield* ledger.turns.last("contacts")).toMatchObject({ state: "inProgress", tries: 1 })
      yield* exec("UPDATE turn SET born = replace(born, 'other', '')")
      yield* turn("done")
      expect(yield* ledger.turns.last("contacts")).toMatchObject({ state: "done", tries: 1 })
    }))

  it.scopedLive("a turn counts as stopped once its lease has expired, and its attempts are counted until the next turn", () =>
    Effect.gen(function*() {
      const { exec, host } = yield* hosts
      const { ledger: { turns } } = yield* host({ staleAfter: 60_000 })
      for (const [change, tries] of [["taken", 1], ["retaken", 2], ["retaken", 3]] as const) {
        yield* turns.record("contacts", () => change)
        yield* exec("UPDATE turn SET beat = beat - 60000")
        expect(yield* turns.last("contacts")).toMatchObject({ state: "stopped", lease: undefined, tries })
      }
      yield* turns.record("contacts", () => "taken")
      expect(yield* turns.last("contacts")).toMatchObject({ state: "inProgress", tries: 1 })
    }))

  it.scopedLive("a turn lasts as long as its run holds the lock", () =>
    Effect.gen(function*() {
      const { exec, host } = yield* hosts
      const { ledger: { turns }, view } = yield* host({ staleAfter: 60_000 })
      yield* turns.record("contacts", () => "taken")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* view.hold("first")
        yield* exec("UPDATE turn SET beat = beat - 60000")
        expect((yield* turns.last("contacts")).state).toBe("inProgress")
      }))
      expect((yield* turns.last("contacts")).state).toBe("stopped")
    }))

  it.scopedLive("a host with a shorter `leaseTimeout` takes nothing over before the holder's own lease has ended", () =>
    Effect.gen(function*() {
      const { exec, host } = yield* hosts
      const { ledger, view } = yield* host({ staleAfter: 60_000, heartbeat: 60_000 })
      yield* ledger.turns.record("nightly", () => "taken")
      yield* view.hold("first")
      const other = yield* host({ staleAfter: 1_000 })
      yield* exec("UPDATE lock SET beat = beat - 40000; UPDATE turn SET beat = beat - 40000")
      expect((yield* Effect.flip(Effect.scoped(other.view.hold("early"))))._tag).toBe("LedgerLocked")
      expect((yield* other.ledger.turns.last("nightly")).state).toBe("inProgress")
      yield* exec("UPDATE lock SET beat = beat - 20000; UPDATE turn SET beat = beat - 20000")
      expect((yield* other.view.hold("next")).epoch).toBe(2)
      expect((yield* other.ledger.turns.last("nightly")).state).toBe("stopped")
    }))

  it.scopedLive("a user who does not own the tables deletes nothing, because only an owner can rewrite them", () =>
    Effect.gen(function*() {
      const { exec, host, schema, user } = yield* hosts
      yield* host()
      yield* exec(
        `DO 'DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = ''${schema}'' LOOP
        EXECUTE format(''ALTER TABLE ${schema}.%I OWNER TO formferry'', t);
        EXECUTE format(''GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.%I TO ${user}'', t); END LOOP; END'`,
      )
      const { ledger } = yield* host()
      const failure = yield* Effect.flip(ledger.compact)
      expect([failure._tag, failure.message]).toEqual([
        "LedgerRefused",
        expect.stringMatching(/which belong to formferry\. Nothing was deleted\. .* GRANT "formferry" TO/),
      ])
    }))

  it.scopedLive("a run whose heartbeat finds another run's lock has lost its lock, and writes nothing", () =>
    Effect.gen(function*() {
      const { exec, host, until } = yield* hosts
      const { ledger, view } = yield* host({ staleAfter: 60_000 })
      const session = yield* view.hold("first")
      expect(session.holdsLock()).toBe(true)
      yield* exec("UPDATE lock SET epoch = epoch + 1")
      yield* until(() => !session.holdsLock())
      expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 1)]))))._tag).toBe("LedgerOvertaken")
      expect((yield* view.counts).lastIntent).toBe(0)
    }))

  it.scopedLive("a run writes nothing after another build has changed the ledger's tables, and takes no lock", () =>
    Effect.gen(function*() {
      const { exec, host } = yield* hosts
      const { ledger, view } = yield* host({ staleAfter: 60_000 })
      const session = yield* view.hold("first")
      const other = yield* contacts(ledger, "other")
      yield* exec("UPDATE meta SET value = 'later' WHERE name = 'version'")
      const failed = yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 1)])))
      expect([failed._tag, failed.message]).toEqual([
        "LedgerOvertaken",
        "A different build of formferry has changed the ledger's tables during this run of contacts. This run sends nothing more. Run again with that build.",
      ])
      expect(session.holdsLock()).toBe(false)
      expect((yield* view.counts).lastIntent).toBe(0)
      const refused = yield* Effect.flip(Effect.scoped(other.hold("second")))
      expect([refused._tag, refused.message]).toEqual([
        "LedgerRefused",
        expect.stringContaining("A different build of formferry has changed the tables of the ledger postgresql://"),
      ])
    }))

  it.scopedLive("migrating makes tables once, is busy while a run or a turn of a different build is in progress, and is then refused", () =>
    Effect.gen(function*() {
      const { exec, host, migrating, select } = yield* hosts
      expect(yield* migrating).toBe(true)
      const { ledger, view } = yield* host({ staleAfter: 60_000 })
      yield* ledger.turns.record("nightly", () => "taken")
      yield* view.hold("first")
      expect(yield* migrating).toBe(false)
      yield* exec("UPDATE meta SET value = 'later' WHERE name = 'version'")
      const failure = Effect.map(Effect.flip(migrating), ({ _tag, message }) => `${_tag}: ${message}`)
      expect(yield* failure).toMatch(/^LedgerLocked: Another run of contacts has been in progress/)
      yield* exec("UPDATE lock SET held = 0")
      expect(yield* failure).toMatch(/^LedgerLocked: Another run of nightly has been in progress/)
      yield* exec("UPDATE turn SET beat = beat - 60000")
      expect(yield* failure).toMatch(
        /^LedgerRefused: .* different build of formferry, whose tables this one can neither read nor convert/,
      )
      expect([
        yield* select("SELECT value FROM meta WHERE name = 'version'"),
        yield* select("SELECT held FROM lock"),
        yield* select("SELECT state FROM turn"),
      ]).toEqual(["later", 0, 1])
    }))

  it.scopedLive("a run that can't send heartbeats has lost its ledger, even if its other connections work", () =>
    Effect.gen(function*() {
      const { exec, host, until, user } = yield* hosts
      const { ledger, view } = yield* host({ staleAfter: 60_000 })
      const session = yield* view.hold("first")
      // The connection for heartbeats is the last one that was opened.
      yield* exec(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}' ORDER BY backend_start DESC LIMIT 1`,
      )
      yield* until(() => !session.holdsLock())
      expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 1)])))).message).toContain(
        "failed while renewing the lock: the server ended the connection (57P01",
      )
    }))

  it.scopedLive("runs of a process share three connections, and later ones open new connections if these are lost", () =>
    Effect.gen(function*() {
      const { connections, exec, open, until, user } = yield* hosts
      yield* sharingConnections(Effect.gen(function*() {
        const holding = (number: number) =>
          Effect.gen(function*() {
            const ledger = yield* open({ staleAfter: 60_000 })
            const pipeline = `p${number}`
            yield* ledger.turns.record(pipeline, () => "taken")
            yield* ledger.turns.keep
            const view = ledger.view({ pipeline, destination: { service: "live", form: pipeline } })
            const session = yield* view.hold("first")
            return { session, intended: session.intend(batchOf([rowOf(ledger, number)])) }
          })
        const runs = yield* Effect.forEach(Array.from({ length: 20 }, (_, at) => at), holding, {
          concurrency: "unbounded",
        })
        const batches = yield* Effect.forEach(runs, ({ intended }) => intended, { concurrency: "unbounded" })
        expect(batches.toSorted((a, b) => a - b)).toEqual(runs.map((_, at) => at + 1))
        expect(yield* connections).toBe(3)
        yield* exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)
        yield* until(() => !runs.some(({ session }) => session.holdsLock()))
        expect(yield* (yield* holding(20)).intended).toBe(21)
      }))
      yield* Effect.repeat(connections, { until: (count) => count === 0 })
    }))

  it.scopedLive("compacting keeps all locks, although it lasts longer than a lease", () =>
    Effect.gen(function*() {
      const { exec, host, select } = yield* hosts
      const { ledger, view } = yield* host()
      yield* Effect.scoped(view.hold("first"))
      const { view: other } = yield* host()
      // The tables can't be rewritten before this transaction ends.
      yield* exec("BEGIN; LOCK TABLE row IN ACCESS SHARE MODE")
      const compacting = yield* Effect.fork(ledger.compact)
      yield* Effect.repeat(select("SELECT held FROM lock"), { until: (held) => held === 1 })
      for (let tenth = 0; tenth < 12; tenth++) {
        yield* Effect.sleep(times.staleAfter / 10)
        expect((yield* Effect.flip(Effect.scoped(other.hold("second"))))._tag).toBe("LedgerLocked")
      }
      yield* exec("COMMIT")
      expect(yield* compacting).toMatchObject({ runs: 0, rejected: 0 })
      yield* Effect.scoped(other.hold("second"))
    }))

  it.scopedLive("a ledger uses its own schema, although a pooler lends its connections with the settings of a different client", () =>
    Effect.gen(function*() {
      const [own, other] = [yield* hosts, yield* hosts]
      yield* (yield* other.host({ staleAfter: 60_000, heartbeat: 60_000 })).view.hold("other")
      const opened = vi.spyOn(Connection.prototype, "exec")
      const { ledger, view } = yield* own.host({ staleAfter: 60_000 })
      const session = yield* view.hold("first")
      const reports = yield* openReports(yield* own.options)
      const rate = yield* openRate(yield* own.options, { address: "a", secret: "b" })
      const connections = new Set(opened.mock.contexts as ReadonlyArray<Connection>)
      opened.mockRestore()
      expect(connections.size).toBe(5)
      for (const one of connections) yield* Effect.promise(() => one.exec(`SET search_path = ${other.schema}`))
      const [row, beats] = [rowOf(ledger, 1), "SELECT beat FROM lock"]
      yield* session.intend(batchOf([row]))
      expect((yield* view.lookUp([row.keyDigest])).length).toBe(1)
      const since = [yield* own.select(beats), yield* other.select(beats)]
      yield* Effect.promise(() => rate.lease({ delay: 0, interval: 1, isChanged: true, slots: 1, state: "s" }))
      expect(yield* reports!.runs("contacts")).toEqual([])
      yield* reports!.store({ pipeline: "contacts", run: "r1" }, yield* folder)
      for (const [table, count] of [["row", 1], ["rate", 1], ["storedRun", 1]]) {
        const counts = [
          yield* own.select(`SELECT count(*) FROM ${table}`),
          yield* other.select(`SELECT count(*) FROM ${table}`),
        ]
        expect([table, ...counts]).toEqual([table, count, 0])
      }
      yield* Effect.repeat(own.select(beats), { until: (beat) => beat !== since[0] })
      yield* ledger.compact.pipe(Effect.flip)
      expect(session.holdsLock()).toBe(true)
    }))
})
