// What the studio says about its checks and runs, and what they share.
import { expect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { live, people, world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

const opened = (root: string) => Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))

live(
  "a check says of each target what it found, and names the next command only if the pipeline can run",
  Effect.gen(function*() {
    const { root, source } = yield* world
    yield* source([...people(1, 3), "4,Bad,not-an-address"])
    const file = join(root, "pipelines/people.yaml")
    const text = readFileSync(file, "utf8")
    const targets = "targets: { main: { service: live, form: people }, copy: { service: live, form: others } }"
    writeFileSync(file, text.replace("service: live, form: people", targets))
    const { done } = yield* opened(root)
    const check = Effect.promise(() => done({ pipeline: "people", mode: "check" }))
    const good = yield* check
    expect(good).toMatchObject({
      word: { title: "Can run: 1 warning", tone: "warn" },
      next: "formferry rehearse people --to main",
      diagnostics: [{ severity: "warning" }],
    })
    expect(good.message.split("\n")).toEqual([
      expect.stringMatching(/^main: 3 of 4 rows are ready to send/),
      expect.stringMatching(/^copy: 3 of 4 rows are ready to send/),
    ])
    writeFileSync(file, text.replace("from: Name", "from: Alias"))
    const bad = yield* check
    expect(bad).toMatchObject({ exitCode: 2, word: { title: "Can't run", tone: "bad" } })
    expect(bad).not.toHaveProperty("next")
  }),
)

live(
  "a run that fails before its report says what to do next, and names no process",
  Effect.gen(function*() {
    const { address, root, run, source } = yield* world
    yield* source(people(1, 3))
    yield* run()
    const { call, done } = yield* opened(root)
    const end = Effect.promise(() => done({ pipeline: "people", mode: "run" }))
    yield* Effect.scoped(Effect.gen(function*() {
      const ledger = yield* openLedger({ file: join(root, ".formferry/ledger.db") })
      const destination = { service: address, form: "people" }
      const view = yield* ledger.pipeline({ pipeline: "people", destination, renamedFrom: undefined, alongside: [] })
      yield* view.hold("other")
      expect(yield* end).toMatchObject({
        exitCode: 6,
        word: { title: "Failed", tone: "bad" },
        message: "Another run of people is in progress. Wait for it to end, or stop it first.",
        next: "formferry status people",
      })
    }))
    rmSync(join(root, "source.csv"))
    expect(yield* end).toMatchObject({ exitCode: 2, word: { title: "Failed" }, next: "formferry check people" })
    const started = call("runs", "start", { pipeline: "people", mode: "dry-run" })
    const refused = started.then(() => call("runs", "start", { pipeline: "people", mode: "check" }))
    yield* Effect.promise(() => expect(refused).rejects.toThrow("A dry run of people is in progress."))
  }),
)

live(
  "runs of several pipelines together don't exceed the rate limit of their service",
  Effect.gen(function*() {
    const { address, heard, root, settings, source, write } = yield* world
    const limited = `services:
  live: { baseUrl: "${address}", apiKey: { env: THE_KEY }, requestsPerSecond: 10, confirm: false }
`
    yield* write("config/formferry.yaml", limited)
    yield* settings({ sink: ", canary: off", form: "others" })
    const file = join(root, "pipelines/people.yaml")
    writeFileSync(join(root, "pipelines/others.yaml"), readFileSync(file, "utf8").replace("people", "others"))
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 20))
    const { done } = yield* opened(root)
    const before = heard.length
    const [took] = yield* Effect.timed(
      Effect.promise(() => Promise.all(["people", "others"].map((pipeline) => done({ pipeline, mode: "run" })))),
    )
    const requests = heard.length - before
    expect(Duration.toMillis(took)).toBeGreaterThan((requests / 10 - 1) * 1000)
  }),
)

live(
  "a run uses the service as it is configured now, also while a run that uses an earlier configuration waits for its confirmation",
  Effect.gen(function*() {
    const { address, names, root, settings, source, write } = yield* world
    const other = yield* world
    const serviceAt = (baseUrl: string, confirm: boolean) =>
      write(
        "config/formferry.yaml",
        `services:\n  live: { baseUrl: "${baseUrl}", apiKey: { env: THE_KEY }, confirm: ${confirm} }\n`,
      )
    yield* settings({ form: "others" })
    const file = join(root, "pipelines/people.yaml")
    writeFileSync(join(root, "pipelines/others.yaml"), readFileSync(file, "utf8").replace("people", "others"))
    yield* settings({})
    yield* source(people(1, 3))
    yield* serviceAt(address, true)
    const { call, done, follow } = yield* opened(root)
    const { id } = yield* Effect.promise(() => call("runs", "start", { pipeline: "people", mode: "run" }))
    yield* Effect.promise(() => follow(id, ({ state }) => state._tag === "Asking"))
    yield* serviceAt(other.address, false)
    const end = Effect.promise(() => done({ pipeline: "others", mode: "run" }))
    expect((yield* end).word.title).toBe("Complete")
    expect([names("others").length, other.names("others").length]).toEqual([0, 3])
    yield* serviceAt(address, false)
    yield* write(".env", "THE_KEY=wrong\n")
    expect((yield* end).exitCode).not.toBe(0)
    yield* Effect.promise(() => call("runs", "answer", { job: id, service: "live" }))
    yield* Effect.promise(() => follow(id))
    expect([names("people").length, names("others").length]).toEqual([3, 0])
  }),
)
