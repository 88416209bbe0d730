// Tests that a row counts as changed only if an answer differs from the one that was sent.
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people, scoped, world } from "./world.ts"

/** Replaces one row of twelve. */
const withRow = (row: number, text: string) => people(1, 12).with(row - 1, text)

/** A world with twelve imported rows. */
const imported = (sink: string) =>
  Effect.gen(function*() {
    const one = yield* world
    yield* one.settings({ sink })
    yield* one.source(people(1, 12))
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 12 } })
    return one
  })

for (const onChange of ["report", "import-again"]) {
  const sink = `, onChange: ${onChange}`

  scoped(
    `a row with a cell that is only written differently is unchanged (onChange: ${onChange})`,
    Effect.gen(function*() {
      const one = yield* imported(sink)
      yield* one.source(withRow(3, "3, Person 3 ,p3@EXAMPLE.ORG"))
      expect(yield* one.run()).toMatchObject({
        exitCode: 0,
        rows: { alreadyImported: 12, changed: 0, imported: 0 },
        vanished: { count: 0 },
      })
    }),
  )

  scoped(
    `a row is unchanged if only cells of a column that is no longer mapped changed (onChange: ${onChange})`,
    Effect.gen(function*() {
      const one = yield* imported(sink)
      yield* one.settings({ sink, mail: "none" })
      yield* one.source(withRow(3, "3,Person 3,elsewhere@example.org"))
      expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12, changed: 0, imported: 0 } })
    }),
  )

  scoped(
    `rows are unchanged if a column that is no longer mapped leaves the source (onChange: ${onChange})`,
    Effect.gen(function*() {
      const one = yield* imported(sink)
      yield* one.settings({ sink, mail: "none" })
      yield* one.source(people(1, 12).map((row) => row.replace(/,[^,]*$/, "")), "No,Name")
      expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12, changed: 0, imported: 0 } })
    }),
  )
}

scoped(
  "a row whose submission was not read back yet is unchanged if its answers are",
  Effect.gen(function*() {
    const one = yield* world
    yield* one.settings({ sink: ", canary: off", visibleWithin: "1 millis" })
    yield* one.source(people(1, 12))
    one.fail("GET", ...Array.from({ length: 40 }, () => ({ status: 404, body: "{}" })))
    expect((yield* one.run()).readBack.missing).toBe(12)
    yield* one.source(withRow(3, "3,Person 3,p3@EXAMPLE.ORG"))
    expect((yield* one.run()).rows).toMatchObject({ alreadyImported: 12, changed: 0 })
  }),
)

scoped(
  "a row with an answer to a question that it did not answer before is changed",
  Effect.gen(function*() {
    const one = yield* world
    yield* one.source(withRow(3, "3,Person 3,"))
    expect(yield* one.run()).toMatchObject({ exitCode: 0 })
    yield* one.source(people(1, 12))
    expect((yield* one.run()).rows).toMatchObject({ alreadyImported: 11, changed: 1 })
  }),
)

scoped(
  "a row that no longer answers a question is changed",
  Effect.gen(function*() {
    const one = yield* imported("")
    yield* one.source(withRow(3, "3,Person 3,"))
    expect((yield* one.run()).rows).toMatchObject({ alreadyImported: 11, changed: 1 })
  }),
)
