import { FileSystem, Path } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { Notifier } from "../../src/jobs/attempt.ts"
import type { RunEnd } from "../../src/jobs/notifyWebhooks.ts"
import { runDue, runOnSchedule } from "../../src/jobs/schedule.ts"
import { planSchedule, withLedger } from "../../src/jobs/schedules.ts"
import type { ScheduleEvent, ScheduleOptions } from "../../src/jobs/turns.ts"
import { LedgerError } from "../../src/ledger/errors.ts"
import { LockHolder } from "../../src/ledger/holder.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { Writer } from "../../src/ledger/sqlite/Writer.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { until } from "../acceptance/formferry.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"
import { nightClock } from "./nightClock.ts"

const people = (name: string, cron: string, more = "") =>
  `pipeline: ${name}
source: { file: ../${name}.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: Mail, from: Mail, as: email }
sink: { service: live, form: ${name} }
schedule: { cron: "${cron}", zone: Europe/Berlin }
${more}`

const csv = (...keys: ReadonlyArray<number>) =>
  ["No,Name,Mail", ...keys.map((key) => `${key},Person ${key},p${key}@example.org`), ""].join("\n")

/**
 * A world with two pipelines, scheduled for two and three o'clock in Berlin. The test sets the clock, and all
 * notifications are recorded.
 */
const nights = (start: string) =>
  Effect.gen(function*() {
    const at = yield* world
    const night = nightClock(start)
    yield* at.write("pipelines/people.yaml", people("people", "0 2 * * *"))
    yield* at.write("pipelines/others.yaml", people("others", "0 3 * * *"))
    yield* at.write("people.csv", csv(1, 2, 3))
    yield* at.write("others.csv", csv(1, 2))
    const events: Array<ScheduleEvent> = []
    const ends: Array<RunEnd> = []
    const interrupted = yield* Deferred.make<"SIGINT" | "SIGTERM">()
    const options: ScheduleOptions = {
      root: at.root,
      load: (pipelines) => loadProject(at.root, { pipelines }),
      confirmed: [],
      interrupted: Deferred.await(interrupted),
      onEvent: (event) => Effect.sync(() => void events.push(event)),
    }
    const notifier = {
      notify: (_: unknown, end: RunEnd) => Effect.sync(() => void ends.push(end)),
    }
    const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(Effect.provideService(Notifier, notifier), Effect.withClock(night.clock))
    return {
      ...at,
      night,
      events,
      ends,
      options,
      interrupt: (signal: "SIGINT" | "SIGTERM") => Deferred.succeed(interrupted, signal),
      once: (more: Partial<ScheduleOptions> = {}) => during(runDue({ ...options, ...more })),
      plan: during(planSchedule(options, 2)),
      /** Starts a scheduler that runs until the scope closes. */
      scheduler: (more: Partial<ScheduleOptions> = {}) =>
        Effect.forkScoped(during(runOnSchedule({ ...options, ...more }))),
      during,
      /** Returns the names of pipelines whose run ended, in that order. */
      ran: () => events.flatMap((event) => event._tag === "Ended" ? [event.pipeline] : []),
      waits: () => events.filter(({ _tag }) => _tag === "Waits").length,
    }
  })

/** Returns the last turn of the pipeline `people`. */
const peopleTurn = (root: string) =>
  Effect.flatMap(
    loadProject(root, { pipelines: [] }),
    (project) => withLedger(project, ({ turns }) => turns.last("people")),
  )

/** Lets the next runs fail, as if their ledger could not be written. */
const fail = (file: string, times: number) => {
  const { writeOn } = Writer.prototype
  let left = times
  const failing = vi.spyOn(Writer.prototype, "writeOn").mockImplementation(
    function(this: Writer, hold, doing, ...rest) {
      if (doing !== "recording an intent") return writeOn.call(this, hold, doing, ...rest) as never
      if (--left === 0) failing.mockRestore()
      return Effect.fail(new LedgerError({ file, doing, cause: "disk I/O error" }))
    },
  )
}

/** Takes the turn of the pipeline `people` like a process in a different container, which then sends no heartbeat. */
const takeElsewhere = (root: string) =>
  Effect.scoped(Effect.gen(function*() {
    const file = (yield* loadProject(root, { pipelines: [] })).ledger.name
    const holder = { pid: 7, born: "1", boot: `${LockHolder.defaultValue()().boot.split(" ")[0] ?? ""} pid:[0]` }
    const { turns } = yield* Effect.provideService(openLedger({ file }), LockHolder, () => holder)
    yield* turns.record("people", () => "taken")
  }))

layer(platform, { excludeTestServices: true })("schedule --once", (it) => {
  it.scoped("runs only pipelines that never ran or missed a time, and each only once", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      expect(yield* at.once()).toBe(0)
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      expect(at.names("people")).toHaveLength(3)

      // On the same day, nothing is due a second time.
      at.events.length = 0
      expect(yield* at.once()).toBe(0)
      expect(at.events.map(({ _tag }) => _tag)).toEqual(["Waits", "Waits"])

      // At half past two, only the pipeline scheduled for two o'clock is due.
      yield* at.night.set("2026-11-21T01:30:00Z")
      yield* at.write("people.csv", csv(1, 2, 3, 4))
      yield* at.once()
      expect(at.ran()).toEqual(["people"])
      expect(at.names("people")).toHaveLength(4)

      // After three weeks both pipelines have missed many times, but each runs once.
      yield* at.night.set("2026-12-12T12:00:00Z")
      at.events.length = 0
      yield* at.once()
      yield* at.once()
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      expect(at.ends.map((end) => end._tag)).toEqual(Array.from({ length: 5 }, () => "Reported"))
    }))

  it.scoped("a run that fails three times waits for its next scheduled time, and then has three attempts again", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      rmSync(join(at.root, "pipelines/others.yaml"))
      for (const [nth, day] of [20, 21].entries()) {
        yield* at.night.set(`2026-11-${day}T12:00:00Z`)
        fail("ledger", 3)
        for (const code of [70, 70, 70, 0]) expect([day, yield* at.once()]).toEqual([day, code])
        expect(at.ran()).toHaveLength(3 * (nth + 1))
      }
      yield* at.night.set("2026-11-22T12:00:00Z")
      expect(yield* at.once()).toBe(0)
      expect(at.names("people")).toHaveLength(3)
    }))

  it.scoped("schedule counts a manual run after a scheduled time as that time's run", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.once()
      yield* at.night.set("2026-11-21T01:10:00Z")
      yield* at.during(at.run())
      at.events.length = 0
      yield* at.once()
      expect(at.ran()).toEqual([])
    }))

  const unlikeScheduled = [
    ["a different file, such as a fixed rejected.csv", { source: "fixed.csv" }, 1],
    ["a different file that was killed", { source: "fixed.csv" }, "killed"],
    ["a limited number of rows", { limit: 1 }, 1],
    ["a different target", { to: "trial" }, 4],
  ] as const
  for (const [name, options, sent] of unlikeScheduled) {
    it.scoped(`schedule doesn't count a manual run of ${name}`, () =>
      Effect.gen(function*() {
        const at = yield* nights("2026-11-20T12:00:00Z")
        rmSync(join(at.root, "pipelines/others.yaml"))
        const targets = "targets: { real: { service: live, form: people }, trial: { service: live, form: others } }"
        const file = people("people", "0 2 * * *").replace("service: live, form: people", targets)
        yield* at.write("pipelines/people.yaml", file.replace("zone: Europe/Berlin", "zone: Europe/Berlin, to: real"))
        yield* at.once()
        yield* at.night.set("2026-11-21T01:10:00Z")
        yield* at.write("people.csv", csv(1, 2, 3, 4))
        yield* at.write("fixed.csv", csv(4))
        if (sent === "killed") fail("ledger", 1)
        const before = at.names("people").length + at.names("others").length
        const ended = yield* Effect.exit(at.during(at.run({ to: "real", ...options })))
        expect(Exit.isSuccess(ended)).toBe(sent !== "killed")
        if (sent !== "killed") expect(at.names("people").length + at.names("others").length).toBe(before + sent)
        yield* at.write("people.csv", csv(1, 2, 3, 4, 5))
        at.events.length = 0
        yield* at.once()
        expect(at.ran()).toEqual(["people"])
        expect(at.names("people")).toHaveLength(5)
      }))
  }

  it.scoped("schedule continues after a pipeline fails, notifies webhooks, returns the failure's exit code, and retries the next night", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.write("pipelines/others.yaml", people("others", "0 3 * * *", "mapping: { questions: nonsense }"))
      expect(yield* at.once()).toBe(2)
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      expect(at.names("people")).toHaveLength(3)
      const failed = at.ends.find((end) => end._tag === "Failed")
      expect(failed).toMatchObject({ pipeline: "others", exitCode: 2, error: "ConfigurationInvalid" })
      expect(yield* at.once()).toBe(0)
      expect(at.ends).toHaveLength(2)
      // The pipeline was fixed before the next night.
      yield* at.write("pipelines/others.yaml", people("others", "0 3 * * *"))
      yield* at.night.set("2026-11-21T02:00:00Z")
      expect(yield* at.once()).toBe(0)
      expect(at.names("others")).toHaveLength(2)
    }))

  it.scoped("schedule reports an unreadable schedule with exit code 2, notifies webhooks once a day, and runs the other pipelines", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.write("pipelines/others.yaml", people("others", "0 25 * * *"))
      expect(yield* at.once()).toBe(2)
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      const said = at.events.flatMap((event) => event._tag === "Unreadable" ? event.files : [])
      expect(said).toEqual([expect.stringContaining("pipelines/others.yaml: its schedule can't be read.")])
      // Webhooks are notified of the failure once a day, however often the scheduler checks.
      yield* at.write("pipelines/third.yaml", "pipeline: [\nschedule: {}\n")
      expect(yield* at.once()).toBe(2)
      expect(yield* at.once()).toBe(2)
      const failed = () => at.ends.flatMap((end) => end._tag === "Failed" ? [`${end.pipeline} ${end.error}`] : [])
      expect(failed().toSorted()).toEqual(["others ConfigurationInvalid", "third ConfigurationInvalid"])
      yield* at.night.set("2026-11-21T12:00:00Z")
      expect(yield* at.once()).toBe(2)
      expect(failed()).toHaveLength(4)
    }))

  it.scoped("each pipeline runs once if two schedulers start at the same time, and the second reports that it is busy", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const statuses = yield* Effect.all([at.once(), at.once()], { concurrency: 2 })
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      expect(Math.max(...statuses)).toBeLessThanOrEqual(6)
      expect(Math.min(...statuses)).toBe(0)
      expect(at.names("people")).toHaveLength(3)
    }))

  it.scoped("schedule exits with code 6 if a pipeline has a manual run in progress, and runs the others", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const project = yield* loadProject(at.root)
      const status = yield* at.during(Effect.scoped(Effect.gen(function*() {
        const ledger = yield* openLedger({ file: project.ledger.name })
        const service = project.services.get("live")
        const address = service?._tag === "Live" ? service.baseUrl : ""
        const view = yield* ledger.pipeline({
          pipeline: "people",
          destination: { service: address, form: "people" },
          renamedFrom: undefined,
          alongside: [],
        })
        yield* view.hold("by-hand")
        return yield* at.once()
      })))
      expect(status).toBe(6)
      expect(at.names("others")).toHaveLength(2)
      expect(at.names("people")).toHaveLength(0)
    }))

  it.scoped("sends rows only to confirmed services", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const config = path.join(at.root, "config/formferry.yaml")
      yield* fs.writeFileString(config, (yield* fs.readFileString(config)).replace("confirm: false", "confirm: true"))
      const exit = yield* Effect.exit(at.once())
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({
        error: { _tag: "ScheduleUnconfirmed", services: ["live"], pipelines: ["others", "people"] },
      })
      expect(at.heard).toEqual([])
      expect(yield* at.once({ confirmed: ["live"] })).toBe(0)
      expect(at.names("people")).toHaveLength(3)
    }))

  it.scoped("reports a project without schedules", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      for (const name of ["people", "others"]) {
        yield* at.write(`pipelines/${name}.yaml`, people(name, "0 2 * * *").replace(/^schedule.*$/m, ""))
      }
      const exit = yield* Effect.exit(at.once())
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ error: { code: "NothingScheduled" } })
    }))

  it.scoped("four pipelines run at the same time unless another number is given", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      for (const name of ["a", "b", "c", "d", "e"]) {
        yield* at.write(
          `pipelines/${name}.yaml`,
          people("others", "0 3 * * *").replace("pipeline: others", `pipeline: ${name}`),
        )
      }
      for (const [given, atOnce] of [[undefined, 4], [2, 2]] as const) {
        let running = 0
        let most = 0
        const all = yield* Effect.makeLatch()
        yield* at.once({
          atOnce: given,
          onEvent: ({ _tag }) => {
            if (_tag === "Ended") running--
            if (_tag !== "Begins") return Effect.void
            most = Math.max(most, ++running)
            return running === atOnce ? all.open : all.await
          },
        })
        expect(most).toBe(atOnce)
        yield* at.night.set("2026-11-21T12:00:00Z")
      }
    }))

  it.scoped("concurrent pipelines share the pace of a service, and each requests its own form", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const config = path.join(at.root, "config/formferry.yaml")
      yield* fs.writeFileString(
        config,
        (yield* fs.readFileString(config)).replace("requestsPerSecond: 1000", "requestsPerSecond: 25"),
      )
      const began = yield* Clock.currentTimeMillis
      expect(yield* at.once()).toBe(0)
      const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
      // The requests are at least 2 forms, 2 creates and 5 reads, at 25 a second in total.
      expect(at.heard.length).toBeGreaterThanOrEqual(9)
      expect(at.heard.filter((one) => one.startsWith("POST")).toSorted()).toEqual(
        ["others", "people"].map((form) => `POST /forms/${form}/submissions`),
      )
      expect(at.heard.length / seconds).toBeLessThanOrEqual(25 * 1.3)
    }))
})

layer(platform, { excludeTestServices: true })("schedule", (it) => {
  it.scoped("runs pipelines at their times every night, even if their schedules are edited meanwhile", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const scheduler = yield* at.scheduler()
      yield* until(() => at.waits() === 2)
      // A pipeline that never ran waits for its time.
      expect(at.ran()).toEqual([])
      yield* at.night.set("2026-11-21T01:00:00Z")
      yield* until(() => at.waits() === 3)
      expect(at.ran()).toEqual(["people"])
      yield* at.night.set("2026-11-21T02:00:00Z")
      yield* until(() => at.waits() === 4)
      expect(at.ran()).toEqual(["people", "others"])

      // The new time is four o'clock. The change is noticed within a minute, and only future times count.
      yield* at.write("pipelines/people.yaml", people("people", "0 4 * * *"))
      yield* at.write("people.csv", csv(1, 2, 3, 4))
      yield* at.night.set("2026-11-21T12:00:00Z")
      yield* until(() => at.waits() === 5)
      expect(at.ran()).toHaveLength(2)
      yield* at.night.set("2026-11-22T03:00:00Z")
      yield* until(() => at.ran().length === 4)
      expect(at.names("people")).toHaveLength(4)

      yield* at.interrupt("SIGTERM")
      expect(yield* Fiber.join(scheduler)).toBe(143)
    }))

  it.scoped("schedule runs a new pipeline at its first time, even if that passes while the ledger records its schedule", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T00:59:00Z")
      rmSync(join(at.root, "pipelines/others.yaml"))
      const { write } = Writer.prototype
      const slow = vi.spyOn(Writer.prototype, "write").mockImplementation(function(this: Writer, doing, work) {
        const written = Effect.suspend(() => write.call(this, doing, work))
        const pause = doing === "recording a schedule" ? at.night.set("2026-11-20T01:00:30Z") : Effect.void
        return Effect.zipRight(pause, written) as never
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => slow.mockRestore()))
      yield* at.scheduler()
      yield* until(() => at.waits() === 2)
      expect(at.ran()).toEqual(["people"])
    }))

  it.scoped("schedule makes up for missed runs immediately after a restart, and only once", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      const first = yield* at.scheduler()
      yield* until(() => at.waits() === 2)
      yield* Fiber.interrupt(first)
      yield* at.night.set("2026-11-24T12:00:00Z")
      yield* at.scheduler()
      yield* until(() => at.ran().length === 2 && at.waits() >= 6)
      expect(at.ran().toSorted()).toEqual(["others", "people"])
      yield* at.night.set("2026-11-24T13:00:00Z")
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 50)))
      expect(at.ran()).toHaveLength(2)
    }))

  it.scoped("a pipeline whose ledger can't be opened at its time, or fails during its run, runs as soon as the ledger works again", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      rmSync(join(at.root, "pipelines/others.yaml"))
      const ends = () => at.events.flatMap((event) => event._tag === "Ended" ? [event.exit._tag] : [])
      yield* at.once()
      yield* at.scheduler({ lookEvery: "50 millis" })
      yield* until(() => at.waits() === 1)

      const file = (yield* loadProject(at.root, { pipelines: [] })).ledger.name
      renameSync(file, `${file}.away`)
      writeFileSync(file, "no database".repeat(1_000))
      yield* at.night.set("2026-11-21T01:00:00Z")
      yield* until(() => ends().length >= 3)
      expect(ends().slice(0, 3)).toEqual(["Success", "Failure", "Failure"])
      renameSync(`${file}.away`, file)
      yield* until(() => ends().at(-1) === "Success")

      yield* at.write("people.csv", csv(1, 2, 3, 4))
      const before = ends().length
      fail(file, 1)
      yield* at.night.set("2026-11-22T01:00:00Z")
      yield* until(() => ends().length >= before + 2)
      expect(ends().slice(before)).toEqual(["Failure", "Success"])
      expect(at.events.findLast(({ _tag }) => _tag === "Begins")).toMatchObject({ again: true })
      expect(at.names("people")).toHaveLength(4)
    }))

  it.scoped("two schedulers of the same project run each pipeline once a night", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.scheduler()
      yield* at.scheduler()
      yield* until(() => at.waits() === 4)
      for (const [night, day] of [21, 22].entries()) {
        yield* at.write("people.csv", csv(1, 2, 3, day))
        yield* at.night.set(`2026-11-${day}T02:00:00Z`)
        yield* until(() => at.ran().length >= 2 * (night + 1))
        // The scheduler that saw the other one's turn looks again when that turn would expire.
        yield* at.night.set(`2026-11-${day}T02:01:10Z`)
        yield* until(() => at.waits() >= 4 * (night + 2))
      }
      expect(at.ran().filter((name) => name === "people")).toHaveLength(2)
      expect(at.ran().filter((name) => name === "others")).toHaveLength(2)
      expect(at.names("people")).toHaveLength(5)
    }))

  it.scoped("a turn of a process in a different container is taken over when it has been silent for a minute, and not before", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.scheduler()
      yield* until(() => at.waits() === 2)
      yield* at.night.set("2026-11-21T00:59:50Z")
      yield* at.during(takeElsewhere(at.root))
      const silentSince = (yield* at.during(peopleTurn(at.root))).at ?? 0
      yield* at.night.set("2026-11-21T01:00:00Z")
      const elsewhere = () => at.events.filter(({ _tag }) => _tag === "Elsewhere").length
      yield* until(() => elsewhere() === 1)
      yield* at.night.set("2026-11-21T01:00:49.900Z")
      // A wait that ends later than this would not end at all.
      yield* at.night.set("2026-11-21T01:00:52Z")
      yield* until(() => at.ran().length === 1)
      expect(((yield* at.during(peopleTurn(at.root))).at ?? 0) - silentSince).toBeGreaterThanOrEqual(60_000)
      expect(at.events.find(({ _tag }) => _tag === "Begins")).toMatchObject({ pipeline: "people", again: true })
      expect(at.names("people")).toHaveLength(3)
    }))

  it.scoped("a scheduler that starts later takes over the turn of a process that ended", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-21T01:00:00Z")
      yield* at.during(takeElsewhere(at.root))
      yield* at.night.set("2026-11-21T01:00:30Z")
      yield* at.scheduler()
      yield* until(() => at.waits() === 1)
      yield* at.night.set("2026-11-21T01:01:01Z")
      yield* until(() => at.ran().length === 1)
      expect(at.ran()).toEqual(["people"])
    }))

  it.scoped("schedule finishes requests in flight after a signal, and the next scheduler continues the run", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-11-20T12:00:00Z")
      yield* at.write("people.csv", csv(...Array.from({ length: 100 }, (_, index) => index + 1)))
      const scheduler = yield* at.scheduler()
      yield* until(() => at.waits() === 2)
      yield* at.night.set("2026-11-21T01:00:00Z")
      yield* until(() => at.practice.submissions("people").length > 0)
      yield* at.interrupt("SIGINT")
      expect(yield* Fiber.join(scheduler)).toBe(130)
      const [end] = at.ends
      expect(end).toMatchObject({ pipeline: "people", report: { outcome: "interrupted" } })
      expect(at.names("people").length).toBeLessThan(100)

      const plan = yield* at.plan
      expect(plan.pipelines.map(({ now, pipeline }) => [pipeline, now])).toEqual([["others", "later"], [
        "people",
        "due",
      ]])
      yield* at.scheduler({ interrupted: Effect.never })
      yield* until(() => at.ran().length === 2)
      expect(at.events.find((event) => event._tag === "Begins" && event.again)).toMatchObject({ pipeline: "people" })
      expect(at.names("people")).toHaveLength(100)
    }))
})

layer(platform, { excludeTestServices: true })("schedule --plan", (it) => {
  it.scoped("shows the next times in each zone, and creates no ledger", () =>
    Effect.gen(function*() {
      const at = yield* nights("2026-10-24T12:00:00Z")
      const fs = yield* FileSystem.FileSystem
      const plan = yield* at.plan
      expect(plan.pipelines.map(({ last, next, pipeline }) => [
        pipeline,
        last,
        next.map((time) => new Date(time).toISOString()),
      ])).toEqual([
        ["others", undefined, ["2026-10-25T02:00:00.000Z", "2026-10-26T02:00:00.000Z"]],
        ["people", undefined, ["2026-10-25T00:00:00.000Z", "2026-10-26T01:00:00.000Z"]],
      ])
      expect(yield* fs.exists(`${at.root}/.formferry/ledger.db`)).toBe(false)
    }))
})
