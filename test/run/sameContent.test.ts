import { describe, expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { join } from "node:path"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { live, people, world } from "./world.ts"

const content = { rowKey: "content" }

/** Returns a world in which these rows were imported. They are known by content. */
const imported = (rows: ReadonlyArray<string>, settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const at = yield* world
    yield* at.settings({ ...content, ...settings })
    yield* at.source(rows)
    expect((yield* at.run()).rows.imported).toBe(rows.length)
    return at
  })

/** Expects that a run sent nothing because these rows are probably known ones, and that a dry run says so, too. */
const stops = (at: Effect.Effect.Success<typeof world>, reason: string, source?: string) =>
  Effect.gen(function*() {
    const before = at.names()
    for (const dryRun of [true, false]) {
      const report = yield* at.run(source === undefined ? { dryRun } : { dryRun, source })
      expect([report.exitCode, report.because.join(" ")]).toEqual([3, expect.stringContaining(reason)])
    }
    expect(at.names()).toEqual(before)
  })

const cases: ReadonlyArray<readonly [title: string, before: string, after: string]> = [
  ["a trailing space", "1,Ada,a@example.org", "1,Ada ,a@example.org"],
  ["a non-breaking space", "1,Ada Poe,a@example.org", "1,Ada\u00a0Poe,a@example.org"],
  ["capital letters", "1,Ada,a@example.org", "1,ADA,A@example.org"],
  ["a number with decimals", "1,7,a@example.org", "1,7.0,a@example.org"],
  ["a different Unicode form", "1,M\u00fcller,a@example.org", "1,Mu\u0308ller,a@example.org"],
]

describe("rows known by content that are only written differently", () => {
  for (const [title, before, after] of cases) {
    live(
      `a run stops before it sends them (${title})`,
      Effect.gen(function*() {
        const at = yield* imported([before, "2,Bob,b@example.org"])
        yield* at.source([after, "2,Bob,b@example.org"])
        yield* stops(at, "1 of 1 rows that are new in this run are replaced (100%)")
        expect(yield* at.rekey()).toMatchObject({ recorded: 1, ambiguous: [] })
        const known = yield* at.run()
        expect([known.rows.imported, known.rows.alreadyImported + known.rows.changed]).toEqual([0, 2])
      }),
    )
  }

  live(
    "identical rows get their new keys one by one, so that an added one is new",
    Effect.gen(function*() {
      const rows = (name: string, times: number) => [
        ...Array.from({ length: times }, () => `1,${name},a@example.org`),
        "2,Bob,b@example.org",
      ]
      const at = yield* imported(rows("Ada", 12))
      yield* at.source(rows("Ada ", 13))
      yield* stops(at, "12 of 13 rows that are new in this run are replaced")
      expect(yield* at.rekey()).toMatchObject({ recorded: 12, ambiguous: [] })
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 13, imported: 1 } })
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 14, imported: 0 } })
    }),
  )

  live(
    "a run stops, however many other rows it would only send again",
    Effect.gen(function*() {
      const at = yield* imported(["1,Ada,a@example.org"], { sink: ", canary: off" })
      at.fail("POST", { status: 401, body: "" })
      yield* at.source(["1,Ada,a@example.org", ...people(2, 11)])
      expect((yield* at.run()).rows.imported).toBe(0)
      yield* at.source(["1,ADA,a@example.org", ...people(2, 11)])
      yield* stops(at, "1 of 1 rows that are new in this run are replaced")
    }),
  )

  live(
    "an undone row is not sent again if its record was accepted as new meanwhile",
    Effect.gen(function*() {
      const at = yield* world
      yield* at.configure("    capabilities: [delete]\n")
      yield* at.settings(content)
      yield* at.source(["1,Ada,a@example.org"])
      yield* at.undo((yield* at.run()).run)
      yield* at.source(["1,ADA,a@example.org"])
      yield* stops(at, "1 of 1 rows that are new in this run are replaced")
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(1)
      yield* at.source(["1,Ada,a@example.org"])
      expect((yield* at.run({ resendUndone: true })).exitCode).toBe(3)
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run({ resendUndone: true })).rows).toMatchObject({ imported: 0, changed: 1 })
      expect(at.names()).toEqual(["ADA"])
    }),
  )

  live(
    "the rows are sent if a person accepts them as new",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 3))
      yield* at.source(people(1, 3, "PERSON"))
      yield* stops(at, "formferry accept people row-key")
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(3)
    }),
  )

  live(
    "rows are found that were sent before and after a question was mapped",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 2), { mail: "none" })
      yield* at.settings(content)
      yield* at.source(people(1, 4))
      expect((yield* at.run()).rows.imported).toBe(2)
      yield* at.source(people(1, 4, "PERSON"))
      yield* stops(at, "4 of 4 rows that are new in this run are replaced")
      expect(yield* at.rekey()).toMatchObject({ recorded: 4, ambiguous: [] })
    }),
  )

  live(
    "dates that a spreadsheet reformatted are found once the pipeline can read them",
    Effect.gen(function*() {
      const name = (format: string) => `Name, as: date, format: ${format}`
      const rows = ["1,31.01.2024,a@example.org", "2,01.02.2024,b@example.org"]
      const at = yield* imported(rows, { name: name("dd.MM.yyyy") })
      yield* at.source(["1,01/31/2024,a@example.org", "2,02/01/2024,b@example.org"])
      expect(yield* at.run()).toMatchObject({ exitCode: 1, rows: { invalid: 2, imported: 0 } })
      yield* at.settings({ ...content, name: name("MM/dd/yyyy") })
      yield* stops(at, "2 of 2 rows that are new in this run are replaced")
      yield* at.rekey()
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
    }),
  )

  live(
    "a row that is stamped with its key is unchanged after it got a new key",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 3), { sink: ", stamp: { urlParameter: row_key }" })
      yield* at.source(people(1, 3).map((row) => `${row} `))
      yield* stops(at, "3 of 3 rows that are new in this run are replaced")
      yield* at.rekey()
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3 } })
    }),
  )

  live(
    "rows are also found in another file, but not among fixed rows",
    Effect.gen(function*() {
      const at = yield* world
      yield* at.settings(content)
      yield* at.source([...people(1, 3), "1,PERSON 1,none"])
      const first = yield* at.run()
      expect(first.rows).toMatchObject({ imported: 3, invalid: 1 })
      yield* at.write("more.csv", `No,Name,Mail\n${people(2, 4, "PERSON").join("\n")}\n`)
      yield* stops(at, "2 of 3 rows that are new in this run are replaced", "more.csv")
      const rejected = yield* at.file(first, "rejected.csv")
      yield* at.write("fixed.csv", rejected.replace(",none,", ",p1@example.org,"))
      expect((yield* at.run({ source: "fixed.csv" })).rows.imported).toBe(1)
      expect(yield* at.rekey("more.csv")).toMatchObject({ recorded: 2 })
      expect((yield* at.run({ source: "more.csv" })).rows).toMatchObject({ imported: 1, changed: 2 })
    }),
  )

  live(
    "a row that `where` skips does not get the key of the one that was sent",
    Effect.gen(function*() {
      const at = yield* imported(["a,done,p@example.org"], { name: "No", source: ", where: { Name: { not: draft } }" })
      yield* at.source(["A,draft,p@example.org", "A ,done,p@example.org"])
      yield* stops(at, "1 of 1 rows that are new in this run are replaced")
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run()).rows).toMatchObject({ filtered: 1, changed: 1, imported: 0 })
    }),
  )

  for (
    const [title, settings, rows, fresh] of [
      ["rows are added", {}, [...people(1, 3), ...people(4, 9)], 6],
      ["a row was edited", {}, [...people(1, 2), "3,Eve,p3@example.org"], 1],
      ["few of the new rows resemble vanished ones", {}, [
        ...people(1, 2),
        "3,PERSON 3,p3@example.org",
        ...people(4, 13),
      ], 11],
      ["more of them are allowed", { sink: ", stopWhen: { replaced: 3 }" }, people(1, 3, "PERSON"), 3],
    ] as const
  ) {
    live(
      `a run sends its new rows if ${title}`,
      Effect.gen(function*() {
        const at = yield* imported(people(1, 3), settings)
        yield* at.source(rows)
        expect((yield* at.run()).rows.imported).toBe(fresh)
      }),
    )
  }
})

describe("most rows known by content vanished, and as many are new", () => {
  live(
    "a run stops, although their answers differ, until a person accepts it",
    Effect.gen(function*() {
      const dates = (format: (day: number) => string) =>
        Array.from({ length: 12 }, (_, at) => `${at},${format(at + 10)},p${at}@example.org`)
      const at = yield* imported([...dates((day) => `${day}.01.2024`), ...people(1, 3)])
      yield* at.source([...dates((day) => `2024-01-${day}`), ...people(1, 3)])
      yield* stops(at, "12 rows are new, and 12 of 15 imported rows are no longer in the source.")
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(12)
      yield* at.source([...dates((day) => `2024-01-${day}`), ...people(1, 4)])
      expect((yield* at.run()).rows.imported).toBe(1)
    }),
  )

  live(
    "a run stops if an earlier version did not record the answers",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 12))
      const ledger = new Database(join(at.root, ".formferry/ledger.db"))
      ledger.exec("UPDATE row SET rest = NULL")
      ledger.exec("UPDATE fact SET value = json_set(value, '$.rests', json('[]')) WHERE name = 'identity'")
      ledger.close()
      yield* at.source(people(1, 12, "PERSON"))
      yield* stops(at, "12 rows are new, and 12 of 12 imported rows are no longer in the source.")
    }),
  )

  live(
    "a run sends its rows if only some rows remain, or the few imported rows were a test",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 9, "Test"))
      yield* at.source(people(1, 20))
      expect((yield* at.run()).rows.imported).toBe(20)
      yield* at.source(people(19, 30))
      expect((yield* at.run()).rows.imported).toBe(10)
    }),
  )
})

describe("a row known by content that equals an imported one, in a source without the imported row", () => {
  live(
    "a pipeline that ignores vanished rows is refused",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 3))
      yield* at.settings({ ...content, source: ", vanished: ignore" })
      yield* at.source(["3,Person 3,p3@example.org", ...people(4, 6)])
      const exit = yield* Effect.exit(at.run())
      expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain(
        "`vanished: ignore` needs columns as `rowKey`",
      )
    }),
  )

  live(
    "a run of a different file warns, but not of a fixed one, or of the pipeline's own source",
    Effect.gen(function*() {
      const at = yield* imported(people(1, 3))
      const warns = (warnings: ReadonlyArray<string>) => warnings.filter((text) => text.includes("rowKey: content"))
      yield* at.write("other.csv", `No,Name,Mail\n${[...people(3, 4), "5,Eve,nowhere"].join("\n")}\n`)
      const other = yield* at.run({ source: "other.csv" })
      expect(other).toMatchObject({ exitCode: 1, rows: { alreadyImported: 1, imported: 1 } })
      expect(warns(other.warnings)).toEqual([
        "1 row of this file equals a row that was imported before, and counts as imported, because `rowKey: content` can't distinguish them. If it is a different record, add it to the pipeline's own source: there, identical rows are counted.",
      ])
      const fixed = `reports/people/${other.run}/rejected.csv`
      yield* at.write(fixed, (yield* at.file(other, "rejected.csv")).replace("nowhere", "eve@example.org"))
      expect(warns((yield* at.run({ source: fixed })).warnings)).toEqual([])
      const again = yield* at.run({ source: fixed })
      expect(again.rows.alreadyImported).toBe(1)
      expect(warns(again.warnings)).toEqual([])
      yield* at.source(people(1, 5))
      const own = yield* at.run()
      expect(own.rows.alreadyImported).toBe(4)
      expect(warns(own.warnings)).toEqual([])
    }),
  )
})
