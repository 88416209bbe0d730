import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { RunReport } from "../../src/domain/report.ts"
import { foldersHolding } from "../../src/report/forget.ts"
import { forgetRows, parseReport } from "../../src/report/reportFile.ts"
import { demonstration } from "../demo/demonstration.ts"
import { runOf } from "../demo/runOf.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "./world.ts"

const people = ["1,Ada,ADA@example.org", "2,Bob,", "3,Cyd,cyd@example.org", "4,Dan,dan@example.org"]

/** Returns the answers of one row that a report shows. */
const answersOf = ({ samples = [] }: RunReport, row: number) => samples.filter((one) => one.row === row)

const rowsOf = ({ samples = [] }: RunReport) => [...new Set(samples.map(({ row }) => row))]

describe("the rows that a report shows side by side", () => {
  it.scopedLive("a report shows the first three rows that were sent, with source, sent and returned values", () =>
    Effect.gen(function*() {
      const { run, source } = yield* world
      yield* source(people)
      const report = yield* run()
      expect(rowsOf(report)).toEqual([1, 2, 3])
      expect(answersOf(report, 1)).toMatchObject([
        {
          key: "1",
          columns: ["Name"],
          cells: ["Ada"],
          question: "name",
          sent: "Ada",
          returned: "Ada",
          verdict: "same",
        },
        { columns: ["Mail"], cells: ["ADA@example.org"], sent: "ADA@example.org", verdict: "same" },
      ])
      // An empty cell without an answer is not shown.
      expect(answersOf(report, 2).map(({ question }) => question)).toEqual(["name"])
      expect(answersOf(report, 1)[0]?.submissionId).toMatch(/./)
      const again = yield* run()
      expect(again.unchangedSince).toBe(report.run)
      expect(again.samples).toBeUndefined()
      expect(again.mapping).toEqual(report.mapping)
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scopedLive("a report shows the first rows that a dry run would send, or that a rehearsal sent to the practice service", () =>
    Effect.gen(function*() {
      const { rehearse, root, run, source } = yield* world
      yield* source(["0,Eve,no address", ...people])
      const dry = yield* run({ dryRun: true })
      expect(rowsOf(dry)).toEqual([2, 3, 4])
      expect(answersOf(dry, 2)[0]).toMatchObject({ cells: ["Ada"], sent: "Ada" })
      for (const one of dry.samples ?? []) {
        expect([one.returned, one.verdict, one.submissionId]).toEqual([undefined, undefined, undefined])
      }
      // A dry run stores these rows only in report.json, where `ledger forget` finds and removes them.
      const [holding] = yield* foldersHolding(join(root, "reports"), "people", ["3"], [], () => Effect.void)
      expect(holding?.files).toContain("report.json")
      expect(forgetRows(dry)).toMatchObject({ samples: [], mapping: dry.mapping })
      const rehearsed = yield* rehearse()
      expect(rowsOf(rehearsed)).toEqual([2, 3, 4])
      expect(answersOf(rehearsed, 2)[0]).toMatchObject({ sent: "Ada", returned: "Ada", verdict: "same" })
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scopedLive("a report shows rows without returned values if they can't be read back, and omits rows in doubt", () =>
    Effect.gen(function*() {
      const { fail, run, settings, source } = yield* world
      yield* settings({ sink: ", canary: off, batchSize: 1, concurrency: 1" })
      yield* source(people)
      fail("POST", { status: 200, body: "{}" })
      const report = yield* run({ limit: 1 })
      expect(report.rows.inDoubt).toBe(1)
      expect(report.samples).toBeUndefined()
      fail("GET", ...Array.from({ length: 3 }, () => ({ status: 401, body: "{}" })))
      const unread = yield* run()
      expect(unread.readBack.unread).toBeGreaterThan(0)
      expect(answersOf(unread, 2)[0]).toMatchObject({ cells: ["Bob"], sent: "Bob" })
      expect(answersOf(unread, 2)[0]?.verdict).toBeUndefined()
    }).pipe(Effect.provide(NodeContext.layer)))
})

describe("a report of a real file", () => {
  it.scopedLive("a report shows the mapping, rows side by side, and the times of its steps", () =>
    Effect.gen(function*() {
      const root = yield* demonstration
      const report = yield* runOf(root, "contacts")
      const byName = new Map(report.mapping?.map((one) => [one.name, one]))
      expect(byName.get("Birthday")).toMatchObject({ columns: ["Geboren"], values: [], translated: 0 })
      expect(byName.get("Town")?.columns).toEqual(["PLZ", "Ort"])
      expect(byName.get("Imported from")?.columns).toEqual([])
      expect(byName.get("Wants the newsletter")).toMatchObject({
        values: [{ cell: "ja", answer: "true" }, { cell: "nein", answer: "false" }],
        translated: 2,
      })
      expect(byName.get("Salutation")?.values).toContainEqual({ cell: "Frau", answer: "ms" })
      expect(report.mapping?.map(({ question }) => question)).toEqual(report.questions.map(({ id }) => id))
      expect(rowsOf(report)).toHaveLength(3)
      const born = report.samples?.find(({ name }) => name === "Birthday")
      expect(born?.cells[0]).toMatch(/^\d\d\.\d\d\.\d{4}$/)
      expect(born?.sent).toBe(born?.cells[0]?.split(".").toReversed().join("-"))
      expect(born?.returned).toBe(born?.sent)
      expect(report.zone).toBe("Europe/Berlin")
      const took = Date.parse(report.finishedAt) - Date.parse(report.startedAt)
      expect(report.phases.map(({ phase }) => phase)).toEqual(["survey", "canary", "import"])
      expect(report.phases.reduce((sum, { millis }) => sum + millis, 0)).toBe(took)

      const folder = join(root, "reports", "contacts", report.run)
      const page = readFileSync(join(folder, "report.html"), "utf8")
      for (const text of ["Mapping", "Rows side by side", "Geboren", "Europe/Berlin", born?.cells[0] ?? "?"]) {
        expect(page).toContain(text)
      }
      for (const time of [report.startedAt, report.finishedAt]) expect(page).not.toContain(time)
      const written = readFileSync(join(folder, "report.json"), "utf8")
      expect(JSON.parse(written)).toMatchObject({ startedAt: report.startedAt })
      // This report is from a version without these fields.
      const { mapping: _, phases: _phases, samples: _samples, zone: _zone, ...earlier } = JSON.parse(written)
      expect(parseReport(JSON.stringify(earlier))).toMatchObject({ _tag: "Right", right: { zone: "UTC", phases: [] } })
    }).pipe(Effect.provide(platform)))
})
