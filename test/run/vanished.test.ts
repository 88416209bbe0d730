import { expect } from "@effect/vitest"
import { Effect } from "effect"
import Papa from "papaparse"
import { people, scoped, world } from "./world.ts"

const linesOf = (csv: string) => Papa.parse<Array<string>>(csv, { delimiter: ",", skipEmptyLines: true }).data.slice(1)

scoped(
  "vanished rows are counted and listed with the first run that did not find them, until they return",
  Effect.gen(function*() {
    const { file, run, settings, source } = yield* world
    yield* settings({ sink: ", stopWhen: { changed: 50% }" })
    yield* source(people(1, 12))
    expect(yield* run()).toMatchObject({ vanished: { count: 0, fresh: 0 } })

    yield* source(people(3, 13))
    const dry = yield* run({ dryRun: true })
    expect(dry).toMatchObject({ vanished: { count: 2, fresh: 2 } })
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 0, outcome: "complete", vanished: { count: 2, fresh: 2 } })
    expect(first.because).toEqual([
      "2 rows that were imported earlier have left the source since the last run: see vanished.csv.",
    ])
    const listed = linesOf(yield* file(first, "vanished.csv"))
    expect(listed.map(([row, key, , since, by]) => [row, key, since, by])).toEqual([
      ["1", "1", first.startedAt, first.run],
      ["2", "2", first.startedAt, first.run],
    ])
    expect(linesOf(yield* file(first, "imported.csv")).map(([, key]) => key)).toEqual(["13"])
    expect(yield* file(first, "report.html")).toContain("imported earlier; no longer in the source")

    // One row returns, and another vanishes. An edited, bad or duplicate row has not vanished.
    yield* source([
      "2,Person 2,p2@example.org",
      "4,Edited,p4@example.org",
      "5,Person 5,not-an-address",
      ...people(6, 13),
    ])
    const second = yield* run()
    expect(second).toMatchObject({ exitCode: 1, vanished: { count: 2, fresh: 1 } })
    expect(second.because.join()).toContain("have left the source, 1 of them since the last run")
    expect(linesOf(yield* file(second, "vanished.csv")).map(([, key, , , by]) => [key, by])).toEqual([
      ["1", first.run],
      ["3", second.run],
    ])
    yield* source(people(1, 14))
    expect(yield* run()).toMatchObject({ exitCode: 0, vanished: { count: 0, fresh: 0 } })
  }),
)

scoped(
  "vanished rows are not searched for with `vanished: ignore`, or in a source other than the pipeline's own",
  Effect.gen(function*() {
    const { run, settings, source, write } = yield* world
    yield* source(people(1, 12))
    yield* run()
    yield* write("more.csv", "No,Name,Mail\n13,Person 13,p13@example.org\n")
    expect((yield* run({ source: "more.csv" })).vanished).toBeUndefined()
    yield* settings({ source: ", vanished: ignore" })
    yield* source(people(5, 12))
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 0, because: [] })
    expect(report.vanished).toBeUndefined()
    yield* settings({})
    yield* source(people(6, 12))
    expect(yield* run()).toMatchObject({ vanished: { count: 6, fresh: 6 } })
  }),
)

scoped(
  "a fixed row has not vanished while its unfixed original is in the source, with or without a key",
  Effect.gen(function*() {
    const { file, run, source, write } = yield* world
    const bad = ["2,Bob,nowhere", ",Carl,carl@example.org"]
    yield* source([...people(10, 21), ...bad])
    const first = yield* run()
    expect(first.rows).toMatchObject({ imported: 12, invalid: 2 })
    const rejected = yield* file(first, "rejected.csv")
    // The first row gets a new email address and a new key, because its old key was wrong. The second row gets a key.
    yield* write(
      "fixed.csv",
      rejected.replace("2,Bob,nowhere,", "3,Bob,bob@example.org,").replace("\n,Carl,", "\n4,Carl,"),
    )
    expect((yield* run({ source: "fixed.csv" })).rows).toMatchObject({ imported: 2 })
    yield* source([...people(10, 22), ...bad])
    expect(yield* run()).toMatchObject({
      rows: { alreadyImported: 14, imported: 1 },
      vanished: { count: 0, fresh: 0 },
    })
    yield* source(people(10, 22))
    const gone = yield* run()
    expect(linesOf(yield* file(gone, "vanished.csv")).map(([, key]) => key)).toEqual(["3", "4"])
  }),
)
