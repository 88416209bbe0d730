import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people, scoped, world } from "./world.ts"

const tolerate = { reconcile: ", tolerate: [{ name: Name, because: the service shouts }]" }

scoped(
  "a tolerated difference is reported with its reason, and affects neither the verdict nor the canary",
  Effect.gen(function*() {
    const { file, reconcile, run, settings, source, store } = yield* world
    yield* settings(tolerate)
    store.rewrite((json) => json.replace("Person", "PERSON"))
    yield* source(people(1, 30))
    const report = yield* run()
    expect(report).toMatchObject({
      exitCode: 0,
      outcome: "complete",
      rows: { imported: 30 },
      readBack: { verified: 30, differing: 0 },
    })
    expect(report.differences.length).toBe(30)
    expect(report.findings).toMatchObject([{ question: "name", count: 30, tolerated: "the service shouts" }])
    expect((yield* file(report, "differences.csv")).trimEnd().split("\n").length).toBe(31)
    expect(yield* file(report, "report.html")).toContain("the service shouts")

    // An edit of that question is also reported, but does not count as drift.
    const [first, second] = store.all("people").map(({ id }) => id)
    store.answer("people", first ?? "", "name", "Somebody else")
    expect(yield* reconcile()).toMatchObject({
      exitCode: 0,
      readBack: { verified: 30, differing: 0 },
      findings: [{ question: "name", count: 1, tolerated: "the service shouts" }],
    })
    store.answer("people", second ?? "", "mail", "else@example.org")
    expect(yield* reconcile()).toMatchObject({ exitCode: 4, readBack: { verified: 29, differing: 1 } })
  }),
)

scoped(
  "a failed canary passes after its difference is tolerated, and a reconciliation verifies its rows",
  Effect.gen(function*() {
    const { names, reconcile, run, settings, source, store } = yield* world
    store.rewrite((json) => json.replace("Person", "PERSON"))
    yield* source(people(1, 30))
    const failed = yield* run()
    expect(failed).toMatchObject({ exitCode: 3, findings: [{ tolerated: undefined }] })
    expect(names().length).toBe(failed.rows.imported)
    expect(yield* run()).toMatchObject({ exitCode: 3, rows: { imported: 0 } })
    yield* settings(tolerate)
    const gone = yield* run()
    expect(gone.rows.imported).toBe(30 - failed.rows.imported)
    expect(gone).toMatchObject({ exitCode: 4, readBack: { differing: 0 } })
    expect(yield* reconcile()).toMatchObject({ exitCode: 0, readBack: { verified: 30 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 30 } })
  }),
)
