import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import type { RunReport } from "../../src/domain/report.ts"
import {
  dropOldReports,
  inRunFolder,
  newestPurposes,
  readAllReports,
  readReport,
  reportsRead,
  runFolders,
} from "../../src/report/pastRuns.ts"
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

  it.effect("reports whose folder can't be read say so in words", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        yield* fs.writeFileString(`${reports}/contacts`, "")
        const { message } = yield* Effect.flip(runFolders(`${reports}/contacts`))
        expect(message).toBe(
          `The report ${reports}/contacts can't be read: a part of its path is a file, not a folder.`,
        )
      })
    ))

  it.effect("reports are listed newest first, whatever their ids", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        yield* leave(reports, { run: "z-old", startedAt: "2025-01-01T00:00:00.000Z" })
        yield* leave(reports, { run: "m", startedAt: "2025-01-03T00:00:00.000Z" })
        yield* leave(reports, { run: "a-new", mode: "rehearsal", startedAt: "2025-01-04T00:00:00.000Z" })
        const past = yield* readAllReports(reports, "contacts")
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
        const past = yield* readAllReports(reports, "contacts")
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

  it.effect("a run learns from its newest reports what they were for, and reads no older ones", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const names = Array.from({ length: reportsRead + 1 }, (_, at) =>
          `2025-01-01T000000.${String(at).padStart(3, "0")}Z-aaaa`)
        for (const run of names.slice(2)) {
          yield* leave(reports, { run, mode: run === names.at(-1) ? "rehearsal" : "run" })
        }
        for (const name of names.slice(0, 2)) {
          yield* fs.makeDirectory(`${reports}/contacts/${name}`)
          yield* fs.writeFileString(`${reports}/contacts/${name}/report.json`, "damaged")
        }
        const { runs, warnings } = yield* newestPurposes(reports, "contacts")
        expect(runs.map(({ run }) =>
          run
        )).toEqual(names.slice(2).toReversed())
        expect(runs[0]).toMatchObject({ mode: "rehearsal", form: { id: "fm_1" } })
        expect(warnings).toEqual([expect.stringContaining(names[1] ?? "")])
        expect((yield* readAllReports(reports, "contacts")).warnings).toHaveLength(2)
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

  it.effect("a file under `latest` is found in its run's folder, and is kept, also if the reports are reached through a link", () =>
    inFolder((folder, fs) =>
      Effect.gen(function*() {
        const [reports, link] = [`${folder}/reports`, `${folder}/link`]
        yield* fs.symlink(reports, link)
        yield* Effect.forEach(["2026-r1", "2026-r2", "2026-r3"], (run) => leave(reports, { run }))
        yield* fs.writeFileString(`${reports}/contacts/2026-r1/rejected.csv`, "")
        yield* fs.remove(`${reports}/contacts/latest`)
        yield* fs.symlink("2026-r1", `${reports}/contacts/latest`)
        const found = yield* inRunFolder(reports, `${link}/contacts/latest/rejected.csv`)
        expect(found).toBe(`${reports}/contacts/2026-r1/rejected.csv`)
        expect(yield* inRunFolder(link, `${reports}/contacts/latest/rejected.csv`)).toBe(found)
        yield* fs.makeDirectory(`${folder}/data/2026`, { recursive: true })
        yield* fs.symlink("2026", `${folder}/data/latest`)
        const other = `${folder}/data/latest/a.csv`
        expect(yield* inRunFolder(reports, other)).toBe(other)
        yield* fs.remove(`${reports}/contacts/latest`)
        const read = [`${link}/contacts/2026-r1/rejected.csv`]
        expect(yield* dropOldReports(reports, "contacts", { runs: 1, days: undefined }, read)).toEqual(["2026-r2"])
      })
    ))

  it.effect("a pipeline that never ran has no reports, and a request for one gives advice", () =>
    inFolder((reports) =>
      Effect.gen(function*() {
        expect(yield* readAllReports(reports, "contacts")).toEqual({
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
