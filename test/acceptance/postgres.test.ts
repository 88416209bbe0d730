import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { ProjectStatus } from "../../src/jobs/status.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { changeRights, connected, newSchema, urlOf } from "../ledger/postgres/connecting.ts"
import { ownServer, withoutPostgres } from "../ledger/postgres/server.ts"
import { batchOf, contacts, imported, rowOf } from "../ledger/rows.ts"
import { isLong } from "../long.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { start, until } from "./formferry.ts"
import { configure, newKey, newPlace, password, type Place, said } from "./inPostgres.ts"

const stamped = pipelineYaml({ sink: "service: live\n  form: contacts\n  canary: off\n  concurrency: 1" })

/** Runs commands one after another over a project with a row in doubt, and returns their exit codes and the exported rows. */
const history = (at: Bench) =>
  Effect.gen(function*() {
    const codes: Array<readonly [command: string, status: number]> = []
    const run = (...args: ReadonlyArray<string>) =>
      Effect.tap(at.inProcess(...args), (ran) => {
        said(ran)
        codes.push([args.slice(0, 2).join(" "), ran.status])
      })
    at.edit("config/formferry.yaml", "    confirm: false\n", "    confirm: false\n    capabilities: [delete]\n")
    at.write("pipelines/contacts.yaml", stamped)
    at.write(
      "source.csv",
      csv(
        upTo(25),
        (key) => key === 9 ? "Nobody,no address,1990-01-17" : `Person ${key},p${key}@example.org,1990-01-17`,
      ),
    )
    yield* run("check", "contacts")
    yield* run("status")
    yield* run("run", "contacts")
    const { run: first } = at.report()
    const sent = at.count()
    yield* run("run", "contacts")
    expect(at.count()).toBe(sent)
    const doubts = readFileSync(join(at.report().folder, "in-doubt.csv"), "utf8").trim().split("\n").slice(1)
    const keys = doubts.map((line) => /(\d+)/.exec(line)?.[1] ?? "")
    yield* run("settle", "contacts", "--as", "not-landed", "--rows", ...keys, "--because", "not in the results")
    yield* run("run", "contacts")
    yield* run("acknowledge", "contacts", "--rows", "9", "--because", "has no address")
    yield* run("reconcile", "contacts")
    yield* run("undo", "contacts", "--run", first)
    yield* run("ledger", "forget", "contacts", "--rows", "3", "--because", "request 1")
    yield* run("report", "contacts")
    yield* run("schedule", "--plan")
    const status = yield* run("status", "--verify", "--json")
    const exported = yield* run("ledger", "export", "--format", "jsonl")
    const rows = exported.stdout.trim().split("\n").map((line) => {
      const { key, pipeline, row, state, verdict } = JSON.parse(line) as Readonly<Record<string, unknown>>
      return { key, pipeline, row, state, verdict }
    })
    const { damage, pipelines } = JSON.parse(status.stdout) as Pick<ProjectStatus, "damage" | "pipelines">
    return { codes, rows, count: at.count(), damage, standings: pipelines.map(({ standing }) => standing) }
  })

describe.skipIf(withoutPostgres)("a project with its ledger in PostgreSQL", () => {
  it.scopedLive.runIf(isLong)("does what a project with a file does", () =>
    Effect.gen(function*() {
      const reset = { fault: "reset", on: "create", when: "after", at: [2] } as const
      const [file, server] = [yield* bench({ faults: [reset] }), yield* bench({ faults: [reset] })]
      configure(server, yield* newPlace)
      const [expected, found] = yield* Effect.all([
        Effect.suspend(() => history(file)),
        Effect.suspend(() => history(server)),
      ])
      expect(found).toEqual(expected)
      expect(expected.codes.map(([, code]) => code)).toEqual([0, 0, 4, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    }))

  it.scopedLive("exits with code 2 and says what to correct if the ledger must not be used", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      const place = yield* newPlace
      at.write("source.csv", csv(upTo(3)))
      configure(at, place)
      yield* at.exits(0, "run", "contacts")
      at.write("source.csv", csv(upTo(5)))
      const wrong = (more: Partial<Place>) => {
        configure(at, { ...place, ...more })
        return Effect.map(at.inProcess("run", "contacts"), (ran) => {
          // Where `status` would be refused, too, it is not suggested.
          if (/Nothing was sent\. (Correct|Set|Use)/.test(ran.stderr)) {
            expect(ran.lastLine).not.toMatch(/^formferry status/)
          }
          return said(ran)
        })
      }
      const wrongPassword = yield* wrong({ url: place.url.replace(password, `${password}x`) })
      expect(wrongPassword).toMatch(
        /^2 .*the user's password is wrong or has expired \(28P01: [^)]+\)\. Nothing was sent\. Correct the ledger's `url`/,
      )
      expect(wrongPassword.split("can't be opened")).toHaveLength(2)
      expect(yield* wrong({ url: place.url.replace(/postgres$/, "absent") })).toMatch(
        /^2 .*there is no such database on the server \(3D000: [^)]+\)\. Nothing was sent/,
      )
      expect(yield* wrong({ url: place.url.replace("postgresql:", "mysql:") })).toMatch(
        /^2 .*is not the address of one PostgreSQL database\. Expected postgresql:/,
      )
      expect(yield* wrong({ key: newKey() })).toMatch(/^2 .*`key` does not belong to the ledger .*Nothing was sent/)
      expect(yield* wrong({ key: "5ec2e75ec2e7" })).toMatch(
        /^2 .*config\/formferry\.yaml:\d+:\d+.*key must contain 64 hexadecimal digits/,
      )
      expect(yield* wrong({ project: "other" })).toMatch(
        /^2 .*belongs to the project acme, not to other\. Nothing was sent/,
      )
      expect(yield* wrong({ schema: newSchema() })).toMatch(
        /^2 .*The ledger in PostgreSQL \(schema \w+\) is missing or empty, but an earlier run wrote to it/,
      )
      at.write(".env", `DATABASE_URL=${place.url}\n`)
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(
        /^2 .*LEDGER_KEY is not set: the ledger can't be opened\. `formferry ledger key` makes a key/,
      )
      expect(at.count()).toBe(3)
      configure(at, place)
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(5)
    }))

  it.scopedLive("exits with code 70 if the server stops, or can't be reached", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 20 })
      const server = yield* ownServer("stopping", [])
      const url = yield* urlOf({ server: () => Promise.resolve(server), tcp: true })
      configure(at, { url, schema: "formferry", project: "acme", key: newKey() })
      at.write("pipelines/contacts.yaml", stamped)
      at.write("source.csv", csv(upTo(200)))
      const running = yield* Effect.fork(at.inProcess("run", "contacts"))
      yield* until(() => at.count() >= 30)
      const file = join(server.folder, "stopping", "postmaster.pid")
      process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGQUIT")
      const stopped = yield* Fiber.join(running)
      expect(said(stopped)).toMatch(/^70 .*Nothing more is sent without it/)
      const sent = at.count()
      expect(sent).toBeLessThan(200)
      // The server removes this file at its end.
      yield* until(() => !existsSync(file))
      for (const command of [["run", "contacts"], ["status"], ["ledger", "export"]]) {
        expect(said(yield* at.inProcess(...command))).toMatch(
          /^70 .*failed while connecting to the database of its `url`: no server answers at this address/,
        )
      }
      expect(at.count()).toBe(sent)
    }))

  it.scopedLive("is not used by a run in progress after a different build has changed its tables, and is not migrated", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 20 })
      const place = yield* newPlace
      configure(at, place)
      at.write("pipelines/contacts.yaml", stamped)
      at.write("source.csv", csv(upTo(200)))
      expect(said(yield* at.inProcess("ledger", "migrate"))).toMatch(/^0 The ledger's tables were created/)
      const running = yield* Effect.fork(at.inProcess("run", "contacts"))
      yield* until(() => at.count() >= 30)
      const database = yield* connected(place.url, place.schema)
      yield* Effect.promise(() => database.exec("UPDATE meta SET value = 'later' WHERE name = 'version'"))
      expect(said(yield* Fiber.join(running))).toMatch(
        /^\d+ .*A different build of formferry has changed the ledger's tables during this run of contacts\. This run sends nothing more/,
      )
      const sent = at.count()
      expect(sent).toBeLessThan(200)
      // Each row that arrived was recorded before the change.
      const { rows: [[recorded] = []] } = yield* Effect.promise(() => database.send("SELECT count(*) FROM row"))
      expect(Number(recorded)).toBeGreaterThanOrEqual(sent)
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(/^2 .*Run the build that wrote it/)
      expect(said(yield* at.inProcess("ledger", "migrate"))).toMatch(
        /^6 .*Another run of contacts has been in progress/,
      )
      yield* Effect.promise(() => database.exec("UPDATE lock SET beat = beat - 60000"))
      const refused = /^2 .*whose tables this one can neither read nor convert\. Nothing was changed or sent/
      expect(said(yield* at.inProcess("ledger", "migrate"))).toMatch(refused)
      yield* Effect.promise(() => database.exec("ALTER TABLE row ADD COLUMN later TEXT"))
      expect(said(yield* at.inProcess("rehearse", "contacts"))).toMatch(refused)
      // The tables of earlier builds lack columns.
      yield* Effect.promise(() => database.exec("ALTER TABLE lock DROP COLUMN lasts"))
      expect(said(yield* at.inProcess("ledger", "migrate"))).toMatch(refused)
      expect(at.count()).toBe(sent)
    }))

  it.scopedLive("never shows a project the rows of another project in the same database", () =>
    Effect.gen(function*() {
      const place = yield* newPlace
      const [one, other] = [yield* bench(), yield* bench()]
      configure(one, place)
      configure(other, { ...place, schema: newSchema(), project: "other", key: newKey() })
      one.write("source.csv", csv([1, 2, 3]))
      other.write("source.csv", csv([2, 7]))
      for (const at of [one, other]) yield* at.exits(0, "run", "contacts")
      expect([one.count(), other.count()]).toEqual([3, 2])
      const keys = (at: Bench) =>
        Effect.map(
          at.inProcess("ledger", "export", "--format", "jsonl"),
          ({ stdout }) => [...stdout.matchAll(/"key":"(\d+)"/g)].map(([, key]) => key),
        )
      expect([yield* keys(one), yield* keys(other)]).toEqual([["1", "2", "3"], ["2", "7"]])
    }))

  it.scopedLive("rehearses on a temporary schema, and drops those of killed rehearsals", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      const place = yield* newPlace
      configure(at, place)
      at.write("source.csv", csv(upTo(12)))
      yield* at.exits(0, "rehearse", "contacts")
      expect((yield* at.inProcess("run", "contacts", "--limit", "5")).status).toBeLessThan(2)
      const reader = yield* connected(place.url, place.schema)
      const ask = (sql: string) => Effect.map(Effect.promise(() => reader.send(sql)), ({ rows }) => rows)
      const schemas = ask(`SELECT nspname FROM pg_namespace WHERE nspname LIKE '${place.schema}%' ORDER BY 1`)
      const state = ask("SELECT r.*, b.* FROM row r JOIN batch b ON b.id = r.batch ORDER BY r.id")
      const [left, own] = [`${place.schema}_rehearsal_dead`, `${place.schema}_rehearsal_mine`]
      yield* ask(`CREATE SCHEMA ${left}`)
      yield* ask(
        `COMMENT ON SCHEMA ${left} IS 'Temporary copy of the schema ${place.schema} for a rehearsal of formferry'`,
      )
      yield* ask(`CREATE SCHEMA ${own}`)
      const before = yield* state
      expect(yield* schemas).toEqual([[place.schema], [left], [own]])
      yield* at.exits(0, "rehearse", "contacts")
      expect(at.report()).toMatchObject({ mode: "rehearsal", rows: { alreadyImported: 5, imported: 7 } })
      expect(yield* state).toEqual(before)
      expect(yield* schemas).toEqual([[place.schema], [own]])
      expect(at.count()).toBe(5)
    }))

  it.scopedLive.runIf(isLong)(
    "says what to do if another transaction has locked its tables for ten seconds",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        const place = yield* newPlace
        configure(at, place)
        at.write("source.csv", csv(upTo(2)))
        yield* at.exits(0, "run", "contacts")
        const other = yield* connected(place.url, place.schema)
        yield* Effect.promise(() =>
          other.exec("SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE row, place")
        )
        const advice = "locked the tables for too long .* Then run the same command again\\."
        expect(said(yield* at.inProcess("status", "contacts"))).toMatch(new RegExp(`^6 .*${advice}`))
        expect(said(yield* at.inProcess("run", "contacts"))).toMatch(new RegExp(`^70 .*${advice}`))
        yield* Effect.promise(() => other.exec("COMMIT"))
        yield* at.exits(0, "run", "contacts")
      }),
    60_000,
  )

  it.scopedLive("is maintained by commands that know PostgreSQL", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      const place = yield* newPlace
      const { stderr, stdout } = yield* at.inProcess("ledger", "key")
      const key = stdout.trim()
      expect(key).toMatch(/^[0-9a-f]{64}$/)
      expect(stderr).not.toContain(key)
      const [user = ""] = /(?<=\/\/)\w+/.exec(place.url) ?? []
      const admin = yield* connected(yield* urlOf())
      yield* Effect.promise(() => changeRights(admin, `REVOKE CREATE ON DATABASE postgres FROM ${user}`))
      at.write("source.csv", csv(upTo(3)))
      configure(at, { ...place, key })
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(
        new RegExp(`^2 .*user ${user} may not create them.*formferry ledger migrate --owner ${user}`),
      )
      configure(at, { ...place, key, url: yield* urlOf({ tcp: true }) })
      expect(said(yield* at.inProcess("ledger", "migrate", "--owner", user))).toMatch(
        /^0 The ledger's tables were created/,
      )
      configure(at, { ...place, key })
      expect(said(yield* at.inProcess("ledger", "migrate", "--json"))).toMatch(/^0 {"created":false}/)
      yield* at.exits(0, "run", "contacts")
      expect(said(yield* at.inProcess("rehearse", "contacts"))).toMatch(
        /^2 .*may not create schemas\. Nothing was sent\. Ask an administrator to run: GRANT CREATE ON DATABASE "postgres" TO/,
      )
      expect(said(yield* at.inProcess("ledger", "backup", "copy.db"))).toMatch(
        new RegExp(
          `^2 .*pg_dump --schema=${place.schema} .*point-in-time recovery.*Don't restore the marks in \\S+/marks`,
        ),
      )
      const compacted = yield* at.inProcess("ledger", "compact", "--json")
      expect(JSON.parse(compacted.stdout)).toMatchObject({ runs: 0, rejected: 0 })
      expect((JSON.parse(compacted.stdout) as { readonly before: number }).before).toBeGreaterThan(100_000)
    }))

  it.scopedLive.runIf(isLong)(
    "continues without a lost ledger only if a person accepts that",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        const place = yield* newPlace
        configure(at, place)
        at.write("source.csv", csv(upTo(3)))
        yield* at.exits(0, "run", "contacts")
        const admin = yield* connected(place.url)
        yield* Effect.promise(() => admin.exec(`DROP SCHEMA ${place.schema} CASCADE`))
        at.write("source.csv", csv([4, 5]))
        const refused = said(yield* at.inProcess("run", "contacts"))
        expect(refused).toMatch(
          /^2 .*is missing or empty, but an earlier run wrote to it.*formferry accept contacts ledger/,
        )
        expect(said(yield* at.inProcess("ledger", "export"))).toMatch(/^2 .*is missing or empty/)
        expect((yield* at.inProcess("status")).stdout).toContain("is missing or empty")
        yield* at.exits(0, "accept", "contacts", "ledger", "--because", "rows 1 to 3 were removed")
        yield* at.exits(0, "run", "contacts")
        expect(at.count()).toBe(5)
      }),
  )

  it.scopedLive.each(isLong ? ["a file", "PostgreSQL"] : ["a file"])(
    "is refused if the ledger was in %s before, because every row would be sent again",
    (before) =>
      Effect.gen(function*() {
        const at = yield* bench()
        at.write("pipelines/contacts.yaml", pipelineYaml())
        at.write("source.csv", csv(upTo(3)))
        const inFile = at.read("config/formferry.yaml")
        configure(at, yield* newPlace)
        const inPostgres = at.read("config/formferry.yaml")
        const [first, second] = before === "a file" ? [inFile, inPostgres] : [inPostgres, inFile]
        at.write("config/formferry.yaml", first)
        expect(said(yield* at.inProcess("run", "contacts"))).toMatch(/^0 /)
        at.write("config/formferry.yaml", second)
        expect(said(yield* at.inProcess("run", "contacts"))).toMatch(
          /^2 .* is missing or empty, but an earlier run wrote to it/,
        )
        expect(at.count()).toBe(3)
      }),
  )

  it.scopedLive("moves its ledger from a file to PostgreSQL, and back, and sends no row twice", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      const run = (...args: ReadonlyArray<string>) => Effect.map(at.inProcess(...args), said)
      const exported = Effect.map(at.inProcess("ledger", "export"), ({ stdout }) => stdout)
      at.write("source.csv", csv(upTo(12)))
      expect(yield* run("run", "contacts")).toMatch(/^0 /)
      const before = yield* exported
      const inFile = at.read("config/formferry.yaml")
      expect(yield* run("ledger", "move")).toMatch(/^2 .*doesn't say where to move the ledger/)
      const place = yield* newPlace
      configure(at, { ...place, key: at.read(".formferry/ledger.db.key").trim() })
      const inPostgres = at.read("config/formferry.yaml")
      const newLedger = inPostgres.slice(inFile.length).replace("ledger:", "newLedger:")
      at.write("config/formferry.yaml", inFile + newLedger.replace("env: LEDGER_KEY", "env: OTHER_KEY"))
      at.write(".env", `${at.read(".env")}OTHER_KEY=${newKey()}\n`)
      expect(yield* run("ledger", "move")).toMatch(/^2 .*Use the 64 digits in \S+ledger\.db\.key as the key/)
      at.write("config/formferry.yaml", inFile + newLedger)
      expect(yield* run("ledger", "move")).toMatch(/^0 The ledger \S+ was moved to postgresql:.* records were copied/)
      for (const command of [["run", "contacts"], ["status"], ["rehearse", "contacts"], ["ledger", "export"]]) {
        expect(yield* run(...command)).toMatch(/^2 .*was moved to postgresql:.*rename `newLedger` to `ledger`/)
      }
      expect(yield* run("ledger", "move", "--cancel")).toMatch(/^2 .*can't be cancelled any more/)
      expect(yield* run("ledger", "move", "--json")).toMatch(/^0 .*"records":0/)

      at.write("config/formferry.yaml", inPostgres)
      expect(yield* exported).toBe(before)
      at.write("source.csv", csv(upTo(15)))
      expect(yield* run("run", "contacts")).toMatch(/^0 /)
      expect(at.report()).toMatchObject({ rows: { alreadyImported: 12, imported: 3 } })
      rmSync(join(at.folder, "reports", "contacts"), { recursive: true })
      at.write("config/formferry.yaml", `${inPostgres}newLedger: { file: ../.formferry/next.db }\n`)
      const later = yield* exported
      // As a move does that is killed after its first step.
      const database = yield* connected(place.url, place.schema)
      yield* Effect.promise(() =>
        database.exec(`INSERT INTO meta (name, value) VALUES ('closed', '{"id":"1","name":"next.db","isMoved":false}')`)
      )
      expect(yield* run("ledger", "move", "--cancel")).toMatch(
        /^0 .*remove what was copied: delete the files \S+next\.db, /,
      )
      // Reports are moved, too, even those of a pipeline that no longer has a file.
      rmSync(join(at.folder, "pipelines", "contacts.yaml"))
      expect(yield* run("ledger", "move")).toMatch(/^0 /)
      expect(at.runs()).toHaveLength(2)
      at.write("pipelines/contacts.yaml", pipelineYaml())
      expect(yield* run("run", "contacts")).toMatch(/^2 .*was moved to \S+next\.db/)
      at.write("config/formferry.yaml", `${inFile}ledger: { file: ../.formferry/next.db }\n`)
      expect(yield* exported).toBe(later)
      at.write("source.csv", csv(upTo(17)))
      expect(yield* run("run", "contacts")).toMatch(/^0 /)
      expect(at.count()).toBe(17)
      expect(yield* run("status", "--verify")).toMatch(/^0 /)
    }))

  it.scopedLive.runIf(isLong)(
    "continues a move that is killed repeatedly, and both ledgers can never be used at once",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        at.write("source.csv", csv([1]))
        yield* at.exits(0, "run", "contacts")
        const file = join(at.folder, ".formferry", "ledger.db")
        const marks = { ledger: file, folders: [`${file}.marks`, join(at.folder, "reports", ".ledger")], write: true }
        yield* Effect.scoped(Effect.gen(function*() {
          const ledger = yield* openLedger({ file, marks })
          const session = yield* (yield* contacts(ledger)).hold("run1")
          yield* Effect.forEach(upTo(3_000), (nth) =>
            Effect.flatMap(
              session.intend(batchOf(upTo(10).map((one) => rowOf(ledger, nth * 10 + one)))),
              (batch) => session.recordOutcomes(batch, upTo(10).map((one) => imported(`s${nth * 10 + one}`))),
            ), { concurrency: 50 })
        }))
        const exported = Effect.map(at.inProcess("ledger", "export"), ({ stdout }) => stdout)
        const before = yield* exported
        expect(before.split("\n").length).toBeGreaterThan(30_000)
        const inFile = at.read("config/formferry.yaml")
        configure(at, { ...yield* newPlace, key: at.read(".formferry/ledger.db.key").trim() })
        const inPostgres = at.read("config/formferry.yaml")
        const moving = inFile + inPostgres.slice(inFile.length).replace("ledger:", "newLedger:")
        const canBeUsed = (config: string) =>
          Effect.suspend(() => {
            at.write("config/formferry.yaml", config)
            return Effect.map(at.inProcess("ledger", "export"), ({ status }) => status === 0)
          })
        const seen: Array<string> = []
        for (let patience = 400;; patience = Math.round(patience * 1.25)) {
          at.write("config/formferry.yaml", moving)
          const running = start(["ledger", "move"], { cwd: at.folder })
          const killing = yield* Effect.fork(Effect.delay(Effect.sync(() => running.signal("SIGKILL")), patience))
          const { status } = yield* Effect.promise(() => running.ended)
          yield* Fiber.interrupt(killing)
          const [old, next] = [yield* canBeUsed(inFile), yield* canBeUsed(inPostgres)]
          seen.push(`${old ? "old" : ""}${next ? "next" : ""}`)
          expect(seen.at(-1)).not.toBe("oldnext")
          if (status === 0) break
          expect(status).toBe(143)
        }
        expect(new Set(seen)).toEqual(new Set(["old", "", "next"]))
        expect(yield* exported).toBe(before)
      }),
  )
})
