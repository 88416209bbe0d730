import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Logger, Scope } from "effect"
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { MarkPlaces } from "../../../src/ledger/Ledger.ts"
import { MarkWriter, readMarks } from "../../../src/ledger/markFiles.ts"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import type { PostgresOptions } from "../../../src/ledger/postgres/options.ts"
import { isLong } from "../../long.ts"
import { batchOf, contacts, destination, folder, imported, rowOf } from "../rows.ts"
import { connected, newSchema, urlOf } from "./connecting.ts"
import { client, initialised, ownServer, standbyOf, type TestServer, testServer, withoutPostgres } from "./server.ts"

/** A server for marks. Its system identifier differs from that of every other server. */
let second: TestServer
const scope = Effect.runSync(Scope.make())
beforeAll(async () => {
  if (!withoutPostgres) {
    second = await Effect.runPromise(Scope.extend(ownServer("second", [], initialised), scope))
  }
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const urlAt = (server: TestServer, more = {}) => urlOf({ server: () => Promise.resolve(server), ...more })

type Place = Omit<MarkPlaces, "ledger">

/** Where marks are, the text by which messages name it, and what deletes all marks of a project. */
interface MarksHere {
  readonly place: Place
  readonly name: string
  readonly deleteAll: (project: string) => Effect.Effect<void>
}

const inFolder = Effect.map(folder, (at): MarksHere => ({
  place: { folders: [join(at, "marks")], write: true },
  name: join(at, "marks"),
  deleteAll: () => Effect.sync(() => rmSync(join(at, "marks"), { recursive: true })),
}))

const secondMarks = Effect.suspend(() => Effect.flatMap(urlAt(second), (url) => connected(url, "formferry_marks")))

const onServer = Effect.gen(function*() {
  const url = yield* urlAt(second)
  const connection = yield* secondMarks
  return {
    place: { folders: [], server: { url }, write: true },
    name: "(schema formferry_marks)",
    deleteAll: (project) => Effect.promise(() => connection.send("DELETE FROM mark WHERE project = $1", [project])),
  } satisfies MarksHere
})

/** The number of the next row, so that each row is new. */
let next = 1_000_000

/** A project with a ledger in a schema of its own. */
const projectAt = (server?: TestServer) =>
  Effect.gen(function*() {
    const at = server ?? (yield* Effect.promise(testServer))
    const project = newSchema()
    const open = (place: Place, more: Partial<PostgresOptions> = {}) =>
      Effect.gen(function*() {
        const url = yield* urlAt(at)
        const ledger = yield* openLedger({
          url,
          project,
          schema: project,
          key: "0123456789abcdef".repeat(4),
          marks: { ledger: "ledger1", ...place },
          ...more,
        })
        return { ledger, view: yield* contacts(ledger) }
      })
    /** Commits this many intents in one session. */
    const run = (place: Place, commits: number, more: Partial<PostgresOptions> = {}) =>
      Effect.scoped(Effect.gen(function*() {
        const { ledger, view } = yield* open(place, more)
        const session = yield* view.hold("run1")
        for (let at = 0; at < commits; at++) yield* session.intend(batchOf([rowOf(ledger, next++)]))
      }))
    /** Returns the message of a run's refusal. */
    const refusal = (place: Place, more: Partial<PostgresOptions> = {}) =>
      Effect.map(Effect.flip(run(place, 1, more)), ({ _tag, message }) => {
        expect(_tag, message).toBe("LedgerRefused")
        expect(message).toContain("formferry accept contacts ledger --because TEXT")
        return message
      })
    const exec = (sql: string) =>
      Effect.scoped(Effect.gen(function*() {
        const connection = yield* connected(yield* urlAt(at), project)
        yield* Effect.promise(() => connection.exec(sql))
      }))
    return { at, exec, open, project, refusal: (place: Place, more = {}) => refusal(place, { ...asker, ...more }), run }
  })

const asker = { asker: { pipeline: "contacts", target: undefined } }

describe.skipIf(withoutPostgres)("marks of a ledger in PostgreSQL", () => {
  it.scopedLive("a mark on a second server is durable before an intent is reported, and names the ledger's server", () =>
    Effect.gen(function*() {
      const { place } = yield* onServer
      const { open, project } = yield* projectAt()
      const { ledger, view } = yield* open(place)
      const marks = yield* secondMarks
      const marked = Effect.promise(async () =>
        (await marks.send("SELECT upTo FROM mark WHERE project = $1", [project])).rows
      )
      const session = yield* view.hold("run1")
      expect(yield* marked).toEqual([[0]])
      const rows = Array.from({ length: 8 }, (_, at) => rowOf(ledger, at))
      const seen = yield* Effect.forEach(rows, (row) => Effect.andThen(session.intend(batchOf([row])), marked), {
        concurrency: 8,
      })
      // They shared one commit.
      expect(seen).toEqual(rows.map(() => [[1]]))
      // Progress that a later run can repeat doesn't change the mark, but an outcome does.
      yield* session.recordFacts({ reconciled: "through" })
      expect(yield* marked).toEqual([[1]])
      yield* session.recordOutcomes(1, [imported("s1")])
      expect(yield* marked).toEqual([[2]])
      const own = yield* connected(yield* urlOf())
      const { rows: [server] } = yield* Effect.promise(() =>
        own.send("SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()")
      )
      const { rows: [mark] } = yield* Effect.promise(() =>
        marks.send("SELECT system, timeline, position FROM mark WHERE project = $1", [project])
      )
      expect(mark).toEqual([...server!, 1, expect.stringMatching(/^[0-9A-F]+\/[0-9A-F]+$/)])
    }))

  it.scopedLive("a mark on a second server that can't be written stops the ledger and all sending", () =>
    Effect.gen(function*() {
      const { place } = yield* onServer
      const { open } = yield* projectAt()
      const { ledger, view } = yield* open(place)
      const session = yield* view.hold("run1")
      yield* session.intend(batchOf([rowOf(ledger, 1)]))
      const marks = yield* secondMarks
      yield* Effect.promise(() =>
        marks.exec(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%count(*) FROM formferry_marks.mark%'",
        )
      )
      const error = yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 2)])))
      expect(`${error._tag}: ${error.message}`).toMatch(
        /^LedgerError: The ledger postgresql:.* failed while recording an intent: its mark in postgresql:.*\(schema formferry_marks\) can't be written: /,
      )
      expect(error.message).not.toContain("formferry:")
      expect(session.holdsLock()).toBe(false)
      expect((yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 3)]))))._tag).toBe("LedgerError")
    }))

  it.scopedLive("marks are refused if they are, or may be, on the ledger's own server", () =>
    Effect.gen(function*() {
      const { open } = yield* projectAt()
      const place = (url: string) => ({ folders: [], server: { url }, write: true })
      const refused = (url: string) =>
        Effect.map(Effect.flip(Effect.scoped(open(place(url)))), ({ message }) => message)
      expect(yield* refused(yield* urlOf())).toContain("are on the ledger's own server, or on a copy of it")
      const database = newSchema()
      const admin = yield* connected(yield* urlAt(second))
      yield* Effect.promise(() => admin.exec(`CREATE ROLE ${database} LOGIN PASSWORD 'x'`))
      yield* Effect.promise(() => admin.exec(`CREATE DATABASE ${database} OWNER ${database}`))
      const inside = yield* connected(yield* urlAt(second, { database }))
      yield* Effect.promise(() => inside.exec("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"))
      expect(yield* refused(yield* urlAt(second, { database, user: `${database}:x` }))).toContain(
        "Permit both users to call pg_control_system().",
      )
      expect(yield* refused(yield* urlAt(second, { user: `${database}:wrong` }))).toMatch(
        /the user's password is wrong or has expired \(28P01: .* Correct the ledger's `marks\.url`/,
      )
    }))

  it.scopedLive("a user who may not write marks on a second server, or create their table, is refused until permitted", () =>
    Effect.gen(function*() {
      const { place } = yield* onServer
      const { open, run } = yield* projectAt()
      yield* run(place, 1)
      const user = newSchema()
      const as = (database: string) =>
        Effect.map(urlAt(second, { database, user: `${user}:x` }), (url) => ({ ...place, server: { url } }))
      const refused = (place: Place) =>
        Effect.map(Effect.flip(Effect.scoped(open(place))), ({ _tag, message }) => `${_tag}: ${message}`)
      const admin = yield* connected(yield* urlAt(second), "formferry_marks")
      yield* Effect.promise(() => admin.exec(`CREATE ROLE ${user} LOGIN PASSWORD 'x'`))
      expect(yield* refused(yield* as("postgres"))).toMatch(
        /^LedgerRefused: The user \w+ may not use the tables of the marks of the ledger .* belong to formferry\. Nothing was sent/,
      )
      yield* Effect.promise(() =>
        admin.exec(
          `GRANT USAGE ON SCHEMA formferry_marks TO ${user}; GRANT SELECT, INSERT, UPDATE ON mark TO ${user}`,
        )
      )
      yield* run(yield* as("postgres"), 1)
      yield* Effect.promise(() => admin.exec(`CREATE DATABASE ${user}`))
      const message = yield* refused(yield* as(user))
      expect(message).toMatch(
        /^LedgerRefused: The user \w+ may not create the table of the marks of the ledger .* Nothing was sent/,
      )
      const inside = yield* connected(yield* urlAt(second, { database: user }))
      yield* Effect.promise(() => inside.exec(message.split("`marks.url`: ")[1] ?? ""))
      yield* Effect.scoped(open(yield* as(user)))
    }))

  // A short test of marks in a folder is among the histories.
  for (const [kind, marksHere] of [["a folder", inFolder], ["a second server", onServer]] as const) {
    it.scopedLive.runIf(isLong || kind !== "a folder")(
      `an older, a dropped and a different ledger are refused by marks in ${kind}, until someone accepts them`,
      () =>
        Effect.gen(function*() {
          const { place } = yield* marksHere
          const { at, exec, open, project, refusal, run } = yield* projectAt()
          const dump = join(at.folder, `${project}.dump`)
          yield* run(place, 2)
          yield* client("pg_dump", at, ["-n", project, "-Fc", "-f", dump])
          yield* run(place, 3)
          yield* exec(`DROP SCHEMA ${project} CASCADE`)
          yield* client("pg_restore", { ...at }, [dump])
          expect(yield* refusal(place)).toMatch(
            /^The ledger ledger1 is an older copy: .* Connect to the server that has the newest ledger/,
          )
          // The same holder has fewer commits.
          yield* exec("UPDATE holder SET upTo = upTo - 1")
          expect(yield* refusal(place)).toContain("The ledger ledger1 lacks 1 of 2 commits")
          yield* exec(`DROP SCHEMA ${project} CASCADE`)
          for (const after of ["dropped", "emptied"]) {
            expect(yield* refusal(place), after).toContain(
              "The ledger ledger1 is missing or empty, but an earlier run wrote to it",
            )
            yield* exec(`CREATE SCHEMA IF NOT EXISTS ${project}`)
          }
          expect(yield* refusal(place, { schema: newSchema() })).toContain("is missing or empty")
          // A person accepts the loss.
          yield* Effect.scoped(Effect.gen(function*() {
            const { ledger, view } = yield* open(place, { overruling: true })
            expect((yield* Effect.flip(view.hold("run2"))).message).toContain("is not the one that earlier runs wrote")
            const states = (yield* ledger.behind)?.states ?? []
            const session = yield* view.hold("run3", states)
            yield* session.recordFacts({ acceptance: { reason: "ledger", states, because: "lost", by: "ada" } })
          }))
          yield* run(place, 1)
        }),
    )

    it.scopedLive.runIf(isLong || kind !== "a folder")(
      `a ledger with a holder that has no mark in ${kind} is refused, until someone accepts that for the pipeline`,
      () =>
        Effect.gen(function*() {
          const { deleteAll, name, place } = yield* marksHere
          const { exec, open, project, refusal, run } = yield* projectAt()
          // A holder that was killed before its first commit has no mark yet.
          yield* run(place, 0)
          yield* deleteAll(project)
          yield* run(place, 2)
          // A different host has a folder of its own.
          const own = (yield* inFolder).place
          expect(yield* refusal(own)).toMatch(
            /^A run that wrote to the ledger ledger1 has no mark in .*Correct `ledger.marks`/,
          )
          yield* run(place, 0)
          // A holder that was killed between a commit and its mark has the mark that it wrote first.
          yield* exec("UPDATE holder SET upTo = 1 WHERE epoch = (SELECT max(epoch) FROM holder)")
          yield* run(place, 0)
          yield* deleteAll(project)
          const message = yield* refusal(place)
          expect(message).toContain(`${name}. So this host`)
          // A rehearsal leaves no mark, so it is not refused.
          yield* run({ ...place, write: false }, 1)
          yield* Effect.scoped(Effect.gen(function*() {
            const { ledger, view } = yield* open(place)
            const states = (yield* ledger.behind)?.states ?? []
            const session = yield* view.hold("run3", states)
            yield* session.recordFacts({ acceptance: { reason: "ledger", states, because: "checked", by: "ada" } })
          }))
          yield* run(place, 1)
          const letters = { pipeline: "letters", destination: { ...destination, form: "form2" }, alongside: [] }
          const hold = open(place).pipe(
            Effect.flatMap(({ ledger }) => ledger.pipeline({ ...letters, renamedFrom: undefined })),
            Effect.flatMap((view) => view.hold("run4")),
          )
          expect((yield* Effect.flip(Effect.scoped(hold))).message).toContain(`${name}. So this host`)
        }),
    )
  }

  it.scopedLive("a run ends if an older copy that has its lock replaces the ledger meanwhile", () =>
    Effect.gen(function*() {
      const { place } = yield* inFolder
      const { at, exec, open, project } = yield* projectAt()
      const { ledger, view } = yield* open(place)
      const session = yield* view.hold("run1")
      yield* session.intend(batchOf([rowOf(ledger, 1)]))
      const dump = join(at.folder, `${project}.sql`)
      yield* client("pg_dump", at, ["-n", project, "-f", dump])
      yield* session.intend(batchOf([rowOf(ledger, 2)]))
      // In one transaction, so that no heartbeat finds the ledger missing.
      writeFileSync(dump, `DROP SCHEMA ${project} CASCADE;\n${readFileSync(dump, "utf8")}`)
      yield* client("psql", at, ["-q", "-1", "-v", "ON_ERROR_STOP=1", "-f", dump])
      const ended = yield* Effect.flip(session.intend(batchOf([rowOf(ledger, 3)])))
      expect(ended.message).toContain("it lacks commits of this run, so it was replaced by an older copy")
      expect(session.holdsLock()).toBe(false)
      yield* exec("UPDATE lock SET held = 0")
      expect((yield* Effect.flip(view.hold("run2"))).message).toContain("it lacks commits of this run")
      const { view: next } = yield* open(place)
      expect((yield* Effect.flip(next.hold("run2"))).message).toContain("The ledger ledger1 lacks 1 of 2 commits")
    }))

  it.scopedLive("a folder that another project uses is named", () =>
    Effect.gen(function*() {
      const { name, place } = yield* inFolder
      yield* (yield* projectAt()).run(place, 1)
      const { refusal, run } = yield* projectAt()
      const isNamed = `or another project also uses the place of its marks, ${name}: each`
      expect(yield* refusal(place), "before the first run").toContain(isNamed)
      yield* run((yield* inFolder).place, 1)
      expect(yield* refusal(place), "later").toContain(isNamed)
    }))

  it.scopedLive("a mark on this host doesn't show that the shared folder is the right one", () =>
    Effect.gen(function*() {
      const [{ folders: [shared] }, { folders: [own] }] = [(yield* inFolder).place, (yield* inFolder).place]
      const place = { folders: [shared!, own!], write: true }
      const { refusal, run } = yield* projectAt()
      yield* run(place, 1)
      // The shared folder is not mounted.
      renameSync(shared!, `${shared}.away`)
      expect(yield* refusal(place)).toContain(`has no mark in ${shared}. So this host`)
      expect(existsSync(shared!)).toBe(false)
      renameSync(`${shared}.away`, shared!)
      yield* run(place, 1)
    }))

  it.scopedLive("a damaged mark in a folder is refused", () =>
    Effect.gen(function*() {
      const { place } = yield* inFolder
      const { refusal, run } = yield* projectAt()
      yield* run(place, 1)
      const [at] = place.folders
      const mark = join(at!, readdirSync(at!)[0]!)
      writeFileSync(mark, readFileSync(mark, "utf8").slice(0, 40))
      expect(yield* refusal(place)).toContain(`The mark ${mark} of the ledger ledger1 is damaged`)
    }))
})

describe.skipIf(withoutPostgres)("a standby that was promoted", () => {
  it.scopedLive("is refused if it lacks a commit that a mark records, and is used otherwise", () =>
    Effect.gen(function*() {
      const { place } = yield* inFolder
      const [marks] = place.folders
      const times = { staleAfter: 4_000, heartbeat: 100 }
      const primary = yield* ownServer("primary", [])
      const here = yield* projectAt(primary)
      yield* here.run(place, 1)
      const standby = yield* ownServer("standby", ["primary_slot_name=", "hot_standby=on"], standbyOf(primary))
      const before = join(marks!, "..", "before")
      const held = yield* Scope.make()
      const { ledger, view } = yield* Scope.extend(here.open(place, times), held)
      const session = yield* Scope.extend(view.hold("run2"), held)
      yield* session.intend(batchOf([rowOf(ledger, 1)]))
      cpSync(marks!, before, { recursive: true })
      const at = yield* connected(yield* urlAt(standby), here.project)
      const received = Effect.promise(async () =>
        (await at.send("SELECT count(*) FROM holder WHERE upTo = 1")).rows[0]?.[0]
      )
      yield* Effect.repeat(received, { until: (count) => count === 2 })
      yield* Effect.promise(async () => {
        await at.exec("ALTER SYSTEM SET primary_conninfo = ''")
        await at.exec("SELECT pg_reload_conf()")
      })
      const isReceiving = Effect.promise(async () =>
        (await at.send("SELECT count(*) FROM pg_stat_wal_receiver")).rows[0]?.[0]
      )
      yield* Effect.repeat(isReceiving, { until: (count) => count === 0 })
      yield* session.intend(batchOf([rowOf(ledger, 2)]))
      primary.crash()
      yield* Scope.close(held, Exit.void)
      yield* Effect.promise(() => at.exec("SELECT pg_promote()"))
      const url = yield* urlAt(standby)
      yield* Effect.sleep(times.staleAfter)
      expect(yield* here.refusal(place, { url, ...times })).toMatch(
        /lacks 1 of 2 commits.* Its server was replaced, or is a copy that was promoted: the newest mark names the server \d+, timeline 1, position \S+, and this one is \d+, timeline 2, position/,
      )
      const logged: Array<unknown> = []
      yield* here.run({ ...place, folders: [before] }, 1, { url, ...times }).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))),
      )
      expect(String(logged)).toMatch(/timeline 2, .*has every commit that its marks record, so it is used\.$/)
      // Marks name the new server now.
      const after = yield* readMarks({ ledger: "ledger1", folders: [before], write: false })
      expect(after.map((mark) => "server" in mark && mark.server?.timeline).toSorted()).toEqual([1, 1, 2])
    }))

  it.scopedLive(
    "stops each run that is still in progress on the server that it replaced, before the run sends anything more",
    () =>
      Effect.gen(function*() {
        const [primary, marked] = [yield* ownServer("replaced", []), yield* Effect.all([inFolder, onServer, inFolder])]
        const [beating, silent] = [{ staleAfter: 60_000, heartbeat: 100 }, { staleAfter: 60_000, heartbeat: 60_000 }]
        const runs = yield* Effect.forEach(marked, ({ place }) =>
          Effect.gen(function*() {
            const project = yield* projectAt(primary)
            const { view: others } = yield* project.open(place, silent)
            const { ledger, view } = yield* project.open(place, silent)
            const { ledger: beats } = yield* project.open(place, beating)
            const session = yield* view.hold("old")
            yield* session.intend(batchOf([rowOf(ledger, next++)]))
            const beaten = yield* beats.view({ pipeline: "other", destination }).hold("beating")
            return { beaten, ledger, others, place, project, session }
          }))
        const standby = yield* ownServer("replacing", ["primary_slot_name=", "hot_standby=on"], standbyOf(primary))
        const [at, url] = [yield* connected(yield* urlAt(standby)), yield* urlAt(standby)]
        const old = yield* connected(yield* urlAt(primary))
        const { rows: [now] } = yield* Effect.promise(() => old.send("SELECT pg_current_wal_lsn()"))
        const received = Effect.promise(async () =>
          (await at.send("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", [String(now?.[0])])).rows[0]?.[0]
        )
        yield* Effect.repeat(received, { until: (isSo) => isSo === 1 })
        for (const { place, project } of runs) {
          const refused = yield* Effect.flip(Effect.scoped(project.open(place, { url })))
          expect(`${refused._tag}: ${refused.message}`).toMatch(
            /^LedgerRefused: The server of the ledger .* is a standby, which can't be written to\. .* Name the primary server/,
          )
        }
        const onStandby = projectAt(primary).pipe(
          Effect.flatMap(({ open }) => open({ folders: [], server: { url }, write: true })),
          Effect.scoped,
        )
        expect((yield* Effect.flip(onStandby)).message).toMatch(
          /^The server of the marks of the ledger .* is a standby/,
        )
        yield* Effect.promise(() => at.exec("SELECT pg_promote()"))
        const last = runs.at(-1)
        for (const { beaten, ledger, others, place, project, session } of runs.slice(0, -1)) {
          const intend = Effect.suspend(() => session.intend(batchOf([rowOf(ledger, next++)])))
          // The new server has every commit, and the lease has ended there.
          yield* Effect.promise(() => at.exec(`UPDATE ${project.project}.lock SET beat = 0`))
          const { view } = yield* project.open(place, { url, ...silent })
          const begun = yield* view.hold("new")
          const { message } = yield* Effect.flip(intend)
          expect(message).toMatch(
            /failed while recording an intent: a run has started on a different copy of the ledger/,
          )
          expect(session.holdsLock()).toBe(false)
          // A run that commits nothing looks with each heartbeat.
          yield* Effect.repeat(Effect.delay(Effect.sync(() => beaten.holdsLock()), "20 millis"), {
            until: (held) => !held,
          })
          expect((yield* Effect.flip(others.isNewest)).message).toContain("is an older copy")
          expect(begun.holdsLock()).toBe(true)
        }
        // Until then, a run goes on. If it commits after the new holder has read the marks, the new holder is refused.
        const { view } = yield* last!.project.open(last!.place, { url, ...silent })
        const { write } = MarkWriter.prototype
        MarkWriter.prototype.write = async function(this: MarkWriter, upTo) {
          MarkWriter.prototype.write = write
          await Effect.runPromise(last!.session.intend(batchOf([rowOf(last!.ledger, next++)])))
          return write.call(this, upTo)
        }
        yield* Effect.promise(() => at.exec(`UPDATE ${last!.project.project}.lock SET beat = 0`))
        expect((yield* Effect.flip(Effect.scoped(view.hold("early")))).message).toContain("lacks 1 of 2 commits")
      }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))),
    60_000,
  )
})
