import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { findReport, redactReport } from "../../src/jobs/report.ts"
import { loadProject } from "../../src/project/loadProject.ts"
import { platform } from "../project/projectFolder.ts"
import { world } from "../run/world.ts"

const people = ["1,Ada Lovelace,ada@example.org", "2,Grace Hopper,not an address", "3,Alan Turing,alan@example.org"]
const values = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "not an address", "ada@example.org", "alan@example.org"]

const files = (folder: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const names = (yield* fs.readDirectory(folder)).filter((name) => /\.(html|json|csv)$/.test(name))
    return yield* Effect.forEach(names, (name) =>
      Effect.map(fs.readFileString(path.join(folder, name)), (text) => ({ name, text })))
  })

it.scopedLive("a report counts rows in doubt, sent rows, and the requests of each second", () =>
  Effect.gen(function*() {
    const { fail, run, source } = yield* world
    yield* source([...people, "4,Emmy Noether,emmy@example.org"])
    // The answer to the first create does not show whether anything was created.
    fail("POST", { status: 200, body: "{}" })
    const report = yield* run()
    expect(report.inDoubt).toMatchObject([{ count: 3, fresh: 3, acknowledged: 0 }])
    expect(report.sent).toBe(3)
    const { create, metadata, read } = report.requests
    const sum = (of: "create" | "metadata" | "read") =>
      report.pace?.buckets.reduce((all, bucket) => all + bucket[of], 0)
    expect([sum("create"), sum("metadata"), sum("read")]).toEqual([create, metadata, read])
  }).pipe(Effect.provide(platform)))

it.scopedLive("a run with --redact leaves no value in any file, and report --redact makes such a copy later", () =>
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    const path = yield* Path.Path
    yield* source(people)
    const masked = yield* run({ redact: true })
    expect(masked.values).toBe("masked")
    expect(masked.rows).toMatchObject({ read: 3, imported: 2, invalid: 1 })
    expect(JSON.stringify(masked)).not.toContain("not an address")
    expect(masked.next).toBe("formferry run people")
    const project = yield* loadProject(root)
    const first = yield* files(path.join(root, "reports", "people", masked.run))
    expect(first.map(({ name }) => name)).toHaveLength(6)

    const plain = yield* run()
    expect(plain.values).toBe("shown")
    const found = yield* findReport(project, "people", plain.run)
    const copy = yield* redactReport(project, found)
    expect(copy.report.values).toBe("masked")
    expect(copy.folder).toBe(path.join(found.folder, "redacted"))
    const second = yield* files(copy.folder)
    expect(second.map(({ name }) => name).toSorted()).toEqual(first.map(({ name }) => name).toSorted())
    for (const { name, text } of [...first, ...second]) {
      for (const value of values) expect(text.includes(value), `${value} in ${name}`).toBe(false)
    }
    // The same row has the same digests in both reports.
    const rejected = (all: typeof first) => all.find(({ name }) => name === "rejected.csv")?.text
    expect(rejected(second)).toBe(rejected(first))
    expect(rejected(first)).toMatch(/^No,Name,Mail,_id,_row,_key,_code,_column,_message,_masked\nhmac:/)

    // A report that the run already masked needs no copy. A different ledger can't make the same digests.
    const again = yield* redactReport(project, yield* findReport(project, "people", masked.run))
    expect(again.folder).toBe(path.join(root, "reports", "people", masked.run))
    const file = path.join(root, "other", "ledger.db")
    const options = Effect.succeed({ file, marks: { ledger: file, folders: [], write: true } })
    const elsewhere = { ...project, ledger: { name: file, options, storesReports: false } }
    const refused = yield* Effect.flip(redactReport(elsewhere, found))
    expect(refused._tag).toBe("LedgerRefused")
  }).pipe(Effect.provide(platform)))

it.scopedLive("the page of a run links its counts to its table of rows, if the table has rows with that fate", () =>
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    const path = yield* Path.Path
    const linked = (id: string) =>
      Effect.map(files(path.join(root, "reports", "people", id)), (all) => {
        const page = all.find(({ name }) => name === "report.html")?.text ?? ""
        const shown = [...page.matchAll(/href="#rows" data-what="([^"]+)">show them/g)].map(([, what]) => what)
        return { shown, hasTable: page.includes(' id="rows"') }
      })
    // Rows that are repeated unchanged need no review.
    yield* source([...people.slice(0, 1), ...people.slice(0, 1)])
    const repeated = yield* run()
    expect(repeated.rows).toMatchObject({ duplicate: 1, imported: 1 })
    expect(yield* linked(repeated.run)).toEqual({ shown: [], hasTable: false })
    yield* source([...people, ...people.slice(0, 1), "3,Alan T.,alan@example.org"])
    const different = yield* run()
    expect(different.rows).toMatchObject({ duplicate: 2, invalid: 1 })
    expect(yield* linked(different.run)).toEqual({ shown: ["invalid", "duplicate"], hasTable: true })
  }).pipe(Effect.provide(platform)))
