import { FileSystem } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { ProgressEvent } from "../../src/domain/progress.ts"
import { people, scoped, world } from "./world.ts"

scoped(
  "a dry run sends nothing, reports all problems, and leaves the ledger unchanged",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source([...people(1, 12), "13,Bad,not-an-address", ",No key,x@example.org"])
    const dry = yield* run({ dryRun: true })
    expect(dry).toMatchObject({
      mode: "dry-run",
      exitCode: 1,
      rows: { read: 14, pending: 12, invalid: 2 },
      ledger: { lastIntent: 0 },
      requests: { create: 0 },
    })
    expect(dry.problems.map((problem) => problem.code).toSorted()).toEqual(["missing-key", "not-an-email"])
    expect(names()).toEqual([])
  }),
)

scoped(
  "each phase of a run is shown from its start, and counts no more rows than it has",
  Effect.gen(function*() {
    const { run, source } = yield* world
    yield* source([...people(1, 30), "31,Bad,not-an-address", ...people(1, 5)])
    const events: Array<Pick<ProgressEvent, "phase" | "read" | "total">> = []
    yield* run({ progress: ({ phase, read, total }) => Effect.sync(() => void events.push({ phase, read, total })) })
    expect(new Set(events.map(({ phase }) => phase))).toEqual(new Set(["survey", "canary", "import", "report"]))
    expect(events.filter(({ read, total }) => total !== undefined && read > total)).toEqual([])
    expect(events.find(({ phase }) => phase === "canary")).toEqual({ phase: "canary", read: 0, total: 10 })
    expect(events.find(({ phase }) => phase === "import")).toEqual({ phase: "import", read: 10, total: 30 })
    expect(events.at(-1)).toEqual({ phase: "report", read: 0, total: undefined })
  }),
)

scoped(
  "a refused row names the question and column that the service refuses by position, also in later runs",
  Effect.gen(function*() {
    const { fail, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 2))
    const issues = [{ path: ["submissions", 1, "questions", 1, "value"], message: "Not accepted" }]
    fail("POST", { status: 400, body: JSON.stringify({ message: JSON.stringify(issues) }) })
    for (let time = 1; time <= 2; time++) {
      expect((yield* run()).problems).toMatchObject([{
        code: "refused",
        column: "Mail",
        question: "mail",
        examples: [{ row: 2, message: '"Mail": Not accepted' }],
      }])
    }
  }),
)

scoped(
  "the next command after a dry run or a run with a limit sends the other rows",
  Effect.gen(function*() {
    const { run, source } = yield* world
    yield* source(people(1, 4))
    for (const options of [{ dryRun: true }, { limit: 1 }]) {
      expect(yield* run(options)).toMatchObject({ exitCode: 0, next: "formferry run people" })
    }
    expect((yield* run()).next).toBeUndefined()
  }),
)

scoped(
  "a run with a limit leaves the other rows to the next run",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source(people(1, 40))
    expect(yield* run({ limit: 13 })).toMatchObject({ exitCode: 0, rows: { imported: 13, pending: 27 } })
    expect(yield* run({ limit: 3 })).toMatchObject({
      exitCode: 0,
      rows: { alreadyImported: 13, imported: 3, pending: 24 },
    })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 16, imported: 24 } })
    expect(new Set(names()).size).toBe(40)
    expect(names().length).toBe(40)
  }),
)

scoped(
  "of several rows with the same key, the imported one is known, and the others are duplicates or need review",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source(["1,Ada,a@example.org", "1,Ada,a@example.org", "2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2, duplicate: 1 } })
    yield* source(["1,Ada changed,a@example.org", "1,Ada,a@example.org", "2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { alreadyImported: 2, duplicate: 1, changed: 0 } })
    expect(names()).toEqual(["Ada", "Bob"])
  }),
)

scoped(
  "a row that was edited after its import is changed, is not sent, and needs review",
  Effect.gen(function*() {
    const { file, names, run, source } = yield* world
    yield* source(people(1, 20))
    yield* run()
    yield* source(["1,Somebody else,p1@example.org", ...people(2, 20)])
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 1, rows: { changed: 1, alreadyImported: 19 } })
    expect(yield* file(report, "rejected.csv")).toMatch(/1,Somebody else,p1@example.org,\w+,1,1,changed,/)
    expect(names().length).toBe(20)
  }),
)

scoped(
  "an added column and an edited mapping change no row, and the edit is reported once",
  Effect.gen(function*() {
    const { run, settings, source } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* source(people(1, 3).map((row) => `${row},new`), "No,Name,Mail,Added")
    yield* settings({ mail: ", required: true" })
    const edited = yield* run()
    expect(edited).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3 } })
    expect(edited.warnings.join("\n")).toContain("3 rows were imported under an earlier one")
    expect((yield* run()).warnings.join("\n")).not.toContain("The mapping was edited")
  }),
)

scoped(
  "a fixed rejected.csv is imported with --source, and the unfixed source of the next night sends nothing",
  Effect.gen(function*() {
    const { file, names, run, source, write } = yield* world
    yield* source([...people(1, 20), "21,Mistyped,nobody", ",Keyless,k@example.org"])
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { imported: 20, invalid: 2 } })
    const rejected = yield* file(first, "rejected.csv")
    yield* write("fixed.csv", rejected.replace("nobody", "nobody@example.org").replace("\n,Keyless", "\n22,Keyless"))
    const second = yield* run({ source: "fixed.csv" })
    expect(second).toMatchObject({ exitCode: 0, rows: { read: 2, imported: 2 }, readBack: { verified: 2 } })
    const night = yield* run()
    expect(night).toMatchObject({ exitCode: 0, rows: { read: 22, alreadyImported: 22 }, requests: { create: 0 } })
    expect(names().length).toBe(22)
  }),
)

scoped(
  "keys from content recognise an added row, and count identical rows",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    yield* settings({ rowKey: "content" })
    yield* source(["1,Ada,a@example.org", "1,Ada,a@example.org", "2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 3 } })
    yield* source(["1,Ada,a@example.org", "1,Ada,a@example.org", "2,Bob,b@example.org", "1,Ada,a@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3, imported: 1 } })
    expect(names()).toEqual(["Ada", "Ada", "Ada", "Bob"])
  }),
)

scoped(
  "a row that `where` skips does not change the keys from content of other rows",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    yield* settings({ rowKey: "content", source: ", where: { No: [complete] }" })
    yield* source(["complete,Ann,a@example.org", "complete,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* source(["draft,Ann,a@example.org", "complete,Ann,a@example.org", "complete,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2, filtered: 1, imported: 0 } })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a run is refused if keys from content can't distinguish new rows from imported ones after a column was mapped",
  Effect.gen(function*() {
    const { names, run, source, write } = yield* world
    const mapping = (more: string) =>
      write(
        "pipelines/people.yaml",
        `pipeline: people
source: { file: ../source.csv, rowKey: content }
mapping: { questions: [{ name: Name, from: Name }${more}], unmapped: ignore }
sink: { service: live, form: people }
`,
      )
    yield* mapping("")
    yield* source(["1,Ann,a@example.org", "2,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* mapping(", { name: Mail, from: Mail, as: email }")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
    yield* source(["3,Ann,d@example.org", "1,Ann,a@example.org", "2,Bob,b@example.org"])
    const refused = yield* run()
    expect(refused).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(refused.because.join(" ")).toContain(
      "Rows 1 and 2 have the same cells in the columns that the first run read",
    )
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

scoped(
  "a run is refused if `where` was edited and skips only one of two rows that keys from content can't distinguish",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    const read = (waves: string, rowKey = "content") => settings({ rowKey, source: `, where: { No: [${waves}] }` })
    yield* read("w1")
    yield* source(["w1,Ann,a@example.org", "w1,Bob,b@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 2 } })
    yield* source(["w1,Ann,a@example.org", "w1,Bob,b@example.org", "w2,Ann,a@example.org"])
    yield* read("w2")
    const refused = yield* run()
    expect(refused).toMatchObject({ exitCode: 2, requests: { create: 0 } })
    expect(refused.because.join(" ")).toContain("Rows 1 and 3 have the same cells")
    yield* read("w2", "[No, Name]")
    expect((yield* run()).because.join(" ")).toContain("Restore the earlier `where` and `empty`")
    yield* read("w1", "[No, Name]")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 2 } })
    yield* read("w2", "[No, Name]")
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 1, filtered: 2 } })
    expect(names()).toEqual(["Ann", "Ann", "Bob"])
  }),
)

scoped(
  "a row of rejected.csv whose _key a spreadsheet program changed is rejected",
  Effect.gen(function*() {
    const { file, names, run, source, write } = yield* world
    yield* source([...people(1, 20), "3-41,Mistyped,nobody"])
    const rejected = yield* file(yield* run(), "rejected.csv")
    const corrected = rejected.replace("nobody", "nobody@example.org")
    yield* write("fixed.csv", corrected.replaceAll("3-41", "03. 41"))
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 1, rows: { imported: 0, invalid: 1 } })
    yield* write("fixed.csv", corrected)
    expect(yield* run({ source: "fixed.csv" })).toMatchObject({ exitCode: 0, rows: { imported: 1 } })
    expect(names().length).toBe(21)
  }),
)

scoped(
  "the same pipeline imports all rows at a different destination, and reports this",
  Effect.gen(function*() {
    const { names, run, settings, source } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* settings({ form: "others" })
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 0, rows: { imported: 3 } })
    expect(report.warnings.join("\n")).toContain("its rows are new there")
    expect([names("people").length, names("others").length]).toEqual([3, 3])
  }),
)

scoped(
  "a lost answer puts its rows in doubt, and they are never resent, even if they are edited",
  Effect.gen(function*() {
    const { fail, file, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(people(1, 10))
    fail("POST", "lost")
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 4, outcome: "inDoubt", rows: { inDoubt: 10, imported: 0 } })
    expect((yield* file(first, "in-doubt.csv")).split("\n").length).toBe(12)
    yield* source(["1,Edited,p1@example.org", ...people(2, 12)])
    const second = yield* run()
    expect(second).toMatchObject({ exitCode: 4, rows: { inDoubt: 10, imported: 2 } })
    expect(names().length).toBe(12)
  }),
)

scoped(
  "`inDoubt: resend` resends a row in doubt exactly once",
  Effect.gen(function*() {
    const { fail, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, inDoubt: resend" })
    yield* source(people(1, 2))
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 } })
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 } })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 }, requests: { create: 0 } })
    expect(names().length).toBe(4)
  }),
)

scoped(
  "`inDoubt: resend` holds a row that would be sent with other answers than at first",
  Effect.gen(function*() {
    const { fail, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, inDoubt: resend" })
    yield* source(people(1, 2))
    fail("POST", "lost")
    yield* run()
    yield* source(["1,Edited,p1@example.org"])
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 1 }, requests: { create: 0 } })
    yield* source(people(1, 2))
    yield* settings({ sink: ", canary: off, inDoubt: resend", mail: ", onInvalid: drop" })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 2 }, requests: { create: 0 } })
    expect(names().length).toBe(2)
  }),
)

scoped(
  "a canary in doubt stops the run, and the next run tries other rows",
  Effect.gen(function*() {
    const { fail, names, run, source } = yield* world
    yield* source(people(1, 30))
    fail("POST", "lost")
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 10, pending: 20 } })
    expect(yield* run()).toMatchObject({ exitCode: 4, rows: { inDoubt: 10, imported: 20 } })
    expect(names().length).toBe(30)
  }),
)

const withoutLedger = (root: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(`${root}/.formferry`, { recursive: true }))

scoped(
  "a missing ledger is refused until a person accepts it, even by a dry run",
  Effect.gen(function*() {
    const { accept, names, root, run, source } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* withoutLedger(root)
    expect(yield* Effect.flip(run({ dryRun: true }))).toMatchObject({ _tag: "LedgerRefused" })
    expect(yield* Effect.flip(run())).toMatchObject({
      _tag: "LedgerRefused",
      message: expect.stringContaining("formferry accept people ledger --because TEXT"),
    })
    expect(names().length).toBe(3)
    expect(yield* accept("ledger")).toMatchObject({ what: expect.stringContaining("is not the one") })
    expect(yield* run({ dryRun: true })).toMatchObject({ rows: { pending: 3 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 3 } })
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { alreadyImported: 3 } })
  }),
)

scoped(
  "a missing ledger is refused even under a new name of the pipeline",
  Effect.gen(function*() {
    const { names, root, run, source, write } = yield* world
    yield* source(people(1, 3))
    yield* run()
    yield* withoutLedger(root)
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(`${root}/pipelines/people.yaml`)
    yield* write("pipelines/people.yaml", text.replace("pipeline: people", "pipeline: renamed\nrenamedFrom: people"))
    expect(yield* Effect.flip(run({ pipeline: "renamed" }))).toMatchObject({ _tag: "LedgerRefused" })
    expect(names().length).toBe(3)
  }),
)

const refusal = (index: number) => ({
  status: 400,
  body: JSON.stringify({
    statusCode: 400,
    error: "Bad Request",
    message: JSON.stringify([{
      path: ["submissions", index, "questions", 0, "value"],
      code: "invalid",
      message: "No",
    }]),
  }),
})

scoped(
  "a refused row named by the service is isolated, the rest of its batch is imported, and the row is retried only after a change",
  Effect.gen(function*() {
    const { fail, file, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, stopWhen: { refused: 50% }" })
    yield* source(people(1, 10))
    fail("POST", refusal(3))
    const first = yield* run()
    expect(first).toMatchObject({ exitCode: 1, rows: { imported: 9, refused: 1 } })
    expect(yield* file(first, "rejected.csv")).toMatch(/4,Person 4,p4@example.org,\w+,4,4,refused,/)
    expect(yield* run()).toMatchObject({
      exitCode: 1,
      rows: { alreadyImported: 9, refused: 1 },
      requests: { create: 0 },
    })
    expect(yield* run({ retryRefused: true })).toMatchObject({ exitCode: 0, rows: { alreadyImported: 9, imported: 1 } })
    expect(names().length).toBe(10)
  }),
)

scoped(
  "a refusal that names no row is isolated by halving the batch",
  Effect.gen(function*() {
    const { fail, names, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off, stopWhen: { refused: 50% }" })
    yield* source(people(1, 8))
    const unnamed = { status: 422, body: JSON.stringify({ message: "One of them is wrong" }) }
    fail("POST", unnamed, unnamed, unnamed, unnamed)
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { imported: 7, refused: 1 } })
    expect(names().length).toBe(7)
  }),
)

scoped(
  "a failed canary stays failed until something changes or a person accepts it",
  Effect.gen(function*() {
    const { accept, fail, names, run, source } = yield* world
    yield* source(people(1, 30))
    fail("POST", refusal(0))
    expect(yield* run()).toMatchObject({
      exitCode: 3,
      outcome: "stopped",
      rows: { imported: 9, refused: 1, pending: 20 },
      because: expect.arrayContaining([expect.stringContaining("formferry accept people canary --because TEXT")]),
    })
    expect(yield* run()).toMatchObject({
      exitCode: 3,
      rows: { pending: 20 },
      requests: { create: 0 },
      because: expect.arrayContaining([expect.stringContaining("formferry accept people canary --because TEXT")]),
    })
    expect(yield* accept("canary")).toMatchObject({ what: expect.stringContaining("1 row was refused") })
    expect(yield* run()).toMatchObject({
      exitCode: 1,
      rows: { alreadyImported: 9, imported: 20 },
    })
    expect(names().length).toBe(29)
    expect(yield* Effect.flip(accept("canary"))).toMatchObject({ code: "NothingToAccept" })
  }),
)

scoped(
  "a canary is accepted for its own mapping only, and can fail with a different mapping",
  Effect.gen(function*() {
    const { accept, fail, run, settings, source } = yield* world
    yield* source(people(1, 30))
    expect(yield* Effect.flip(accept("canary"))).toMatchObject({ code: "NothingToAccept" })
    fail("POST", refusal(0))
    expect(yield* run()).toMatchObject({ exitCode: 3 })
    yield* accept("canary")
    yield* settings({ mail: ", onInvalid: drop" })
    fail("POST", refusal(0))
    expect(yield* run()).toMatchObject({ exitCode: 3, rows: { imported: 9, refused: 1, pending: 11 } })
    expect(yield* run()).toMatchObject({ exitCode: 3, requests: { create: 0 } })
    yield* settings({})
    expect(yield* run()).toMatchObject({ exitCode: 0, rows: { imported: 12 } })
  }),
)

scoped(
  "too many invalid rows stop the run before anything is sent",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source([...people(1, 10), ...[11, 12, 13, 14].map((no) => `${no},Bad,bad`)])
    expect(yield* run()).toMatchObject({ exitCode: 3, rows: { invalid: 4, pending: 10 }, requests: { create: 0 } })
    expect(names()).toEqual([])
  }),
)

scoped(
  "bad rows that earlier runs reported do not stop later runs",
  Effect.gen(function*() {
    const { run, settings, source } = yield* world
    const bad = [11, 12, 13, 14].map((no) => `${no},Bad,bad`)
    yield* settings({ sink: ", stopWhen: { invalid: 50% }" })
    yield* source([...people(1, 10), ...bad])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { invalid: 4, imported: 10 } })
    yield* settings({})
    yield* source([...people(1, 10), ...bad, ...people(20, 29)])
    expect(yield* run()).toMatchObject({ exitCode: 1, rows: { invalid: 4, imported: 10 } })
  }),
)

scoped(
  "a run waits as the service asks, and no row is doubled",
  Effect.gen(function*() {
    const { fail, names, run, source } = yield* world
    yield* source(people(1, 5))
    fail("POST", { status: 429, body: "{}", headers: { "retry-after": "0" } })
    const report = yield* run()
    expect(report).toMatchObject({ exitCode: 0, rows: { imported: 5 }, requests: { create: 2, throttled: 1 } })
    expect(names().length).toBe(5)
  }),
)

scoped(
  "a run first reads submissions that an earlier run could not read back",
  Effect.gen(function*() {
    const { fail, run, source } = yield* world
    yield* source(people(1, 1))
    const down = { status: 403, body: "{}" }
    fail("GET", down)
    expect(yield* run()).toMatchObject({ exitCode: 5, rows: { imported: 1 }, readBack: { unread: 1 } })
    const next = yield* run()
    expect(next).toMatchObject({ exitCode: 0, rows: { alreadyImported: 1 }, requests: { create: 0, read: 1 } })
  }),
)

scoped(
  "a submission that can't be found is missing after the time it may take to become visible",
  Effect.gen(function*() {
    const { fail, run, source } = yield* world
    yield* source(people(1, 1))
    fail("GET", ...Array.from({ length: 20 }, () => ({ status: 404, body: "{}" })))
    expect(yield* run()).toMatchObject({ exitCode: 3, rows: { imported: 1 }, readBack: { missing: 1 } })
  }),
)

scoped(
  "after an interrupt no new rows are sent, sent rows are recorded, and the next run sends the rest",
  Effect.gen(function*() {
    const { names, run, source } = yield* world
    yield* source(people(1, 150))
    const stop = yield* Deferred.make<"SIGINT">()
    const interrupted = yield* run({
      progress: ({ sent }) => (sent >= 50 ? Effect.asVoid(Deferred.succeed(stop, "SIGINT")) : Effect.void),
      interrupted: Deferred.await(stop),
    })
    expect(interrupted).toMatchObject({ exitCode: 130, outcome: "interrupted", balance: { holds: true } })
    expect(interrupted.rows.imported).toBeGreaterThanOrEqual(50)
    expect(interrupted.rows.pending).toBeGreaterThan(0)
    expect(names().length).toBe(interrupted.rows.imported)
    const rest = yield* run()
    expect(rest).toMatchObject({ exitCode: 0, rows: { imported: interrupted.rows.pending } })
    expect(new Set(names()).size).toBe(150)
    expect(names().length).toBe(150)
  }),
)
