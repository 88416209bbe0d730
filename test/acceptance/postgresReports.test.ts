import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { LockHolder, ownedName } from "../../src/ledger/holder.ts"
import { connected } from "../ledger/postgres/connecting.ts"
import { withoutPostgres } from "../ledger/postgres/server.ts"
import { isLong } from "../long.ts"
import type { Fault } from "../practice/faults.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { formferry } from "./formferry.ts"
import { configure, newPlace, said } from "./inPostgres.ts"

/** Rows of which one has no valid address, so each run rejects it. */
const source = csv(
  upTo(8),
  (key) => key === 5 ? "Nobody,no address,1990-01-17" : `Person ${key},p${key}@example.org,1990-01-17`,
)

/** Two hosts, each with its own folder, whose projects have the same ledger. `ask` reads the database. */
const hosts = ({ faults = [], keep = "", more = "" }: {
  readonly faults?: ReadonlyArray<Fault>
  readonly keep?: string
  readonly more?: string
} = {}) =>
  Effect.gen(function*() {
    const place = yield* newPlace
    const [first, second] = [yield* bench({ faults }), yield* bench()]
    first.write("config/formferry.yaml", first.read("config/formferry.yaml") + keep)
    first.write("source.csv", source)
    configure(first, place, more)
    for (const file of ["config/formferry.yaml", "source.csv", ".env"]) {
      second.write(file, first.read(file).replace("../marks", join(first.folder, "marks")))
    }
    const admin = yield* connected(place.url, place.schema)
    const ask = (sql: string) => Effect.map(Effect.promise(() => admin.send(sql)), ({ rows }) => rows)
    return { first, second, ask }
  })

const folderOf = (at: Bench, run = ""): string => join(at.folder, "reports/contacts", run)

/** Returns the files of a run, with their texts. */
const filesOf = (at: Bench, run: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folderOf(at, run)).toSorted().map((
      name,
    ) => [name, readFileSync(join(folderOf(at, run), name), "utf8")]),
  )

const storedRuns = "SELECT run FROM storedRun ORDER BY run"

describe.skipIf(withoutPostgres)("reports of a project with its ledger in PostgreSQL", () => {
  it.scopedLive("are shown by a host that did not run the pipeline, with all files", () =>
    Effect.gen(function*() {
      const { first, second } = yield* hosts()
      yield* first.exits(1, "run", "contacts")
      const { run } = first.report()
      const shown = yield* first.inProcess("report", "contacts", "--json")
      expect((yield* second.inProcess("report", "contacts", "--json")).stdout).toBe(shown.stdout)
      expect(filesOf(second, run)).toEqual(filesOf(first, run))
      expect(second.report().run).toBe(run)
      yield* first.exits(1, "run", "contacts", "--dry-run")
      const later = first.report().run
      expect(said(yield* second.inProcess("report", "contacts", "--run", later))).toContain(later)
      expect(filesOf(second, later)).toEqual(filesOf(first, later))
    }))

  it.scopedLive("are compared with a run on a different host, which copies the rejected rows of the run that it repeats", () =>
    Effect.gen(function*() {
      const { first, second } = yield* hosts()
      yield* first.inProcess("run", "contacts")
      yield* second.inProcess("run", "contacts")
      const repeated = second.report()
      expect(repeated.unchangedSince).toBe(first.report().run)
      expect(filesOf(second, repeated.run)["rejected.csv"]).toBe(filesOf(first, first.report().run)["rejected.csv"])
      expect(first.count()).toBe(7)
    }))

  it.scopedLive.runIf(isLong)(
    "are continued by a host that settles the rows in doubt of another host's run",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* hosts({ faults: [{ fault: "reset", on: "create", when: "before", at: [1] }] })
        yield* first.exits(4, "run", "contacts")
        const { run } = first.report()
        expect(said(yield* second.inProcess("report", "contacts", "--run", run))).toContain("in doubt")
        const doubts = readFileSync(join(folderOf(second, run), "in-doubt.csv"), "utf8").trim().split("\n").slice(1)
        const keys = doubts.map((line) => /(\d+)/.exec(line)?.[1] ?? "")
        expect(keys.length).toBeGreaterThan(0)
        const settle = [
          "settle",
          "contacts",
          "--as",
          "not-landed",
          "--because",
          "not in the results",
          "--rows",
          ...keys,
        ]
        yield* second.exits(0, ...settle)
        yield* second.exits(1, "run", "contacts")
        expect(first.count()).toBe(7)
        yield* first.inProcess("report", "contacts")
        expect(first.report().run).toBe(second.report().run)
      }),
  )

  it.scopedLive.runIf(isLong && process.platform === "linux")(
    "are opened on a host that did not run the pipeline",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* hosts()
        yield* first.inProcess("run", "contacts")
        const { run } = first.report()
        yield* first.inProcess("run", "contacts", "--dry-run")
        second.write("bin/xdg-open", '#!/bin/sh\necho "$1" > opened\n')
        chmodSync(join(second.folder, "bin/xdg-open"), 0o700)
        const opened = yield* formferry(["report", "contacts", "--run", run, "--open"], {
          cwd: second.folder,
          env: { PATH: join(second.folder, "bin") },
        })
        const page = join(folderOf(second, run), "report.html")
        expect(said(opened)).toBe(`0 ${page} `)
        expect(second.read("opened").trim()).toBe(page)
        expect(filesOf(second, run)).toEqual(filesOf(first, run))
      }),
  )

  it.scopedLive.runIf(isLong)(
    "are those of all hosts if one reconciles, and another one accepts what a run refused",
    () =>
      Effect.gen(function*() {
        const { first, second } = yield* hosts()
        const from = (start: number, end: number) => csv(upTo(end).slice(start - 1))
        first.write("pipelines/contacts.yaml", pipelineYaml({ file: "../source.csv\n  vanished: ignore" }))
        second.write("pipelines/contacts.yaml", first.read("pipelines/contacts.yaml"))
        const run = (at: Bench, source: string) => {
          at.write("source.csv", source)
          return Effect.map(at.inProcess("run", "contacts"), said)
        }
        expect(yield* run(first, from(1, 10))).toMatch(/^0 /)
        yield* second.exits(0, "reconcile", "contacts")
        expect(second.report()).toMatchObject({ mode: "reconcile", requests: { create: 0, read: 10 } })
        yield* first.inProcess("report", "contacts")
        expect(filesOf(first, second.report().run)).toEqual(filesOf(second, second.report().run))

        expect(yield* run(second, from(6, 15))).toMatch(/^0 /)
        const gap = yield* run(first, from(21, 30))
        expect(gap).toMatch(/^1 .*shares no row with the previous source/)
        const accept = ["accept", "contacts", "gap", "--because", "nobody answered"]
        second.write("source.csv", first.read("source.csv"))
        expect(said(yield* second.inProcess(...accept))).toContain(
          `The source of run ${first.report().run} shared no row`,
        )
        expect(said(yield* first.inProcess(...accept))).toMatch(/^2 /)
        expect(yield* run(first, from(21, 30))).toMatch(/^0 /)
        expect(first.count()).toBe(25)
      }),
  )

  it.scopedLive("leave no incomplete folder if they can't be fetched or stored, and are fetched or stored later", () =>
    Effect.gen(function*() {
      const { ask, first, second } = yield* hosts()
      yield* first.inProcess("run", "contacts")
      const { run } = first.report()
      yield* ask("UPDATE storedFile SET nth = 7 WHERE name = 'report.html'")
      const broken = said(yield* second.inProcess("report", "contacts", "--run", run))
      expect(broken).toMatch(/reports of other hosts could not be fetched into .*was changed while it was read/)
      expect(readdirSync(folderOf(second))).toEqual([])
      // A killed process leaves its draft.
      const killed = { ...(yield* LockHolder)(), born: "1" }
      mkdirSync(join(folderOf(second), `${ownedName(".fetched-", killed)}.draft`))
      yield* ask("UPDATE storedFile SET nth = 0 WHERE name = 'report.html'")
      yield* second.inProcess("report", "contacts", "--run", run)
      expect(readdirSync(folderOf(second)).toSorted()).toEqual([run, "latest"])
      expect(filesOf(second, run)).toEqual(filesOf(first, run))

      yield* ask("ALTER TABLE storedFile ADD CONSTRAINT full_disk CHECK (name <> 'report.json') NOT VALID")
      const unstored = yield* first.inProcess("run", "contacts")
      expect(said(unstored)).toMatch(/^1 .*The report of this run is only on this host, in .*The next run on this host/)
      expect(said(unstored)).not.toContain("Nothing more is sent")
      expect(yield* ask(storedRuns)).toEqual([[run]])
      yield* ask("ALTER TABLE storedFile DROP CONSTRAINT full_disk")
      yield* first.inProcess("run", "contacts")
      expect(yield* ask(storedRuns)).toEqual(first.runs().toSorted().map((name) => [name]))
    }))

  it.scopedLive("are emptied by `ledger forget` of any host in the database, and then on the other hosts", () =>
    Effect.gen(function*() {
      const { ask, first, second } = yield* hosts()
      yield* first.inProcess("run", "contacts")
      const { run } = first.report()
      // The report of this run contains nothing of the row.
      yield* first.inProcess("run", "contacts")
      const { run: later } = first.report()
      const forget = ["ledger", "forget", "contacts", "--rows", "3", "--because", "request 1", "--reports"]
      expect(said(yield* second.inProcess(...forget))).toMatch(new RegExp(`^0 .*Emptied, .*${run}`))
      expect(yield* ask(`SELECT DISTINCT name FROM storedFile WHERE run = '${run}'`)).toEqual([["report.json"]])
      expect(second.runs()).toEqual([run])
      expect(Number((yield* ask(`SELECT count(*) FROM storedFile WHERE run = '${later}'`))[0]?.[0])).toBeGreaterThan(3)
      // A host that has some files of a report keeps those.
      yield* second.inProcess("run", "contacts", "--dry-run")
      expect(Object.keys(filesOf(second, later))).toEqual(["report.json"])
      yield* second.inProcess(...forget)
      expect(Object.keys(filesOf(second, later))).toEqual(["report.json"])
      expect(Object.keys(filesOf(first, run)).length).toBeGreaterThan(3)
      yield* first.inProcess("report", "contacts", "--run", run)
      for (const at of [first, second]) expect(Object.keys(filesOf(at, run))).toEqual(["report.json"])
      const third = yield* bench()
      for (const file of ["config/formferry.yaml", ".env"]) third.write(file, second.read(file))
      yield* third.inProcess("report", "contacts", "--run", run)
      expect(filesOf(third, run)).toEqual(filesOf(second, run))
    }))

  it.scopedLive.runIf(isLong)(
    "are removed from the database when a host removes old ones, including those that it did not write",
    () =>
      Effect.gen(function*() {
        const { ask, first, second } = yield* hosts({ keep: "reports: { directory: ../reports, keepRuns: 2 }\n" })
        yield* first.inProcess("run", "contacts")
        yield* first.inProcess("run", "contacts", "--dry-run")
        const { run } = first.report()
        yield* second.inProcess("run", "contacts")
        expect(yield* ask(storedRuns)).toEqual([[run], [second.report().run]])
        expect(second.runs().toSorted()).toEqual([run, second.report().run])
        expect(yield* ask("SELECT count(DISTINCT run) FROM storedFile")).toEqual([[2]])
      }),
  )

  it.scopedLive.runIf(isLong)("are not stored if all hosts share their folder", () =>
    Effect.gen(function*() {
      const { ask, first, second } = yield* hosts({ more: ", reports: folder" })
      yield* first.exits(1, "run", "contacts")
      expect(yield* ask(storedRuns)).toEqual([])
      expect(said(yield* second.inProcess("report", "contacts"))).toMatch(/^2 .*there is none yet/)
      expect(existsSync(folderOf(second))).toBe(false)
    }))
})
