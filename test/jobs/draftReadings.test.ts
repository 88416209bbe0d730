import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { identity } from "effect/Function"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeDraftReadings } from "../../src/jobs/draftReadings.ts"
import { answering } from "../localServer.ts"
import { skip } from "../quickly.ts"
import { scoped, world } from "../run/world.ts"

const header = "No,Name,Mail"

/** Opens a draft with this source as often as it is asked, and returns the numbers of rows and columns in its survey. */
const surveying = (file: string) =>
  Effect.gen(function*() {
    const { root, settings } = yield* world
    yield* settings({ file })
    const text = readFileSync(join(root, "pipelines/people.yaml"), "utf8")
    const { open, survey, withSources } = yield* makeDraftReadings({ root, guard: identity })
    const opened = Effect.flatMap(withSources(open({ pipeline: "people", text })), (draft) => survey(draft, true))
    return { root, size: Effect.map(Effect.scoped(opened), ({ profiles, rows }) => [rows, profiles.length]) }
  })

scoped(
  "a new file that matches a pattern is read at once",
  Effect.gen(function*() {
    const { root, size } = yield* surveying("{ glob: ../part-*.csv }")
    writeFileSync(join(root, "part-1.csv"), `${header}\n1,Ada,a@example.org\n`)
    expect(yield* size).toEqual([1, 3])
    writeFileSync(join(root, "part-2.csv"), `${header}\n2,Bob,b@example.org\n`)
    expect(yield* size).toEqual([2, 3])
  }),
)

scoped(
  "a changed file that is combined with the source is read at once",
  Effect.gen(function*() {
    const combine = "combine: { by: [No], with: [{ file: ../more.csv, by: [No], as: more, repeats: true }] }"
    const { root, size } = yield* surveying(`../source.csv, ${combine}`)
    writeFileSync(join(root, "source.csv"), `${header}\n1,Ada,a@example.org\n`)
    writeFileSync(join(root, "more.csv"), "No,Town\n1,Bonn\n")
    expect(yield* size).toEqual([1, 4])
    writeFileSync(join(root, "more.csv"), "No,Town\n1,Bonn\n1,Ulm\n")
    expect(yield* size).toEqual([1, 5])
  }),
)

scoped(
  "the rows of an address are fetched again after five minutes",
  Effect.gen(function*() {
    const people = ["1,Ada,a@example.org"]
    let fetched = 0
    const port = yield* answering((_, response) => {
      fetched++
      response.writeHead(200, { "content-type": "text/csv" }).end([header, ...people, ""].join("\n"))
    })
    const { size } = yield* surveying(`"http://127.0.0.1:${port}/people.csv"`)
    expect([yield* size, yield* size, fetched]).toEqual([[1, 3], [1, 3], 1])
    people.push("2,Bob,b@example.org")
    yield* skip("4 minutes")
    expect(yield* size).toEqual([1, 3])
    yield* skip("1 minutes")
    expect([yield* size, yield* size]).toEqual([[2, 3], [2, 3]])
  }),
)

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
    expect([new Set(surveys.found).size, surveys.reads]).toEqual([1, 1])
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
    expect(counter.reads).toBe(1)
    const last = yield* Effect.fork(readings.counts(draft, true))
    yield* Effect.promise(async () => await expect.poll(() => counter.reads).toBe(2))
    yield* Fiber.interrupt(last)
    // What was left is read from its beginning.
    expect((yield* readings.counts(draft, true)).rows).toBe(30_000)
    expect(counter.reads).toBe(3)
  }),
)
