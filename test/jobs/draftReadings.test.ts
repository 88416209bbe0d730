import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { identity } from "effect/Function"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeDraftReadings } from "../../src/jobs/draftReadings.ts"
import { scoped, world } from "../run/world.ts"

/** Opens a draft, and counts how often its source is read. */
const opened = Effect.gen(function*() {
  const { root, source } = yield* world
  yield* source(Array.from({ length: 30_000 }, (_, at) => `${at + 1},Person,p${at}@example.org`))
  const text = readFileSync(join(root, "pipelines/people.yaml"), "utf8")
  const readings = yield* makeDraftReadings({ root, guard: identity })
  const draft = yield* readings.open({ pipeline: "people", text })
  const { read } = draft.source
  const counter = { reads: 0 }
  const counted = () => {
    counter.reads++
    return read()
  }
  return { counter, readings, draft: { ...draft, source: { ...draft.source, read: counted } } }
})

scoped(
  "several pages that ask for the same survey or counts share one reading of the source",
  Effect.gen(function*() {
    const { counter, draft, readings } = yield* opened
    const three = (work: Effect.Effect<unknown, unknown, Effect.Effect.Context<ReturnType<typeof readings.counts>>>) =>
      Effect.zipRight(
        Effect.sync(() => counter.reads = 0),
        Effect.map(Effect.all([work, work, work], { concurrency: 3 }), (found) => ({ found, reads: counter.reads })),
      )
    const surveys = yield* three(readings.survey(draft, true))
    // A survey reads its source twice.
    expect([new Set(surveys.found).size, surveys.reads]).toEqual([1, 2])
    const counts = yield* three(readings.counts(draft, true))
    expect([new Set(counts.found).size, counts.reads]).toEqual([1, 1])
    // The survey is kept. Rows are counted again, because the ledger may have changed.
    expect([(yield* three(readings.survey(draft, true))).reads, (yield* three(readings.counts(draft, true))).reads])
      .toEqual([0, 1])
  }),
)

scoped(
  "a shared reading continues until no page waits for it any more",
  Effect.gen(function*() {
    const { counter, draft, readings } = yield* opened
    const [first, second] = yield* Effect.all([
      Effect.fork(readings.survey(draft, true)),
      Effect.fork(readings.survey(draft, true)),
    ])
    yield* Effect.promise(async () => await expect.poll(() => counter.reads).toBeGreaterThan(0))
    yield* Fiber.interrupt(first)
    expect((yield* Fiber.join(second)).rows).toBe(30_000)
    expect(counter.reads).toBe(2)
    const last = yield* Effect.fork(readings.counts(draft, true))
    yield* Effect.promise(async () => await expect.poll(() => counter.reads).toBe(3))
    yield* Fiber.interrupt(last)
    // What was left is read from its beginning.
    expect((yield* readings.counts(draft, true)).rows).toBe(30_000)
    expect(counter.reads).toBe(4)
  }),
)
