// Tests whether webhooks are notified of a run that could not start, and how the command to run next is shown, if a person may be at the terminal.
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { hearing } from "../notify/webhooks.ts"
import { world } from "../run/world.ts"
import { command } from "./inProcess.ts"

it.scopedLive("a schedule in a terminal notifies webhooks of a run that could not start, but a manual run only shows the error", () =>
  Effect.gen(function*() {
    const here = yield* world
    const fs = yield* FileSystem.FileSystem
    const hook = yield* hearing()
    yield* here.configure("notify:\n  - { webhook: { env: HOOK } }\n")
    yield* here.write(".env", `THE_KEY=practice_key_of_the_test\nHOOK=http://127.0.0.1:${hook.port}/s3cret\n`)
    const daily = `schedule: { cron: "0 2 * * *", zone: UTC }\n`
    yield* fs.writeFileString(`${here.root}/pipelines/people.yaml`, daily, { flag: "a" })
    yield* here.source(["K-1,Ada,ada@example.org"])
    yield* fs.remove(`${here.root}/source.csv`)
    const attended = (...words: ReadonlyArray<string>) => command([...words, "--project", here.root], {}, true)

    const run = yield* attended("run", "people")
    expect(run.err).toContain("There is no file")
    expect(stripVTControlCharacters(run.err)).toContain(`\nNext: formferry check people --project ${here.root}\n`)
    expect([run.status, hook.heard.length]).toEqual([2, 0])

    expect((yield* attended("schedule", "--once")).status).toBe(2)
    expect(hook.heard.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: "failed", pipeline: "people", error: "SourceError", next: "formferry check people" },
    ])

    // The reports belong to a ledger that is now missing. Configuration and source are correct.
    yield* here.source(["K-1,Ada,ada@example.org"])
    yield* here.run()
    yield* fs.remove(`${here.root}/.formferry`, { recursive: true })
    expect((yield* attended("schedule", "--once")).status).toBe(2)
    expect(JSON.parse(hook.heard.at(-1)?.body ?? "")).toMatchObject({
      event: "failed",
      error: "LedgerRefused",
      next: "formferry status people --verify",
      text: expect.stringContaining("its ledger is missing"),
    })
  }).pipe(Effect.provide(NodeContext.layer)))
