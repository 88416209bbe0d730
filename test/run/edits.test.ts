// Tests that no row is lost, and none is sent twice, if the pipeline is edited between runs.
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { people, scoped, world } from "./world.ts"

/** Rewrites the rows of a rejected.csv. */
const fixing = (file: string, fix: (line: string) => string) => file.split("\n").map(fix).join("\n")

const wave = (waves: string) => `, where: { No: [${waves}] }`

scoped(
  "a run is refused if a row that an edited `where` skips no more has the key from content of one that was sent, even runs later",
  Effect.gen(function*() {
    const { accept, names, run, settings, source } = yield* world
    const old = ["w1,Ann,a@example.org", "w1,Bob,b@example.org"]
    yield* settings({ rowKey: "content", source: wave("w1") })
    yield* source(old)
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* settings({ rowKey: "content", source: wave("w2") })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { filtered: 2 } })
    yield* source([...old, "w2,Ann,a@example.org"])
    const refused = yield* run()
    expect(refused).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(refused.because.join(" ")).toContain("Rows 1 and 3 have the same cells")
    yield* settings({ rowKey: "[No, Name]", source: wave("w1") })
    expect((yield* run()).because.join(" ")).toContain("Rows 1 and 3 had the same key")
    yield* accept("row-key")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2, filtered: 1 } })
    yield* settings({ rowKey: "[No, Name]", source: wave("w2") })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1, filtered: 2 } })
    expect(names()).toEqual(["Ann", "Ann", "Bob"])
  }),
)

/** A world in which a row was sent whose key from content covers only its name. Now the mapping reads its mail as well. */
const keyedByName = Effect.gen(function*() {
  const one = yield* world
  yield* one.settings({ rowKey: "content", mail: "none" })
  yield* one.source(["1,Ann,a@example.org"])
  yield* one.run()
  yield* one.settings({ rowKey: "content" })
  return one
})

scoped(
  "rows that a key from content can't distinguish are accepted once, but others like them are not",
  Effect.gen(function*() {
    const { accept, names, run, source } = yield* keyedByName
    const two = ["1,Ann,a@example.org", "2,Ann,b@example.org"]
    yield* source(two)
    expect((yield* run()).because.join(" ")).toContain("Rows 1 and 2 have the same cells")
    yield* accept("row-key")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, imported: 1 } })
    yield* source(["3,Ann,c@example.org", ...two])
    expect(yield* run()).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(names()).toEqual(["Ann", "Ann"])
  }),
)

scoped(
  "a person's decision about rows that a key from content can't distinguish doesn't apply to other rows with the same keys",
  Effect.gen(function*() {
    const { accept, names, run, source } = yield* keyedByName
    yield* source(["1,Ann,a@example.org", "2,Ann,b@example.org"])
    yield* run()
    yield* accept("row-key")
    yield* source(["3,Ann,c@example.org", "1,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(names()).toEqual(["Ann"])
  }),
)

scoped(
  "rows that were sent after `where` was edited are known, although it skips rows with the same cells",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    yield* settings({ rowKey: "content", source: wave("w1") })
    yield* source(["w1,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    yield* settings({ rowKey: "content", source: wave("w2") })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { filtered: 1 } })
    yield* source(["w1,Ann,a@example.org", "draft,Bob,b@example.org", "w2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1, filtered: 2 } })
    yield* source([
      "w1,Ann,a@example.org",
      "draft,Bob,b@example.org",
      "w2,Bob,b@example.org",
      "draft,Cid,c@example.org",
    ])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, filtered: 3 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a run is refused if a row that another `where` skips was sent with `--source`",
  Effect.gen(function*() {
    const { names, run, settings, source, write } = yield* world
    yield* settings({ rowKey: "content", source: wave("w1") })
    yield* source(["w1,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    yield* settings({ rowKey: "content", source: wave("w2") })
    yield* write("other.csv", "No,Name,Mail\nw2,Bob,b@example.org\n")
    expect(yield* run({ source: "other.csv" })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    yield* settings({ rowKey: "content", source: wave("w1") })
    yield* source(["w1,Ann,a@example.org", "w1,Bob,b@example.org", "w2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a run is refused if `empty` was edited and skips only one of two rows that keys from content can't distinguish",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    const read = (empty: string) =>
      settings({ rowKey: "content", source: `, where: { No: { empty: true } }, empty: ["", "${empty}"]` })
    yield* read("-")
    yield* source(["-,Ann,a@example.org", "-,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* read("N/A")
    yield* source(["-,Ann,a@example.org", "-,Bob,b@example.org", "N/A,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a run is refused if a name in `where` stands for another column now",
  Effect.gen(function*() {
    const { run, settings, write } = yield* world
    const read = (position: number) =>
      settings({
        rowKey: "content",
        source: `, where: { state: [done] }, columns: { state: { position: ${position} } }`,
        sink: "",
      })
    yield* read(1)
    yield* write("source.csv", "No,Name,Mail,State\ndone,Ann,a@example.org,open\n")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    yield* read(4)
    yield* write("source.csv", "No,Name,Mail,State\ndone,Ann,a@example.org,open\nopen,Ann,a@example.org,done\n")
    expect(yield* run()).toMatchObject({ exitCode: 2, requests: { create: 0 } })
  }),
)

for (const rowKey of ["content", "[Name]"]) {
  scoped(
    `a row that \`where\` skips doesn't get the key of an imported one if the row key is edited (before: ${rowKey})`,
    Effect.gen(function*() {
      const { names, run, settings, source } = yield* world
      yield* settings({ rowKey, source: wave("done") })
      yield* source(["draft,Ann,a@example.org", "done,Ann,a@example.org", "done,Bob,b@example.org"])
      expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2, filtered: 1 } })
      yield* settings({ rowKey: "[No, Name]", source: wave("done") })
      expect(yield* run({ dryRun: true })).toMatchObject({ rows: { alreadyImported: 2, pending: 0, filtered: 1 } })
      expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2, imported: 0, filtered: 1 } })
      expect(names()).toEqual(["Ann", "Bob"])
    }),
  )
}

scoped(
  "an imported row that `where` skips is still known after the row key and then `where` are edited",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    yield* source(["done,Ann,a@example.org", "late,Bob,b@example.org"])
    yield* settings({ rowKey: "[Name]" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* settings({ rowKey: "[No, Name]", source: wave("done") })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, filtered: 1 } })
    yield* settings({ rowKey: "[No, Name]" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "an undone row is not sent again if the row key is edited and a new row has its earlier key",
  Effect.gen(function*() {
    const { configure, names, run, settings, source, undo } = yield* world
    yield* configure("    capabilities: [delete]\n")
    yield* source(["1,Ann,a@example.org"])
    const first = yield* run()
    expect(yield* undo(first.run)).toMatchObject({ deleted: 1 })
    yield* settings({ rowKey: "[No, Mail]" })
    yield* source(["1,Eve,e@example.org", "1,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1, undone: 1 } })
    expect(names()).toEqual(["Eve"])
  }),
)

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
  "the original of a row that was fixed with a different key is not sent, even if a column has a new title",
  Effect.gen(function*() {
    const { file, names, run, settings, source, write } = yield* world
    const sink = ", onChange: import-again, stopWhen: { changed: 100% }"
    const [ada, eve, dora, carl] = [
      "1,Ada,a@example.org",
      "1,Eve,e@example.org",
      "5,Dora,nowhere",
      ",Carl,c@example.org",
    ]
    const others = [eve, dora, carl, ...people(10, 12)]
    yield* settings({ sink })
    yield* source([ada, ...others])
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { imported: 4, duplicate: 1, invalid: 2 } })
    const fixed = (yield* file(first, "rejected.csv"))
      .replace("\n1,Eve", "\n7,Eve").replace("\n5,Dora,nowhere", "\n6,Dora,d@example.org").replace(
        "\n,Carl",
        "\n8,Carl",
      )
    yield* write("fixed.csv", fixed)
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 0, rows: { imported: 3 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 7 } })

    // Only the answers of rows that were sent are known.
    const renamed = { sink, name: "Full name", mail: ", onInvalid: drop" }
    yield* settings(renamed)
    yield* source([ada, ...others], "No,Full name,Mail")
    const unknown = yield* run()
    expect(unknown).toMatchObject({ exitCode: 1, rows: { alreadyImported: 4, duplicate: 2, invalid: 1, imported: 0 } })
    const rejected = yield* file(unknown, "rejected.csv")
    expect(rejected.match(/The source lacks the column Name/g)).toHaveLength(3)
    expect(rejected).not.toContain("give one of them a different key")
    yield* source(others, "No,Full name,Mail")
    expect(yield* run()).toMatchObject({
      exitCode: 1,
      rows: { alreadyImported: 3, duplicate: 2, invalid: 1, imported: 0 },
    })

    // Both ways out that the message names.
    yield* source([ada, ...others], "No,Full name,Mail")
    yield* settings({ ...renamed, source: ", columns: { Name: { header: Full name, nth: 1, of: 1 } }" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 7 } })
    yield* settings(renamed)
    yield* source([ada, "9,Eve,e@example.org", ...people(10, 12)], "No,Full name,Mail")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(names()).toHaveLength(8)
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
  "the original of a row that was fixed in an older rejected.csv after the row key was edited is not sent",
  Effect.gen(function*() {
    const { fail, file, names, run, settings, source, write } = yield* world
    const sink = ", canary: off, onChange: import-again, stopWhen: { refused: 100%, changed: 100% }"
    yield* settings({ sink })
    yield* source(["1,Ann,a@example.org"])
    yield* run()
    fail("POST", { status: 422, body: JSON.stringify({ message: "no such name", index: 0 }) })
    yield* source(["1,Ann,a@example.org", "2,Bob,old@example.org"])
    expect((yield* run()).rows.refused).toBe(1)
    const rejected = yield* file(yield* run(), "rejected.csv")
    yield* settings({ sink, rowKey: "[Name]" })
    expect((yield* run()).rows).toMatchObject({ alreadyImported: 1, refused: 1 })
    yield* write("fixed.csv", fixing(rejected, (line) => line.replace(/^2,Bob,old/, "2,Bob,new")))
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
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

scoped(
  "a row that a person skipped stays skipped if the source lacks it while the row key is edited",
  Effect.gen(function*() {
    const { acknowledge, names, run, settings, source } = yield* world
    yield* source([...people(1, 12), "13,Eve,nobody"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { imported: 12, invalid: 1 } })
    yield* acknowledge(["13"], true)
    yield* source(people(1, 12))
    yield* settings({ rowKey: "[No, Name]" })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12 } })
    yield* source([...people(1, 12), "13,Eve,e@example.org"])
    for (let time = 1; time <= 2; time++) {
      expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12, filtered: 1 } })
    }
    expect(names()).toHaveLength(12)
  }),
)

for (const [name, rowKey] of [["Mail", "content"], ["Id", "[Id]"]] as const) {
  scoped(
    `a run is refused if a name under \`columns\` stands for a column with other cells, so that all keys differ (rowKey: ${rowKey})`,
    Effect.gen(function*() {
      const { names, run, settings, source } = yield* world
      const read = (position: number) =>
        settings({ rowKey, source: `, columns: { ${name}: { position: ${position} } }`, sink: "" })
      const header = name === "Mail" ? "No,Name,M,M" : "No,Name,Mail,I,I"
      const rows = people(1, 5).map((row, at) => `${row},${name === "Mail" ? `x${at}@example.org` : `${at},b${at}`}`)
      yield* read(name === "Mail" ? 3 : 4)
      yield* source(rows, header)
      expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 5 } })
      yield* read(name === "Mail" ? 4 : 5)
      const refused = yield* run()
      expect(refused).toMatchObject({ exitCode: 2, rows: { imported: 0 } })
      expect(refused.because.join(" ")).toContain(`${name}: column ${name === "Mail" ? 3 : 4}; now`)
      // A column was inserted before it.
      yield* read(name === "Mail" ? 4 : 5)
      yield* source(rows.map((row) => `x,${row}`), `More,${header}`)
      expect(yield* run()).toMatchObject({ rows: { alreadyImported: 5, imported: 0 } })
      expect(names()).toHaveLength(5)
    }),
  )
}

scoped(
  "a ledger in which no `where` is recorded is not refused because of rows that `where` skips",
  Effect.gen(function*() {
    const { names, rehearse, root, run, settings, source } = yield* world
    yield* settings({ rowKey: "content", source: wave("done") })
    yield* source(["draft,Ann,a@example.org", "done,Ann,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1, filtered: 1 } })
    const ledger = new Database(join(root, ".formferry", "ledger.db"))
    ledger.exec("UPDATE fact SET value = json_remove(value, '$.where', '$.sentBefore') WHERE name = 'identity'")
    ledger.close()
    yield* source(["draft,Ann,a@example.org", "done,Ann,a@example.org", "done,Bob,b@example.org"])
    expect(yield* run({ dryRun: true })).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, pending: 1 } })
    expect(yield* rehearse()).toMatchObject({ exitCode: 0 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, imported: 1 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)
