import { FileSystem } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { settlePipeline } from "../../src/jobs/settle.ts"
import { projectStatus } from "../../src/jobs/status.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { scoped, world } from "../run/world.ts"

const good = Array.from({ length: 20 }, (_, index) => `${index + 1},Person ${index + 1},p${index + 1}@example.org`)

scoped(
  "acknowledged rejected rows stay in the report, but don't raise the exit code until their content changes",
  Effect.gen(function*() {
    const { acknowledge, file, run, source } = yield* world
    yield* source([...good, "21,Bad,nobody", ",Keyless,k@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { imported: 20, invalid: 2 }, acknowledged: 0 })
    expect(yield* acknowledge("all")).toEqual({ acknowledged: 2, unknown: [] })
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 0, rows: { invalid: 2 }, acknowledged: 2 })
    expect(yield* file(next, "rejected.csv")).toContain("Keyless")
    yield* source([...good, "21,Bad,still nobody", ",Keyless,k@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { invalid: 2 }, acknowledged: 1 })
  }),
)

scoped(
  "a row whose refusal is acknowledged doesn't raise the exit code if the service refuses it again, until its content changes",
  Effect.gen(function*() {
    const { acknowledge, fail, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(good)
    yield* run()
    yield* source([...good, "21,Bad,bad@example.org"])
    const refusal = { status: 422, body: JSON.stringify({ message: "no such name", index: 0 }) }
    fail("POST", refusal)
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { refused: 1 }, needReview: 1, acknowledged: 0 })
    expect(yield* acknowledge("all")).toEqual({ acknowledged: 1, unknown: [] })
    const known = { exitCode: 0, rows: { refused: 1, alreadyImported: 20 }, needReview: 0, acknowledged: 1 }
    fail("POST", refusal)
    expect(yield* run({ retryRefused: true })).toMatchObject({ ...known, requests: { create: 1 } })
    expect(yield* run()).toMatchObject({ ...known, requests: { create: 0 } })
    yield* source([...good, "21,Worse,bad@example.org"])
    fail("POST", refusal)
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { refused: 1 }, needReview: 1, acknowledged: 0 })
  }),
)

scoped(
  "a run whose changed rows alone need review names acknowledge as the next command, whatever other rows it rejects",
  Effect.gen(function*() {
    const { acknowledge, run, source } = yield* world
    yield* source([...good, "21,Bad,nobody"])
    yield* run()
    yield* acknowledge("all")
    const rejected = [good[1]!, "21,Bad,nobody"]
    yield* source(["1,Changed,p1@example.org", ...good.slice(1), ...rejected])
    const changed = yield* run()
    expect(changed).toMatchObject({ exitCode: 1, rows: { changed: 1, invalid: 1, duplicate: 1 }, needReview: 1 })
    const next = "formferry acknowledge people --all --because TEXT"
    expect(changed.next).toBe(next)
    const repeated = yield* run()
    expect(repeated).toMatchObject({ exitCode: 1, unchangedSince: changed.run, next })
    yield* source(["1,Changed,p1@example.org", ...good.slice(1), ...rejected, "22,Worse,nobody"])
    expect((yield* run()).next).toMatch(/rejected\.csv/)
  }),
)

scoped(
  "a skipped duplicate does not skip the row with the same key",
  Effect.gen(function*() {
    const { acknowledge, names, run, source } = yield* world
    yield* source([...good, "K,First,f@example.org", "K,Second,s@example.org"])
    expect(yield* run({ limit: 5 })).toMatchObject({ rows: { imported: 5, duplicate: 1 } })
    expect(yield* acknowledge("all", true)).toEqual({ acknowledged: 1, duplicates: 1, unknown: [] })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 16, filtered: 0, duplicate: 1 } })
    expect(names()).toContain("First")
  }),
)

scoped(
  "rows still need review after a run that stopped before it read the source",
  Effect.gen(function*() {
    const { acknowledge, run, settings, source } = yield* world
    yield* source([...good, "21,Bad,nobody"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { invalid: 1 } })
    // The row key's column was renamed.
    yield* settings({ rowKey: "[Number]" })
    yield* source([...good, "21,Bad,nobody"], "Number,Name,Mail")
    expect(yield* run()).toMatchObject({ exitCode: 2, rows: { read: 0 } })
    expect(yield* acknowledge("all")).toEqual({ acknowledged: 1, unknown: [] })
  }),
)

scoped(
  "skipped rows are never imported, and neither are fixed rows with the same key",
  Effect.gen(function*() {
    const { acknowledge, names, run, source } = yield* world
    yield* source([...good, "21,Bad,nobody", ",Keyless,k@example.org"])
    yield* run()
    expect(yield* acknowledge("all", true)).toMatchObject({ acknowledged: 2, duplicates: 0, unknown: [] })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { filtered: 2, invalid: 0, alreadyImported: 20 } })
    yield* source([...good, "21,Bad,nobody@example.org", ",Keyless,k@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { filtered: 2, imported: 0 } })
    // A row without a key counts as skipped only if its content is the same.
    yield* source([...good, ",Other,o@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { invalid: 1 } })
    expect(names().length).toBe(20)
  }),
)

scoped(
  "acknowledged rows in doubt stay in doubt, are not sent, and no longer cause exit code 4",
  Effect.gen(function*() {
    const { acknowledge, fail, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(good.slice(0, 10))
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 10 } })
    expect(yield* acknowledge(["1", "2", "77"])).toEqual({ acknowledged: 2, unknown: ["77"] })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 10 } })
    yield* acknowledge("all")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { inDoubt: 10 }, requests: { create: 0 } })
    expect(yield* Effect.flip(acknowledge(["77"]))).toMatchObject({ code: "NothingAcknowledged" })
    expect(names().length).toBe(10)
  }),
)

scoped(
  "a skipped row in doubt is not resent, even with `inDoubt: resend`",
  Effect.gen(function*() {
    const { acknowledge, fail, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, inDoubt: resend" })
    yield* source(good.slice(0, 2))
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 } })
    yield* acknowledge(["1"], true)
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { inDoubt: 1, imported: 1 } })
    expect(names()).toEqual(["Person 1", "Person 2", "Person 2"])
  }),
)

scoped(
  "status reports a missing or replaced ledger, and acknowledge and settle refuse it",
  Effect.gen(function*() {
    const { accept, acknowledge, root, run, settings, source, write } = yield* world
    const fs = yield* FileSystem.FileSystem
    const project = yield* loadProject(root)
    const status = projectStatus(project, [], { verify: true })
    const settle = settlePipeline(project, {
      pipeline: "people",
      to: undefined,
      evidence: { _tag: "Person", landed: true, which: { _tag: "All" } },
      by: "ada",
      because: "seen",
    })
    yield* source(good.slice(0, 2))
    expect(yield* status).toMatchObject({ ledger: { exists: false }, untouched: ["people"], missed: [] })
    yield* run()
    expect(yield* status).toMatchObject({ untouched: [], missed: [], damage: [] })

    yield* fs.remove(`${root}/.formferry`, { recursive: true })
    const vanished = { pipeline: "people", message: expect.stringContaining("is missing") }
    expect(yield* status).toMatchObject({ ledger: { exists: false }, untouched: [], missed: [vanished] })
    const refused = { _tag: "LedgerRefused", message: expect.stringContaining("is missing") }
    expect(yield* Effect.flip(acknowledge("all"))).toMatchObject(refused)
    expect(yield* Effect.flip(settle)).toMatchObject(refused)
    expect(yield* fs.exists(`${root}/.formferry`)).toBe(false)

    // A different pipeline is also refused, until a person accepts the missing ledger and a new ledger is created.
    yield* settings({ form: "others" })
    yield* write(
      "pipelines/more.yaml",
      (yield* fs.readFileString(`${root}/pipelines/people.yaml`)).replace("people", "more"),
    )
    yield* settings({})
    expect(yield* Effect.flip(run({ pipeline: "more" }))).toMatchObject(refused)
    yield* accept("ledger", "more")
    yield* run({ pipeline: "more" })
    expect(yield* status).toMatchObject({
      ledger: { exists: true },
      pipelines: [{ pipeline: "more" }],
      missed: [{
        pipeline: "people",
        message: expect.stringContaining("is not the one that earlier runs wrote"),
      }],
    })
    expect(yield* Effect.flip(acknowledge("all"))).toMatchObject({ _tag: "LedgerRefused" })
    expect(yield* Effect.flip(settle)).toMatchObject({ _tag: "LedgerRefused" })
    yield* accept("ledger")
    yield* run()
    expect(yield* status).toMatchObject({ missed: [], damage: [] })
  }),
)
