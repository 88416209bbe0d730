// Tests the ledger's upkeep with real runs: forgotten rows, backups during a run, exports, and the deletion of old
// reports.
import { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { readFileSync, statSync } from "node:fs"
import type { RunReport } from "../../src/domain/report.ts"
import { dropReports } from "../../src/jobs/attempt.ts"
import { findReport, redactReport } from "../../src/jobs/report.ts"
import { backUp, compactLedger, exportLedger, forgetRows } from "../../src/jobs/upkeep.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { live, world } from "../run/world.ts"

const ledgerFiles = (root: string) => ["", "-wal", "-shm"].map((end) => `${root}/.formferry/ledger.db${end}`)

/** Returns every byte of the ledger and its logs. */
const bytes = (root: string): string =>
  ledgerFiles(root).map((file) => {
    try {
      return readFileSync(file, "latin1")
    } catch {
      return ""
    }
  }).join("")

const asked = { by: "a test", because: "request 17", reports: false }

describe("forgetting a row", () => {
  live(
    "forgetting a row with --reports also empties reports with a masked copy, or with its key in a sentence",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-01,Ada,ada@example.org", "K-02,Bob,bob@example.org"])
      const first = yield* here.run()
      const project = yield* loadProject(here.root)
      yield* redactReport(project, yield* findReport(project, "people", first.run))
      yield* here.source(["K-1,Ada,ada@example.org", "K-02,Bob,bob@example.org"])
      const refused = yield* here.run()
      expect(refused.because.join(" ")).toContain('"K-01" (row 1)')
      yield* here.write("reports/people/desktop.ini", "K-01")
      yield* forgetRows(project, { ...asked, pipeline: "people", keys: ["K-01"], reports: true })
      const fs = yield* FileSystem.FileSystem
      for (const { run } of [first, refused]) {
        const folder = `${here.root}/reports/people/${run}`
        expect(yield* fs.readDirectory(folder)).toEqual(["report.json"])
        expect(yield* fs.readFileString(`${folder}/report.json`)).not.toContain("K-01")
      }
      expect(bytes(here.root)).not.toContain("K-01")
    }),
  )

  live(
    "forgetting a row with --reports also empties a folder that a copy of the project has in place of the link `latest`",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada Forgettable,ada-forgettable@example.org"])
      const { run } = yield* here.run()
      const fs = yield* FileSystem.FileSystem
      const latest = `${here.root}/reports/people/latest`
      yield* fs.remove(latest)
      yield* fs.copy(`${here.root}/reports/people/${run}`, latest)
      const project = yield* loadProject(here.root)
      const { reports } = yield* forgetRows(project, { ...asked, pipeline: "people", keys: ["K-1"], reports: true })
      expect(reports.map((one) => one.folder).toSorted()).toEqual([`${here.root}/reports/people/${run}`, latest])
      expect(bytes(here.root)).not.toContain("K-1")
    }),
  )

  live(
    "forgetting a row with --reports also empties the reports of the pipeline's earlier name",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada Forgettable,ada-forgettable@example.org"])
      const { run } = yield* here.run()
      const fs = yield* FileSystem.FileSystem
      const file = `${here.root}/pipelines/people.yaml`
      const text = yield* fs.readFileString(file)
      yield* here.write(
        "pipelines/people.yaml",
        text.replace("pipeline: people", "pipeline: persons\nrenamedFrom: people"),
      )
      yield* here.run({ pipeline: "persons" })
      const project = yield* loadProject(here.root)
      const { reports } = yield* forgetRows(project, { ...asked, pipeline: "persons", keys: ["K-1"], reports: true })
      const folder = `${here.root}/reports/people/${run}`
      expect(reports.map((one) => one.folder)).toContain(folder)
      expect(yield* fs.readDirectory(folder)).toEqual(["report.json"])
    }),
  )

  live(
    "forgetting a row before the first run under a new name, and with reports under two earlier names",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada Forgettable,ada-forgettable@example.org", "K-2,Bob,bob@example.org"])
      const fs = yield* FileSystem.FileSystem
      const file = `${here.root}/pipelines/people.yaml`
      const text = yield* fs.readFileString(file)
      const rename = (name: string, from: string) =>
        here.write(
          "pipelines/people.yaml",
          text.replace("pipeline: people", `pipeline: ${name}\nrenamedFrom: ${from}`),
        )
      const runs = [(yield* here.run()).run]
      yield* rename("persons", "people")
      runs.push((yield* here.run({ pipeline: "persons" })).run)
      yield* rename("humans", "persons")
      const project = yield* loadProject(here.root)
      const done = yield* forgetRows(project, { ...asked, pipeline: "humans", keys: ["K-1"], reports: true })
      expect(done.keys).toEqual(["K-1"])
      expect(done.reports.map((one) => one.folder)).toContain(`${here.root}/reports/people/${runs[0]}`)
      expect(bytes(here.root)).not.toContain("K-1")
      const again = yield* here.run({ pipeline: "humans" })
      expect(again.rows).toMatchObject({ read: 2, filtered: 1, alreadyImported: 1 })
    }),
  )

  live(
    "forgetting a row leaves only the digest of its key, and the row is never imported later",
    Effect.gen(function*() {
      const here = yield* world
      const rows = [
        "K-1,Ada Forgettable,ada-forgettable@example.org",
        "K-2,Bob,bob@example.org",
        "K-3,Eve,eve@example.org",
      ]
      yield* here.source([...rows, "K-4,Invalid Forgettable,not an address"])
      const first = yield* here.run()
      expect(first.rows).toMatchObject({ imported: 3, invalid: 1 })
      const project = yield* loadProject(here.root)
      const secretKey = "K-1"
      expect(bytes(here.root)).toContain(secretKey)
      const before = yield* Effect.scoped(
        Effect.map(openLedger({ file: project.ledger.name }), (one) => one.digest.key("K-1")),
      )
      const contentBefore = bytes(here.root)

      const done = yield* forgetRows(project, { ...asked, pipeline: "people", keys: ["K-1", "K-4", "K-99"] })
      expect(done.keys).toEqual(["K-1", "K-4"])
      expect(done.unknown).toEqual(["K-99"])
      expect(done.submissions).toHaveLength(1)
      // The command names the report files that still contain the rows.
      expect(done.reports.map(({ folder }) => folder)).toEqual([`${here.root}/reports/people/${first.run}`])
      expect(done.reports[0]?.files).toEqual(["imported.csv", "rejected.csv", "report.html", "report.json"])

      const after = bytes(here.root)
      for (const text of ["K-1", "K-4", "Forgettable", "forgettable"]) expect(after).not.toContain(text)
      expect(after).toContain("K-2")
      // The keyed digest stays, and the digest of the content is deleted.
      expect(after).toContain(before.toString("latin1"))
      expect(contentBefore.length).toBeGreaterThan(0)
      expect(
        yield* Effect.scoped(Effect.flatMap(openLedger({ file: project.ledger.name }), (one) => one.verify)),
      ).toEqual(
        [],
      )

      // The source still contains the person. The run skips the row without asking, whether or not it changed.
      yield* here.source([
        "K-1,Ada Forgettable,new-address@example.org",
        ...rows.slice(1),
        "K-4,Now Valid,valid@example.org",
      ])
      const second = yield* here.run()
      expect(second.rows).toMatchObject({ read: 4, filtered: 2, alreadyImported: 2, imported: 0 })
      expect(second.exitCode).toBe(0)
      expect(yield* Effect.sync(() => here.names())).toEqual(["Ada Forgettable", "Bob", "Eve"])
      const reconciled = yield* here.reconcile()
      expect(reconciled.readBack).toEqual({ verified: 2, differing: 0, missing: 0, unread: 0 })
      expect(reconciled.exitCode).toBe(0)

      // With --reports, the reports contain only counts, and are still valid.
      const again = yield* forgetRows(project, { ...asked, pipeline: "people", keys: ["K-1", "K-4"], reports: true })
      expect(again.reports.map(({ folder }) => folder)).toContain(`${here.root}/reports/people/${first.run}`)
      const fs = yield* FileSystem.FileSystem
      const folder = `${here.root}/reports/people/${first.run}`
      expect(yield* fs.readDirectory(folder)).toEqual(["report.json"])
      const left = yield* fs.readFileString(`${folder}/report.json`)
      expect(left).not.toMatch(/forgettable|K-[14]|not an address/i)
      expect((JSON.parse(left) as RunReport).rows).toEqual(JSON.parse(JSON.stringify(first.rows)))
      const third = yield* here.run()
      expect(third.exitCode).toBe(0)
    }),
  )

  live(
    "forgetting a row in doubt requires it to be settled first, and unknown rows are reported",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada,ada@example.org"])
      here.fail("POST", "lost")
      expect((yield* here.run()).exitCode).toBe(4)
      const project = yield* loadProject(here.root)
      const doubtful = yield* Effect.flip(forgetRows(project, { ...asked, pipeline: "people", keys: ["K-1"] }))
      expect(doubtful.message).toContain("Settle first (formferry settle people --rows …)")
      const unknown = yield* Effect.flip(forgetRows(project, { ...asked, pipeline: "people", keys: ["K-7"] }))
      expect(unknown.message).toContain("has no row of people with the key K-7")
      expect(bytes(here.root)).toContain("K-1")
    }),
  )
})

describe("the ledger's file", () => {
  live(
    "the ledger can be backed up completely during a run, readable by its owner only, and never over an existing file",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(Array.from({ length: 25 }, (_, at) => `K-${at},Name ${at},n${at}@example.org`))
      const report = yield* here.run()
      const project = yield* loadProject(here.root)
      const to = `${here.root}/backups/ledger.db`
      yield* Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger({ file: project.ledger.name })
        const destination = { service: here.address, form: "people" }
        const view = yield* ledger.pipeline({
          pipeline: "people",
          destination,
          renamedFrom: undefined,
          alongside: [],
        })
        const session = yield* view.hold("a run in progress")
        expect(yield* backUp(project, to)).toBeGreaterThan(0)
        // The run continues to write.
        yield* session.recordFacts({ canary: { standing: "s", state: "passed" } })
        const busy = yield* Effect.flip(compactLedger(project))
        expect(busy._tag).toBe("LedgerLocked")
      }))
      expect([to, `${to}.key`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
      expect((yield* Effect.flip(backUp(project, to))).message).toContain("already exists")

      // The restored ledger is the same, and continues where it was.
      const fs = yield* FileSystem.FileSystem
      for (const file of ledgerFiles(here.root)) yield* fs.remove(file, { force: true })
      yield* fs.remove(`${here.root}/.formferry/ledger.db.key`)
      yield* fs.rename(to, `${here.root}/.formferry/ledger.db`)
      yield* fs.rename(`${to}.key`, `${here.root}/.formferry/ledger.db.key`)
      const restored = yield* here.run()
      expect(restored.ledger).toEqual(report.ledger)
      expect(restored.rows).toMatchObject({ alreadyImported: 25, imported: 0 })
    }),
  )

  live(
    "the ledger can be exported as CSV and as JSON lines",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.source(["K-1,Ada,ada@example.org", "=2+3,Bob,bob@example.org"])
      yield* here.run()
      const project = yield* loadProject(here.root)
      const csv = yield* Stream.mkString(exportLedger(project, [], "csv"))
      const [head, ...lines] = csv.trimEnd().split("\n")
      expect(head).toBe("pipeline,service,form,key,state,row,submissionId,verdict,sentAt,submissionTime,run")
      expect(lines).toHaveLength(2)
      expect(lines[1]).toMatch(/^people,http[^,]+,people,"'=2\+3",imported,2,[^,]+,verified,/)
      const jsonl = (yield* Stream.mkString(exportLedger(project, ["people"], "jsonl"))).trimEnd().split("\n")
      expect(jsonl.map((line) => JSON.parse(line))).toMatchObject([
        { key: "K-1", state: "imported", verdict: "verified" },
        { key: "=2+3", state: "imported", verdict: "verified" },
      ])
      const mistyped = yield* Effect.flip(Stream.mkString(exportLedger(project, ["poeple"], "jsonl")))
      expect(mistyped._tag).toBe("PipelineUnknown")
    }),
  )
})

describe("old reports", () => {
  live(
    "old reports are deleted after a run as configured, except the latest report and the marks",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.configure("reports: { directory: ../reports, keepRuns: 2 }\n")
      yield* here.source(["K-1,Ada,ada@example.org"])
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const folders = () =>
        Effect.map(
          fs.readDirectory(path.join(here.root, "reports/people")),
          (names) => names.filter((one) => one !== "latest").toSorted(),
        )
      const night = (dryRun: boolean) =>
        Effect.gen(function*() {
          const report = yield* here.run({ dryRun })
          yield* dropReports(yield* loadProject(here.root), report)
          return report.run
        })
      yield* night(false)
      const looks = [yield* night(true), yield* night(true), yield* night(true)]
      expect(yield* folders()).toEqual(looks.slice(1).toSorted())
      expect(yield* fs.readLink(path.join(here.root, "reports/people/latest"))).toBe(looks[2])
      yield* night(false)
      expect(yield* folders()).toHaveLength(2)
      yield* fs.remove(path.join(here.root, ".formferry"), { recursive: true })
      expect((yield* Effect.flip(here.run())).message).toContain("formferry accept people ledger")
    }),
  )

  live(
    "reports older than `keepDays` are deleted after a run, except the latest report",
    Effect.gen(function*() {
      const here = yield* world
      yield* here.configure("reports: { directory: ../reports, keepDays: 30 }\n")
      yield* here.source(["K-1,Ada,ada@example.org"])
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const reports = path.join(here.root, "reports/people")
      const night = Effect.gen(function*() {
        const report = yield* here.run({ dryRun: true })
        yield* dropReports(yield* loadProject(here.root), report)
        return report.run
      })
      /** Changes when a run started. */
      const started = (run: string, days: number) =>
        Effect.gen(function*() {
          const file = path.join(reports, run, "report.json")
          const report = JSON.parse(yield* fs.readFileString(file)) as object
          const startedAt = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days }))
          yield* fs.writeFileString(file, JSON.stringify({ ...report, startedAt }))
        })
      const left = Effect.map(
        fs.readDirectory(reports),
        (names) => names.filter((one) => one !== "latest").toSorted(),
      )
      const first = yield* night
      yield* started(first, 31)
      // The run's own report is the latest one, so it stays although the older one is deleted.
      const second = yield* night
      expect(yield* left).toEqual([second])
      yield* started(second, 29)
      const third = yield* night
      expect(yield* left).toEqual([second, third].toSorted())
      // All reports are old, and the latest one stays.
      yield* started(second, 33)
      yield* started(third, 32)
      const kept = { run: third, pipeline: "people", sources: [{ file: "people.csv" }] } as unknown as RunReport
      yield* dropReports(yield* loadProject(here.root), kept)
      expect(yield* left).toEqual([third])
    }),
  )
})
