// Tests that no row is lost, and none is sent twice, if the pipeline is edited between runs.
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people, scoped, world } from "./world.ts"

/** Rewrites the rows of a rejected.csv. */
const fixing = (file: string, fix: (line: string) => string) => file.split("\n").map(fix).join("\n")

const wave = (waves: string) => `, where: { No: [${waves}] }`

scoped(
  "a fixed row is not imported again if its original can be read after `raggedRows` is edited",
  Effect.gen(function*() {
    const { file, names, run, settings, source, write } = yield* world
    const sink = ", onChange: import-again"
    yield* settings({ sink })
    yield* source([...people(1, 12), "13,Ann"])
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { imported: 12, invalid: 1 } })
    const rejected = yield* file(first, "rejected.csv")
    yield* write(
      "fixed.csv",
      fixing(rejected, (line) => line.replace(/^13,Ann,,/, "13,Ann,ann@example.org,").replace("ragged-row", "")),
    )
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 13 } })
    yield* settings({ sink, source: ", raggedRows: pad" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 13, imported: 0 } })
    expect(names()).toHaveLength(13)
  }),
)

scoped(
  "a duplicate that was sent because the row key was edited is not sent again from an older rejected.csv",
  Effect.gen(function*() {
    const { file, names, run, settings, source, write } = yield* world
    yield* source(["1,Ann,a@example.org", "1,Bob,b@example.org"])
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { imported: 1, duplicate: 1 } })
    const rejected = yield* file(first, "rejected.csv")
    yield* settings({ rowKey: "[No, Mail]" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, imported: 1 } })
    yield* write("fixed.csv", fixing(rejected, (line) => line.replace(/^1,Bob/, "2,Bob")))
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 1, rows: { imported: 0 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a row with a cell that is only written differently is unchanged if a constant was mapped after its import",
  Effect.gen(function*() {
    const { names, run, source, write } = yield* world
    const mapping = (mail: string) =>
      write(
        "pipelines/people.yaml",
        `pipeline: people
source: { file: ../source.csv, rowKey: [No] }
mapping: { questions: [{ name: Name, from: Name }${mail}], unmapped: ignore }
sink: { service: live, form: people, onChange: import-again }
`,
      )
    yield* mapping("")
    yield* source(people(1, 12))
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 12 } })
    yield* mapping(", { name: Mail, value: all@example.org, as: email }")
    yield* source(people(1, 12).with(2, "3, Person 3,p3@example.org"))
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12, imported: 0 } })
    expect(names()).toHaveLength(12)
  }),
)
