import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { settlePipeline } from "../../src/jobs/settle.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { skip } from "../quickly.ts"
import { people, scoped, world } from "../run/world.ts"

/** A world whose service can list. `visibleWithin` is 20 seconds, and `lateWithin` one millisecond. */
const listing = Effect.gen(function*() {
  const at = yield* world
  yield* at.configure("    capabilities: [list]\n")
  yield* at.settings({ sink: ", canary: off, concurrency: 1", reconcile: ", lateWithin: 1 millis" })
  return {
    ...at,
    settle: Effect.flatMap(
      loadProject(at.root),
      (project) =>
        settlePipeline(project, {
          pipeline: "people",
          to: undefined,
          evidence: { _tag: "List" },
          by: "ada",
          because: undefined,
        }),
    ),
    lists: () => at.heard.filter((one) => one.includes("/submissions?")).map((one) => /sort=(\w+)/.exec(one)?.[1]),
  }
})

/** Sends 60 rows. The third batch arrives without an answer, and the fourth never arrives. */
const doubted = Effect.gen(function*() {
  const at = yield* listing
  yield* at.source(people(1, 20))
  yield* at.run()
  yield* at.source(people(1, 60))
  at.fail("POST", "lost", { status: 502, body: "<html>" })
  expect(yield* at.run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 20, imported: 20 } })
  at.heard.length = 0
  return at
})

scoped(
  "without an export, settle reads the form's list from both ends and settles every row in doubt",
  Effect.gen(function*() {
    const { lists, names, run, settle } = yield* doubted
    yield* skip("21 seconds")
    const result = yield* settle
    expect(result).toMatchObject({ landed: 10, notLanded: 10, left: 0, list: { submissions: 50, lacking: 0 } })
    expect(result.rows[0]?.reason).toContain("of the form's list belongs to this row")
    expect(result.rows.at(-1)?.reason).toContain("shows all of the form's 50 submissions")
    expect(lists()).toEqual(["asc", "desc"])
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 0, rows: { alreadyImported: 50, imported: 10 } })
    expect(next.settled).toMatchObject([{ by: "ada", landed: 10, notLanded: 10, file: { sha256: "" } }])
    expect(new Set(names()).size).toBe(60)
    expect(names().length).toBe(60)
  }),
)

scoped(
  "before the submissions must be visible, settle finds the rows that landed and leaves the others in doubt",
  Effect.gen(function*() {
    const { lists, settings, settle } = yield* doubted
    yield* settings({ reconcile: "", visibleWithin: "1 hours" })
    expect(yield* settle).toMatchObject({ landed: 10, notLanded: 0, left: 10, wants: "time" })
    expect(lists()).toEqual(["asc"])
  }),
)

scoped(
  "if the list shows the submissions of all rows in doubt, it is read once",
  Effect.gen(function*() {
    const { fail, lists, run, settle, source } = yield* listing
    yield* source(people(1, 20))
    fail("POST", "lost", "lost")
    yield* run()
    expect(yield* settle).toMatchObject({ landed: 20, notLanded: 0, left: 0 })
    expect(lists()).toEqual(["asc"])
  }),
)

scoped(
  "a row stays in doubt if someone else gave the same answers and both submissions are in the form",
  Effect.gen(function*() {
    const { fill, settle } = yield* doubted
    yield* fill(["Person 21", "p21@example.org"])
    yield* skip("21 seconds")
    const result = yield* settle
    expect(result).toMatchObject({ landed: 9, notLanded: 10, left: 1, wants: "a person" })
    expect(result.rows.find(({ row }) => row === 21)?.reason).toContain("2 submissions in the form's list fit it")
  }),
)

scoped(
  "of two identical rows, one landed if the list shows one submission, and the next run sends the other",
  Effect.gen(function*() {
    const { fail, names, run, settings, settle, source } = yield* listing
    yield* settings({ sink: ", canary: off, concurrency: 1, batchSize: 1", reconcile: ", lateWithin: 1 millis" })
    yield* source(["1,Twin,twin@example.org", "2,Twin,twin@example.org"])
    fail("POST", "lost", { status: 502, body: "<html>" })
    yield* run()
    yield* skip("21 seconds")
    expect(yield* settle).toMatchObject({ landed: 1, notLanded: 1, left: 0 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(names()).toEqual(["Twin", "Twin"])
  }),
)

scoped(
  "a submission that the service altered resembles its row, so the row stays in doubt",
  Effect.gen(function*() {
    const { fill, settle } = yield* doubted
    yield* fill(["Person 31 (cut)", "p31@example.org"])
    yield* skip("21 seconds")
    const result = yield* settle
    expect(result).toMatchObject({ landed: 10, notLanded: 9, left: 1, wants: "a person" })
    expect(result.rows.find(({ row }) => row === 31)?.reason).toContain("of the form's list resembles it")
  }),
)

scoped(
  "if a known submission was deleted in the form, no row is settled as not landed until a reconciliation has noticed the deletion",
  Effect.gen(function*() {
    const at = yield* doubted
    yield* skip("21 seconds")
    const [first] = at.practice.submissions("people")
    yield* at.store.remove("people", first?.submissionId ?? "")
    const result = yield* at.settle
    expect(result).toMatchObject({ landed: 10, notLanded: 0, left: 10, list: { lacking: 1 }, wants: "another list" })
    yield* at.reconcile()
    expect(yield* at.settle).toMatchObject({ landed: 0, notLanded: 10, left: 0 })
  }),
)

scoped(
  "a run waits until the submissions of rows in doubt must be visible, settles the rows and sends those that did not land",
  Effect.gen(function*() {
    const { file, lists, names, run } = yield* doubted
    const report = yield* run()
    expect(report).toMatchObject({
      exitCode: 0,
      rows: { alreadyImported: 50, imported: 10, inDoubt: 0 },
      settled: [{ by: "formferry", landed: 10, notLanded: 10, file: { name: "the form's list (50 submissions)" } }],
    })
    expect(report.because).toContain("20 rows in doubt were settled from the form's list: 10 had landed, 10 had not.")
    expect(report.phases[0]?.phase).toBe("settle")
    // The later lists read submissions back.
    const listed = lists()
    expect(listed.slice(0, 2)).toEqual(["asc", "desc"])
    expect(names().length).toBe(60)
    expect(new Set(names()).size).toBe(60)
    expect((yield* file(report, "report.html")).includes("list (50 submissions)")).toBe(true)
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 60 } })
    expect(lists()).toEqual(listed)
  }),
)

scoped(
  "a run reports why the list does not settle a row, and in-doubt.csv does, too",
  Effect.gen(function*() {
    const { file, fill, names, run } = yield* doubted
    yield* fill(["Person 31 (cut)", "p31@example.org"])
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 4, rows: { alreadyImported: 50, imported: 9, inDoubt: 1 } })
    expect(report.warnings.join()).toContain("The form's list does not settle 1 row in doubt: row 31: submission ")
    expect(yield* file(report, "in-doubt.csv")).toMatch(/Not settled: submission .* resembles it/)
    expect(names().length).toBe(60)
  }),
)

scoped(
  "a row that a person acknowledged is not sent by a run that proves that it did not land, until the person settles it",
  Effect.gen(function*() {
    const { acknowledge, names, run, settle } = yield* doubted
    yield* acknowledge(["31"], true)
    expect(yield* run()).toMatchObject({ rows: { imported: 9, inDoubt: 1 } })
    expect(names().length).toBe(59)
    expect(yield* settle).toMatchObject({ notLanded: 1, left: 0 })
  }),
)

scoped(
  "if the service refuses to list, the rows stay in doubt and the run continues",
  Effect.gen(function*() {
    const { fail, names, run, source } = yield* doubted
    yield* source(people(1, 70))
    fail("LIST", { status: 404, body: "{}" })
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 4, rows: { imported: 10, inDoubt: 20 } })
    expect(report.warnings.join()).toContain("The form could not be listed, so 20 rows stay in doubt.")
    expect(report.warnings.join()).toContain("Check baseUrl")
    expect(names().length).toBe(60)
  }),
)

scoped(
  "a dry run and a rehearsal settle nothing",
  Effect.gen(function*() {
    const { lists, rehearse, run } = yield* doubted
    expect(yield* run({ dryRun: true })).toMatchObject({ rows: { inDoubt: 20 } })
    expect(yield* rehearse()).toMatchObject({ rows: { inDoubt: 20 } })
    expect(lists()).toEqual([])
  }),
)

scoped(
  "a run that is interrupted while it waits leaves the rows in doubt",
  Effect.gen(function*() {
    const { lists, names, run, settings } = yield* doubted
    yield* settings({
      sink: ", canary: off, concurrency: 1",
      reconcile: ", lateWithin: 1 hours",
    })
    const listed = Effect.delay(Effect.sync(() => lists().length > 0), "100 millis")
    const report = yield* run({ interrupted: Effect.as(Effect.repeat(listed, { until: (is) => is }), "SIGINT") })
    expect(report).toMatchObject({ exitCode: 130, outcome: "interrupted" })
    expect(names().length).toBe(50)
  }),
)
