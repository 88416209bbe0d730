import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { live, people, world } from "./world.ts"

const canList = "    capabilities: [list]\n"

live(
  "if the service can list, submissions are read back with a tenth of the requests and the same results",
  Effect.gen(function*() {
    const reports = yield* Effect.forEach(["", canList], (more) =>
      Effect.scoped(Effect.gen(function*() {
        const { configure, heard, names, run, settings, source, store } = yield* world
        yield* configure(more)
        yield* settings({ sink: ", stopWhen: { new: 100%, differing: 100 }", visibleWithin: "1 seconds" })
        store.rewrite((json) => json.replace('Person 77"', 'PERSON 77"'))
        yield* source(people(1, 300))
        const report = yield* run()
        expect(heard.filter((line) => line.startsWith("GET"))).toHaveLength(
          report.requests.read + report.requests.metadata,
        )
        return { report, names: names() }
      })))
    const [without, withList] = reports
    expect(withList?.names).toEqual(without?.names)
    for (const  of of["rows", "readBack", "balance", "because", "exitCode", "outcome"] as const) {
      expect(withList?.report[of]).toEqual(without?.report[of])
    }
    expect(without?.report.readBack).toMatchObject({ verified: 299, differing: 1 })
    expect(without?.report.requests.read).toBe(301)
    expect(withList?.report.requests.read).toBeLessThan(30)
  }),
)

live(
  "a reconciliation of a service that can list finds the same edits and deletions in few requests",
  Effect.gen(function*() {
    const { configure, heard, practice, reconcile, run, settings, source, store } = yield* world
    yield* settings({ sink: ", stopWhen: { new: 100% }", visibleWithin: "1 seconds" })
    yield* source(people(1, 250))
    yield* run()
    const ids = new Map(practice.submissions("people").map((one) => [one.questions[0]?.value, one.submissionId]))
    const id = (number: number) => ids.get(`Person ${number}`) ?? ""
    store.answer("people", id(3), "name", "Somebody else")
    store.answer("people", id(222), "mail", null)
    yield* store.remove("people", id(125))
    heard.length = 0
    const without = yield* reconcile({ pageRows: 100 })
    const requests = heard.length
    yield* configure(canList)
    heard.length = 0
    const found = yield* reconcile({ pageRows: 100 })
    for (const  of of["rows", "readBack", "differences", "findings", "because", "exitCode"] as const) {
      expect(found[of]).toEqual(without[of])
    }
    expect(found).toMatchObject({ exitCode: 4, readBack: { verified: 247, differing: 2, missing: 1, unread: 0 } })
    expect(requests).toBeGreaterThan(250)
    expect(heard.length).toBeLessThan(25)
  }),
)

live(
  "submissions that a run left unread are read back from the list by the next run",
  Effect.gen(function*() {
    const { configure, fail, heard, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, stopWhen: { new: 100% }", visibleWithin: "1 seconds" })
    yield* source(people(1, 100))
    fail("GET", { status: 401, body: "{}" })
    const first = yield* run()
    expect(first.exitCode).toBe(5)
    expect(first.readBack.unread).toBeGreaterThan(0)
    yield* configure(canList)
    heard.length = 0
    expect(yield* run()).toMatchObject({ exitCode: 0, readBack: { unread: 0 } })
    expect(heard.filter((line) => line.includes("/submissions/"))).toEqual([])
  }),
)
