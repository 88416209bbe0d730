import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Exit } from "effect"
import Libsql from "libsql"
import { createServer } from "node:net"
import type { ProgressEvent } from "../../src/domain/progress.ts"
import { runPipeline } from "../../src/jobs/run.ts"
import { shareServices } from "../../src/jobs/services.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { listening } from "../localServer.ts"
import { unattended } from "./unattended.ts"
import { people, scoped, world } from "./world.ts"

/** Tests runs that are interrupted, stopped or cut off. They end soon, and no row is lost or doubled. */

/** A signal that the test sends. */
const signal = Effect.gen(function*() {
  const sent = yield* Deferred.make<"SIGINT" | "SIGTERM">()
  return {
    interrupted: Deferred.await(sent),
    send: (which: "SIGINT" | "SIGTERM" = "SIGINT") => Effect.asVoid(Deferred.succeed(sent, which)),
    /** Sends the signal at the first progress event that meets the condition. */
    when: (isSo: (event: ProgressEvent) => boolean) => (event: ProgressEvent) =>
      isSo(event) ? Effect.asVoid(Deferred.succeed(sent, "SIGINT")) : Effect.void,
  }
})

/** Runs `then` after the service has received a matching request and had time to answer. */
const once = (heard: ReadonlyArray<string>, request: RegExp, then: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() =>
    heard.some((one) => request.test(one))
      ? Effect.delay(then, "4 seconds")
      : Effect.delay(once(heard, request, then), "200 millis")
  )

/** Interrupts a run after the service has received a matching request. */
const interruptedRun = (
  { heard, run }: Pick<Effect.Effect.Success<typeof world>, "heard" | "run">,
  request: RegExp,
  which?: "SIGTERM",
) =>
  Effect.flatMap(
    signal,
    ({ interrupted, send }) =>
      Effect.zipLeft(run({ interrupted }), once(heard, request, send(which)), { concurrent: true }),
  )

const seconds = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const from = yield* Clock.currentTimeMillis
    const result = yield* work
    return { result, took: ((yield* Clock.currentTimeMillis) - from) / 1000 }
  })

const readBack = /^GET .*\/submissions\//

/** The service's pause is longer than any test waits. */
const pause = { status: 429, body: "{}", headers: { "retry-after": "300" } }

scoped(
  "an interrupt during a pause of the service ends the run at once, and waiting rows are not in doubt",
  Effect.gen(function*() {
    const at = yield* world
    const { fail, names, run, settings, source } = at
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 80))
    fail("POST", pause)
    const { result, took } = yield* seconds(interruptedRun(at, /^POST/, "SIGTERM"))
    expect(took).toBeLessThan(200)
    expect(result).toMatchObject({ exitCode: 143, rows: { inDoubt: 0 }, balance: { holds: true } })
    expect(result.rows.imported).toBe(names().length)
    expect(result.rows.pending).toBeGreaterThan(0)
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: result.rows.pending } })
    expect(new Set(names()).size).toBe(80)
    expect(names().length).toBe(80)
  }),
)

scoped(
  "an interrupt while submissions are read back in a pause leaves them unread, and the next run reads and reports them",
  Effect.gen(function*() {
    const at = yield* world
    const { fail, run, source } = at
    yield* source(people(1, 5))
    fail("GET", pause)
    const { result, took } = yield* seconds(interruptedRun(at, readBack))
    expect(took).toBeLessThan(200)
    expect(result).toMatchObject({ exitCode: 130, rows: { imported: 5 }, balance: { holds: true } })
    expect(result.readBack.unread).toBeGreaterThan(0)
    const { unread } = result.readBack
    expect(yield* run()).toMatchObject({
      exitCode: 0,
      because: [`Also read back from earlier runs: ${unread} verified.`],
      readBackEarlier: { verified: unread },
      requests: { create: 0, read: unread },
    })
  }),
)

const broken = Array.from({ length: 6 }, () => ({ status: 500, body: "{}" }))

/** A world with a submission that its run could not read back. */
const unread = Effect.gen(function*() {
  const at = yield* world
  yield* at.source(people(1, 1))
  at.fail("GET", ...broken)
  expect(yield* at.run()).toMatchObject({ exitCode: 5, rows: { imported: 1 }, readBack: { unread: 1 } })
  return at
})

scoped(
  "a submission that the service can't return stays unread, and stops only the run that created it",
  Effect.gen(function*() {
    const { fail, names, reconcile, run, source } = yield* unread
    yield* source(people(1, 20))
    fail("GET", ...broken)
    expect(yield* run()).toMatchObject({
      exitCode: 4,
      rows: { imported: 19, alreadyImported: 1 },
      readBack: { verified: 19, unread: 0 },
      because: ["1 submission is not read back yet: the next run reads them first."],
    })
    expect(names()).toHaveLength(20)
    fail("GET", ...broken)
    expect(yield* reconcile()).toMatchObject({ exitCode: 4, readBack: { verified: 19, unread: 1 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, readBackEarlier: { verified: 1 } })
    expect(names()).toHaveLength(20)
  }),
)

scoped(
  "if the service can't return the form either, a run stops before it sends anything",
  Effect.gen(function*() {
    const { address, fail, names, run, source } = yield* unread
    yield* source(people(1, 20))
    const headers = { authorization: "Bearer practice_key_of_the_test" }
    const form = yield* Effect.promise(async () => (await fetch(`${address}/forms/people`, { headers })).text())
    fail("GET", ...broken)
    // The run reads the form before it reads submissions.
    fail("FORM", { status: 200, body: form }, ...broken)
    expect(yield* run()).toMatchObject({ exitCode: 5, rows: { imported: 0, pending: 19 } })
    expect(names()).toHaveLength(1)
  }),
)

scoped(
  "a submission that is first returned incompletely is compared as it is returned next",
  Effect.gen(function*() {
    const { fail, practice, run } = yield* unread
    const [{ submissionId } = { submissionId: "" }] = practice.submissions("people")
    fail("GET", { status: 200, body: JSON.stringify({ submission: { submissionId, questions: [] } }) })
    expect(yield* run()).toMatchObject({
      exitCode: 0,
      readBackEarlier: { verified: 1, differing: 0 },
      requests: { read: 2 },
    })
  }),
)

scoped(
  "an interrupt in the survey sends nothing, and leaves only a report",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source(people(1, 30_000))
    const { interrupted, when } = yield* signal
    const report = yield* run({ interrupted, progress: when((event) => event.phase === "survey" && event.read > 0) })
    expect(report).toMatchObject({
      exitCode: 130,
      outcome: "interrupted",
      rows: { imported: 0 },
      balance: { holds: true },
    })
    expect(report.rows.read).toBeLessThan(30_000)
    expect(names()).toEqual([])
  }),
)

scoped(
  "an interrupt in the canary has no result, so the next run sends its own canary",
  Effect.gen(function*() {
    const at = yield* world
    const { fail, names, run, source } = at
    yield* source(people(1, 60))
    fail("GET", pause)
    expect(yield* interruptedRun(at, readBack)).toMatchObject({ exitCode: 130, rows: { imported: 10, pending: 50 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 10, imported: 50 } })
    expect(names().length).toBe(60)
  }),
)

scoped(
  "a canary whose run ended before it was evaluated has failed if its rows are missing",
  Effect.gen(function*() {
    const at = yield* world
    const { accept, fail, names, run, settings, source } = at
    yield* settings({ visibleWithin: "1 seconds" })
    yield* source(people(1, 60))
    fail("GET", pause)
    yield* interruptedRun(at, readBack)
    fail("GET", ...Array.from({ length: 40 }, () => ({ status: 404, body: "{}" })))
    expect(yield* run()).toMatchObject({
      exitCode: 3,
      rows: { alreadyImported: 10, pending: 50 },
      requests: { create: 0 },
      because: expect.arrayContaining([expect.stringContaining("can't be read back")]),
    })
    expect(names().length).toBe(10)
    yield* accept("canary")
    expect((yield* run()).rows).toMatchObject({ imported: 50 })
  }),
)

scoped(
  "an interrupt before any row is sent takes effect at once, even if the service does not answer",
  Effect.gen(function*() {
    const { root, run, source, write } = yield* world
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* source(people(1, 5))
    // Abandoned requests are reset.
    const port = yield* listening(createServer((socket) => socket.on("error", () => undefined)))
    const config = yield* fs.readFileString(path.join(root, "config/formferry.yaml"))
    yield* write("config/formferry.yaml", config.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
    const { interrupted, send } = yield* signal
    const { result, took } = yield* seconds(
      Effect.zipLeft(Effect.exit(run({ interrupted })), Effect.delay(send(), "6 seconds"), { concurrent: true }),
    )
    expect(took).toBeLessThan(200)
    expect(Exit.isFailure(result) && Cause.isInterruptedOnly(result.cause)).toBe(true)
  }),
)

scoped(
  "a source that disappears before its rows are sent ends the run with a report of the cause, and nothing is sent",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { root, run, source } = yield* world
    yield* source(people(1, 30))
    const report = yield* run({
      progress: (event) =>
        event.phase === "survey" && event.read === 30
          ? Effect.ignore(fs.remove(path.join(root, "source.csv")))
          : Effect.void,
    })
    expect(report).toMatchObject({ exitCode: 5, outcome: "unavailable", rows: { imported: 0, pending: 30 } })
    expect(report.because.join(" ")).toContain("source.csv")
  }),
)

scoped(
  "a source that is truncated while its rows are sent ends the run after rows in flight are finished",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { file, names, root, run, source } = yield* world
    // The file has several blocks of a hundred rows.
    yield* source(people(1, 600).map((row) => `${row},${"x".repeat(2_000)}`), "No,Name,Mail,Padding")
    let cut = false
    const report = yield* run({
      progress: (event) => {
        if (cut || event.phase !== "import" || event.sent < 30) return Effect.void
        cut = true
        return Effect.ignore(fs.truncate(path.join(root, "source.csv"), 400_000))
      },
    })
    expect(report).toMatchObject({
      exitCode: 5,
      outcome: "unavailable",
      rows: { inDoubt: 0 },
      balance: { holds: true },
    })
    expect(report.rows.imported).toBe(names().length)
    expect(report.rows.imported).toBeLessThan(600)
    expect(report.because.join(" ")).toContain("changed while it was being read")
    expect((yield* file(report, "imported.csv")).trimEnd().split("\n").length).toBe(1 + report.rows.imported)
  }),
)

scoped(
  "a failing ledger reports every submission that it could not record, and none is resent",
  Effect.gen(function*() {
    const path = yield* Path.Path
    const { names, practice, root, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 1))
    yield* run()
    const first = practice.submissions("people").map((one) => one.submissionId)
    const sql = (text: string) =>
      Effect.sync(() => {
        const db = new Libsql(path.join(root, ".formferry/ledger.db"))
        db.exec(text)
        db.close()
      })
    yield* sql(
      "CREATE TRIGGER broken BEFORE UPDATE OF state ON row WHEN NEW.state = 2 BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END",
    )
    yield* source(people(1, 200))
    const failure = yield* Effect.flip(run())
    const created = practice.submissions("people").map((one) => one.submissionId).filter((id) => !first.includes(id))
    expect(failure._tag).toBe("OutcomeUnrecorded")
    if (failure._tag !== "OutcomeUnrecorded") return
    expect(failure.batches.flatMap((batch) => batch.submissionIds).toSorted()).toEqual(created.toSorted())
    for (const id of created) expect(failure.message).toContain(id)
    // At most the rows in flight are unrecorded.
    expect(created.length).toBeLessThanOrEqual(40)
    // In this test the failed process is still running, so its lock must be removed.
    yield* sql("DROP TRIGGER broken; UPDATE lock SET held = 0")
    const next = yield* run()
    expect(next.exitCode).toBe(4)
    expect(next.rows.inDoubt).toBeLessThanOrEqual(40)
    expect(new Set(names()).size).toBe(names().length)
    expect(names().length).toBeGreaterThanOrEqual(200 - next.rows.inDoubt)
  }),
)

scoped(
  "the same refusal for every row of the first batches stops the run before hundreds are tried",
  Effect.gen(function*() {
    const { fail, heard, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, stopWhen: { refused: 100% }" })
    yield* source(people(1, 500))
    fail(
      "POST",
      ...Array.from(
        { length: 600 },
        (_, at) => ({ status: 422, body: JSON.stringify({ message: `No question ${at}` }) }),
      ),
    )
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 3, outcome: "stopped", rows: { imported: 0 }, balance: { holds: true } })
    expect(report.because.join(" ")).toMatch(/refuses every row for the same reason.*: "No question \d+"/)
    expect(heard.filter((one) => one.startsWith("POST")).length).toBeLessThan(100)
    expect(report.rows.refused).toBeLessThan(50)
    expect(names()).toEqual([])
  }),
)

scoped(
  "too many rows in doubt stop the run",
  Effect.gen(function*() {
    const { fail, heard, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, stopWhen: { inDoubt: 20 }" })
    yield* source(people(1, 300))
    fail("POST", ...Array.from({ length: 30 }, () => ({ status: 503, body: "" })))
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 3, outcome: "stopped", rows: { imported: 0 } })
    expect(report.next).toBe("formferry settle people")
    // Three batches exceed the limit. The batches in flight with them are finished.
    expect(report.rows.inDoubt).toBeLessThanOrEqual(60)
    expect(heard.filter((one) => one.startsWith("POST")).length).toBeLessThanOrEqual(6)
  }),
)

scoped(
  "rows in doubt that may be resent, but are not, stay in doubt instead of pending",
  Effect.gen(function*() {
    const { fail, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, inDoubt: resend" })
    yield* source(people(1, 10))
    fail("POST", "lost")
    yield* run()
    expect(yield* run({ limit: 4 })).toMatchObject({ exitCode: 4, rows: { imported: 4, inDoubt: 6, pending: 0 } })
    expect(yield* run({ dryRun: true })).toMatchObject({ rows: { alreadyImported: 4, inDoubt: 6, pending: 0 } })
    const refusal = { status: 422, body: JSON.stringify({ message: "No" }) }
    fail("POST", ...Array.from({ length: 11 }, () => refusal))
    // A refusal of the second request says nothing about the first.
    expect(yield* run()).toMatchObject({ rows: { alreadyImported: 4, inDoubt: 6, refused: 0 } })
  }),
)

scoped(
  "concurrent pipelines in a process share one pace, and count their own requests",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { heard, root, source, write } = yield* world
    yield* source(people(1, 10))
    const config = yield* fs.readFileString(path.join(root, "config/formferry.yaml"))
    yield* write("config/formferry.yaml", config.replace("requestsPerSecond: 1000", "requestsPerSecond: 20"))
    const pipeline = yield* fs.readFileString(path.join(root, "pipelines/people.yaml"))
    yield* write(
      "pipelines/others.yaml",
      pipeline.replace("pipeline: people", "pipeline: others").replace("form: people", "form: others"),
    )
    const project = yield* loadProject(root)
    const services = yield* shareServices
    const asked = {
      ...unattended,
      confirm: () => false,
      services,
    }
    const { result, took } = yield* seconds(
      Effect.all(["people", "others"].map((name) => runPipeline(project, { ...asked, pipeline: name })), {
        concurrency: 2,
      }),
    )
    expect(result.map((report) => report.requests)).toEqual(
      [1, 2].map(() => ({ metadata: 1, create: 1, read: 10, retried: 0, throttled: 0 })),
    )
    expect(heard.length).toBe(24)
    // With 20 requests a second, 24 requests have 23 gaps of 50 ms.
    expect(took).toBeGreaterThanOrEqual(1.1)
  }),
)

for (const status of [302, 402, 405, 409]) {
  scoped(
    `a ${status} puts its rows in doubt, and the other rows stay pending, with exit code 5`,
    Effect.gen(function*() {
      const { fail, heard, names, run, settings, source } = yield* world
      yield* settings({ sink: ", canary: off, concurrency: 1" })
      yield* source(people(1, 30))
      fail("POST", { status, body: "{}", headers: { location: "/elsewhere" } })
      const report = yield* run()
      expect(report).toMatchObject({
        exitCode: 5,
        outcome: "unavailable",
        rows: { inDoubt: 10, pending: 20, imported: 0 },
        balance: { holds: true },
      })
      expect(report.because.join(" ")).toContain(String(status))
      expect(heard.filter((request) => request.startsWith("POST"))).toHaveLength(1)
      // The next run sends the other rows, but not these.
      expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 10, imported: 20 } })
      expect(names()).toHaveLength(20)
    }),
  )
}

scoped(
  "an answer with a known or repeated submission id leaves its item in doubt",
  Effect.gen(function*() {
    const { fail, file, practice, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, batchSize: 2" })
    yield* source(people(1, 1))
    yield* run()
    const [first] = practice.submissions("people").map((one) => one.submissionId)
    const answer = (...ids: ReadonlyArray<readonly [id: string | undefined, number: number]>) => ({
      status: 200,
      body: JSON.stringify({
        submissions: ids.map(([submissionId, number]) => ({
          submissionId,
          questions: [{ id: "name", value: `Person ${number}` }, { id: "mail", value: `p${number}@example.org` }],
        })),
      }),
    })
    yield* source(people(1, 3))
    fail("POST", answer([first, 2], ["new", 3]))
    const known = yield* run()
    expect(known).toMatchObject({ exitCode: 4, rows: { alreadyImported: 1, inDoubt: 1, imported: 1 } })
    expect(yield* file(known, "in-doubt.csv")).toContain(`submission ${first}, which the ledger already has`)
    yield* source(people(1, 5))
    fail("POST", answer(["twice", 4], ["twice", 5]))
    const twice = yield* run()
    expect(twice).toMatchObject({ exitCode: 4, rows: { alreadyImported: 2, inDoubt: 3, imported: 0 } })
    expect(yield* file(twice, "in-doubt.csv")).toContain("malformed or repeat an id")
  }),
)

scoped(
  "in-doubt.csv has the cells of a row under the columns that they had when the row was sent",
  Effect.gen(function*() {
    const { fail, file, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(["1,Ada,ada@example.org"])
    fail("POST", "lost")
    yield* run()
    yield* settings({ mail: "none" })
    yield* source(["Ada,1"], "Name,No")
    const [header = "", row = ""] = (yield* file(yield* run(), "in-doubt.csv")).split("\n")
    expect(header.slice(0, 8)).toBe("Name,No,")
    expect([row.slice(0, 6), row.slice(-16)]).toEqual(["Ada,1,", ",ada@example.org"])
  }),
)
