import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { world } from "./world.ts"

const platform = NodeContext.layer

describe("answers that must be unique", () => {
  it.scopedLive(
    "a unique answer is rejected in a second row of the same or a later run, but not if a row repeats its own answer",
    () =>
      Effect.gen(function*() {
        const people = yield* world
        yield* people.settings({ mail: ", unique: true" })
        yield* people.source(["1,Ada,ada@example.org", "2,Bob,ada@EXAMPLE.org", "3,Cyd,", "4,Dan,"])
        const first = yield* people.run()
        expect(first.rows).toMatchObject({ read: 4, invalid: 1, imported: 3 })
        expect(first.problems).toMatchObject([{ code: "not-unique", column: "Mail", question: "mail", count: 1 }])
        expect(first.problems[0]?.examples[0]?.message).toContain("like row 1")
        yield* people.source([
          "1,Ada,ada@example.org",
          "2,Bob,bob@example.org",
          "2,Bob,bob@example.org",
          "5,Eve,ada@example.org",
        ])
        const second = yield* people.run()
        expect(second.rows).toMatchObject({ alreadyImported: 1, imported: 1, duplicate: 1, invalid: 1 })
        expect(people.names()).toEqual(["Ada", "Bob", "Cyd", "Dan"])
      }).pipe(Effect.provide(platform)),
    60_000,
  )
})

describe("an invalid answer that is dropped", () => {
  it.scopedLive("a dropped answer is omitted from the row, but counted and reported", () =>
    Effect.gen(function*() {
      const people = yield* world
      yield* people.settings({ mail: ", onInvalid: drop" })
      yield* people.source(["1,Ada,ada@example.org", "2,Bob,nobody", "3,Cyd,nowhere"])
      const report = yield* people.run()
      expect(report).toMatchObject({ outcome: "complete", exitCode: 0 })
      expect(report.rows).toMatchObject({ read: 3, invalid: 0, imported: 3 })
      expect(report.readBack.verified).toBe(3)
      expect(report.problems).toMatchObject([{ code: "not-an-email", column: "Mail", dropped: true, count: 2 }])
      expect(report.problems[0]?.examples[0]).toMatchObject({ row: 2, message: expect.stringContaining("dropped") })
      expect(
        people.practice.submissions("people").map(({ questions }) =>
          questions.filter(({ value }) => value !== null).length
        ).toSorted(),
      ).toEqual([1, 1, 2])
    }).pipe(Effect.provide(platform)), 60_000)
})

describe("stamps", () => {
  const stamp = ", stamp: { urlParameter: row_key, run: run_id, pipeline: imported_by }"

  it.scopedLive("an undeclared stamp is sent, and its loss is tolerated", () =>
    Effect.gen(function*() {
      const people = yield* world
      yield* people.settings({ sink: ", stamp: { urlParameter: row_key }" })
      yield* people.source(["K-1,Ada,ada@example.org", "K-2,Bob,"])
      const report = yield* people.run()
      expect(report.rows.imported).toBe(2)
      expect(report).toMatchObject({ outcome: "complete", exitCode: 0 })
      expect(report.warnings.join(" ")).toContain("row_key")
    }).pipe(Effect.provide(platform)), 60_000)

  it.scopedLive(
    "a row carries the id of the run that sends it, and a dry run says that it would",
    () =>
      Effect.gen(function*() {
        const people = yield* world
        yield* people.settings({ sink: `, canary: off${stamp}` })
        yield* people.source(["1,Ada,", "2,Bob,"])
        const dry = yield* people.run({ dryRun: true })
        expect(dry.samples?.find(({ row, question }) => row === 1 && question === "run_id")?.sent).toBe("the run's id")
        const first = yield* people.run({ limit: 1 })
        expect(first.rows).toMatchObject({ imported: 1, pending: 1 })
        const second = yield* people.run()
        expect(second.rows).toMatchObject({ imported: 1, alreadyImported: 1 })
        const sentBy = people.practice.submissions("people").map(({ urlParameters }) =>
          urlParameters.find(({ id }) => id === "run_id")?.value
        )
        expect(sentBy).toEqual([first.run, second.run])
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive(
    "a row does not count as changed because a stamp was added, removed or made by a different run",
    () =>
      Effect.gen(function*() {
        const people = yield* world
        yield* people.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
        expect((yield* people.run()).rows.imported).toBe(2)
        for (const sink of [stamp, ", stamp: { run: run_id }", "", stamp]) {
          yield* people.settings({ sink })
          expect((yield* people.run()).rows, sink).toMatchObject({ alreadyImported: 2, changed: 0, imported: 0 })
        }
        yield* people.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org", "3,Cyd,"])
        yield* people.run()
        yield* people.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org", "3,Cyrus,"])
        const changed = yield* people.run()
        expect(changed.changes?.map(({ key, question }) => [key, question])).toEqual([["3", "name"]])
        expect(people.names()).toEqual(["Ada", "Bob", "Cyd"])
      }).pipe(Effect.provide(platform)),
    60_000,
  )

  it.scopedLive(
    "a refused row with the same item is not retried by the next run, which has a different id",
    () =>
      Effect.gen(function*() {
        const people = yield* world
        yield* people.settings({ sink: `, canary: off, stopWhen: { refused: 100% }${stamp}` })
        yield* people.source(["1,Ada,"])
        people.fail("POST", { status: 422, body: JSON.stringify({ message: "no such name", index: 0 }) })
        expect((yield* people.run()).rows).toMatchObject({ refused: 1 })
        yield* people.source(["1,Ada,", "2,Bob,"])
        expect((yield* people.run()).rows).toMatchObject({ refused: 1, imported: 1 })
        expect((yield* people.run({ retryRefused: true })).rows).toMatchObject({ refused: 0, imported: 1 })
      }).pipe(Effect.provide(platform)),
    60_000,
  )
})
