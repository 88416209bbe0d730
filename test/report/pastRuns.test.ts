import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import type { RunReport } from "../../src/domain/report.ts"
import { readLatestReports, readReport } from "../../src/report/pastRuns.ts"
import { openRunFolder } from "../../src/report/RunFolder.ts"
import { exampleReport } from "./exampleReport.ts"

const inFolder = <A, E, R>(use: (reports: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

/** Leaves the folder of a finished run, as `finish` writes it. */
const leave = (reports: string, change: Partial<RunReport> & { readonly run: string }) =>
  Effect.gen(function*() {
    const folder = yield* openRunFolder({ reports, pipeline: "contacts", run: change.run })
    yield* folder.finish({
      report: exampleReport(change),
      columns: [],
      imported: Stream.empty,
      inDoubt: Stream.empty,
      fateOf: (row) => row,
    })
  })

describe("the reports of a pipeline", () => {
  it.effect("reports are read back as they were written", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        yield* leave(reports, { run: "r1" })
        const { report, folder } = yield* readReport(reports, "contacts", "r1")
        const written = exampleReport({ run: "r1" })
        expect({ ...report, differences: [], findings: [] }).toEqual({ ...written, differences: [], findings: [] })
        // report.json has null instead of `undefined` for values that were not returned.
        expect(report.findings).toEqual(written.findings.map((finding) => ({
          ...finding,
          examples: finding.examples.map((one) => ({ ...one, returned: null })),
        })))
        expect(report.differences).toEqual(written.differences.map((one) => ({ ...one, returned: null })))
        expect(folder).toBe(`${reports}/contacts/r1`)
      })
    ))

  it.effect("reports are listed newest first, whatever their ids", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        yield* leave(reports, { run: "z-old", startedAt: "2025-01-01T00:00:00.000Z" })
        yield* leave(reports, { run: "m", startedAt: "2025-01-03T00:00:00.000Z" })
        yield* leave(reports, { run: "a-new", mode: "rehearsal", startedAt: "2025-01-04T00:00:00.000Z" })
        const past = yield* readLatestReports(reports, "contacts")
        expect(past.runs.map(({ run }) => run)).toEqual(["a-new", "m", "z-old"])
        expect(past.warnings).toEqual([])
      })
    ))

  it.effect("reports are skipped with a warning if they are damaged, and a run without a report is unfinished", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        yield* leave(reports, { run: "good" })
        for (
          const [name, content] of [["cut", '{ "pipeline": "con'], ["other", '{ "secret": "value" }'], [
            "list",
            "[]",
          ]] as const
        ) {
          yield* fs.makeDirectory(`${reports}/contacts/${name}`)
          yield* fs.writeFileString(`${reports}/contacts/${name}/report.json`, content)
        }
        yield* fs.makeDirectory(`${reports}/contacts/died`)
        const past = yield* readLatestReports(reports, "contacts")
        expect(past.runs.map(({ run }) => run)).toEqual(["good"])
        expect(past.unfinished).toEqual(["died"])
        expect(past.warnings).toHaveLength(3)
        expect(past.warnings.join()).toMatch(/cut.report\.json/)
        expect(past.warnings.join()).not.toMatch(/secret|value/)
      })
    ))

  it.effect("reports of other versions are readable, with missing fields empty and unknown fields skipped", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        yield* fs.makeDirectory(`${reports}/contacts/v`, { recursive: true })
        yield* fs.writeFileString(
          `${reports}/contacts/v/report.json`,
          JSON.stringify({
            pipeline: "contacts",
            run: "v",
            mode: "run",
            outcome: "complete",
            exitCode: 0,
            startedAt: "2025-01-01T00:00:00.000Z",
            finishedAt: "2025-01-01T00:00:01.000Z",
            rows: { read: 3, imported: 3, teleported: 1 },
            problems: [{ code: "from-the-future", count: 1 }, { code: "required", count: 2 }],
            future: { x: 1 },
          }),
        )
        const { report } = yield* readReport(reports, "contacts", "v")
        expect(report.rows).toMatchObject({ read: 3, imported: 3, invalid: 0 })
        expect(report.problems).toEqual([{
          code: "required",
          count: 2,
          column: undefined,
          question: undefined,
          examples: [],
        }])
      })
    ))

  it.effect("reads the requested number of reports, plus any others from the same second as the last of them", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        // The damaged report is years old, so it is only read if all reports are requested.
        yield* fs.makeDirectory(`${reports}/contacts/2020-01-01T000000Z-aaaa`, { recursive: true })
        yield* fs.writeFileString(`${reports}/contacts/2020-01-01T000000Z-aaaa/report.json`, "damaged")
        for (const name of ["2025-01-02T000000Z-aaaa", "2025-01-03T000000Z-aaaa", "2025-01-03T000000Z-bbbb"]) {
          yield* leave(reports, { run: name, startedAt: `${name.slice(0, 10)}T00:00:00.000Z`, mode: "dry-run" })
        }
        const past = yield* readLatestReports(reports, "contacts", 1)
        expect(past.runs).toHaveLength(2)
        expect(past.warnings).toEqual([])
        expect((yield* readLatestReports(reports, "contacts")).warnings).toHaveLength(1)
      })
    ))

  it.effect("reports of the same second are ordered by their exact start, whatever their names", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        for (const [name, millis] of [["zzzz", 1], ["aaaa", 2]] as const) {
          const run = `2025-01-01T000000Z-${name}`
          yield* leave(reports, { run, startedAt: `2025-01-01T00:00:00.00${millis}Z` })
        }
        expect((yield* readLatestReports(reports, "contacts", 1)).runs[0]?.run).toBe("2025-01-01T000000Z-aaaa")
      })
    ))

  it.effect("reports are found through `latest`, or by their start if `latest` is missing", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        yield* leave(reports, { run: "b", startedAt: "2025-01-02T00:00:00.000Z" })
        yield* leave(reports, { run: "a", startedAt: "2025-01-01T00:00:00.000Z" })
        expect((yield* readReport(reports, "contacts", undefined)).report.run).toBe("a")
        yield* fs.remove(`${reports}/contacts/latest`)
        expect((yield* readReport(reports, "contacts", undefined)).report.run).toBe("b")
      })
    ))

  it.effect("a pipeline that never ran has no reports, and a request for one gives advice", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        expect(yield* readLatestReports(reports, "contacts")).toEqual({
          runs: [],
          ledger: undefined,
          unfinished: [],
          warnings: [],
        })
        expect((yield* Effect.flip(readReport(reports, "contacts", undefined))).message).toContain(
          "formferry run contacts",
        )
        expect((yield* Effect.flip(readReport(reports, "contacts", "../../etc"))).message).toContain("not a run id")
        expect((yield* Effect.flip(readReport(reports, "contacts", "nope"))).message).toContain("there is no such run")
      })
    ))
})
