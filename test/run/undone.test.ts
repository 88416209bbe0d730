import { Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { people, scoped, world } from "./world.ts"

/** A project of which 12 rows were imported and then undone. */
const undoneWorld = Effect.gen(function*() {
  const path = yield* Path.Path
  const one = yield* world
  const { address, practice, root, run, source, store } = one
  /** Deletes all submissions, and records that in the ledger. */
  const undo = (run: string, startedAt = DateTime.formatIso(DateTime.unsafeNow())) =>
    Effect.scoped(Effect.gen(function*() {
      const ledger = yield* openLedger({ file: path.join(root, ".formferry", "ledger.db") })
      const view = ledger.view({ pipeline: "people", destination: { service: address, form: "people" } })
      const session = yield* view.hold(run)
      yield* session.startRun({ run, mode: "undo", startedAt })
      yield* Stream.runForEach(view.pages("sent", {}), (rows) => session.undo(rows))
      for (const { submissionId } of practice.submissions("people")) yield* store.remove("people", submissionId)
    }))
  yield* source(people(1, 12))
  expect(yield* run()).toMatchObject({ exitCode: 0, rows: { read: 12, imported: 12, undone: 0 } })
  yield* undo("undo")
  return { ...one, undo }
})

scoped(
  "undone rows are not sent, even if they change, until a run has --resend-undone",
  Effect.gen(function*() {
    const { names, run, source } = yield* undoneWorld
    const again = yield* run()
    expect(again).toMatchObject({
      exitCode: 0,
      outcome: "complete",
      rows: { read: 12, undone: 12, imported: 0, alreadyImported: 0 },
      balance: { holds: true },
      vanished: { count: 0, fresh: 0 },
    })
    expect(again.because).toEqual([
      "12 rows are undone and not sent. To send them again, add --resend-undone to `run`, and --source if they came from a fixed file.",
    ])
    yield* source([...people(1, 5, "Changed"), ...people(6, 13), "13,Twin,p13@example.org"])
    expect(yield* run()).toMatchObject({
      exitCode: 1,
      rows: { read: 14, undone: 12, imported: 1, changed: 0, duplicate: 1 },
    })
    expect(names()).toEqual(["Person 13"])
  }),
)

scoped(
  "--resend-undone sends undone rows as they are now, even if the source is unchanged",
  Effect.gen(function*() {
    const { file, names, run, source } = yield* undoneWorld
    yield* source([...people(1, 2, "Fixed"), ...people(3, 12)])
    expect(yield* run()).toMatchObject({ rows: { undone: 12 } })
    expect(yield* run()).toMatchObject({ rows: { undone: 12 }, balance: { holds: true } })
    const limited = yield* run({ resendUndone: true, limit: 3 })
    expect(limited).toMatchObject({ rows: { imported: 3, pending: 0, undone: 9 }, balance: { holds: true } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3, undone: 9 } })
    const resent = yield* run({ resendUndone: true })
    expect(resent).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3, imported: 9, undone: 0 } })
    expect(resent.because).toEqual([])
    expect(yield* file(resent, "replaced.csv").pipe(Effect.exit)).toMatchObject({ _tag: "Failure" })
    expect(names()).toEqual(["Fixed 1", "Fixed 2", ...people(3, 12).map((row) => row.split(",")[1])].toSorted())
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 12 } })
  }),
)

scoped(
  "a run reads an unchanged source again after its rows were undone, even if the clock was set back",
  Effect.gen(function*() {
    const { run, undo } = yield* undoneWorld
    expect(yield* run({ resendUndone: true })).toMatchObject({ rows: { imported: 12 } })
    const repeated = yield* run()
    expect(repeated.unchangedSince).toBeDefined()
    yield* undo("second undo", "2020-01-01T00:00:00.000Z")
    const after = yield* run()
    expect(after.unchangedSince).toBeUndefined()
    expect(after.rows).toMatchObject({ undone: 12, alreadyImported: 0 })
    expect((yield* run()).unchangedSince).toBe(after.run)
    expect(yield* run({ resendUndone: true, dryRun: true })).toMatchObject({ rows: { pending: 12, undone: 0 } })
  }),
)

scoped(
  "the original of an undone fixed row is invalid with --resend-undone, and undone again in the next run",
  Effect.gen(function*() {
    const { configure, file, run, source, undo, write } = yield* world
    yield* configure("    capabilities: [delete]\n")
    yield* source([...people(10, 12), "5,Dora,nowhere"])
    const rejected = yield* file(yield* run(), "rejected.csv")
    yield* write("fixed.csv", rejected.replace("nowhere", "dora@example.org"))
    yield* undo((yield* run({ source: "fixed.csv" })).run)
    const undone = { alreadyImported: 3, undone: 1, invalid: 0 }
    expect((yield* run()).rows).toMatchObject(undone)
    expect((yield* run({ resendUndone: true })).rows).toMatchObject({ alreadyImported: 3, undone: 0, invalid: 1 })
    expect((yield* run()).rows).toMatchObject(undone)
  }),
)

scoped(
  "the original of an undone fixed row stays undone, even if the mapping accepts it now",
  Effect.gen(function*() {
    const { configure, file, names, run, settings, source, undo, write } = yield* world
    yield* configure("    capabilities: [delete]\n")
    const bad = ["2,Bob,nowhere", ",Carl,carl@example.org", "5,Dora,nowhere"]
    yield* source([...people(10, 12), ...bad])
    const rejected = yield* file(yield* run(), "rejected.csv")
    // Bob gets a new key, Carl gets a key, and Dora keeps hers.
    yield* write(
      "fixed.csv",
      rejected.replace("2,Bob,nowhere,", "3,Bob,bob@example.org,").replace("\n,Carl,", "\n4,Carl,")
        .replace("Dora,nowhere", "Dora,dora@example.org"),
    )
    const fix = yield* run({ source: "fixed.csv" })
    expect(fix.rows).toMatchObject({ imported: 3 })
    expect(yield* undo(fix.run)).toMatchObject({ exitCode: 0 })
    yield* settings({ mail: ", onInvalid: drop" })
    const rows = { alreadyImported: 3, undone: 3, imported: 0, invalid: 0 }
    expect((yield* run()).rows).toMatchObject(rows)
    // Dora's original has the key of the undone row, so it is resent in its place. The others are resent from the fixed file.
    expect((yield* run({ resendUndone: true })).rows).toMatchObject({ alreadyImported: 3, undone: 2, imported: 1 })
    expect((yield* run({ source: "fixed.csv", resendUndone: true })).rows).toMatchObject({ imported: 2 })
    expect((yield* run()).rows).toMatchObject({ alreadyImported: 6, undone: 0 })
    expect(names()).toEqual(["Bob", "Carl", "Dora", "Person 10", "Person 11", "Person 12"])
  }),
)

scoped(
  "a row whose second submission was undone is not resent if the source has the content of the first one again",
  Effect.gen(function*() {
    const { configure, names, run, settings, source, undo } = yield* world
    yield* configure("    capabilities: [delete]\n")
    yield* settings({ sink: ", onChange: import-again" })
    yield* source(people(1, 12))
    yield* run()
    yield* source(["1,Wrong,p1@example.org", ...people(2, 12)])
    const again = yield* run()
    yield* undo(again.run)
    yield* source(people(1, 12))
    expect((yield* run({ resendUndone: true })).rows).toMatchObject({ undone: 1, alreadyImported: 11, imported: 0 })
    expect(names()).toHaveLength(12)
    yield* source(["1,Right,p1@example.org", ...people(2, 12)])
    expect((yield* run({ resendUndone: true })).rows).toMatchObject({ undone: 0, imported: 1 })
  }),
)

scoped(
  "a row whose second submission was undone is not resent with the answers of the first one if a column has a new title",
  Effect.gen(function*() {
    const { configure, names, run, settings, source, undo } = yield* world
    yield* configure("    capabilities: [delete]\n")
    const sink = ", onChange: import-again"
    yield* settings({ sink })
    yield* source(people(1, 12))
    yield* run()
    yield* source(["1,Wrong,p1@example.org", ...people(2, 12)])
    yield* undo((yield* run()).run)
    yield* settings({ sink, name: "Full name" })
    yield* source(people(1, 12), "No,Full name,Mail")
    expect((yield* run({ resendUndone: true })).rows).toMatchObject({ undone: 1, alreadyImported: 11, imported: 0 })
    expect(names()).toHaveLength(12)
  }),
)

scoped(
  "a rejected duplicate of an undone row stays rejected, because it was never sent",
  Effect.gen(function*() {
    const { configure, file, run, source, undo, write } = yield* world
    yield* configure("    capabilities: [delete]\n")
    yield* source(["1,Ada,ada@example.org", "1,Bob,bob@example.org"])
    const first = yield* run()
    yield* write("fixed.csv", yield* file(first, "rejected.csv"))
    yield* undo(first.run)
    expect((yield* run({ source: "fixed.csv" })).rows).toMatchObject({ duplicate: 1, undone: 0 })
  }),
)

scoped(
  "a reconciliation does not look for deleted submissions, and an undone row that left the source has not vanished",
  Effect.gen(function*() {
    const { reconcile, run, source } = yield* undoneWorld
    expect(yield* reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 0, missing: 0 } })
    yield* source(people(5, 12))
    expect(yield* run()).toMatchObject({ rows: { undone: 8 }, vanished: { count: 0 } })
  }),
)

scoped(
  "an undone row whose resend is not answered is in doubt, and is not sent again",
  Effect.gen(function*() {
    const { fail, run } = yield* undoneWorld
    yield* run({ resendUndone: true, limit: 10 })
    fail("POST", "lost")
    expect(yield* run({ resendUndone: true })).toMatchObject({ exitCode: 4, rows: { inDoubt: 2, undone: 0 } })
    expect(yield* run({ resendUndone: true })).toMatchObject({ exitCode: 4, rows: { inDoubt: 2, imported: 0 } })
  }),
)
