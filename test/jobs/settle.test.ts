import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Exit } from "effect"
import { createHash } from "node:crypto"
import { type SettleBy, settlePipeline } from "../../src/jobs/settle.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"
import { resultsExport } from "./resultsExport.ts"

const people = (from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, index) => `${from + index},Person ${from + index},p${from + index}@example.org`,
  )

/** A world whose rows can be settled; `visibleWithin` is one second there. */
const settling = Effect.gen(function*() {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const at = yield* world
  const settle = (by: SettleBy, because?: string) =>
    Effect.flatMap(
      loadProject(at.root),
      (project) => settlePipeline(project, { pipeline: "people", to: undefined, by, who: "ada", because }),
    )
  const file = path.join(at.root, "results.csv")
  return {
    ...at,
    settle,
    /** Writes the form's results as they stand, without some of its submissions, and settles from that. */
    fromExport: (options: { readonly without?: (name: unknown) => boolean; readonly age?: number } = {}) =>
      Effect.gen(function*() {
        const text = resultsExport(at.practice.submissions("people"), options.without)
        yield* fs.writeFileString(file, text)
        if (options.age !== undefined) {
          // In seconds, as the file system counts.
          const time = ((yield* Clock.currentTimeMillis) - options.age) / 1000
          yield* fs.utimes(file, time, time)
        }
        const result = yield* settle({ _tag: "Export", file, exportedAt: undefined })
        return { result, sha256: createHash("sha256").update(text).digest("hex") }
      }),
    view: Effect.gen(function*() {
      const project = yield* loadProject(at.root)
      const ledger = yield* openLedger({ file: project.ledger })
      const [place] = yield* ledger.pipelines
      if (place === undefined) return yield* Effect.dieMessage("nothing was sent")
      return yield* ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] })
    }),
  }
})

/** Other people fill the form. */
const fill = (baseUrl: string, ...people: ReadonlyArray<readonly [name: string, mail: string]>) =>
  Effect.promise(() =>
    fetch(`${baseUrl}/forms/people/submissions`, {
      method: "POST",
      headers: { authorization: "Bearer practice_key_of_the_test", "content-type": "application/json" },
      body: JSON.stringify({
        submissions: people.map(([name, mail]) => ({
          questions: [{ id: "name", value: name }, { id: "mail", value: mail }],
        })),
      }),
    })
  )

const scoped = <A, E>(name: string, body: Effect.Effect<A, E, Effect.Effect.Context<typeof settling>>) =>
  it.scopedLive(name, () => Effect.provide(body, platform))

scoped(
  "an export tells which rows landed and which did not; the next run reads back the ones and sends the others, each once",
  Effect.gen(function*() {
    const { fail, fromExport, names, run, settings, source, view } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 40))
    // The first batch arrives and its answer is lost; the second never arrives, and nobody knows.
    fail("POST", "lost", { status: 502, body: "<html>" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 20, imported: 20 } })
    yield* Effect.sleep("1100 millis")
    const { result, sha256 } = yield* fromExport()
    expect(result).toMatchObject({ landed: 10, notLanded: 10, left: 0, file: { name: "results.csv", submissions: 30 } })
    expect(result.rows.filter((row) => row.outcome === "landed").map((row) => row.row)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 1),
    )
    expect(yield* Effect.flatMap(view, (one) => one.settlements(5))).toMatchObject([
      { by: "ada", because: undefined, landed: 10, notLanded: 10, file: { name: "results.csv", sha256 } },
    ])
    const next = yield* run()
    expect(next).toMatchObject({
      exitCode: 0,
      rows: { alreadyImported: 30, imported: 10 },
      requests: { create: 1, read: 20 },
    })
    expect(next.settled).toMatchObject([{ by: "ada", landed: 10, notLanded: 10 }])
    expect(names().length).toBe(40)
    expect(new Set(names()).size).toBe(40)
  }),
)

scoped(
  "an export that is too early or not complete settles what landed, and leaves the others in doubt with its reason",
  Effect.gen(function*() {
    const { fail, fromExport, run, settings, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 30))
    fail("POST", "lost", { status: 502, body: "" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 20, imported: 10 } })
    const early = yield* fromExport()
    expect(early.result).toMatchObject({ landed: 10, notLanded: 0, left: 10, exportMayTell: true })
    expect(early.result.rows.at(-1)?.reason).toContain("may not have been seen before")
    yield* Effect.sleep("1100 millis")
    const lacking = yield* fromExport({ without: (name) => name === "Person 25" })
    expect(lacking.result).toMatchObject({ landed: 0, notLanded: 0, left: 10, file: { lacking: 1 } })
    expect(lacking.result.rows[0]?.reason).toContain("not complete: it lacks 1")
    // As a file that was copied back from somewhere: older than it is in truth never settles too much.
    const old = yield* fromExport({ age: 3_600_000 })
    expect(old.result).toMatchObject({ notLanded: 0, left: 10 })
    const complete = yield* fromExport()
    expect(complete.result).toMatchObject({ notLanded: 10, left: 0 })
  }),
)

scoped(
  "rows that a killed run left open are settled too, and never before its request must have been seen",
  Effect.gen(function*() {
    const { fromExport, root, run, source, view } = yield* settling
    yield* source(people(1, 12))
    yield* run()
    // What a run that was killed between intent and outcome leaves.
    yield* Effect.scoped(Effect.gen(function*() {
      const project = yield* loadProject(root)
      const ledger = yield* openLedger({ file: project.ledger, holder: { pid: 1, born: "1", boot: "another" } })
      const one = yield* view
      const session = yield* (yield* ledger.pipeline({ ...one, renamedFrom: undefined, alongside: [] })).hold("killed")
      const shape = yield* session.shapeOf(["Mail", "Name", "No"])
      yield* session.intend({
        resend: false,
        columns: ["No", "Name", "Mail"],
        mapping: "m",
        rows: [{
          keyDigest: ledger.digest.key("99"),
          key: "99",
          row: 99,
          content: ledger.digest.content(["x"]),
          shape,
          supersedes: undefined,
          item: { questions: [{ id: "name", value: "Person 99" }, { id: "mail", value: "p99@example.org" }] },
          cells: ["99", "Person 99", "p99@example.org"],
        }],
      })
      // The process ends here: nobody gives the lock back, and its heartbeat ends.
      yield* Effect.sleep("10 millis")
    }))
    const early = yield* fromExport()
    expect(early.result).toMatchObject({ notLanded: 0, left: 1 })
    yield* Effect.sleep("1100 millis")
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 1, left: 0 })
  }),
)

scoped(
  "submissions of others neither settle a row nor keep it in doubt; one that resembles it does, until a person decides",
  Effect.gen(function*() {
    const { fail, fromExport, practice, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off" })
    yield* source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
    fail("POST", { status: 502, body: "" })
    yield* run()
    yield* fill(practice.baseUrl, ["Somebody", "somebody@example.org"], ["Ada", "ada.lovelace@example.org"])
    yield* Effect.sleep("1100 millis")
    const { result } = yield* fromExport()
    expect(result.rows.map((row) => [row.key, row.outcome])).toEqual([["1", "in doubt"], ["2", "not landed"]])
    expect(result.rows[0]?.reason).toContain("resembles it")
    expect(result.exportMayTell).toBe(false)
    const byHand = yield* settle({ _tag: "Person", landed: false, which: { _tag: "Rows", keys: ["1"] } }, "not her")
    expect(byHand).toMatchObject({ landed: 0, notLanded: 1, left: 0 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
  }),
)

scoped(
  "by hand: by key, by batch or all; a landed row is imported and can't be read back, which ends the exit code 4",
  Effect.gen(function*() {
    const { fail, file, names, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 20))
    fail("POST", "lost", "lost")
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 4, rows: { inDoubt: 20 } })
    expect(yield* file(first, "in-doubt.csv")).toContain("_batch")
    const wrong = [
      { _tag: "Rows", keys: ["1", "77"] },
      { _tag: "Batch", batch: 9 },
    ] as const
    for (const which of wrong) {
      const exit = yield* Effect.exit(settle({ _tag: "Person", landed: true, which }, "seen"))
      expect(Exit.isFailure(exit)).toBe(true)
    }
    const one = yield* settle({ _tag: "Person", landed: true, which: { _tag: "Rows", keys: ["1"] } }, "seen")
    expect(one).toMatchObject({ landed: 1, left: 19 })
    const batch = yield* settle({ _tag: "Person", landed: true, which: { _tag: "Batch", batch: 1 } }, "seen")
    expect(batch).toMatchObject({ landed: 9, left: 10 })
    expect(yield* settle({ _tag: "Person", landed: true, which: { _tag: "All" } }, "seen")).toMatchObject({
      landed: 10,
      left: 0,
    })
    expect(yield* settle({ _tag: "Person", landed: true, which: { _tag: "All" } }, "seen")).toMatchObject({ rows: [] })
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 0, rows: { alreadyImported: 20 }, requests: { create: 0, read: 0 } })
    expect(next.settled).toMatchObject([{ landed: 10 }, { landed: 9 }, { landed: 1, because: "seen" }])
    expect(names().length).toBe(20)
  }),
)

scoped(
  "a row that landed by hand uses its submission up: an identical one that did not land goes out with the next run",
  Effect.gen(function*() {
    const { fail, fromExport, names, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1, batchSize: 1" })
    yield* source(["1,Ada,ada@example.org", "2,Ada,ada@example.org"])
    fail("POST", "lost", { status: 502, body: "" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 } })
    yield* settle({ _tag: "Person", landed: true, which: { _tag: "Rows", keys: ["1"] } }, "seen")
    yield* Effect.sleep("1100 millis")
    expect((yield* fromExport()).result).toMatchObject({ landed: 0, notLanded: 1, left: 0 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, imported: 1 } })
    expect(names()).toEqual(["Ada", "Ada"])
  }),
)

scoped(
  "a file that is no export of this form settles nothing and says why",
  Effect.gen(function*() {
    const { fail, root, run, settings, settle, source, write } = yield* settling
    const path = yield* Path.Path
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 1))
    fail("POST", "lost")
    yield* run()
    const from = (text: string) =>
      Effect.zipRight(
        write("other.csv", text),
        Effect.flip(settle({ _tag: "Export", file: path.join(root, "other.csv"), exportedAt: undefined })),
      )
    expect((yield* from("Name,Mail\nAda,a@example.org\n")).message).toContain("no column of submission ids")
    expect((yield* from("Submission ID,Colour\ns1,red\n")).message).toContain("No column of other.csv has the name")
  }),
)
