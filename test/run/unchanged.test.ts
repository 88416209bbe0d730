import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { RunReport } from "../../src/domain/report.ts"
import { people, scoped, world } from "./world.ts"

const since = ({ unchangedSince }: RunReport) => unchangedSince

scoped(
  "an unchanged source ends every run immediately, with the counts of a full reading",
  Effect.gen(function*() {
    const { file, heard, run, source, write } = yield* world
    yield* source(people(1, 12))
    const first = yield* run()
    expect(since(first)).toBeUndefined()
    heard.length = 0
    const second = yield* run()
    expect(second).toMatchObject({
      exitCode: 0,
      outcome: "complete",
      unchangedSince: first.run,
      because: [`Nothing changed since run ${first.run}: the source was not read again.`],
      rows: { read: 12, alreadyImported: 12, imported: 0 },
      vanished: { count: 0, fresh: 0 },
      balance: { holds: true },
    })
    expect(second.sources.map(({ rows, sha256 }) => [rows, sha256])).toEqual(
      first.sources.map(({ rows, sha256 }) => [rows, sha256]),
    )
    expect(heard).toEqual(["GET /forms/people"])
    expect(yield* file(second, "imported.csv")).toBe("row,key,submission_id,verdict,submission_time,replaces\n")
    expect(since(yield* run())).toBe(first.run)
    // The file was rewritten with the same content.
    yield* source(people(1, 12))
    expect(since(yield* run())).toBe(first.run)
    // A dry run reads every row. It changes nothing, so the source still counts as unchanged in the next run.
    expect(since(yield* run({ dryRun: true }))).toBeUndefined()
    expect(since(yield* run())).toBe(first.run)
    // The file has one byte more.
    yield* write("source.csv", `No,Name,Mail\n${people(1, 12).join("\n")}\n\n`)
    expect(since(yield* run())).toBeUndefined()
  }),
)

scoped(
  "rows that need review also raise the exit code of an unchanged run until they are acknowledged, and its report contains them",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { acknowledge, file, root, run, source } = yield* world
    yield* source([...people(1, 12), "13,Bob,nowhere", "14,Carl,nowhere", "1,Twin,p1@example.org"])
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { invalid: 2, duplicate: 1 } })
    const second = yield* run()
    expect(second).toMatchObject({
      exitCode: 1,
      unchangedSince: first.run,
      rows: { invalid: 2, duplicate: 1, alreadyImported: 12 },
      because: expect.arrayContaining(["3 rows need review: see rejected.csv."]),
    })
    expect(second.problems).toEqual(JSON.parse(JSON.stringify(first.problems)))
    expect(yield* file(second, "rejected.csv")).toBe(yield* file(first, "rejected.csv"))
    expect(second.next).toContain(`${second.run}/rejected.csv`)

    yield* acknowledge(["13"])
    expect(yield* run()).toMatchObject({ exitCode: 1, unchangedSince: first.run, acknowledged: 1 })
    yield* acknowledge("all")
    expect(yield* run()).toMatchObject({ exitCode: 0, unchangedSince: first.run, acknowledged: 3 })
    // After someone edited the rejected rows in the report, the source is read in full, and all of them are written again.
    yield* fs.writeFileString(
      path.join(root, "reports", "people", first.run, "rejected.csv"),
      "13,Bob,bob@example.org\n",
    )
    const third = yield* run()
    expect(since(third)).toBeUndefined()
    const rejected = (yield* file(third, "rejected.csv")).split("\n").slice(1, 4).map((line) => line.slice(0, 10))
    expect(rejected).toEqual(["13,Bob,now", "14,Carl,no", "1,Twin,p1@"])
    expect(yield* run()).toMatchObject({ exitCode: 0, unchangedSince: third.run, acknowledged: 3 })
    // After the report with the rows was removed, the source is read in full.
    yield* fs.remove(path.join(root, "reports", "people", third.run), { recursive: true })
    const fourth = yield* run()
    expect(fourth).toMatchObject({ exitCode: 0, acknowledged: 3 })
    expect(since(fourth)).toBeUndefined()
    expect(since(yield* run())).toBe(fourth.run)
    // A row that is skipped from now on has a different fate.
    yield* acknowledge(["14"], true)
    expect(yield* run()).toMatchObject({ rows: { invalid: 1, filtered: 1 } })
  }),
)

scoped(
  "an unchanged source is read if the mapping, settings or form changed, or after a run of a different file",
  Effect.gen(function*() {
    const { run, settings, source, write } = yield* world
    yield* source(people(1, 12))
    const first = yield* run()
    expect(since(yield* run())).toBe(first.run)
    const changes = [
      { mail: ", required: true" },
      { source: ", where: { No: { not: ['3'] } }" },
      { source: ", empty: ['-']" },
      { sink: ", onChange: ignore" },
      { sink: ", inDoubt: resend" },
    ]
    for (const change of changes) {
      yield* settings(change)
      expect(since(yield* run()), JSON.stringify(change)).toBeUndefined()
    }
    yield* settings({})
    const own = yield* run()
    expect(since(yield* run())).toBe(own.run)
    yield* write("other.csv", "No,Name,Mail\n99,Zoe,zoe@example.org\n")
    expect(since(yield* run({ source: "other.csv" }))).toBeUndefined()
    expect(since(yield* run())).toBeUndefined()
  }),
)

scoped(
  "an unchanged source is read if the last run left rows pending, in doubt or unread",
  Effect.gen(function*() {
    const { fail, reconcile, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 20))
    expect(since(yield* run({ limit: 5 }))).toBeUndefined()
    expect(yield* run()).toMatchObject({ rows: { imported: 15, alreadyImported: 5 } })
    expect((yield* run()).unchangedSince).toBeDefined()
    // A reconciliation doesn't read the source.
    yield* reconcile()
    expect((yield* run()).unchangedSince).toBeDefined()
    yield* source(people(1, 25))
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 5 } })
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 4, rows: { inDoubt: 5 } })
    expect(since(next)).toBeUndefined()
  }),
)
