import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { isLong } from "../long.ts"
import { type Bench, bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { formferry, onOneLine, start, until } from "./formferry.ts"
import { databases, databasesIfLong, dropIn, execIn, inFile } from "./inPostgres.ts"

/** Slow enough to be killed in the middle of a run: 60 rows take more than a second. */
const slowly = { requestsPerSecond: 40 }
const rows = 60

const ledgerOf = (at: Bench) => join(at.folder, ".formferry", "ledger.db")
const logIn = (folder: string) => join(folder, "ledger.db-wal")
const notNewest = /is missing|is an older copy|lacks \d+ of \d+ commits/

/** A project whose run was killed in the middle. `meanwhile` may change the project before the kill. */
const killed = (place: (typeof databases)[number]["place"], meanwhile: (at: Bench) => void = () => {}) =>
  Effect.gen(function*() {
    const at = yield* bench(slowly)
    ;(yield* place)(at)
    at.write("source.csv", csv(upTo(rows)))
    const running = start(["run", "contacts"], { cwd: at.folder })
    yield* until(() => at.count() >= 20)
    meanwhile(at)
    running.signal("SIGKILL")
    yield* Effect.promise(() => running.ended)
    return at
  })

/** Expects that the next run is refused with exit code 2, names the command to accept the ledger, and sends nothing. */
const isRefused = (at: Bench, wrong: RegExp, run = at.inProcess) =>
  Effect.gen(function*() {
    const before = at.count()
    const ran = yield* run("run", "contacts")
    expect(ran.status, ran.stdout + ran.stderr).toBe(2)
    expect(onOneLine(ran.stderr)).toMatch(wrong)
    expect(onOneLine(ran.stderr)).toContain("formferry accept contacts ledger --because TEXT")
    expect(at.count()).toBe(before)
  })

/** Expects that the commands check and status report what is wrong. */
const isReported = (at: Bench, what: string, wrong: RegExp) =>
  Effect.gen(function*() {
    for (const command of [["check", "contacts"], ["status"], ["status", "--verify"]]) {
      const status = yield* at.inProcess(...command)
      expect([what, status.status], status.stdout).toEqual([what, 2])
      expect(onOneLine(status.stdout + status.stderr)).toMatch(wrong)
      expect(status.stdout).not.toContain("The ledger is sound")
    }
  })

/** Damages a ledger in a file. */
const inFolder = (harm: (folder: string) => void) => (at: Bench) =>
  Effect.sync(() => harm(join(at.folder, ".formferry")))

/** Kinds of damage to a ledger after which the next run is refused. */
const harms = {
  SQLite: [
    [
      "only ledger.db and its key are kept",
      inFolder((folder) => {
        for (const name of readdirSync(folder)) {
          if (name !== "ledger.db" && name !== "ledger.db.key") rmSync(join(folder, name), { recursive: true })
        }
      }),
      notNewest,
    ],
    [
      "the write-ahead log is cut to half",
      inFolder((folder) => truncateSync(logIn(folder), Math.floor(readFileSync(logIn(folder)).length / 2))),
      notNewest,
    ],
    [
      "the write-ahead log has a flipped bit",
      inFolder((folder) => {
        const bytes = readFileSync(logIn(folder))
        const at = Math.floor(bytes.length / 2)
        bytes[at] = bytes[at]! ^ 1
        writeFileSync(logIn(folder), bytes)
      }),
      notNewest,
    ],
    [
      "the folder is deleted",
      inFolder((folder) => rmSync(folder, { recursive: true })),
      /ledger\.db is missing or empty, but an earlier run wrote to it/,
    ],
  ],
  PostgreSQL: [
    [
      // The last ones may not be in a mark yet.
      "the run's commits are lost",
      (at: Bench) => execIn(at, () => "UPDATE holder SET upTo = 0"),
      /lacks (\d+) of \1 commits/,
    ],
    ["the schema is dropped", dropIn, /is missing or empty, but an earlier run wrote to it/],
  ],
} as const

it.scopedLive.each(databasesIfLong)(
  "a run is refused if the ledger of a killed first run in $name was deleted, damaged or kept without its log",
  ({ copy, name, place }) =>
    Effect.gen(function*() {
      const at = yield* killed(place)
      const kept = yield* copy(at)
      for (const [what, harm, wrong] of harms[name]) {
        yield* kept
        yield* harm(at)
        yield* isRefused(at, wrong)
        yield* isReported(at, what, wrong)
      }
      // No command has made a new one.
      expect(existsSync(join(at.folder, ".formferry", "ledger.db"))).toBe(false)
    }),
)

it.scopedLive.each(isLong ? databases : [])(
  "a copy in $name older than a killed run is refused, even if the clock jumps or a different ledger was accepted meanwhile",
  ({ copy, place }) =>
    Effect.gen(function*() {
      const at = yield* bench(slowly)
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(10)))
      // The clock that the first run sees is two days ahead.
      const ahead = join(at.folder, "ahead.mjs")
      writeFileSync(ahead, "const now = Date.now; Date.now = () => now() + 2 * 86_400_000\n")
      const first = yield* formferry(["run", "contacts"], {
        cwd: at.folder,
        env: { NODE_OPTIONS: `--import ${ahead}` },
      })
      expect(first.status, first.stderr).toBe(0)
      const older = yield* copy(at)
      at.write("source.csv", csv(upTo(rows)))
      const running = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() >= 30)
      running.signal("SIGKILL")
      yield* Effect.promise(() => running.ended)
      const newest = yield* copy(at)
      yield* older
      yield* isRefused(at, /is an older copy/, at.run)
      yield* isReported(at, "an older copy", /is an older copy/)
      // The killed run's rows are removed from the source, and a person accepts the backup.
      const sent = new Set(at.answers("qName"))
      at.write("source.csv", csv(upTo(rows).filter((key) => key <= 10 || !sent.has(`Person ${key}`))))
      yield* at.exits(0, "accept", "contacts", "ledger", "--because", "removed what was sent")
      const next = yield* at.run("run", "contacts")
      expect(next.status, next.stderr).toBe(0)
      expect(at.answers("qName")).toEqual(upTo(rows).map((key) => `Person ${key}`).toSorted())
      // The abandoned ledger returns.
      yield* newest
      at.write("source.csv", csv(upTo(rows)))
      yield* isRefused(at, /is an older copy/)
    }),
  60_000,
)

/** Keys whose format differs from the one of the imported rows. */
const reformatted = csv([11]).replace("\n11,", "\n011,")

/** Commands that change the ledger without sending anything, and what leads to them. */
const decisions: Readonly<Record<string, readonly [command: ReadonlyArray<string>, before?: (at: Bench) => void]>> = {
  "a row was left out": [["acknowledge", "contacts", "--rows", "12", "--because", "spam", "--leave-out"]],
  "rows in doubt were settled": [["settle", "contacts", "--as", "landed", "--all", "--because", "seen in the form"]],
  "a refused state was accepted": [
    ["accept", "contacts", "row-key", "--because", "new people"],
    (at) => at.write("source.csv", reformatted),
  ],
  "a row was forgotten": [["ledger", "forget", "contacts", "--rows", "11", "--because", "request 1"]],
  "row keys were changed": [
    ["ledger", "rekey", "contacts", "--map", "map.csv", "--yes"],
    (at) => at.write("map.csv", "old,new\n10,ten\n"),
  ],
}

it.scopedLive.each(databasesIfLong)(
  "a copy of the ledger in $name from before a person's decision is refused, although nothing was sent since",
  ({ copy, place }) =>
    Effect.gen(function*() {
      const at = yield* bench({ faults: [{ fault: "reset", on: "create", when: "after", at: [1] }] })
      ;(yield* place)(at)
      at.write(
        "pipelines/contacts.yaml",
        pipelineYaml({ sink: "service: live\n  form: contacts\n  canary: off\n  concurrency: 1" }),
      )
      const source = csv(upTo(11)) + "12,Person 12,no address,1990-01-17\n"
      at.write("source.csv", source)
      yield* at.exits(4, "run", "contacts")
      for (const [what, [command, before]] of Object.entries(decisions)) {
        at.write("source.csv", source)
        before?.(at)
        // A refused run records the state that can be accepted.
        yield* at.inProcess("run", "contacts")
        expect([what, at.count()]).toEqual([what, 11])
        const older = yield* copy(at)
        const decided = yield* at.inProcess(...command)
        expect([what, decided.status], decided.stdout + decided.stderr).toEqual([what, 0])
        const newest = yield* copy(at)
        yield* older
        yield* isRefused(at, /is an older copy/)
        yield* newest
      }
    }),
)

/** Commands that use the ledger, apart from `preview` and `ledger export`. `RUN` stands for a run's id. */
const usingLedger: ReadonlyArray<ReadonlyArray<string>> = [
  ["check"],
  ["status"],
  ["run", "contacts"],
  ["run", "contacts", "--dry-run"],
  ["rehearse", "contacts"],
  ["reconcile", "contacts"],
  ["settle", "contacts"],
  ["settle", "contacts", "--as", "landed", "--all", "--because", "seen"],
  ["acknowledge", "contacts", "--all", "--because", "seen"],
  ["accept", "contacts", "canary", "--because", "seen"],
  ["undo", "contacts", "--run", "RUN", "--confirm", "live"],
  ["ledger", "compact"],
  ["ledger", "backup", "copy.db"],
  ["ledger", "forget", "contacts", "--rows", "1", "--because", "request 1"],
  ["ledger", "rekey", "contacts", "--yes"],
]

it.scopedLive.each(databasesIfLong)(
  "of the commands that use the ledger, only `preview` and `ledger export` read an older copy in $name",
  ({ copy, name, place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(3)))
      yield* at.exits(0, "run", "contacts")
      const older = yield* copy(at)
      at.write("source.csv", csv(upTo(5)))
      yield* at.exits(0, "run", "contacts")
      yield* older
      at.edit("config/formferry.yaml", "confirm: false", "confirm: false\n    capabilities: [delete]")
      const { run } = at.report()
      for (const command of usingLedger) {
        // PostgreSQL's own tools back it up.
        if (command[1] === "backup" && name === "PostgreSQL") continue
        const ran = yield* at.inProcess(...command.map((word) => word === "RUN" ? run : word))
        expect([command, ran.status, onOneLine(ran.stdout + ran.stderr)]).toEqual([
          command,
          2,
          expect.stringContaining("is an older copy"),
        ])
      }
      expect(at.count()).toBe(5)
      expect(existsSync(join(at.folder, "copy.db"))).toBe(false)
      yield* at.exits(0, "preview", "contacts")
      const exported = yield* at.exits(0, "ledger", "export", "contacts")
      // The header and the three rows of the copy.
      expect(exported.stdout.trimEnd().split("\n")).toHaveLength(4)
    }),
)

it.scopedLive("a run whose log is deleted exits with code 70, and the next run sends the rest", () =>
  Effect.gen(function*() {
    const at = yield* bench(slowly)
    at.write("source.csv", csv(upTo(rows)))
    const running = start(["run", "contacts"], { cwd: at.folder })
    yield* until(() => at.count() >= 10)
    rmSync(`${ledgerOf(at)}-wal`)
    const ran = yield* Effect.promise(() => running.ended)
    expect(ran.status, ran.stderr).toBe(70)
    expect(onOneLine(ran.stderr)).toContain("ledger.db-wal was removed while it was in use")
    expect(at.count()).toBeLessThan(rows)
    // SQLite still had the log open, and moved its content into the file at the end.
    yield* at.exits(0, "run", "contacts")
    expect(at.answers("qName")).toEqual(upTo(rows).map((key) => `Person ${key}`).toSorted())
  }))

it.scopedLive.runIf(isLong)(
  "a run is refused if the previous run was killed and its log was deleted",
  () =>
    Effect.gen(function*() {
      const at = yield* killed(inFile.place, (at) => rmSync(`${ledgerOf(at)}-wal`))
      yield* isRefused(at, notNewest)
    }),
)

it.scopedLive.runIf(isLong)(
  "a run whose ledger is replaced by a copy of itself exits with code 70",
  () =>
    Effect.gen(function*() {
      const at = yield* bench(slowly)
      at.write("source.csv", csv(upTo(rows)))
      const running = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() >= 10)
      copyFileSync(ledgerOf(at), join(at.folder, "copy.db"))
      renameSync(join(at.folder, "copy.db"), ledgerOf(at))
      const ran = yield* Effect.promise(() => running.ended)
      expect(ran.status, ran.stderr).toBe(70)
      expect(onOneLine(ran.stderr)).toContain("ledger.db was replaced while it was in use")
      expect(at.count()).toBeLessThan(rows)
    }),
)

it.scopedLive("a hard-linked ledger is refused with exit code 2", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    linkSync(ledgerOf(at), join(at.folder, "second.db"))
    const refused = yield* at.exits(2, "run", "contacts")
    expect(onOneLine(refused.stderr)).toContain("has a second name (a hard link)")
    rmSync(join(at.folder, "second.db"))
    yield* at.exits(0, "run", "contacts")
  }))

it.scopedLive("a run that can't write its mark sends nothing and exits with code 70", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    mkdirSync(join(at.folder, "reports"))
    symlinkSync("../source.csv/nowhere", join(at.folder, "reports", ".ledger"))
    const ran = yield* at.exits(70, "run", "contacts")
    expect(onOneLine(ran.stderr)).toContain("its mark in")
    expect(at.count()).toBe(0)
    rmSync(join(at.folder, "reports", ".ledger"))
  }))

it.scopedLive.each(databasesIfLong)(
  "a mark of a ledger in $name is on disk in both places before the first row arrives, and is updated as rows are sent",
  ({ marks: own, place }) =>
    Effect.gen(function*() {
      const at = yield* bench(slowly)
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(30)))
      const running = start(["run", "contacts"], { cwd: at.folder })
      yield* until(() => at.count() >= 10)
      const folders = [join(at.folder, own), join(at.folder, "reports", ".ledger")]
      const marks = folders.map((folder) => readdirSync(folder))
      expect(marks[0]).toHaveLength(1)
      expect(marks[1]).toEqual(marks[0])
      expect((yield* Effect.promise(() => running.ended)).status).toBe(0)
      const texts = folders.map((folder) => readFileSync(join(folder, marks[0]![0]!), "utf8"))
      expect(texts[1]).toBe(texts[0])
      expect(JSON.parse(texts[0]!)).toMatchObject({ epoch: 1, upTo: expect.any(Number) })
    }),
)

it.scopedLive.each(databasesIfLong)(
  "a moved project, deleted reports and a ledger in $name kept without its log are not reasons to refuse a run",
  ({ name: database, place }) =>
    Effect.gen(function*() {
      const at = yield* bench()
      ;(yield* place)(at)
      at.write("source.csv", csv(upTo(3)))
      yield* at.exits(0, "run", "contacts")
      const quiet = (run = at.inProcess) =>
        Effect.gen(function*() {
          const ran = yield* run("run", "contacts")
          expect(ran.status, ran.stdout + ran.stderr).toBe(0)
          expect(at.count()).toBe(3)
        })
      // Runs without changes, and with a source that has only its header.
      yield* quiet()
      at.write("source.csv", csv([]))
      yield* quiet()
      at.write("source.csv", csv(upTo(3)))
      // Someone removes the pipeline's reports, then the whole report folder.
      rmSync(join(at.folder, "reports", "contacts"), { recursive: true })
      yield* quiet()
      rmSync(join(at.folder, "reports"), { recursive: true })
      yield* quiet()
      // The machine keeps only the ledger and its key.
      for (const name of database === "SQLite" ? readdirSync(join(at.folder, ".formferry")) : []) {
        if (name !== "ledger.db" && name !== "ledger.db.key") {
          rmSync(join(at.folder, ".formferry", name), { recursive: true })
        }
      }
      rmSync(join(at.folder, "reports"), { recursive: true })
      // This run is a separate process, because the ledger's files were removed after the previous run.
      yield* quiet(at.run)
      // Someone moves the project.
      const moved = join(at.folder, "moved")
      mkdirSync(moved)
      for (const name of readdirSync(at.folder)) {
        if (name !== "moved") renameSync(join(at.folder, name), join(moved, name))
      }
      const ran = yield* formferry(["run", "contacts"], { cwd: moved })
      expect(ran.status, ran.stderr).toBe(0)
      expect(at.count()).toBe(3)
    }),
  60_000,
)

it.scopedLive("check, preview and run report a damaged ledger and exit with code 70", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    at.write("source.csv", csv(upTo(3)))
    yield* at.exits(0, "run", "contacts")
    const bytes = readFileSync(ledgerOf(at))
    writeFileSync(ledgerOf(at), bytes.fill(0xff, 4096))
    at.write("source.csv", csv(upTo(5)))
    for (const command of ["check", "preview", "run"]) {
      const ran = yield* (command === "run" ? at.run : at.inProcess)(command, "contacts")
      expect([command, ran.status], ran.stdout + ran.stderr).toEqual([command, 70])
      expect(onOneLine(ran.stdout + ran.stderr)).toMatch(/The ledger \S+ledger\.db/)
    }
    expect(at.count()).toBe(3)
  }))
