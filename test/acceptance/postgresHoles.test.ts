import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { ProjectStatus } from "../../src/jobs/status.ts"
import { connected, urlOf } from "../ledger/postgres/connecting.ts"
import { client, testServer, withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import { quickly } from "../quickly.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey, command, start, until } from "./formferry.ts"
import { configure, inPostgres, newPlace, said } from "./inPostgres.ts"

const run = promisify(execFile)

const scheduled = `schedule: { cron: "0 2 * * *", zone: UTC }\n`

/** Returns a file's content. Empty if the file is missing, because other tests drop their tables. */
const ifThere = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

const person = (key: number, name = `Person ${key}`) => `${name},p${key}@example.org,1990-01-17`

describe.skipIf(withoutPostgres)("a ledger in PostgreSQL", () => {
  it.scopedLive("lets one of two processes run a pipeline, and the other one exits with code 6", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 20 })
      configure(at, yield* newPlace)
      at.write("source.csv", csv(upTo(100)))
      const first = yield* Effect.fork(at.inProcess("run", "contacts"))
      yield* until(() => at.count() >= 10)
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(
        /^6 Another run of contacts has been in progress since \S+ \(process \d+ on \S+\)\. Wait for it to end, or stop it first\. It sent its last heartbeat \ds ago\. If its host has died, run again in (1m|5\ds)\./,
      )
      expect((yield* Fiber.join(first)).status).toBe(0)
      expect(at.count()).toBe(100)
    }))

  it.scopedLive("shows every host which one runs a pipeline or has taken its scheduled run, and how long the lease lasts", () =>
    Effect.gen(function*() {
      const at = yield* bench({ requestsPerSecond: 2 })
      const place = yield* newPlace
      configure(at, place)
      at.write("pipelines/nightly.yaml", pipelineYaml({ name: "nightly", more: scheduled }))
      at.write("source.csv", csv(upTo(100)))
      const { ended, pid, signal } = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() > 0)
      // Another host has taken the scheduled run of a pipeline that never ran.
      const database = yield* connected(place.url, place.schema)
      const now = yield* Clock.currentTimeMillis
      yield* Effect.promise(() =>
        database.exec(
          `INSERT INTO turn VALUES ('nightly', ${now}, 1, 1, 12, 'b', 'any-host web-2', ${now - 20_500}, 60000)`,
        )
      )
      const host = hostname()
      expect(said(yield* at.inProcess("status"))).toMatch(
        new RegExp(`│ host .*contacts │ running, \\d+ in flight │ ${host} │.*The scheduled run of nightly was taken`),
      )
      expect(said(yield* at.inProcess("status", "contacts"))).toContain(
        `run by ${host} (process ${pid}) · last heartbeat`,
      )
      const { pipelines, turns: [turn] } = JSON.parse((yield* at.inProcess("status", "--json")).stdout) as Pick<
        ProjectStatus,
        "pipelines" | "turns"
      >
      const [silentFor, expiresIn] = [expect.any(Number), expect.any(Number)]
      expect(pipelines[0]?.going?.lease).toEqual({ host, pid, silentFor, expiresIn })
      expect(turn).toMatchObject({ pipeline: "nightly", lease: { host: "web-2", pid: 12 } })
      expect(turn?.lease.silentFor).toBeGreaterThanOrEqual(20_000)
      expect((turn?.lease.silentFor ?? 0) + (turn?.lease.expiresIn ?? 0)).toBe(60_000)
      signal("SIGKILL")
      yield* Effect.promise(() => ended)
    }))

  it.scopedLive("imports cells, keys and column names with NUL characters once", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      configure(at, yield* newPlace)
      at.write("pipelines/contacts.yaml", pipelineYaml({ column: '"Na\\0me"' }))
      at.write(
        "source.csv",
        csv(upTo(4), (key) => person(key, `Per\0son ${key}`)).replace("Name", "Na\0me").replace("\n4,", "\n4\0x,"),
      )
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(/^0 /)
      expect(at.answers("qName")).toContain("Per\0son 3")
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(/^0 .*already imported │ 4/)
      expect(at.count()).toBe(4)
      expect((yield* at.inProcess("ledger", "export")).stdout).toContain(",4␀x,imported,")
    }))

  it.scopedLive("contains neither cells nor digests of rows that were forgotten", () =>
    Effect.gen(function*() {
      const at = yield* bench({ faults: [{ fault: "reset", on: "create", when: "after", at: [2] }] })
      const place = yield* newPlace
      configure(at, place)
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: contacts\n  canary: 3" }))
      at.write("source.csv", csv(upTo(9), (key) => person(key, `Smorgasbord ${key}`)))
      yield* at.exits(4, "run", "contacts")
      const server = yield* Effect.promise(testServer)
      const file = join(server.folder, `${place.schema}.sql`)
      const dump = Effect.map(client("pg_dump", server, ["-n", place.schema, "-f", file]), () =>
        readFileSync(file, "utf8"))
      const reader = yield* connected(place.url, place.schema)
      const ask = (sql: string) =>
        Effect.map(
          Effect.promise(() =>
            reader.send(sql)
          ),
          ({ rows }) => rows.flat().map(String),
        )
      const digests = yield* ask(
        "SELECT encode(content, 'hex') FROM row UNION ALL SELECT encode(answers, 'hex') FROM verified UNION ALL SELECT encode(answers, 'hex') FROM detail WHERE answers IS NOT NULL",
      )
      const secrets = ["Smorgasbord", "@example.org", ...digests]
      expect(digests.length).toBeGreaterThan(9)
      const dumped = yield* dump
      expect(secrets.filter((one) => !dumped.includes(one))).toEqual([])
      const doubtful = yield* ask("SELECT key FROM row WHERE state = 1")
      const admin = yield* connected(place.url.replace(/\/\/[^@]*/, "//formferry:formferry"), place.schema)
      // The server examines tables on its own from time to time, and keeps samples of their values.
      yield* Effect.promise(() => admin.exec("ANALYZE row, detail, verified, doubt, text"))
      const because = ["--because", "request 1"]
      yield* at.inProcess("settle", "contacts", "--as", "landed", "--rows", ...doubtful, ...because)
      const forget = at.inProcess("ledger", "forget", "contacts", "--rows", ...upTo(9).map(String), ...because)
      // For as long as a different program's transaction may read the deleted rows, the server keeps them.
      const stranger = yield* connected(yield* urlOf())
      yield* Effect.promise(() =>
        stranger.exec("SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
      )
      const refused = said(yield* quickly(forget))
      expect(refused).toMatch(
        /^6 .*still on the disk.* Submission \S+ is still in form .*has been open in the database/,
      )
      const fileOf = "SELECT pg_relation_filenode('row')"
      const before = yield* ask(fileOf)
      const waiting = yield* Effect.fork(forget)
      while ((yield* ask(fileOf))[0] === before[0]) yield* Effect.sleep("10 millis")
      yield* Effect.promise(() => stranger.exec("COMMIT"))
      expect(said(yield* Fiber.join(waiting))).toMatch(/^0 /)
      const after = yield* dump
      expect(secrets.filter((one) => after.includes(one))).toEqual([])
      // The files on the disk contain no deleted version of a row either.
      yield* Effect.promise(() => admin.exec("CHECKPOINT"))
      const [oid = ""] = yield* ask("SELECT oid FROM pg_database WHERE datname = current_database()")
      const data = join(server.folder, "shared", "base", oid)
      const containing = readdirSync(data).filter((name) => {
        const bytes = ifThere(join(data, name))
        return bytes.includes("Smorgasbord") || digests.some((one) => bytes.includes(Buffer.from(one, "hex")))
      })
      expect(containing).toEqual([])
      yield* at.exits(0, "run", "contacts")
      expect(at.count()).toBe(9)
    }))

  it.scopedLive("whose mark can't be written ends a run with exit code 70 before anything is sent or in doubt", () =>
    Effect.gen(function*() {
      const at = yield* bench()
      configure(at, yield* newPlace)
      at.write("source.csv", csv(upTo(3)))
      symlinkSync("source.csv/nowhere", join(at.folder, "marks"))
      expect(said(yield* at.inProcess("run", "contacts"))).toMatch(
        /^70 .*failed while taking the lock: its mark in \S+marks can't be written/,
      )
      expect(at.count()).toBe(0)
      rmSync(join(at.folder, "marks"))
      yield* at.exits(0, "run", "contacts")
      expect(at.report().rows).toMatchObject({ imported: 3, inDoubt: 0 })
    }))

  it.scopedLive.runIf(isLong)(
    "is exported to a reader that stops reading for longer than a transaction may be idle",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        configure(at, yield* newPlace)
        at.write("source.csv", csv(upTo(4_000)))
        expect((yield* at.run("run", "contacts")).status).toBe(0)
        const pipe = '"$0" "$1" ledger export | (sleep 5; wc -l)'
        const env = { ...process.env, FORM_SERVICE_API_KEY: apiKey }
        const { stderr, stdout } = yield* Effect.promise(() =>
          run("sh", ["-c", pipe, process.execPath, command], { cwd: at.folder, env })
        )
        expect([stderr, stdout.trim()]).toEqual(["", "4001"])
      }),
    60_000,
  )

  it.scopedLive.runIf(isLong)(
    "that was restored from a dump is used if it is complete, and refused if it is older, until a person accepts it",
    () =>
      Effect.gen(function*() {
        const at = yield* bench()
        configure(at, yield* newPlace)
        const upToRow = (last: number) => at.write("source.csv", csv(upTo(last)))
        const run = (...args: ReadonlyArray<string>) => Effect.map(at.inProcess("run", "contacts", ...args), said)
        upToRow(3)
        expect(yield* run()).toMatch(/^0 /)
        const older = yield* inPostgres.copy(at)
        upToRow(12)
        expect(yield* run()).toMatch(/^0 /)
        yield* yield* inPostgres.copy(at)
        upToRow(15)
        expect(yield* run()).toMatch(/^0 .*already imported │ 12/)
        expect(at.count()).toBe(15)

        yield* older
        for (const command of [["run", "contacts"], ["check", "contacts"], ["status"], ["rehearse", "contacts"]]) {
          expect(said(yield* at.inProcess(...command)), command.join(" ")).toMatch(
            /^2 .*(lacks \d+ of \d+ commits|is an older copy).*formferry accept contacts ledger --because TEXT/,
          )
        }
        expect(at.count()).toBe(15)
        at.write("source.csv", csv([1, 2, 3, 16]))
        yield* at.exits(0, "accept", "contacts", "ledger", "--because", "rows 4 to 15 are in the form")
        expect(yield* run()).toMatch(/^0 /)
        expect(at.count()).toBe(16)
      }),
  )

  it.scopedLive.runIf(isLong)(
    "is neither compacted nor changed by a person while another process runs a pipeline",
    () =>
      Effect.gen(function*() {
        const at = yield* bench({ requestsPerSecond: 20 })
        configure(at, yield* newPlace)
        const rows = upTo(200)
        at.write("source.csv", csv(rows))
        const running = yield* Effect.fork(at.inProcess("run", "contacts"))
        yield* until(() => at.count() >= 10)
        const because = ["--because", "request 1"]
        for (
          const command of [
            ["ledger", "compact"],
            ["ledger", "forget", "contacts", "--rows", "1", ...because],
            ["acknowledge", "contacts", "--rows", "1", ...because],
          ]
        ) {
          expect(said(yield* at.inProcess(...command)), command.join(" ")).toMatch(/^6 Another run of contacts/)
        }
        expect((yield* Fiber.join(running)).status).toBe(0)
        expect(at.report().rows).toMatchObject({ imported: rows.length, inDoubt: 0 })
      }),
  )
})
