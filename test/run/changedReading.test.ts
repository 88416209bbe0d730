// Tests that changed rows are not imported again because the source is read differently, or because its keys are running numbers.
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people, scoped, world } from "./world.ts"

const sink = ", onChange: import-again"

scoped(
  "changed rows are not imported again if the source is read in a different encoding",
  Effect.gen(function*() {
    const one = yield* world
    yield* one.settings({ sink })
    const rows = people(1, 30).with(4, "5,Jürgen Groß,p5@example.org")
    yield* one.source(rows)
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 30 } })
    yield* one.settings({ sink, source: ", encoding: windows-1252" })
    const refused = yield* one.run()
    expect(refused).toMatchObject({ exitCode: 2, rows: { pending: 1, alreadyImported: 29 }, requests: { create: 0 } })
    expect(refused.because.join()).toContain("1 imported row has different answers now, and would be imported again")
    yield* one.accept("row-key")
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 1, alreadyImported: 29 } })
  }),
)

scoped(
  "changed rows are not imported again if their keys are running numbers that shifted",
  Effect.gen(function*() {
    const one = yield* world
    yield* one.settings({ sink })
    yield* one.source(people(1, 120))
    expect(yield* one.run()).toMatchObject({ exitCode: 0, rows: { imported: 120 } })
    const cells = people(1, 120).map((row) => row.replace(/^\d+,/, ""))
    yield* one.source(cells.toSpliced(108, 0, "New,new@example.org").map((row, at) => `${at + 1},${row}`))
    const stopped = yield* one.run()
    expect(stopped).toMatchObject({ exitCode: 3, rows: { pending: 13 }, requests: { create: 0 } })
    expect(stopped.because.join()).toContain(
      "11 of 12 rows that changed since they were imported are renumbered (91.7%), more than stopWhen allows (10%).",
    )
  }),
)
