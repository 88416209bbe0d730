import { expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { seeds } from "../long.ts"
import { throughRun } from "../source/drawn/throughRun.ts"
import { scoped, world } from "./world.ts"

const people = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `C-${from + at},Person ${from + at},p${from + at}@example.org`)

scoped(
  "a stray quote after the first 64 KB loses no row, and the report accounts for every line",
  Effect.gen(function*() {
    const { run, source } = yield* world
    yield* source([...people(1, 3000), 'C-3001,"Native" person,n@example.org', ...people(3002, 3010)])
    const report = yield* run({ dryRun: true })
    expect(report).toMatchObject({ rows: { read: 3010, pending: 3010, invalid: 0 } })
    expect(report.sources[0]).toMatchObject({
      lines: { physical: 3011, above: 1, records: 3010, inside: 0, blank: 0 },
      longest: { column: "Mail", row: 1000, length: 17 },
      taken: expect.arrayContaining([{ what: "stray quotes", value: "kept as characters on line 3002" }]),
    })
  }),
)

scoped(
  "quotes that can be read in two ways send nothing until quoteChar is set",
  Effect.gen(function*() {
    const { heard, names, run, settings, source } = yield* world
    yield* source([...people(1, 3), 'C-4,"Ada,a@example.org', 'C-5,Bob",b@example.org', ...people(6, 8)])
    const ended = yield* Effect.either(run())
    expect(Either.isLeft(ended) && ended.left).toMatchObject({
      _tag: "SourceError",
      message: expect.stringContaining("Quotes can be read in two ways on lines 5 to 6"),
    })
    expect(heard.filter((request) => request.startsWith("POST"))).toEqual([])
    yield* settings({ source: ", quoteChar: none" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 8 } })
    expect(names()).toContain('"Ada')
  }),
)

const count = seeds(5, 12)

it.live(`whole runs of ${count} random texts import only intended rows, and lose none if the exit code is 0`, () =>
  Effect.gen(function*() {
    const codes = new Set<number>()
    for (let seed = 1; seed <= count; seed++) {
      const { exitCode, violations } = yield* throughRun(seed)
      expect({ seed, violations }).toEqual({ seed, violations: [] })
      codes.add(exitCode)
    }
    expect(codes.size).toBeGreaterThan(1)
  }))
