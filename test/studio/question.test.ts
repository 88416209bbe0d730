import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { nightClock } from "../jobs/nightClock.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

it.scopedLive("a confirmation that nobody gives for 10 minutes counts as no, and other runs of the pipeline can send again", () => {
  const night = nightClock("2026-11-20T08:00:00Z")
  return Effect.gen(function*() {
    const { address, names, practice, root, run, source, write } = yield* world
    yield* write(
      "config/formferry.yaml",
      `services: { live: { baseUrl: "${address}", apiKey: { env: THE_KEY }, requestsPerSecond: 1000 } }\n`,
    )
    yield* source(["1,Ada,ada@example.org"])
    const { call, follow } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const { id } = yield* Effect.promise(() => call("runs", "start", { pipeline: "people", mode: "run" }))
    const isAsking = () => Effect.promise(() => follow(id, ({ state }) => state._tag !== "Running"))
    yield* isAsking()
    const scheduled = run({ confirm: () => true })
    expect(yield* Effect.flip(scheduled)).toMatchObject({ _tag: "LedgerLocked" })
    yield* night.set("2026-11-20T08:09:00Z")
    expect((yield* isAsking()).at(-1)?.state).toMatchObject({ _tag: "Asking" })
    yield* night.set("2026-11-20T08:11:00Z")
    expect((yield* Effect.promise(() => follow(id))).at(-1)?.state).toMatchObject({
      _tag: "Ended",
      message: expect.stringContaining("Sending to live was not confirmed. Nothing was sent."),
    })
    expect(practice.count("people")).toBe(0)
    yield* Effect.flip(Effect.tryPromise(() => call("runs", "answer", { job: id, service: "live" })))
    expect((yield* scheduled).outcome).toBe("complete")
    expect(names()).toEqual(["Ada"])
  }).pipe(Effect.withClock(night.clock), Effect.provide(platform))
})
