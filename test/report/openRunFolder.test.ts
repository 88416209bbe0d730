import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { SystemError } from "@effect/platform/Error"
import { describe, it } from "@effect/vitest"
import { Effect, Either, Exit, Fiber, Scope, Stream } from "effect"
import { basename } from "node:path"
import Papa from "papaparse"
import { expect } from "vitest"
import type { Difference } from "../../src/domain/report.ts"
import { type Holder, LockHolder } from "../../src/ledger/holder.ts"
import type { ImportedRow, InDoubtRow, RejectedRow } from "../../src/report/csvFiles.ts"
import { openRunFolder, type RunFolder } from "../../src/report/RunFolder.ts"
import { exampleReport } from "./exampleReport.ts"

const inFolder = <A, E, R>(use: (reports: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return yield* use(`${yield* fs.makeTempDirectoryScoped()}/reports`, fs)
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))

const rejected = (row: number, change: Partial<RejectedRow> = {}): RejectedRow => ({
  id: `r${row}`,
  row,
  key: `k${row}`,
  fate: "invalid",
  problems: [{ code: "not-a-date", column: "DOB", message: `row ${row} has no date` }],
  cells: [`k${row}`, "x"],
  needsReview: true,
  ...change,
})

const difference: Difference = {
  row: 5,
  key: "=k5",
  submissionId: "sub5",
  question: "q2",
  name: "Phone",
  verdict: "different",
  sent: "+49 30",
  returned: null,
  editLink: undefined,
}

const imported: ReadonlyArray<ImportedRow> = [
  {
    row: 1,
    key: "@a",
    submissionId: "s1",
    verdict: "verified",
    submissionTime: "2025-03-01T02:00:00.000Z",
    replaces: "s0",
  },
  { row: 2, key: "b", submissionId: "s2", verdict: "unread", submissionTime: undefined },
]

const inDoubt: ReadonlyArray<InDoubtRow> = [
  {
    row: 9,
    key: "k9",
    batch: 3,
    sentAt: "2025-03-01T02:00:30.000Z",
    reason: "The connection was lost.",
    cells: ["=k9"],
  },
]

const finish = (folder: RunFolder, change: Partial<Parameters<RunFolder["finish"]>[0]> = {}) =>
  folder.finish({
    report: exampleReport({ run: basename(folder.path) }),
    columns: ["id", "DOB"],
    imported: Stream.make(imported),
    inDoubt: Stream.make(inDoubt),
    fateOf: (row) => row,
    ...change,
  })

const run = { pipeline: "contacts", run: "r1" }

const cellsOf = (csv: string) => Papa.parse<Array<string>>(csv, { delimiter: ",", skipEmptyLines: true }).data

describe("the folder of a run", () => {
  it.effect("the folder contains every file, with rejected rows in row order and all their problems", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        yield* folder.reject([rejected(2), rejected(7)])
        yield* folder.reject([rejected(5, {
          key: undefined,
          problems: [
            { code: "required", column: "id", message: "id is empty" },
            { code: "conflict", message: "two answers" },
          ],
        })])
        yield* folder.reject([rejected(3, { fate: "changed", problems: [] })])
        yield* folder.differ([difference])
        yield* finish(folder)

        expect((yield* fs.readDirectory(folder.path)).toSorted()).toEqual(
          [
            "differences.csv",
            "imported.csv",
            "in-doubt.csv",
            "rejected.csv",
            "replaced.csv",
            "report.html",
            "report.json",
            "vanished.csv",
            "whole-form.csv",
          ],
        )
        expect(cellsOf(yield* fs.readFileString(`${folder.path}/rejected.csv`))).toEqual([
          ["id", "DOB", "_id", "_row", "_key", "_code", "_column", "_message"],
          ["k2", "x", "r2", "2", "k2", "not-a-date", "DOB", "row 2 has no date"],
          ["k3", "x", "r3", "3", "k3", "changed", "", ""],
          ["k5", "x", "r5", "5", "", "required · conflict", "id · ", "id is empty · two answers"],
          ["k7", "x", "r7", "7", "k7", "not-a-date", "DOB", "row 7 has no date"],
        ])
        expect(cellsOf(yield* fs.readFileString(`${folder.path}/in-doubt.csv`))).toEqual([
          ["id", "DOB", "_row", "_key", "_batch", "_sent_at", "_reason"],
          ["=k9", "", "9", "k9", "3", "2025-03-01T02:00:30.000Z", "The connection was lost."],
        ])
        expect(cellsOf(yield* fs.readFileString(`${folder.path}/differences.csv`))).toEqual([
          ["row", "key", "submission_id", "question", "name", "verdict", "sent", "returned", "edit_link"],
          ["5", "'=k5", "sub5", "q2", "Phone", "different", "'+49 30", "null", ""],
        ])
        expect(cellsOf(yield* fs.readFileString(`${folder.path}/imported.csv`))).toEqual([
          ["row", "key", "submission_id", "verdict", "submission_time", "replaces"],
          ["1", "'@a", "s1", "verified", "2025-03-01T02:00:00.000Z", "s0"],
          ["2", "b", "s2", "unread", "", ""],
        ])
      })
    ))

  it.effect("rejected.csv keeps repeated and empty titles, pads short rows, and keeps all cells of long rows", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        yield* folder.reject([rejected(1, { cells: ["a"] }), rejected(2, { cells: ["a", "b", "c", "d"] })])
        yield* finish(folder, { columns: ["same", "", "same"] })
        const [titles, short, long] = cellsOf(yield* fs.readFileString(`${folder.path}/rejected.csv`))
        expect(titles?.slice(0, 4)).toEqual(["same", "", "same", "_id"])
        expect(short?.slice(0, 4)).toEqual(["a", "", "", "r1"])
        expect(long?.slice(0, 4)).toEqual(["a", "b", "c", "r2"])
        expect(long?.slice(9)).toEqual(["d"])
      })
    ))

  it.effect("rejected.csv contains each row's final fate", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        yield* folder.reject([rejected(1), rejected(2), rejected(3)])
        const fateOf = (row: RejectedRow) =>
          row.row === 2 ? undefined : row.row === 3 ? rejected(3, { key: "other" }) : row
        const seen = yield* Stream.runFold(folder.rejected(fateOf), 0, (sum, rows) => sum + rows.length)
        expect(seen).toBe(2)
        yield* folder.reject([rejected(0)])
        yield* finish(folder, { fateOf })
        const lines = cellsOf(yield* fs.readFileString(`${folder.path}/rejected.csv`))
        expect(lines.slice(1).map((line) => [line[3], line[4]])).toEqual([["0", "k0"], ["1", "k1"], ["3", "other"]])
      })
    ))

  it.effect("the folder contains every CSV with its header, even without rows", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        yield* finish(folder, { imported: Stream.empty, inDoubt: Stream.empty })
        for (const name of ["rejected", "in-doubt", "differences", "imported"]) {
          expect(cellsOf(yield* fs.readFileString(`${folder.path}/${name}.csv`))).toHaveLength(1)
        }
      })
    ))

  it.effect("the folder contains report.json, with null for a field without a value", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        const report = exampleReport({ next: undefined })
        yield* finish(folder, { report })
        const json = JSON.parse(yield* fs.readFileString(`${folder.path}/report.json`)) as object
        expect(json).toMatchObject(JSON.parse(JSON.stringify(report, (_, value: unknown) => value ?? null)))
        expect(json).toMatchObject({ next: null, unchangedSince: null })
        // These names are public, so they are literal here.
        expect(Object.keys(json).slice(0, 18).join(" ")).toBe(
          "pipeline run mode form startedAt finishedAt outcome exitCode ledger acknowledged sources rows readBack balance requests problems differences discarded",
        )
        expect(json).toMatchObject({
          form: { service: "live", id: "fm_1", name: "Contact form" },
          ledger: { id: "led-1", lastIntent: 42 },
          sources: [{ file: "samples/contacts.csv", format: "csv", bytes: 2048, sha256: "a".repeat(64), rows: 1012 }],
          rows: { read: 1012, imported: 1006, invalid: 2 },
          readBack: { verified: 1005, differing: 1, missing: 0, unread: 0 },
          balance: { holds: true },
          problems: [{
            code: "not-a-date",
            column: "DOB",
            question: "q1",
            count: 2,
            examples: [{ row: 17, value: "31.02.1990" }],
          }],
          differences: [
            {
              row: 5,
              key: "k5",
              submissionId: "sub5",
              question: "q2",
              verdict: "absent",
              sent: "+49 30 123",
              returned: null,
            },
          ],
          discarded: [{ type: "Hologram", count: 3 }],
        })
      })
    ))

  it.effect("the folder is readable by its owner only", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const folder = yield* openRunFolder({ reports, ...run })
        yield* finish(folder)
        const mode = (path: string) => Effect.map(fs.stat(path), (info) => info.mode & 0o777)
        for (const path of [reports, `${reports}/contacts`, folder.path]) expect(yield* mode(path)).toBe(0o700)
        for (const name of yield* fs.readDirectory(folder.path)) {
          expect(yield* mode(`${folder.path}/${name}`)).toBe(0o600)
        }
      })
    ))

  it.effect("the folder is the target of `latest` after each run, unless something else has that name", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        for (const id of ["r1", "r2"]) {
          yield* finish(yield* openRunFolder({ reports, pipeline: "contacts", run: id }))
          expect(yield* fs.readLink(`${reports}/contacts/latest`)).toBe(id)
        }
        expect((yield* fs.readDirectory(`${reports}/contacts`)).toSorted()).toEqual(["latest", "r1", "r2"])
        yield* fs.makeDirectory(`${reports}/other/latest`, { recursive: true })
        yield* fs.writeFileString(`${reports}/other/latest/mine`, "x")
        yield* finish(yield* openRunFolder({ reports, pipeline: "other", run: "r1" }))
        expect((yield* fs.readDirectory(`${reports}/other`)).toSorted()).toEqual(["latest", "r1"])
        expect(yield* fs.readFileString(`${reports}/other/latest/mine`)).toBe("x")
      })
    ))

  it.effect("no file has its final name until the end, and a failure removes the whole folder", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const folder = yield* openRunFolder({ reports, ...run }).pipe(Scope.extend(scope))
        yield* folder.reject([rejected(1)])
        const failed = yield* Effect.either(finish(folder, { imported: Stream.fail("the ledger failed") }))
        expect(Either.isLeft(failed)).toBe(true)
        expect((yield* fs.readDirectory(folder.path)).every((name) => name.endsWith(".part"))).toBe(true)
        yield* Scope.close(scope, Exit.void)
        expect(yield* fs.readDirectory(`${reports}/contacts`)).toEqual([])
      })
    ))

  it.effect("no file gets its final name if a file can't be synced, and the error names that file", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const fault = new SystemError({ reason: "Unknown", module: "FileSystem", method: "sync", description: "EIO" })
        const faulty: FileSystem.FileSystem = {
          ...fs,
          open: (path, options) =>
            Effect.map(fs.open(path, options), (file) =>
              path.includes("differences.csv")
                ? new Proxy(file, {
                  get: (target, name) => name === "sync" ? Effect.fail(fault) : Reflect.get(target, name, target),
                })
                : file),
        }
        const folder = yield* openRunFolder({ reports, ...run }).pipe(
          Scope.extend(scope),
          Effect.provideService(FileSystem.FileSystem, faulty),
        )
        const failed = yield* Effect.flip(finish(folder))
        expect(failed).toMatchObject({ _tag: "ReportError", file: `${folder.path}/differences.csv` })
        expect((yield* fs.readDirectory(folder.path)).every((name) => name.endsWith(".part"))).toBe(true)
        expect(yield* fs.exists(`${reports}/contacts/latest`)).toBe(false)
        yield* Scope.close(scope, Exit.void)
        expect(yield* fs.readDirectory(`${reports}/contacts`)).toEqual([])
      })
    ))

  it.effect("the folder is cleaned up after an interrupt during writing", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.fork(Effect.scoped(Effect.gen(function*() {
          const folder = yield* openRunFolder({ reports, ...run })
          yield* finish(folder, { imported: Stream.concat(Stream.make(imported), Stream.never) })
        })))
        yield* Effect.repeat(fs.exists(`${reports}/contacts/r1/imported.csv.part`), { until: (there) => there })
        yield* Fiber.interrupt(fiber)
        expect(yield* fs.readDirectory(`${reports}/contacts`)).toEqual([])
      })
    ))

  it.effect("a run removes the folders of killed runs, but keeps complete files and the folders of live processes", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        const me = LockHolder.defaultValue()()
        const space = me.boot.split(" ")[1] ?? ""
        // The scope is never closed, as if the process was killed.
        const begin = (id: string, holder: Holder) =>
          Effect.gen(function*() {
            const folder = yield* Scope.extend(
              openRunFolder({ reports, pipeline: "contacts", run: id }),
              yield* Scope.make(),
            )
            yield* folder.reject([rejected(1)])
            yield* Effect.either(finish(folder, { imported: Stream.fail("killed") }))
            return folder.path
          }).pipe(Effect.provideService(LockHolder, () => holder))
        const ended = { pid: 2 ** 22 + 1, born: "1", boot: me.boot }
        yield* begin("same-boot", ended)
        yield* begin("reused-pid", { ...me, born: "1" })
        yield* begin("rebooted", { ...me, boot: `before ${space}` })
        yield* begin("live", me)
        yield* begin("container", { ...ended, boot: `${me.boot.split(" ")[0] ?? ""} pid:[1]` })
        const published = yield* begin("published", ended)
        yield* fs.rename(`${published}/imported.csv.part`, `${published}/imported.csv`)
        yield* fs.writeFileString(`${published}/differences.spool`, "")
        yield* fs.symlink("published", `${reports}/contacts/.latest-published`)

        yield* finish(yield* openRunFolder({ reports, pipeline: "contacts", run: "next" }))
        const left = yield* fs.readDirectory(`${reports}/contacts`)
        expect(left.filter((name) => !name.startsWith(".")).toSorted())
          .toEqual(["container", "latest", "live", "next", "published"])
        expect(left.filter((name) => name.startsWith(".")).map((name) => name.split(".").at(-1)).toSorted())
          .toEqual(["container", "live"])
        expect(yield* fs.readDirectory(`${reports}/contacts/live`)).toContain("imported.csv.part")
        expect(yield* fs.readDirectory(published)).toEqual(["imported.csv"])
      })
    ))

  it.effect("a folder is never written twice, and its names can't point outside the reports folder", () =>
    inFolder((reports, fs) =>
      Effect.gen(function*() {
        yield* finish(yield* openRunFolder({ reports, ...run }))
        const again = yield* Effect.flip(Effect.scoped(openRunFolder({ reports, ...run })))
        expect(again._tag).toBe("ReportError")
        expect(yield* fs.exists(`${reports}/contacts/r1/report.json`)).toBe(true)
        for (const name of ["..", ".", "", "a/b", "../../x", "a\u0000b"]) {
          const error = yield* Effect.flip(Effect.scoped(openRunFolder({ reports, pipeline: name, run: "r" })))
          expect(error._tag).toBe("ReportError")
        }
      })
    ))
})
