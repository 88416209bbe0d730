import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { createHash } from "node:crypto"
import type { Submission } from "../../src/domain/submission.ts"
import { type SettleEvidence, settlePipeline } from "../../src/jobs/settle.ts"
import { LockHolder } from "../../src/ledger/holder.ts"
import { openLedger } from "../../src/ledger/openLedger.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { skip } from "../quickly.ts"
import { people, scoped, world } from "../run/world.ts"
import { resultsExport } from "./resultsExport.ts"

/** How a person changes an export before settling with it. */
interface Handling {
  readonly without?: (name: unknown) => boolean
  readonly mangle?: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submission>
  /** The person's reason for declaring the export complete. */
  readonly complete?: string
}

/** A world whose rows can be settled. `visibleWithin` is 20 seconds, and `lateWithin` one millisecond. */
const settling = Effect.gen(function*() {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const at = yield* world
  const settle = (evidence: SettleEvidence, because?: string) =>
    Effect.flatMap(
      loadProject(at.root),
      (project) => settlePipeline(project, { pipeline: "people", to: undefined, evidence, by: "ada", because }),
    )
  const file = path.join(at.root, "results.csv")
  return {
    ...at,
    settings: (extra: Readonly<Record<string, string>>) =>
      at.settings({ reconcile: ", lateWithin: 1 millis", ...extra }),
    settle,
    /** Writes the form's results, optionally changed by a person, and settles rows with them. */
    fromExport: ({ complete, mangle = (all) => all, without }: Handling = {}) =>
      Effect.gen(function*() {
        const text = resultsExport(mangle(at.practice.submissions("people")), without)
        yield* fs.writeFileString(file, text)
        const result = yield* settle({ _tag: "Export", file, isComplete: complete !== undefined }, complete)
        return { result, sha256: createHash("sha256").update(text).digest("hex") }
      }),
    view: Effect.gen(function*() {
      const project = yield* loadProject(at.root)
      const ledger = yield* openLedger({ file: project.ledger.name })
      const [place] = yield* ledger.places
      if (place === undefined) return yield* Effect.dieMessage("nothing was sent")
      return yield* ledger.pipeline({ ...place, renamedFrom: undefined, alongside: [] })
    }),
  }
})

/**
 * Sends 60 rows. The third batch arrives without an answer, and the fourth never arrives. Ten more rows follow when all
 * submissions must be visible.
 */
const doubted = Effect.gen(function*() {
  const at = yield* settling
  yield* at.settings({ sink: ", canary: off, concurrency: 1" })
  yield* at.source(people(1, 20))
  yield* at.run()
  yield* at.source(people(1, 60))
  at.fail("POST", "lost", { status: 502, body: "<html>" })
  expect(yield* at.run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 20, imported: 20 } })
  return {
    ...at,
    /** Imports rows in a later batch. */
    later: Effect.gen(function*() {
      yield* skip("21 seconds")
      yield* at.source(people(1, 70))
      expect(yield* at.run()).toMatchObject({ exitCode: 4, rows: { imported: 10 } })
    }),
  }
})

scoped(
  "an export with older and newer submissions shows which rows landed, and the next run sends each other row once",
  Effect.gen(function*() {
    const { fromExport, later, names, run, view } = yield* doubted
    yield* later
    const { result, sha256 } = yield* fromExport()
    expect(result).toMatchObject({ landed: 10, notLanded: 10, left: 0, file: { name: "results.csv", submissions: 60 } })
    expect(result.rows.filter((row) => row.outcome === "landed").map((row) => row.row)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 21),
    )
    expect(result.rows.at(-1)?.reason).toContain("sent later")
    expect(yield* Effect.flatMap(view, (one) => one.settlements(5))).toMatchObject([
      {
        by: "ada",
        because: undefined,
        landed: 10,
        notLanded: 10,
        file: { name: "results.csv", sha256, isComplete: false },
      },
    ])
    const next = yield* run()
    expect(next).toMatchObject({
      exitCode: 0,
      rows: { alreadyImported: 60, imported: 10 },
      requests: { create: 1, read: 20 },
    })
    expect(next.settled).toMatchObject([{ by: "ada", landed: 10, notLanded: 10 }])
    expect(names().length).toBe(70)
    expect(new Set(names()).size).toBe(70)
  }),
)

scoped(
  "without a later submission no row is settled as not landed, until a test entry shows that the export is late enough",
  Effect.gen(function*() {
    const { fail, fill, fromExport, run, settle, source } = yield* doubted
    yield* skip("21 seconds")
    const alone = yield* fromExport()
    expect(alone.result).toMatchObject({ landed: 10, notLanded: 0, left: 10, wants: "a witness" })
    const { testEntry = "" } = alone.result
    expect(testEntry).toMatch(/^formferry-[a-z2-9]{10}$/)
    // An arbitrary entry proves nothing, whatever its time. The text that a test entry must contain stays the same.
    yield* fill(["Somebody", "somebody@example.org"])
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 0, left: 10, testEntry })
    yield* fill([`Test ${testEntry.toUpperCase()}`, "test@example.org"])
    const without = yield* fromExport({ without: (name) => String(name).startsWith("Test") })
    expect(without.result).toMatchObject({ notLanded: 0, left: 10 })
    const shown = yield* fromExport()
    expect(shown.result).toMatchObject({ notLanded: 10, left: 0 })
    expect(shown.result.rows[0]?.reason).toContain(testEntry)
    // The text is no evidence for rows that were sent after it was issued.
    yield* source(people(1, 80))
    fail("POST", "lost")
    yield* run()
    const later = yield* settle({ _tag: "Nothing" })
    expect(later.left).toBeGreaterThan(0)
    expect(later.testEntry).toBeUndefined()
  }),
)

scoped(
  "rows missing in an export that a person declares complete did not land, unless the export lacks known submissions",
  Effect.gen(function*() {
    const { fromExport, names, run, view } = yield* doubted
    yield* skip("21 seconds")
    const cut = yield* fromExport({ mangle: (all) => all.slice(0, -1), complete: "I think so" })
    expect(cut.result).toMatchObject({ notLanded: 0, left: 10, file: { lacking: 1 } })
    expect((yield* fromExport({ complete: "I looked" })).result).toMatchObject({ notLanded: 10, left: 0 })
    expect(yield* Effect.flatMap(view, (one) => one.settlements(1))).toMatchObject([
      { because: "I looked", notLanded: 10, file: { isComplete: true } },
    ])
    yield* run()
    expect(new Set(names()).size).toBe(60)
    expect(names().length).toBe(60)
  }),
)

scoped(
  "the first batch ever sent needs a declared export, because an export that begins later would look the same",
  Effect.gen(function*() {
    const { fail, fromExport, run, settings, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 10))
    fail("POST", "lost")
    yield* run()
    yield* skip("21 seconds")
    yield* source(people(1, 20))
    yield* run()
    const since = yield* fromExport({ mangle: (all) => all.slice(10) })
    expect(since.result).toMatchObject({ landed: 0, notLanded: 0, left: 10, wants: "a vouched export" })
    expect((yield* fromExport()).result).toMatchObject({ landed: 10, left: 0 })
  }),
)

/** Leaves the ledger in the state of a run that was killed between intent and outcome. */
const leftOpen = (
  { root, view }: Pick<Effect.Effect.Success<typeof settling>, "root" | "view">,
  holder: { readonly pid: number; readonly born: string; readonly boot: string },
) =>
  Effect.scoped(Effect.gen(function*() {
    const project = yield* loadProject(root)
    const opening = openLedger({ file: project.ledger.name, staleAfter: "200 millis" })
    const ledger = yield* Effect.provideService(opening, LockHolder, () => holder)
    const one = yield* view
    const session = yield* (yield* ledger.pipeline({ ...one, renamedFrom: undefined, alongside: [] })).hold("killed")
    yield* session.intend({
      resend: false,
      columns: ["No", "Name", "Mail"],
      contentColumns: ["Mail", "Name", "No"],
      mapping: "m",
      rows: [{
        keyDigest: ledger.digest.key("99"),
        key: "99",
        row: 99,
        content: ledger.digest.content(["x"]),
        supersedes: undefined,
        item: { questions: [{ id: "name", value: "Person 99" }, { id: "mail", value: "p99@example.org" }] },
        cells: ["99", "Person 99", "p99@example.org"],
      }],
    })
    // The process ends here, and its heartbeat stops.
    yield* Effect.sleep("10 millis")
  }))

scoped(
  "a row that a killed run left open needs a submission sent `lateWithin` after its process was known to have ended",
  Effect.gen(function*() {
    const at = yield* settling
    const { fromExport, run, settings, source } = at
    yield* settings({})
    yield* source(people(1, 12))
    yield* run()
    yield* leftOpen(at, { pid: 1, born: "1", boot: "another" })
    yield* settings({ reconcile: ", lateWithin: 1 hours" })
    // This command takes the lock, and finds that the process has ended.
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 0, left: 1, wants: "time" })
    yield* skip("21 seconds")
    expect((yield* fromExport({ complete: "I looked" })).result).toMatchObject({ notLanded: 0, left: 1, wants: "time" })
    yield* settings({ reconcile: ", lateWithin: 1 millis" })
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 0, left: 1, wants: "a witness" })
    yield* source(people(1, 13))
    yield* run()
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 1, left: 0 })
  }),
)

scoped(
  "a row of an overtaken run that may still be alive is settled only by its submission or by a person",
  Effect.gen(function*() {
    const at = yield* settling
    const { fromExport, run, settings, settle, source } = at
    yield* settings({})
    yield* source(people(1, 12))
    yield* run()
    // The holder is this process, which is alive. If its start time were different, it would count as ended.
    yield* leftOpen(at, (yield* LockHolder)())
    yield* skip("21 seconds")
    yield* source(people(1, 13))
    yield* run()
    for (const complete of [undefined, "I looked"]) {
      const { result } = yield* fromExport(complete === undefined ? {} : { complete })
      expect(result).toMatchObject({ notLanded: 0, left: 1, wants: "a person" })
      expect(result.rows[0]?.reason).toContain("may still send")
    }
    const byHand = yield* settle({ _tag: "Person", landed: false, which: { _tag: "All" } }, "the machine is gone")
    expect(byHand).toMatchObject({ notLanded: 1, left: 0 })
  }),
)

scoped(
  "deleted submissions may be missing in an export after reconcile found them deleted",
  Effect.gen(function*() {
    const { fromExport, later, reconcile, store } = yield* doubted
    yield* later
    const gone = store.all("people").find(({ json }) => json.includes('Person 5"'))?.id ?? ""
    yield* store.remove("people", gone)
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 0, file: { lacking: 1 }, wants: "another export" })
    yield* reconcile()
    expect((yield* fromExport()).result).toMatchObject({ notLanded: 10, left: 0, file: { lacking: 0 } })
  }),
)

/** A project whose pipeline sends submission times. `untimed` is its pipeline without them. */
const timed = Effect.gen(function*() {
  const at = yield* settling
  const fs = yield* FileSystem.FileSystem
  yield* at.settings({ sink: ", canary: off, concurrency: 1" })
  const untimed = yield* fs.readFileString(`${at.root}/pipelines/people.yaml`)
  const time = "  submissionTime: { from: Day, format: yyyy-MM-dd HH:mm, zone: UTC }"
  yield* at.write("pipelines/people.yaml", untimed.replace("sink:", `${time}\nsink:`))
  const dated = (from: number, to: number, day: string) => people(from, to).map((row) => `${row},${day} 10:00`)
  return { ...at, dated, header: "No,Name,Mail,Day", untimed }
})

scoped(
  "a row with a submission time needs known submissions before and after that time, because an export may cover only some days",
  Effect.gen(function*() {
    const { dated, fail, fromExport, header, practice, run, source } = yield* timed
    yield* source(dated(1, 10, "2024-02-01"), header)
    expect(yield* run()).toMatchObject({ exitCode: 0 })
    // Ten submissions arrive without an answer, on a day without other known submissions.
    yield* source([...dated(1, 10, "2024-02-01"), ...dated(11, 20, "2024-05-01")], header)
    fail("POST", "lost")
    yield* run()
    yield* skip("21 seconds")
    yield* source(
      [...dated(1, 10, "2024-02-01"), ...dated(11, 20, "2024-05-01"), ...dated(21, 30, "2024-03-01")],
      header,
    )
    expect(yield* run()).toMatchObject({ rows: { imported: 10, inDoubt: 10 } })
    expect(practice.count("people")).toBe(30)
    const isMay = (one: Submission) => one.submissionTime?.startsWith("2024-05") === true
    const early = yield* fromExport({ mangle: (all) => all.filter((one) => !isMay(one)) })
    expect(early.result).toMatchObject({ notLanded: 0, left: 10, wants: "a vouched export" })
    expect((yield* fromExport()).result).toMatchObject({ landed: 10, left: 0 })
  }),
)

scoped(
  "a row that was sent with a submission time needs known submissions before and after it, although the mapping sends no time any more",
  Effect.gen(function*() {
    const { dated, fail, fromExport, header, run, source, untimed, write } = yield* timed
    const rows = [...dated(1, 10, "2024-02-01"), ...dated(11, 20, "2023-05-01")]
    yield* source(rows.slice(0, 10), header)
    expect(yield* run()).toMatchObject({ exitCode: 0 })
    yield* source(rows, header)
    fail("POST", "lost")
    yield* run()
    yield* skip("21 seconds")
    yield* write("pipelines/people.yaml", untimed)
    yield* source([...rows, ...dated(21, 21, "2024-03-01")], header)
    expect(yield* run()).toMatchObject({ rows: { imported: 1, inDoubt: 10 } })
    const isEarlier = (one: Submission) => one.submissionTime?.startsWith("2023") === true
    const cut = yield* fromExport({ mangle: (all) => all.filter((one) => !isEarlier(one)) })
    expect(cut.result).toMatchObject({ landed: 0, notLanded: 0, left: 10, wants: "a vouched export" })
    expect((yield* fromExport()).result).toMatchObject({ landed: 10, left: 0 })
  }),
)

scoped(
  "a submission of someone else neither settles a row nor keeps it in doubt, unless the submission resembles the row",
  Effect.gen(function*() {
    const { fail, fill, fromExport, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off" })
    yield* source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
    fail("POST", { status: 502, body: "" })
    yield* run()
    yield* fill(["Somebody", "somebody@example.org"], ["Ada", "ada.lovelace@example.org"])
    yield* skip("21 seconds")
    const { result } = yield* fromExport({ complete: "these are all" })
    expect(result.rows.map((row) => [row.key, row.outcome])).toEqual([["1", "in doubt"], ["2", "not landed"]])
    expect(result.rows[0]?.reason).toContain("resembles it")
    expect(result.wants).toBe("a person")
    const byHand = yield* settle({ _tag: "Person", landed: false, which: { _tag: "Rows", keys: ["1"] } }, "not her")
    expect(byHand).toMatchObject({ landed: 0, notLanded: 1, left: 0 })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
  }),
)

scoped(
  "a person can settle rows by key, by batch or all together, and they no longer cause exit code 4",
  Effect.gen(function*() {
    const { fail, file, names, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1" })
    yield* source(people(1, 20))
    fail("POST", "lost", "lost")
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 4, rows: { inDoubt: 20 } })
    expect(yield* file(first, "in-doubt.csv")).toContain("_batch")
    const wrong = [
      [{ _tag: "Rows", keys: ["1", "77"] }, "with the key 77 is in doubt"],
      [{ _tag: "Rows", keys: ["77", "78"] }, "with one of the keys 77, 78 is in doubt"],
      [{ _tag: "Batch", batch: 9 }, "of batch 9 is in doubt"],
    ] as const
    for (const [which, message] of wrong) {
      const refused = yield* Effect.flip(settle({ _tag: "Person", landed: true, which }, "seen"))
      expect(String(refused)).toContain(message)
    }
    const one = yield* settle({ _tag: "Person", landed: true, which: { _tag: "Rows", keys: ["1"] } }, "seen")
    expect(one).toMatchObject({ landed: 1, left: 19 })
    // As after an interruption: one of the rows is settled in the same way.
    const named = { _tag: "Rows", keys: ["1", "2"] } as const
    expect(Exit.isFailure(yield* Effect.exit(settle({ _tag: "Person", landed: false, which: named }, "no")))).toBe(true)
    expect(yield* settle({ _tag: "Person", landed: true, which: named }, "seen")).toMatchObject({ landed: 1, left: 18 })
    const batch = yield* settle({ _tag: "Person", landed: true, which: { _tag: "Batch", batch: 1 } }, "seen")
    expect(batch).toMatchObject({ landed: 8, left: 10 })
    expect(yield* settle({ _tag: "Person", landed: true, which: { _tag: "All" } }, "seen")).toMatchObject({
      landed: 10,
      left: 0,
    })
    expect(yield* settle({ _tag: "Person", landed: true, which: { _tag: "All" } }, "seen")).toMatchObject({ rows: [] })
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 0, rows: { alreadyImported: 20 }, requests: { create: 0, read: 0 } })
    expect(next.settled).toMatchObject([{ landed: 10 }, { landed: 8 }, { landed: 1 }, { landed: 1, because: "seen" }])
    expect(names().length).toBe(20)
  }),
)

scoped(
  "the next run sends an identical row that did not land, because a manually settled row uses up the submission",
  Effect.gen(function*() {
    const { fail, fromExport, names, run, settings, settle, source } = yield* settling
    yield* settings({ sink: ", canary: off, concurrency: 1, batchSize: 1" })
    yield* source(["1,Ada,ada@example.org", "2,Ada,ada@example.org"])
    fail("POST", "lost", { status: 502, body: "" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 } })
    yield* settle({ _tag: "Person", landed: true, which: { _tag: "Rows", keys: ["1"] } }, "seen")
    yield* skip("21 seconds")
    expect((yield* fromExport({ complete: "these are all" })).result).toMatchObject({
      landed: 0,
      notLanded: 1,
      left: 0,
    })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1, imported: 1 } })
    expect(names()).toEqual(["Ada", "Ada"])
  }),
)

/** Sends 3 rows that arrive, but whose answer is lost. Then the same rows are sent by a second run, and do not arrive. */
const sentByTwoRuns = (again: "resend" | "a person says that they did not land") =>
  Effect.gen(function*() {
    const at = yield* settling
    const inDoubt = again === "resend" ? ", inDoubt: resend" : ""
    yield* at.settings({ sink: `, canary: off, stamp: { urlParameter: row_key, run: run_id }${inDoubt}` })
    yield* at.source(people(1, 3))
    at.fail("POST", "lost", { status: 502, body: "<html>" })
    expect((yield* at.run()).rows.inDoubt).toBe(3)
    if (again !== "resend") yield* at.settle({ _tag: "Person", landed: false, which: { _tag: "All" } }, "mistaken")
    expect((yield* at.run()).rows.inDoubt).toBe(3)
    expect(at.names().length).toBe(3)
    return at
  })

scoped(
  "a row that was resent has landed if either run's submission is in the export",
  Effect.gen(function*() {
    const { fromExport } = yield* sentByTwoRuns("resend")
    expect((yield* fromExport()).result).toMatchObject({ landed: 3, notLanded: 0, left: 0 })
  }),
)

scoped(
  "an earlier run's submission keeps a row in doubt if a person wrongly said that it had not landed",
  Effect.gen(function*() {
    const { fromExport } = yield* sentByTwoRuns("a person says that they did not land")
    yield* skip("21 seconds")
    const { result } = yield* fromExport({ complete: "downloaded without a filter" })
    expect(result).toMatchObject({ landed: 0, notLanded: 0, left: 3, wants: "a person" })
  }),
)

scoped(
  "a file that is not an export of this form settles nothing, and the reason is reported",
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
        Effect.flip(settle({ _tag: "Export", file: path.join(root, "other.csv"), isComplete: false })),
      )
    expect((yield* from("Name,Mail\nAda,a@example.org\n")).message).toContain("no column of submission ids")
    expect((yield* from("Submission ID,Colour\ns1,red\n")).message).toContain("No column of other.csv is named")
  }),
)
