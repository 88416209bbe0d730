import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "./world.ts"

const twenty = Array.from({ length: 20 }, (_, at) => at + 1)

const padded = (number: number) => `C-${String(number).padStart(6, "0")}`

const person = (key: string, number: number) => `${key},Person ${number},p${number}@example.org`

/** Expects that a run sent nothing, and why. */
const stopped = (
  report: { readonly exitCode: number; readonly because: ReadonlyArray<string> },
  reason: RegExp,
  exitCode = 2,
) => {
  expect([report.exitCode, report.because.join(" ")]).toEqual([exitCode, expect.stringMatching(reason)])
}

describe("a changed row key", () => {
  it.scopedLive("rows are found by their earlier keys after a change of the cells that count as empty", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.settings({ rowKey: "[No, Part]", source: `, empty: [""]` })
      yield* at.source(
        twenty.map((number) => `${number},-,Person ${number},p${number}@example.org`),
        "No,Part,Name,Mail",
      )
      expect((yield* at.run()).rows.imported).toBe(20)
      yield* at.settings({ rowKey: "[No, Part]", source: `, empty: ["-"]` })
      const dry = yield* at.run({ dryRun: true })
      expect([dry.exitCode, dry.rows.alreadyImported]).toEqual([0, 20])
      const again = yield* at.run()
      expect([again.exitCode, again.rows.alreadyImported]).toEqual([0, 20])
      expect(at.names()).toHaveLength(20)
      expect((yield* at.reconcile()).exitCode).toBe(0)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("rows are found even if the row key uses different columns, and a missing row is found when it returns", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(String(number), number)))
      yield* at.run()
      yield* at.settings({ rowKey: "[Mail]" })
      yield* at.source(twenty.slice(1).map((number) => person(String(number), number)))
      const fewer = yield* at.run()
      expect([fewer.exitCode, fewer.rows.alreadyImported, fewer.rows.imported]).toEqual([0, 19, 0])
      yield* at.source([...twenty.map((number) => person(String(number), number)), person("21", 21)])
      const all = yield* at.run()
      expect([all.exitCode, all.rows.alreadyImported, all.rows.imported]).toEqual([0, 20, 1])
      expect(at.names()).toHaveLength(21)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a changed row key is refused if its earlier columns were renamed, until the pipeline gives the new names", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(String(number), number)))
      yield* at.run()
      yield* at.settings({ rowKey: "[Number]" })
      yield* at.source(twenty.map((number) => person(String(number), number)), "Number,Name,Mail")
      for (const dryRun of [true, false]) {
        stopped(
          yield* at.run({ dryRun }),
          /row key was \[No\].*previousRowKey: \[No\].*formferry accept people row-key/,
        )
      }
      yield* at.settings({ rowKey: "[Number]", source: ", previousRowKey: [No]" })
      const known = yield* at.run()
      expect([known.exitCode, known.rows.alreadyImported]).toEqual([0, 20])
      yield* at.settings({ rowKey: "[Number]" })
      expect((yield* at.run()).exitCode).toBe(0)
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("missing rows are found when they return, although a column of their earlier key was renamed twice meanwhile", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = twenty.map((number) => person(String(number), number))
      yield* at.source(rows)
      yield* at.run()
      yield* at.settings({ rowKey: "[No, Mail]" })
      yield* at.source(rows.slice(1))
      expect((yield* at.run()).exitCode).toBe(0)
      for (const [earlier, title] of [["No", "Number"], ["Number", "Nr"]] as const) {
        yield* at.settings({ rowKey: `[${title}, Mail]`, source: `, previousRowKey: [${earlier}, Mail]` })
        yield* at.source(rows.slice(1), `${title},Name,Mail`)
        const fewer = yield* at.run()
        expect([fewer.exitCode, fewer.rows.alreadyImported], fewer.because.join(" ")).toEqual([0, 19])
      }
      yield* at.source(rows, "Nr,Name,Mail")
      const all = yield* at.run()
      expect([all.exitCode, all.rows.alreadyImported], all.because.join(" ")).toEqual([0, 20])
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("the row with the imported content gets the earlier key, and the run stops if no row has it", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.settings({ rowKey: "[No]" })
      yield* at.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
      yield* at.run()
      // Two rows have the same number, and only the second row was imported.
      yield* at.settings({ rowKey: "[No, Mail]" })
      yield* at.source(["1,Eve,eve@example.org", "1,Ada,ada@example.org", "2,Bob,bob@example.org"])
      const split = yield* at.run()
      expect([split.exitCode, split.rows.alreadyImported, split.rows.imported]).toEqual([0, 2, 1])
      expect(at.names()).toEqual(["Ada", "Bob", "Eve"])
      yield* at.settings({ rowKey: "[No, Mail, Name]" })
      yield* at.source([
        "1,Eva,eve@example.org",
        "1,Evi,eve@example.org",
        "1,Ada,ada@example.org",
        "2,Bob,bob@example.org",
      ])
      stopped(
        yield* at.run(),
        /several rows of the source have the earlier row key.*formferry ledger rekey people --map/,
      )
      expect(at.names()).toHaveLength(3)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row that has no new key when the row key changes is found when it gets one", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = (codes: number, mail = "p5@example.org") =>
        twenty.map((number) =>
          `${number},${number > codes && number === 5 ? "" : padded(number)},Person ${number},${
            number === 5 ? mail : `p${number}@example.org`
          }`
        )
      yield* at.source(rows(20), "No,Code,Name,Mail")
      yield* at.run()
      yield* at.settings({ rowKey: "[Code]" })
      for (const codes of [0, 0, 20]) {
        yield* at.source(rows(codes), "No,Code,Name,Mail")
        const again = yield* at.run()
        expect([again.exitCode, again.rows.alreadyImported, again.rows.imported]).toEqual([0, 20, 0])
      }
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row that is edited while it has no new key is not sent again when it gets one", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = (code: string, mail: string) => [
        ...twenty.slice(1).map((number) => `${number},${padded(number)},Person ${number},p${number}@example.org`),
        `1,${code},Person 1,${mail}`,
      ]
      yield* at.source(rows("", "p1@example.org"), "No,Code,Name,Mail")
      yield* at.run()
      yield* at.settings({ rowKey: "[Code]" })
      expect((yield* at.run()).rows.alreadyImported).toBe(20)
      yield* at.source(rows("", "new@example.org"), "No,Code,Name,Mail")
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 19, invalid: 1, imported: 0 })
      yield* at.source(rows("C-1", "new@example.org"), "No,Code,Name,Mail")
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 19, changed: 1, imported: 0 })
    }).pipe(Effect.provide(platform)))

  it.scopedLive("new keys that are earlier keys of other rows stop the run, until the row key has both columns for one run", () =>
    Effect.gen(function*() {
      const at = yield* world
      const number = (one: number) => one < 18 ? one : one + 1
      const rows = twenty.map((one) => `${one},${number(one)},Person ${one},p${one}@example.org`)
      yield* at.source(rows, "No,New,Name,Mail")
      yield* at.run()
      yield* at.settings({ rowKey: "[New]" })
      // A different file says nothing about the keys of the other rows.
      yield* at.write("part.csv", "No,New,Name,Mail\n41,42,Zoe,zoe@example.org\n")
      expect((yield* at.run({ source: "part.csv" })).rows.imported).toBe(1)
      stopped(yield* at.run(), /the key of another row before.*rowKey: \[New, No\]/)
      for (const rowKey of ["[New, No]", "[New]"]) {
        yield* at.settings({ rowKey })
        const known = yield* at.run()
        expect([known.exitCode, known.rows.alreadyImported], known.because.join(" ")).toEqual([0, 20])
      }
      expect(at.names()).toHaveLength(21)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a new key that is the earlier key of a vanished row stops the run", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = twenty.map((one) => `${one},${one === 20 ? 7 : one},Person ${one},p${one}@example.org`)
      yield* at.source(rows, "No,New,Name,Mail")
      yield* at.run()
      yield* at.source(rows.filter((_, index) => index !== 6), "No,New,Name,Mail")
      for (const rowKey of ["[New]", "[New, No]", "[New]"]) {
        yield* at.settings({ rowKey, sink: ", onChange: import-again" })
        const report = yield* at.run()
        if (rowKey === "[New]") stopped(report, /the key of another row before/)
        else expect([report.exitCode, report.rows.alreadyImported]).toEqual([0, 19])
      }
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a rejected duplicate does not take the key of an imported row that is missing when the row key changes", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = ["1,Ada,ada@example.org", "1,Eve,eve@example.org", "2,Bob,bob@example.org"]
      yield* at.source(rows)
      expect((yield* at.run()).rows).toMatchObject({ imported: 2, duplicate: 1 })
      yield* at.settings({ rowKey: "[No, Mail]" })
      yield* at.source(rows.slice(1))
      stopped(yield* at.run(), /as an imported or skipped row that is no longer in the source/)
      yield* at.source(rows)
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 2, imported: 1 })
      expect(at.names()).toEqual(["Ada", "Bob", "Eve"])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("an identical duplicate may get a key of its own, while the imported row keeps its key", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = ["1,1,Ada,ada@example.org", "1,2,Ada,ada@example.org"]
      yield* at.source(rows, "No,New,Name,Mail")
      expect((yield* at.run()).rows).toMatchObject({ imported: 1, duplicate: 1 })
      yield* at.settings({ rowKey: "[New]" })
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 1, imported: 1 })
    }).pipe(Effect.provide(platform)))

  it.scopedLive("if a changed row key was refused after some rows had got their new keys, the earlier row key finds all rows", () =>
    Effect.gen(function*() {
      const at = yield* world
      const rows = twenty.map((number) => person(String(number), number))
      yield* at.source(rows)
      yield* at.run()
      yield* at.settings({ rowKey: "[No, Mail]" })
      yield* at.source([...rows.slice(0, 5), "6,Eva,eva@example.org", "6,Evi,evi@example.org", ...rows.slice(6)])
      stopped(yield* at.run(), /have the earlier row key/)
      yield* at.settings({ rowKey: "[No]" })
      yield* at.source(rows)
      const again = yield* at.run()
      expect([again.exitCode, again.rows.alreadyImported], again.because.join(" ")).toEqual([0, 20])
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("after the row key changed, a rejected duplicate that is imported with `--source` does not take the key of the imported row", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["1,Ada,ada@example.org", "1,Eve,eve@example.org", "2,Bob,bob@example.org"])
      const first = yield* at.run()
      expect(first.rows).toMatchObject({ imported: 2, duplicate: 1 })
      yield* at.settings({ rowKey: "[No, Mail]" })
      stopped(
        yield* at.run({ source: join("reports", "people", first.run, "rejected.csv") }),
        /has the earlier row key.*own source and run it.*run people/,
      )
      const own = yield* at.run()
      expect(own.rows).toMatchObject({ alreadyImported: 2, imported: 1 })
      expect(at.names()).toEqual(["Ada", "Bob", "Eve"])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row key made from the row's content is refused if the source lacks one of its columns, until that is named", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.settings({ rowKey: "content" })
      yield* at.source(twenty.map((number) => person(String(number), number)))
      yield* at.run()
      yield* at.write(
        "pipelines/people.yaml",
        `pipeline: people
source: { file: ../source.csv, rowKey: content }
mapping:
  questions: [{ name: Name, from: Name }]
sink: { service: live, form: people }
`,
      )
      yield* at.source(twenty.map((number) => person(String(number), number)), "No,Name,E-mail")
      stopped(yield* at.run(), /the source lacks 1 key column: Mail.*source\.columns/)
      yield* at.settings({ rowKey: "content", source: ", columns: { Mail: { header: E-mail, nth: 1, of: 1 } }" })
      const named = yield* at.run()
      expect([named.exitCode, named.rows.alreadyImported], named.because.join(" ")).toEqual([0, 20])
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("skipped rows stay skipped if the row key changes", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["1,Ada,none", "2,Bob,bob@example.org"])
      expect((yield* at.run()).rows.invalid).toBe(1)
      yield* at.acknowledge(["1"], true)
      yield* at.settings({ rowKey: "[Name]" })
      yield* at.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
      const again = yield* at.run()
      expect([again.rows.filtered, again.rows.imported]).toEqual([1, 0])
      expect(at.names()).toEqual(["Bob"])
    }).pipe(Effect.provide(platform)))
})

describe("reformatted row keys", () => {
  it.scopedLive("a reformatted key stops the run before it sends, even if only one key changed or the file is a different one", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(padded(number), number)))
      yield* at.run()
      yield* at.source(twenty.map((number) => person(number === 7 ? "c 7" : padded(number), number)))
      yield* at.write("more.csv", `No,Name,Mail\n${person("C-1", 1)}\n`)
      for (const options of [{ dryRun: true }, {}, { source: "more.csv" }]) {
        stopped(yield* at.run(options), /"C-00000[17]" \(row \d\).*formferry ledger rekey people/)
      }
      expect(at.names()).toHaveLength(20)
      // A person accepts the keys as new.
      yield* at.run()
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(1)
      expect(at.names()).toHaveLength(21)
      // The person has not seen any other key.
      yield* at.source([
        ...twenty.map((number) => person(number === 7 ? "c 7" : padded(number), number)),
        person("c7", 7),
      ])
      stopped(yield* at.run(), /"C-000007" \(row 21\).*formferry ledger rekey people/)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a person's decision about a new key doesn't apply to a second new key that resembles the same row", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(padded(number), number)))
      yield* at.run()
      const others = twenty.map((number) => person(number === 7 ? "c 7" : padded(number), number))
      yield* at.source(others)
      yield* at.run()
      yield* at.accept("row-key")
      yield* at.source([...others, person("c7", 7)])
      stopped(yield* at.run(), /"C-000007" \(row 7\).*formferry ledger rekey people/)
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a reformatted key stops the run, also if the row key uses different columns from then on", () =>
    Effect.gen(function*() {
      const at = yield* world
      const few = twenty.slice(0, 3)
      yield* at.source(few.map((number) => person(String(number), number)))
      yield* at.run()
      yield* at.settings({ rowKey: "[No, Mail]" })
      yield* at.source(few.map((number) => person(`00${number}`, number)))
      stopped(yield* at.run(), /3 new rows have the same key, apart from formatting/)
      expect(at.names()).toHaveLength(3)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row that is stamped with its key is unchanged after it got a new key and its cells were reformatted", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.settings({ sink: ", stamp: { urlParameter: row_key }" })
      yield* at.source(["C-01,Ada,ada@example.org"])
      yield* at.run()
      yield* at.source(["C-1,Ada ,ada@example.org"])
      stopped(yield* at.run(), /formferry ledger rekey people/)
      yield* at.rekey()
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1 } })
    }).pipe(Effect.provide(platform)))

  it.scopedLive.each([["1"], "all"] as const)(
    "a reformatted key of a row that a person skipped stops the run, until it gets its new key (%s)",
    (keys) =>
      Effect.gen(function*() {
        const at = yield* world
        yield* at.source(["1,Ada,none", "2,Bob,bob@example.org"])
        yield* at.run()
        yield* at.acknowledge(keys, true)
        const skipped = yield* at.run()
        expect(skipped).toMatchObject({ exitCode: 0, rows: { filtered: 1 } })
        yield* at.source(["#1,Ada,ada@example.org", "2,Bob,bob@example.org"])
        for (const dryRun of [true, false]) {
          stopped(yield* at.run({ dryRun }), /"1", skipped by a person \(row 1\)\.[^"]*formferry ledger rekey people/)
        }
        expect(yield* at.rekey()).toMatchObject({ recorded: 1, pairs: [{ old: "1", new: "#1" }] })
        expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { filtered: 1, imported: 0 } })
        expect(at.names()).toEqual(["Bob"])
        // The row keeps its new key as well as its old one.
        yield* at.source(["1,Ada,ada@example.org", "#1,Ann,ann@example.org", "2,Bob,bob@example.org"])
        expect((yield* at.run()).rows).toMatchObject({ filtered: 2, imported: 0 })
      }).pipe(Effect.provide(platform)),
  )

  it.scopedLive("a key like that of a skipped row is new if the source also has the skipped row", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["1,Ada,none", "2,Bob,bob@example.org"])
      yield* at.run()
      yield* at.acknowledge(["1"], true)
      yield* at.source(["1,Ada,none", "#1,Ann,ann@example.org", "2,Bob,bob@example.org"])
      expect((yield* at.run()).rows).toMatchObject({ filtered: 1, imported: 1 })
    }).pipe(Effect.provide(platform)))

  it.scopedLive("reformatted keys are accepted if the source also has the earlier keys", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["a1,Ada,ada@example.org"])
      yield* at.run()
      yield* at.source(["a1,Ada,ada@example.org", "A1,Bob,bob@example.org"])
      expect((yield* at.run()).rows.imported).toBe(1)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("reformatted keys stop the run if many new rows have the cells of vanished rows, unless vanished rows are ignored", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(`old${number}`, number)))
      yield* at.run()
      const renumbered = twenty.map((number) => person(`x${number * 31}`, number))
      yield* at.source(renumbered)
      stopped(yield* at.run(), /20 of 20 rows that are new in this run are replaced.*formferry ledger rekey people/, 3)
      expect(at.names()).toHaveLength(20)
      // Most rows are new. A single row that resembles a vanished row is below the limit.
      yield* at.source([...renumbered.slice(0, 1), ...twenty.map((number) => person(`n${number}`, number + 100))])
      expect((yield* at.run()).rows.imported).toBe(21)
      yield* at.settings({ source: ", vanished: ignore" })
      yield* at.source(renumbered.slice(1))
      expect((yield* at.run()).rows.imported).toBe(19)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a few renumbered rows stop the run if no imported row is left in the source", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["05.01.2024,Ada,ada@example.org", "06.01.2024,Bob,bob@example.org"])
      yield* at.run()
      yield* at.source([
        "2024-01-05,Ada,ada@example.org",
        "2024-01-06,Bob,bob@example.org",
        "2024-01-07,Eve,eve@example.org",
      ])
      stopped(yield* at.run(), /2 of 3 rows that are new in this run are replaced.*formferry ledger rekey people/, 3)
      expect((yield* at.rekey()).recorded).toBe(2)
      expect((yield* at.run()).rows).toMatchObject({ imported: 1, alreadyImported: 2 })
      // The other imported rows are absent, too, so that one row may only look like an imported one.
      yield* at.source(["2024-01-08,Ada,ada@example.org", "2024-01-09,Kim,kim@example.org"])
      expect((yield* at.run()).rows.imported).toBe(2)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("renumbered rows are noticed, although a column was renamed and cells were written differently", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(twenty.map((number) => person(`${number}`, number)))
      yield* at.run()
      yield* at.settings({ name: "Title" })
      const rewritten = (key: number, number: number) => `${key}, Person ${number} ,p${number}@EXAMPLE.org`
      yield* at.source(twenty.map((number) => rewritten(number * 31 + 900, number)), "No,Title,Mail")
      stopped(
        yield* at.run(),
        /20 of 20 rows that are new in this run are replaced.*Apart from formatting and the row key, their answers equal those of imported rows.*such as row 1\./,
        3,
      )
      expect((yield* at.rekey()).pairs).toContainEqual({ old: "20", new: "1520", isCopied: false })
      expect((yield* at.run()).rows).toMatchObject({ imported: 0, alreadyImported: 20 })
      expect(at.names()).toHaveLength(20)
    }).pipe(Effect.provide(platform)))
})

describe("a key with damaged characters", () => {
  it.scopedLive.each(
    [
      ["M\ufffdller 1", "Müller 1"],
      ["MÃ¼ller 1", "Müller 1"],
      ["Müller 1", "M\ufffdller 1"],
      ["na\ufffdf", "naïf"],
    ] as const,
  )("a run stops if a row was imported as %s and is %s now", ([before, now]) =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source([person(before, 1), person("other", 2)])
      expect((yield* at.run()).exitCode).toBe(0)
      yield* at.source([person(now, 1), person("other", 2)])
      stopped(yield* at.run(), /damaged characters.*formferry ledger rekey people/)
      expect(at.names()).toHaveLength(2)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a row with a new key is sent, although it equals a vanished key in its ASCII characters", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source([person("日本", 1), person("Müller 1", 2), person("same", 5)])
      yield* at.run()
      yield* at.source([person("中国", 3), person("Möller 1", 4), person("same", 5)])
      expect((yield* at.run()).exitCode).toBe(0)
      expect(at.names()).toHaveLength(5)
    }).pipe(Effect.provide(platform)))
})

describe("a source that is read differently from before", () => {
  it.scopedLive("a run stops if its source is read differently, some rows are new, and others vanished", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["Ä1,Ada,ada@example.org", "Ä2,Bob,bob@example.org"])
      yield* at.run()
      yield* at.settings({ source: ", encoding: windows-1252" })
      stopped(yield* at.run(), /not read in the same way as in earlier runs \(csv, utf8.*now csv, windows1252/)
      expect(at.names()).toEqual(["Ada", "Bob"])
      yield* at.settings({})
      expect((yield* at.run()).exitCode).toBe(0)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a run stops if an earlier version of the reader read the imported rows, some rows are new, and others vanished", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source([person("1", 1), person("2", 2)])
      yield* at.run()
      const ledger = new Database(join(at.root, ".formferry/ledger.db"))
      ledger.exec("UPDATE fact SET value = json_set(value, '$.dialect.reader', 1) WHERE name = 'identity'")
      ledger.close()
      yield* at.source([person("1", 1), person("other", 2)])
      stopped(yield* at.run(), /not read in the same way as in earlier runs/)
      expect(at.names()).toHaveLength(2)
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a run stops if the keys of JSON rows were rounded by an earlier version of the reader", () =>
    Effect.gen(function*() {
      const at = yield* world
      const json = (...keys: ReadonlyArray<string>) =>
        at.write(
          "source.json",
          `[${keys.map((key, at) => `{"No":${key},"Name":"Person ${at}","Mail":"p${at}@example.org"}`).join(",")}]`,
        )
      yield* at.settings({ file: "../source.json" })
      yield* json('"10212345678901200"')
      yield* at.run()
      const ledger = new Database(join(at.root, ".formferry/ledger.db"))
      ledger.exec("UPDATE fact SET value = json_set(value, '$.dialect.reader', 1) WHERE name = 'identity'")
      ledger.close()
      yield* json("10212345678901234", "10212345678901236")
      stopped(yield* at.run(), /not read in the same way as in earlier runs.*formferry ledger rekey people/)
      expect(at.names()).toEqual(["Person 0"])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a source may be read differently if its keys stay the same, whichever rows vanished", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["1,Zoë,zoe@example.org", "2,Bob,bob@example.org"])
      yield* at.run()
      yield* at.write(
        "source.csv",
        Buffer.from("No;Name;Mail\n2;Bob;bob@example.org\n3;J\xfcrgen;j@example.org\n", "latin1"),
      )
      const again = yield* at.run()
      expect([again.exitCode, again.rows.imported]).toEqual([0, 1])
    }).pipe(Effect.provide(platform)))

  it.scopedLive("a source may be read differently if no row vanished", () =>
    Effect.gen(function*() {
      const at = yield* world
      yield* at.source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
      yield* at.run()
      yield* at.source(["1;Ada;ada@example.org", "2;Bob;bob@example.org", "3;Zoë;eve@example.org"], "No;Name;Mail")
      const again = yield* at.run()
      expect([again.exitCode, again.rows.imported]).toEqual([0, 1])
      yield* at.source(["1,Ada,ada@example.org"])
      expect((yield* at.run()).exitCode).toBe(0)
    }).pipe(Effect.provide(platform)))
})
