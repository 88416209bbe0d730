import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import Papa from "papaparse"
import { settlePipeline } from "../../src/jobs/settle.ts"
import type { UndoResult } from "../../src/jobs/undo.ts"
import { Database } from "../../src/ledger/sqlite/database.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { people, scoped, world } from "../run/world.ts"

const namesOf = (from: number, to: number, name = "Person") =>
  people(from, to, name).map((row) => row.split(",")[1]).toSorted()

/** A project whose service can delete. The first run imported rows 1 to 12, and the second one rows 13 to 20. */
const twoRuns = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const one = yield* world
  yield* one.configure("    capabilities: [delete]\n")
  yield* one.source(people(1, 12))
  const first = yield* one.run()
  yield* one.source(people(1, 20))
  const second = yield* one.run()
  expect([first.rows.imported, second.rows.imported]).toEqual([12, 8])
  /** Returns the number of lines of undone.csv by outcome. */
  const outcomes = ({ folder }: UndoResult) =>
    Effect.map(Effect.orDie(fs.readFileString(path.join(folder, "undone.csv"))), (text) => {
      const counts: Record<string, number> = {}
      for (const { outcome = "" } of Papa.parse<Record<string, string>>(text.trim(), { header: true }).data) {
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      return counts
    })
  const idOf = (name: string) =>
    one.practice.submissions("people").find(({ questions }) => questions.some(({ value }) => value === name))
      ?.submissionId ?? ""
  return { ...one, first, second, outcomes, idOf }
})

/** A person says that no row in doubt has landed. */
const settleAsNotLanded = (root: string) =>
  Effect.flatMap(loadProject(root), (project) =>
    settlePipeline(project, {
      pipeline: "people",
      to: undefined,
      evidence: { _tag: "Person", landed: false, which: { _tag: "All" } },
      by: "ada",
      because: "looked",
    }))

scoped(
  "undo deletes exactly the submissions that the run created, and can be repeated",
  Effect.gen(function*() {
    const { first, names, outcomes, run, second, undo } = yield* twoRuns
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 0, deleted: 12, absent: 0, earlier: 0, edited: 0, left: 0 })
    expect(names()).toEqual(namesOf(13, 20))
    expect(yield* outcomes(undone)).toEqual({ deleted: 12 })
    const again = yield* undo(first.run)
    expect(again).toMatchObject({ exitCode: 0, deleted: 0, earlier: 12 })
    expect(yield* outcomes(again)).toEqual({ deleted: 12 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 12, alreadyImported: 8, imported: 0 } })
    const resent = yield* run({ resendUndone: true })
    expect(resent).toMatchObject({ exitCode: 0, rows: { imported: 12, alreadyImported: 8 } })
    expect(names()).toEqual(namesOf(1, 20))
    expect(yield* Effect.flip(undo(first.run))).toMatchObject({ code: "UndoRefused" })
    expect(yield* undo(second.run)).toMatchObject({ exitCode: 0, deleted: 8 })
    expect(names()).toEqual(namesOf(1, 12))
    expect(yield* undo(resent.run)).toMatchObject({ exitCode: 0, deleted: 12 })
    expect(names()).toEqual([])
  }),
)

scoped(
  "a submission that was edited in the form is kept and named, unless --edited-too is given",
  Effect.gen(function*() {
    const { first, idOf, names, outcomes, store, undo } = yield* twoRuns
    store.answer("people", idOf("Person 3"), "name", "Edited")
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 1, deleted: 11, edited: 1, left: 0 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 11, "edited, not deleted": 1 })
    expect(names()).toEqual(["Edited", ...namesOf(13, 20)])
    const rest = yield* undo(first.run, { editedToo: true })
    expect(rest).toMatchObject({ exitCode: 0, deleted: 1, earlier: 11, edited: 0 })
    expect(names()).toEqual(namesOf(13, 20))
  }),
)

scoped(
  "a deletion whose answer is lost is repeated, and a submission that no longer exists counts as deleted",
  Effect.gen(function*() {
    const { fail, first, heard, idOf, names, store, undo } = yield* twoRuns
    yield* store.remove("people", idOf("Person 5"))
    fail("DELETE", "lost", "lost")
    heard.length = 0
    expect(yield* undo(first.run)).toMatchObject({ exitCode: 0, deleted: 12, absent: 3 })
    expect(heard.filter((request) => request.startsWith("DELETE"))).toHaveLength(14)
    expect(names()).toEqual(namesOf(13, 20))
  }),
)

scoped(
  "submissions that were never read back are compared with what was sent before they are deleted",
  Effect.gen(function*() {
    const { fail, idOf, names, run, source, store, undo } = yield* twoRuns
    yield* source(people(1, 25))
    fail("GET", { status: 401, body: "{}" })
    const third = yield* run()
    expect(third).toMatchObject({ exitCode: 5, readBack: { unread: 5 } })
    store.answer("people", idOf("Person 24"), "name", "Edited")
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 1, deleted: 4, edited: 1 })
    expect(names()).toEqual(["Edited", ...namesOf(1, 20)].toSorted())
  }),
)

scoped(
  "submissions that came back different remain, because they may have been edited, unless --edited-too is given",
  Effect.gen(function*() {
    const { names, run, source, store, undo } = yield* twoRuns
    store.rewrite((json) => json.replaceAll("Person", "Altered"))
    yield* source(people(1, 24))
    const third = yield* run()
    expect(third).toMatchObject({ exitCode: 3, readBack: { differing: 4 } })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 1, deleted: 0, edited: 4 })
    expect(yield* undo(third.run, { editedToo: true })).toMatchObject({ exitCode: 0, deleted: 4 })
    expect(names()).toEqual(namesOf(1, 20))
  }),
)

scoped(
  "an edited answer is an edit even if the pipeline tolerates its differences",
  Effect.gen(function*() {
    const { first, idOf, settings, store, undo } = yield* twoRuns
    yield* settings({ reconcile: ", tolerate: [{ name: Name, because: the service shouts }]" })
    store.answer("people", idOf("Person 3"), "name", "Edited 3")
    expect(yield* undo(first.run)).toMatchObject({ exitCode: 1, deleted: 11, edited: 1 })
  }),
)

scoped(
  "a 404 to a deletion is not believed while the submission can be read, and the submission is named",
  Effect.gen(function*() {
    const { fail, first, names, outcomes, undo } = yield* twoRuns
    fail("DELETE", { status: 404, body: "{}" })
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 1, deleted: 11, refused: 1, left: 0 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 11, "refused, not deleted": 1 })
    expect(yield* undo(first.run)).toMatchObject({ exitCode: 0, deleted: 1, earlier: 11 })
    expect(names()).toEqual(namesOf(13, 20))
  }),
)

scoped(
  "if the service refuses to delete one submission, the others are deleted, and it is named with the reason",
  Effect.gen(function*() {
    const { fail, file, first, names, outcomes, undo } = yield* twoRuns
    fail("DELETE", { status: 409, body: '{"message":"This one is locked."}' })
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 1, because: undefined, deleted: 11, refused: 1, left: 0 })
    expect(names()).toHaveLength(9)
    expect(yield* outcomes(undone)).toEqual({ deleted: 11, "refused, not deleted": 1 })
    expect(yield* file({ run: undone.folder.split("/").at(-1) ?? "" }, "undone.csv")).toContain("This one is locked.")
    expect(yield* undo(first.run)).toMatchObject({ exitCode: 0, deleted: 1, earlier: 11 })
    expect(names()).toEqual(namesOf(13, 20))
  }),
)

scoped(
  "an undo stops early if the service refuses every deletion",
  Effect.gen(function*() {
    const { fail, heard, run, source, undo } = yield* twoRuns
    yield* source(people(1, 120))
    const third = yield* run()
    fail("DELETE", ...Array.from({ length: 100 }, () => ({ status: 409, body: '{"message":"No."}' })))
    heard.length = 0
    const undone = yield* undo(third.run)
    expect(undone).toMatchObject({ exitCode: 5, deleted: 0 })
    expect(undone.because).toContain("No.")
    expect(heard.filter((request) => request.startsWith("DELETE")).length).toBeLessThan(70)
  }),
)

scoped(
  "a submission that was never seen in the form counts as deleted only after a second look",
  Effect.gen(function*() {
    const { fail, idOf, names, outcomes, run, source, store, undo } = yield* twoRuns
    yield* source(people(1, 25))
    fail("GET", { status: 401, body: "{}" })
    const third = yield* run()
    expect(third).toMatchObject({ exitCode: 5, readBack: { unread: 5 } })
    yield* store.remove("people", idOf("Person 24"))
    const undone = yield* undo(third.run)
    expect(undone).toMatchObject({ exitCode: 4, deleted: 4, absent: 0, unseen: 1, left: 0 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 4, "never seen, not deleted": 1 })
    expect(yield* run()).toMatchObject({ rows: { undone: 4, alreadyImported: 21 } })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 0, deleted: 1, absent: 1, earlier: 4 })
    expect(names()).toEqual(namesOf(1, 20))
  }),
)

scoped(
  "undone.csv lists submissions whose replacement is in doubt, and they are not deleted",
  Effect.gen(function*() {
    const { fail, first, outcomes, run, settings, source, undo } = yield* twoRuns
    yield* settings({ sink: ", onChange: import-again, canary: off" })
    yield* source([...people(1, 2, "Changed"), ...people(3, 20)])
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ rows: { inDoubt: 2 } })
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 1, deleted: 10, replaced: 2 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 10, "replaced by a later run, not deleted": 2 })
  }),
)

scoped(
  "the earlier submission of a row that was imported again remains and is named, and the undo of its own run deletes it then",
  Effect.gen(function*() {
    const { first, idOf, names, outcomes, run, settings, source, store, undo } = yield* twoRuns
    yield* settings({ sink: ", onChange: import-again" })
    yield* source([...people(1, 2, "Changed"), ...people(3, 20)])
    const third = yield* run()
    expect(third).toMatchObject({ rows: { imported: 2 } })
    const undone = yield* undo(third.run)
    expect(undone).toMatchObject({ exitCode: 0, deleted: 2, uncovered: 2 })
    expect(names()).toEqual(namesOf(1, 20))
    // Nothing replaces them any more, so the undo of their own run deletes them, unless they were edited.
    store.answer("people", idOf("Person 1"), "name", "Edited")
    const before = yield* undo(first.run)
    expect(before).toMatchObject({ exitCode: 1, deleted: 11, edited: 1, replaced: 0 })
    expect(yield* outcomes(before)).toEqual({ deleted: 11, "edited, not deleted": 1 })
    expect(names()).toEqual(["Edited", ...namesOf(13, 20)].toSorted())
    expect(yield* undo(first.run, { editedToo: true })).toMatchObject({ exitCode: 0, deleted: 1, edited: 0 })
    expect(names()).toEqual(namesOf(13, 20))
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 12, alreadyImported: 8 } })
    expect(yield* run({ resendUndone: true })).toMatchObject({ exitCode: 0, rows: { imported: 12 } })
    expect(names()).toEqual([...namesOf(1, 2, "Changed"), ...namesOf(3, 20)].toSorted())
  }),
)

scoped(
  "an earlier submission stays while the submission that replaced it is in the form",
  Effect.gen(function*() {
    const { first, names, outcomes, run, settings, source, undo } = yield* twoRuns
    yield* settings({ sink: ", onChange: import-again" })
    yield* source([...people(1, 2, "Changed"), ...people(3, 20)])
    yield* run()
    const undone = yield* undo(first.run)
    expect(undone).toMatchObject({ exitCode: 1, deleted: 10, replaced: 2 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 10, "replaced by a later run, not deleted": 2 })
    expect(names()).toEqual([...namesOf(1, 2), ...namesOf(1, 2, "Changed"), ...namesOf(13, 20)].toSorted())
  }),
)

scoped(
  "undo reports rows in doubt and does not change them",
  Effect.gen(function*() {
    const { fail, names, outcomes, run, source, undo } = yield* twoRuns
    yield* source(people(1, 23))
    fail("POST", "lost")
    const third = yield* run()
    expect(third).toMatchObject({ rows: { inDoubt: 3 } })
    const undone = yield* undo(third.run)
    expect(undone).toMatchObject({ exitCode: 4, deleted: 0, inDoubt: 3 })
    expect(yield* outcomes(undone)).toEqual({ "in doubt": 3 })
    expect(names()).toEqual(namesOf(1, 23))
  }),
)

scoped(
  "rows in doubt of an undone run are undone if they have not landed, whatever the policy, and are sent only with --resend-undone",
  Effect.gen(function*() {
    const { fail, names, root, run, settings, source, undo } = yield* twoRuns
    yield* source(people(1, 25))
    fail("POST", { status: 502, body: "<html>" })
    const third = yield* run()
    expect(third).toMatchObject({ rows: { inDoubt: 5 } })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 4, inDoubt: 5 })
    yield* settings({ sink: ", inDoubt: resend" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 5, imported: 0 } })
    const settled = yield* settleAsNotLanded(root)
    expect(settled.warnings).toEqual([
      "5 of these rows are undone, because a person undid the run that sent them. To send them again, add --resend-undone to `run`, and --source if they came from a fixed file.",
    ])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 5, imported: 0 } })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 0, deleted: 0, earlier: 0, notLanded: 5 })
    expect(names()).toEqual(namesOf(1, 20))
    expect(yield* run({ resendUndone: true })).toMatchObject({ exitCode: 0, rows: { imported: 5, undone: 0 } })
    expect(names()).toEqual(namesOf(1, 25))
  }),
)

scoped(
  "undo says that it was overtaken, although it had only rows in doubt, so that it is repeated and no run sends them",
  Effect.gen(function*() {
    const { fail, names, root, run, source, undo } = yield* twoRuns
    yield* source(people(1, 23))
    fail("POST", { status: 502, body: "" })
    const third = yield* run()
    expect(third).toMatchObject({ rows: { inDoubt: 3 } })
    const inLedger = (sql: string) =>
      Effect.sync(() => {
        const ledger = new Database(`${root}/.formferry/ledger.db`)
        ledger.exec(sql)
        ledger.close()
      })
    // Another run takes over right after the command has started.
    const overtake = inLedger(
      "CREATE TRIGGER overtake AFTER UPDATE ON run WHEN new.mode = 'undo' BEGIN UPDATE lock SET held = 0; END",
    )
    const overtaken = yield* undo(third.run, { tell: () => overtake })
    yield* inLedger("DROP TRIGGER overtake")
    expect(overtaken).toMatchObject({
      exitCode: 6,
      inDoubt: 3,
      because: expect.stringContaining("another run took over"),
    })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 4, inDoubt: 3, because: undefined })
    yield* settleAsNotLanded(root)
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 3, imported: 0 } })
    expect(names()).toEqual(namesOf(1, 20))
  }),
)

scoped(
  "if the service can list, undo settles the run's rows in doubt, and deletes those that landed only with --edited-too",
  Effect.gen(function*() {
    const { configure, fail, names, outcomes, run, settings, source, undo } = yield* twoRuns
    yield* configure("    capabilities: [list, delete]\n")
    yield* settings({ sink: ", canary: off, concurrency: 1", reconcile: ", lateWithin: 1 millis" })
    yield* source(people(1, 40))
    fail("POST", "lost", { status: 502, body: "<html>" })
    const third = yield* run()
    expect(third).toMatchObject({ rows: { inDoubt: 20 } })
    const first = yield* undo(third.run)
    expect(first).toMatchObject({ exitCode: 1, deleted: 0, likely: 10, inDoubt: 0, notLanded: 10, left: 0 })
    expect(yield* outcomes(first)).toEqual({ "not certainly of this run, not deleted": 10, "not landed": 10 })
    const undone = yield* undo(third.run, { editedToo: true })
    expect(undone).toMatchObject({ exitCode: 0, deleted: 10, likely: 0, notLanded: 10 })
    expect(yield* outcomes(undone)).toEqual({ deleted: 10, "not landed": 10 })
    expect(names()).toEqual(namesOf(1, 20))
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 20, imported: 0 } })
    expect(yield* run({ resendUndone: true })).toMatchObject({ exitCode: 0, rows: { imported: 20 } })
    expect(names()).toEqual(namesOf(1, 40))
  }),
)

scoped(
  "a re-import in doubt whose run is undone does not bring the earlier content back as imported",
  Effect.gen(function*() {
    const { configure, fail, names, run, settings, source, undo } = yield* twoRuns
    yield* configure("    capabilities: [list, delete]\n")
    yield* settings({ sink: ", onChange: import-again, canary: off", reconcile: ", lateWithin: 1 millis" })
    yield* source([...people(1, 2, "Changed"), ...people(3, 20)])
    fail("POST", { status: 502, body: "<html>" })
    const third = yield* run()
    expect(third).toMatchObject({ rows: { inDoubt: 2 } })
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 0, deleted: 0, notLanded: 2, uncovered: 2 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { undone: 2, alreadyImported: 18 } })
    expect(names()).toEqual(namesOf(1, 20))
    expect(yield* run({ resendUndone: true })).toMatchObject({ rows: { imported: 2 } })
  }),
)

scoped(
  "rows in doubt of an undone run that turn out to have landed are named with the command that deletes them, and deleted if they carry the run's id",
  Effect.gen(function*() {
    const { configure, fail, names, run, settings, source, undo } = yield* twoRuns
    yield* settings({ sink: ", stamp: { run: run_id }" })
    yield* source(people(1, 23))
    fail("POST", "lost")
    const third = yield* run()
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 4, inDoubt: 3 })
    yield* configure("    capabilities: [list, delete]\n")
    const next = yield* run()
    expect(next).toMatchObject({ rows: { alreadyImported: 23, inDoubt: 0 } })
    expect(next.warnings.join(" ")).toContain(`formferry undo people --run ${third.run}`)
    expect(yield* undo(third.run)).toMatchObject({ exitCode: 0, deleted: 3 })
    expect(names()).toEqual(namesOf(1, 20))
  }),
)

scoped(
  "rows that are sent again after an undo and end in doubt are settled from the form's list, by their new submissions",
  Effect.gen(function*() {
    const { configure, fail, first, names, run, undo } = yield* twoRuns
    yield* configure("    capabilities: [list, delete]\n")
    yield* undo(first.run)
    fail("POST", "lost")
    expect(yield* run({ resendUndone: true, limit: 10 })).toMatchObject({ rows: { inDoubt: 10, undone: 2 } })
    const next = yield* run({ resendUndone: true })
    expect(next).toMatchObject({ exitCode: 0, rows: { inDoubt: 0, undone: 0, alreadyImported: 18, imported: 2 } })
    expect(names()).toEqual(namesOf(1, 20))
  }),
)

scoped(
  "undo stops if the service refuses to delete, and the same command continues",
  Effect.gen(function*() {
    const { fail, first, heard, names, outcomes, second, undo } = yield* twoRuns
    fail("DELETE", { status: 403, body: "{}" })
    const stopped = yield* undo(second.run)
    expect(stopped).toMatchObject({ exitCode: 5, left: 8 - stopped.deleted })
    expect(stopped.left).toBeGreaterThan(0)
    expect(stopped.because).toContain("status 403")
    expect((yield* outcomes(stopped))["not deleted yet"]).toBe(stopped.left)
    expect(names()).toHaveLength(12 + stopped.left)
    expect(yield* undo(second.run)).toMatchObject({ exitCode: 0, deleted: stopped.left, earlier: stopped.deleted })
    const deleting = Effect.suspend(() => Effect.succeed(heard.some((request) => request.startsWith("DELETE"))))
    heard.length = 0
    const interrupted = yield* undo(first.run, {
      interrupted: Effect.as(Effect.repeat(Effect.delay(deleting, 1), { until: (is) => is }), "SIGINT"),
    })
    expect(interrupted.exitCode === 130).toBe(interrupted.left > 0)
    expect(yield* undo(first.run)).toMatchObject({ exitCode: 0, earlier: interrupted.deleted })
    expect(names()).toEqual([])
  }),
)

scoped(
  "undo is refused without the capability, and for a run that sent nothing",
  Effect.gen(function*() {
    const { configure, first, names, run, undo } = yield* twoRuns
    const dry = yield* run({ dryRun: true })
    const unknown = yield* Effect.flip(undo(dry.run))
    expect(unknown).toMatchObject({ code: "UndoRefused" })
    expect(unknown.message).toContain(first.run)
    yield* configure("")
    expect((yield* Effect.flip(undo(first.run))).message).toBe(
      "The project does not say that live can delete submissions, so nothing was deleted. If it can, add `capabilities: [delete]` to `services.live` in config/formferry.yaml.",
    )
    expect(names()).toEqual(namesOf(1, 20))
  }),
)
