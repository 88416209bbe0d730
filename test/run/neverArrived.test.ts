// Rows that the ledger has although they never arrived in the form, and whose records arrived under other keys.
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { forgetRows } from "../../src/jobs/upkeep.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { scoped, world } from "./world.ts"

type World = Effect.Effect.Success<typeof world>

const faults = {
  refused: { status: 422, body: JSON.stringify({ message: "no such name", index: 0 }) },
  "not created": { status: 401, body: "" },
}

const ada = "1,Ada,ada@example.org"

/** A world in which Ada was imported, and then Bob was sent without success. */
const withoutBob = (bob: string, { settings = {}, state = "not created" as keyof typeof faults } = {}) =>
  Effect.gen(function*() {
    const at = yield* world
    yield* at.settings({ sink: ", canary: off, stopWhen: { refused: 100% }", ...settings })
    yield* at.source([ada])
    expect((yield* at.run()).rows.imported).toBe(1)
    at.fail("POST", faults[state])
    yield* at.source([ada, bob])
    expect((yield* at.run()).rows.imported).toBe(0)
    return at
  })

/** Imports Bob's record as it is now. */
const imports = (at: World, rows: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    yield* at.source(rows)
    expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
  })

/** Forgets a row that the ledger has. */
const forget = (at: World, key: string) =>
  Effect.flatMap(
    loadProject(at.root),
    (project) =>
      forgetRows(project, { pipeline: "people", keys: [key], because: "request 1", by: "ada", reports: false }),
  )

/** Expects that neither a dry run nor a run sends anything, and that both say why. */
const stops = (at: Pick<World, "names" | "run">, reason: RegExp, exitCode = 2) =>
  Effect.gen(function*() {
    const before = at.names()
    for (const dryRun of [true, false]) {
      const report = yield* at.run({ dryRun })
      expect([report.exitCode, report.because.join(" ")]).toEqual([exitCode, expect.stringMatching(reason)])
    }
    expect(at.names()).toEqual(before)
  })

const reformatted = /A new row has the same key, apart from formatting.*formferry ledger rekey people/

describe("a row that never arrived, and whose record was imported under another key", () => {
  for (const state of ["refused", "not created"] as const) {
    scoped(
      `is not sent under its own key, and counts as imported after rekey (${state})`,
      Effect.gen(function*() {
        const at = yield* withoutBob("22,Bob,bob@example.org", { state })
        yield* imports(at, [ada, "#22,Bobby,bob@example.org"])
        yield* at.source([ada, "22,Bobby,bob@example.org"])
        yield* stops(at, reformatted)
        expect(yield* at.rekey()).toMatchObject({
          pairs: [{ old: "#22", new: "22", isCopied: false }],
          recorded: 1,
          ambiguous: [],
        })
        const known = yield* at.run()
        expect(known).toMatchObject({ exitCode: 0, rows: { imported: 0, alreadyImported: 2 }, vanished: { count: 0 } })
        expect(at.names()).toEqual(["Ada", "Bobby"])
        // The other way round, the key is a new one.
        yield* at.source([ada, "#22,Bobby,bob@example.org"])
        yield* stops(at, reformatted)
        expect((yield* at.rekey()).recorded).toBe(1)
        expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
      }),
    )
  }

  scoped(
    "is sent if a person accepts it as new, or if the other row is in the source, too",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org")
      yield* imports(at, [ada, "#22,Bobby,bob@example.org"])
      yield* at.source([ada, "22,Carl,carl@example.org"])
      yield* stops(at, reformatted)
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(1)
      const other = yield* withoutBob("22,Bob,bob@example.org")
      yield* imports(other, [ada, "#22,Bobby,bob@example.org"])
      yield* imports(other, [ada, "#22,Bobby,bob@example.org", "22,Carl,carl@example.org"])
    }),
  )

  scoped(
    "is undone like the record, and sent again only with --resend-undone",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org")
      yield* at.configure("    capabilities: [delete]\n")
      yield* at.source([ada, "#22,Bob,bob@example.org"])
      const imported = yield* at.run()
      yield* at.undo(imported.run)
      expect(at.names()).toEqual(["Ada"])
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* stops(at, reformatted)
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run()).rows).toMatchObject({ undone: 1, alreadyImported: 1 })
      expect((yield* at.run({ resendUndone: true })).rows).toMatchObject({ imported: 1, alreadyImported: 1 })
      expect(at.names()).toEqual(["Ada", "Bob"])
    }),
  )

  scoped(
    "is not sent again after it was undone, although its record was accepted as new meanwhile",
    Effect.gen(function*() {
      const at = yield* world
      yield* at.configure("    capabilities: [delete, list]\n")
      yield* imports(at, [ada])
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* at.undo((yield* at.run()).run)
      yield* at.source([ada, "#22,Bob,bob@example.org"])
      yield* stops(at, reformatted)
      yield* at.accept("row-key")
      expect((yield* at.run()).rows.imported).toBe(1)
      yield* at.source([ada, "22,Bob,bob@example.org"])
      expect((yield* at.run()).rows).toMatchObject({ undone: 1, alreadyImported: 1 })
      yield* stops({ ...at, run: (options) => at.run({ ...options, resendUndone: true }) }, reformatted)
      const move = { old: "#22", new: "22", isCopied: false }
      expect(yield* at.rekey()).toMatchObject({ pairs: [move], recorded: 1, ambiguous: [] })
      expect(yield* at.run({ resendUndone: true })).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
      expect(at.names()).toEqual(["Ada", "Bob"])
      expect((yield* at.reconcile({ wholeForm: true })).wholeForm).toMatchObject({ unknown: 0, missing: 0 })
    }),
  )

  scoped(
    "is not sent while the record is in doubt",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org")
      at.fail("POST", "lost")
      yield* at.source([ada, "#22,Bob,bob@example.org"])
      expect((yield* at.run()).rows).toMatchObject({ inDoubt: 1, imported: 0 })
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* stops(at, reformatted)
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run()).rows).toMatchObject({ inDoubt: 1, alreadyImported: 1 })
      expect(at.names()).toEqual(["Ada", "Bob"])
    }),
  )

  scoped(
    "is not sent from a rejected.csv, and counts as imported after rekey",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org", { state: "refused" })
      const rejected = yield* at.file(yield* at.run(), "rejected.csv")
      expect(rejected).toContain("22,Bob,")
      yield* imports(at, [ada, "#22,Bobby,bob@example.org"])
      yield* at.write("fixed.csv", rejected.replace("22,Bob,", "22,Bobby,"))
      const report = yield* at.run({ source: "fixed.csv" })
      expect([report.exitCode, report.because.join(" ")]).toEqual([2, expect.stringMatching(reformatted)])
      expect((yield* at.rekey("fixed.csv")).recorded).toBe(1)
      expect((yield* at.run({ source: "fixed.csv" })).rows).toMatchObject({ imported: 0, alreadyImported: 1 })
      expect(at.names()).toEqual(["Ada", "Bobby"])
    }),
  )

  scoped(
    "is found if it was fixed under a different key, and is corrected in the source",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org", { state: "refused" })
      const rejected = yield* at.file(yield* at.run(), "rejected.csv")
      yield* at.write("fixed.csv", rejected.replace("22,Bob,", "9,Bobby,"))
      expect((yield* at.run({ source: "fixed.csv" })).rows.imported).toBe(1)
      expect((yield* at.run({ retryRefused: true })).rows).toMatchObject({ alreadyImported: 2, imported: 0 })
      yield* at.source([ada, "22,Bobby,bob@example.org"])
      yield* stops(at, /Known as: "9", rejected before as "22" \(row 2\)/)
      expect((yield* at.rekey()).pairs).toEqual([{ old: "9", new: "22" }])
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { imported: 0, alreadyImported: 2 } })
      expect(at.names()).toEqual(["Ada", "Bobby"])
    }),
  )

  scoped(
    "is not sent after that record was forgotten",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org")
      yield* imports(at, [ada, "#22,Bob,bob@example.org"])
      yield* forget(at, "#22")
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* stops(at, /A new row has the same key, apart from formatting, as a row that was forgotten: "22" \(row 2\)/)
      yield* forget(at, "22")
      expect((yield* at.run()).rows).toMatchObject({ filtered: 1, alreadyImported: 1 })
      expect(at.names()).toEqual(["Ada", "Bob"])
    }),
  )

  scoped(
    "is not sent if characters of that key were damaged",
    Effect.gen(function*() {
      const at = yield* withoutBob("Müller 2,Bob,bob@example.org")
      yield* imports(at, [ada, "M\ufffdller 2,Bob,bob@example.org"])
      yield* at.source([ada, "Müller 2,Bob,bob@example.org"])
      yield* stops(at, reformatted)
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 2 })
    }),
  )

  scoped(
    "is not sent if keys are made from content",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org", { settings: { rowKey: "content" } })
      yield* imports(at, [ada, "22,BOB,bob@example.org"])
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* stops(at, /1 of 1 rows that are new in this run are replaced.*formferry ledger rekey people/, 3)
      expect(yield* at.rekey()).toMatchObject({ recorded: 1, ambiguous: [] })
      expect((yield* at.run()).rows).toMatchObject({ alreadyImported: 1, changed: 1, imported: 0 })
      expect(at.names()).toEqual(["Ada", "BOB"])
    }),
  )

  scoped(
    "is not sent if that key comes from different columns",
    Effect.gen(function*() {
      const at = yield* withoutBob("22,Bob,bob@example.org")
      yield* at.settings({ rowKey: "[Mail]" })
      yield* imports(at, [ada, "23,Bob,bob@example.org"])
      yield* at.settings({})
      yield* at.source([ada, "22,Bob,bob@example.org"])
      yield* stops(at, reformatted)
      expect((yield* at.rekey()).pairs).toEqual([{ old: "bob@example.org", new: "22", isCopied: false }])
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
    }),
  )

  scoped(
    "is known if it had no key meanwhile, and was fixed under another one",
    Effect.gen(function*() {
      const at = yield* withoutBob("-,Bob,bob@example.org")
      yield* at.settings({ source: `, empty: ["", "-"]` })
      const rejected = yield* at.file(yield* at.run(), "rejected.csv")
      yield* at.write("fixed.csv", rejected.replace("-,Bob,", "9,Bob,"))
      expect((yield* at.run({ source: "fixed.csv" })).rows.imported).toBe(1)
      yield* at.settings({})
      expect(yield* at.run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2, imported: 0 } })
      expect(at.names()).toEqual(["Ada", "Bob"])
    }),
  )

  scoped(
    "is not sent if content does not distinguish it from an imported row",
    Effect.gen(function*() {
      const [one, other] = ["1,Ada,ada@example.org", "2,Ada,eve@example.org"]
      const content = { rowKey: "content", mail: "none" }
      const at = yield* withoutBob(other, { settings: content })
      yield* at.settings({ rowKey: "content" })
      yield* at.source([other, one])
      yield* stops(at, /Rows 1 and 2 have the same cells in the columns that the first run read/)
    }),
  )
})

describe("an undone row that was not created again, and of which an earlier submission is still in the form", () => {
  /** Imports Bob as Old, then as New, undoes that, and sends Newer without success. */
  const withOld = Effect.gen(function*() {
    const at = yield* world
    yield* at.configure("    capabilities: [delete]\n")
    yield* at.settings({ sink: ", canary: off, onChange: import-again, stopWhen: { changed: 100% }" })
    const source = (bob: string) => at.source([ada, `${bob},bob@example.org`])
    yield* source("22,Old")
    expect((yield* at.run()).rows.imported).toBe(2)
    yield* source("22,New")
    yield* at.undo((yield* at.run()).run)
    expect(at.names()).toEqual(["Ada", "Old"])
    yield* source("22,Newer")
    at.fail("POST", faults["not created"])
    expect((yield* at.run({ resendUndone: true })).rows).toMatchObject({ alreadyImported: 1, imported: 0 })
    return { ...at, source }
  })

  scoped(
    "is not sent as it was then, but with other content",
    Effect.gen(function*() {
      const { names, run, source } = yield* withOld
      yield* source("22,Old")
      for (const resendUndone of [false, true]) {
        expect(yield* run({ resendUndone })).toMatchObject({ rows: { undone: 1, alreadyImported: 1 } })
      }
      expect(names()).toEqual(["Ada", "Old"])
      yield* source("22,Newer")
      expect((yield* run()).rows.imported).toBe(1)
    }),
  )

  scoped(
    "is not sent under a reformatted key",
    Effect.gen(function*() {
      const at = yield* withOld
      yield* at.source("#22,Old")
      yield* stops(at, reformatted)
      expect((yield* at.rekey()).recorded).toBe(1)
      expect((yield* at.run()).rows).toMatchObject({ undone: 1, alreadyImported: 1 })
    }),
  )
})
