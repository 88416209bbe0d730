import { FileSystem } from "@effect/platform"
import { expect, it, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Notifier } from "../../src/jobs/attempt.ts"
import { runDue } from "../../src/jobs/schedule.ts"
import { byAge, healthOf, projectStatus } from "../../src/jobs/status.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import type { RunRecord } from "../../src/ledger/standing.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { batchOf, rowOf } from "../ledger/rows.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"
import { nightClock } from "./nightClock.ts"

const hour = 3_600_000

layer(platform, { excludeTestServices: true })("status", (it) => {
  it.scoped("status shows the last runs, rows in doubt by age, the next run, and whether the last good run is recent enough", () =>
    Effect.gen(function*() {
      const at = yield* world
      const night = nightClock("2026-11-01T02:00:00Z")
      const during = Effect.withClock(night.clock)
      const status = (maxAge?: number, names: ReadonlyArray<string> = []) =>
        during(
          Effect.flatMap(loadProject(at.root, { pipelines: [] }), (project) =>
            projectStatus(project, names, { verify: false, runs: 2, maxAge })),
        )

      // Without a run, the probe fails.
      const { health, pipelines: none } = yield* status(26 * hour)
      expect(none).toEqual([])
      expect(health).toEqual([{ pipeline: "people", healthy: false, lastGood: undefined, zone: "UTC" }])

      yield* at.source(["1,Ann,ann@example.org"])
      yield* during(at.run())
      yield* night.set("2026-11-02T02:00:00Z")
      yield* at.source(["1,Ann,ann@example.org", "2,Bob,bob@example.org"])
      at.fail("POST", "lost")
      yield* during(at.run())

      // The run that left a row in doubt is not good, so the last good run is from the night before.
      const [healthy] = (yield* status(26 * hour)).health ?? []
      expect(healthy?.healthy).toBe(true)
      const [overdue] = (yield* status(23 * hour)).health ?? []
      expect(overdue?.healthy).toBe(false)
      expect(DateTime.formatIso(DateTime.unsafeMake(overdue?.lastGood ?? 0))).toMatch(/^2026-11-01T02:00/)

      yield* night.set("2026-11-05T12:00:00Z")
      yield* at.source(["1,Ann,ann@example.org"])
      yield* during(at.run())
      const [people] = (yield* status()).pipelines
      expect(people?.runs.map(({ outcome, startedAt }) => [startedAt.slice(0, 10), outcome])).toEqual([
        ["2026-11-05", "inDoubt"],
        ["2026-11-02", "inDoubt"],
      ])
      expect(people?.runs.map(({ facts }) => facts?.read)).toEqual([1, 2])
      expect(people?.doubts).toEqual([{ age: "younger than a week", count: 1 }])
      expect(people?.lastDone?.startedAt).toMatch(/^2026-11-01/)
      expect(people?.nextRun).toBeUndefined()

      const pipeline = `schedule: { cron: "0 2 * * *", zone: Europe/Berlin }\n`
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(`${at.root}/pipelines/people.yaml`, pipeline, { flag: "a" })
      const [scheduled] = (yield* status()).pipelines
      expect(scheduled?.nextRun).toEqual({ at: "2026-11-06T02:00:00+01:00", zone: "Europe/Berlin" })
    }))

  it.scoped("status shows a run in progress with its rows in flight, and a next run for a pipeline that never ran", () =>
    Effect.gen(function*() {
      const at = yield* world
      const fs = yield* FileSystem.FileSystem
      const status = Effect.flatMap(
        loadProject(at.root, { pipelines: [] }),
        (project) => projectStatus(project, [], { verify: false }),
      )
      yield* fs.writeFileString(
        `${at.root}/pipelines/people.yaml`,
        `schedule: { cron: "0 2 * * *", zone: UTC }\n`,
        { flag: "a" },
      )
      const { untouched, waiting } = yield* status
      expect([untouched, waiting]).toEqual([["people"], [{
        pipeline: "people",
        nextRun: { at: expect.stringMatching(/T02:00:00Z$/), zone: "UTC" },
      }]])
      const file = `${at.root}/.formferry/ledger.db`
      const begin = Effect.gen(function*() {
        const ledger = yield* openLedger({ file })
        const destination = { service: at.address, form: "people" }
        const view = yield* ledger.pipeline({ pipeline: "people", destination, renamedFrom: undefined, alongside: [] })
        const session = yield* view.hold("r1")
        yield* session.startRun({ run: "r1", mode: "run", startedAt: "2026-11-20T02:00:00.000Z" })
        yield* session.intend(batchOf([rowOf(ledger, 1), rowOf(ledger, 2)]))
      })
      yield* Effect.scoped(Effect.gen(function*() {
        yield* begin
        const { pipelines: [people], waiting } = yield* status
        expect(waiting).toEqual([])
        expect(people).toMatchObject({
          going: {
            run: "r1",
            since: expect.stringMatching(/Z$/),
            inFlight: 2,
            lease: { host: undefined, pid: process.pid, silentFor: expect.any(Number), expiresIn: expect.any(Number) },
          },
          standing: { inDoubt: 0, intended: 0 },
          doubts: [],
        })
      }))
      const { pipelines: [people] } = yield* status
      expect(people?.going).toBeUndefined()
      expect(people).toMatchObject({ standing: { inDoubt: 2 }, doubts: [{ count: 2 }], lastRun: { run: "r1" } })
      expect(people?.lastRun?.outcome).toBeUndefined()
      // A lock held by a different process is not a run.
      yield* Effect.scoped(Effect.gen(function*() {
        const view = yield* Effect.flatMap(openLedger({ file }), (ledger) =>
          ledger.pipeline({
            pipeline: "people",
            destination: { service: at.address, form: "people" },
            renamedFrom: undefined,
            alongside: [],
          }))
        yield* view.hold("settling")
        expect((yield* status).pipelines[0]?.going).toBeUndefined()
      }))
    }))

  it.scoped("status reports a due pipeline that could not start, until it next reads its source, and ignores good runs to a different target", () =>
    Effect.gen(function*() {
      const at = yield* world
      const fs = yield* FileSystem.FileSystem
      const file = `${at.root}/pipelines/people.yaml`
      const text = yield* fs.readFileString(file)
      const targets =
        "sink: { targets: { real: { service: live, form: people }, trial: { service: live, form: others } }"
      yield* fs.writeFileString(
        file,
        `${
          text.replace("sink: { service: live, form: people", targets)
        }schedule: { cron: "0 2 * * *", zone: UTC, to: real }\n`,
      )
      const night = nightClock("2026-11-01T02:00:00Z")
      const during = Effect.withClock(night.clock)
      const status = during(Effect.flatMap(
        loadProject(at.root, { pipelines: [] }),
        (project) => projectStatus(project, [], { verify: false, maxAge: 26 * hour }),
      ))
      const due = runDue({
        root: at.root,
        load: (pipelines) => loadProject(at.root, { pipelines }),
        confirmed: [],
        interrupted: Effect.never,
        onEvent: () => Effect.void,
      }).pipe(Effect.provideService(Notifier, { notify: () => Effect.void }), during)
      const told = Effect.map(status, ({ health, notBegun }) => [notBegun, health?.map(({ healthy }) => healthy)])

      yield* at.source(["1,Ann,ann@example.org"])
      yield* during(at.run({ to: "trial" }))
      expect(yield* told).toEqual([[], [false]])

      yield* night.set("2026-11-02T02:00:00Z")
      yield* fs.rename(`${at.root}/source.csv`, `${at.root}/away.csv`)
      expect(yield* due).toBe(2)
      const notBegun = { pipeline: "people", at: expect.stringMatching(/^2026-11-02T02:00/), zone: "UTC" }
      expect(yield* told).toEqual([[notBegun], [false]])

      // A manual import of fixed rows does not count as a nightly run.
      yield* fs.copyFile(`${at.root}/away.csv`, `${at.root}/source.csv`)
      yield* at.write("fixed.csv", "No,Name,Mail\n2,Bob,bob@example.org\n")
      yield* during(at.run({ to: "real", source: "fixed.csv" }))
      expect(yield* told).toEqual([[notBegun], [false]])

      yield* night.set("2026-11-03T02:00:00Z")
      yield* fs.rename(`${at.root}/away.csv`, `${at.root}/source.csv`)
      expect(yield* due).toBe(0)
      expect(yield* told).toEqual([[], [true]])
    }))
})

it("counts rows in doubt by age, and omits ages without rows", () => {
  const now = Date.parse("2026-11-30T12:00:00Z")
  const doubts = [
    { sentAt: "2026-10-01T00:00:00Z", count: 5 },
    { sentAt: "2026-11-20T00:00:00Z", count: 1 },
    { sentAt: "2026-11-30T02:00:00Z", count: 2 },
    { sentAt: "2026-11-30T11:59:00Z", count: 3 },
    // If the clock was set back, the age is zero.
    { sentAt: "2026-12-30T11:59:00Z", count: 1 },
  ]
  expect(byAge(doubts, now)).toEqual([
    { age: "younger than a day", count: 6 },
    { age: "younger than 30 days", count: 1 },
    { age: "older than 30 days", count: 5 },
  ])
})

it("status reports a pipeline's health by its newest good run at the destination of its schedule", () => {
  const standing = (form: string, at: number) => ({
    destination: { service: "live", form },
    lastDone: { finishedAt: new Date(at).toISOString() } as RunRecord,
  })
  const standings = [standing("a", 1_000), standing("b", 9_000)]
  const destination = { services: ["live"], form: "a" }
  const recent = { now: 10_000, maxAge: 5_000 }
  expect(healthOf("moved", standings, undefined, recent)).toEqual({ pipeline: "moved", healthy: true, lastGood: 9_000 })
  expect(healthOf("moved", standings, destination, recent).lastGood).toBe(1_000)
  expect(healthOf("old", standings.slice(0, 1), undefined, recent).healthy).toBe(false)
  expect(healthOf("never", [], undefined, recent)).toEqual({ pipeline: "never", healthy: false, lastGood: undefined })
  const future = [standing("a", Date.parse("2099-01-01"))]
  expect(healthOf("clock", future, undefined, recent), "the clock was wrong").toMatchObject({ healthy: false })
})
