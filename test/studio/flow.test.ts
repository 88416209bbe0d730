import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Papa from "papaparse"
import { checkProject, checkStatus } from "../../src/jobs/check.ts"
import { resultsExport } from "../jobs/resultsExport.ts"
import { live, world } from "../run/world.ts"
import { pageOf, served } from "./opened.ts"

const confirming = (address: string) =>
  `services:
  live:
    baseUrl: ${address}
    apiKey: { env: THE_KEY }
    requestsPerSecond: 1000
`

/** Rows as the legacy program exported them, with one wrong address. */
const rows = [
  ["No", "Full name", "E-mail address", "Note"],
  ...Array.from({ length: 30 }, (_, at) => [`${at + 1}`, `Person ${at + 1}`, `P${at + 1}@EXAMPLE.org`, "internal"]),
  ["31", "Bad", "not-an-address", "internal"],
]
const source = Papa.unparse(rows)

/** The answers that the form must have in the end, by an independent reading of the rows: only the domains of addresses change. */
const expected = [...rows.slice(1, -1), ["31", "Bad", "bad@example.org"]]
  .map(([, name, mail]) => `${name} ${mail?.replace("EXAMPLE", "example")}`).toSorted()

live(
  "a file becomes a pipeline that is checked, rehearsed and run, and after a fix and a settlement, the form has every row once",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { address, fail, practice, root, write } = yield* world
    yield* write("config/formferry.yaml", confirming(address))
    yield* fs.remove(path.join(root, "pipelines/people.yaml"))
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call, send } = await pageOf(studio)
      const uploaded = await send("project/upload?name=legacy.csv", source)
      expect(uploaded).toEqual({ file: "sources/legacy.csv" })
      const { text: first, version, ...made } = await call("project", "create", {
        pipeline: "people",
        source: uploaded.file,
        service: "live",
        form: "people",
      })
      expect(made).toMatchObject({ pipeline: "people", file: "pipelines/people.yaml" })
      const draft = (text: string) => ({ pipeline: "people", text })

      const survey = await call("draft", "survey", { ...draft(first), whole: false })
      expect(survey).toMatchObject({ rows: 31, isWhole: true })
      expect(survey.columns.map(({ title, fill }) => [title, fill])).toEqual([
        ["No", 1],
        ["Full name", 1],
        ["E-mail address", 1],
        ["Note", 1],
      ])
      const columns = survey.questions.map(({ candidates, id }) => [id, candidates[0]?.columns])
      // As in the text, no confidence is 1.
      for (const { candidates } of survey.questions) expect(candidates[0]?.confidence ?? 0).toBeLessThanOrEqual(0.99)
      expect(columns).toEqual([["name", [2]], ["mail", [3]]])

      let text = first
      const edit = async (operation: Parameters<typeof call<"draft", "edit">>[2]["operation"]) => {
        text = (await call("draft", "edit", { ...draft(text), operation })).text
      }
      await edit({ _tag: "Map", question: "name", columns: [2], answers: {} })
      await edit({ _tag: "Map", question: "mail", columns: [3], answers: {} })
      await edit({ _tag: "IgnoreColumn", column: "Note" })
      await edit({ _tag: "SetRowKey", columns: ["No"] })
      // A lost answer to the canary would stop the run.
      text = text.replace("sink:\n", "sink:\n  canary: off\n")
      const state = await call("draft", "state", draft(text))
      expect(state).toMatchObject({ diagnostics: [], failures: [], unused: [], rowKey: ["No"] })
      expect(state.questions.map(({ from, id, state }) => [id, state, from])).toEqual([
        ["name", "mapped", [2]],
        ["mail", "mapped", [3]],
      ])
      const { rows: shown } = await call("draft", "preview", { ...draft(text), row: 31, rows: 1 })
      expect(shown).toMatchObject([{ key: "31", valid: false, answers: [{ value: "Bad" }, {}] }])
      expect(await call("draft", "counts", { ...draft(text), whole: false })).toMatchObject({ rows: 31, invalid: 1 })
      await call("draft", "save", { ...draft(text), version })
    })
    expect(checkStatus(yield* checkProject(root, ["people"]))).toBe(0)
    yield* Effect.promise(async () => {
      const { call, done, follow, send } = await pageOf(studio)
      expect(await done({ pipeline: "people", mode: "check" })).toMatchObject({ exitCode: 0 })
      expect(await done({ pipeline: "people", mode: "rehearsal" })).toMatchObject({
        exitCode: 1,
        word: { title: "Rows need review" },
      })
      expect(practice.count("people")).toBe(0)
      const rehearsed = (await call("results", "report", { pipeline: "people" })).report.run
      expect(await call("results", "rejected", { pipeline: "people", run: rehearsed, rows: 10 }))
        .toMatchObject({
          total: 1,
          unfixable: "A rehearsal sends nothing: fix the source, or the rows of a run.",
        })

      // The answer to one batch is lost, although the service created its submissions.
      fail("POST", "lost")
      const { id } = await call("runs", "start", { pipeline: "people", mode: "run" })
      const asking = (await follow(id, ({ state }) => state._tag === "Asking")).at(-1)?.state
      expect(asking).toMatchObject({ question: { service: "live", form: { id: "people" }, rows: 30 } })
      await expect(call("runs", "answer", { job: id, service: "Live" })).rejects.toThrow("type live")
      expect(practice.count("people")).toBe(0)
      await call("runs", "answer", { job: id, service: "live" })
      const states = await follow(id)
      const end = states.at(-1)
      expect(end?.state).toMatchObject({ _tag: "Ended", exitCode: 4 })
      expect(end?.progress).toMatchObject({ fates: { invalid: 1, inDoubt: 10, imported: 20 }, inFlight: 0 })
      expect(practice.count("people")).toBe(30)

      // A page that is opened later shows the same result.
      const other = await pageOf(studio)
      expect((await other.follow(id)).at(-1)).toEqual(end)

      const doubts = await call("results", "doubts", { pipeline: "people" })
      expect(doubts).toMatchObject({ left: 10, rows: expect.objectContaining({ length: 10 }) })
      const settled = await send(
        "results/settle?pipeline=people&name=results.csv",
        resultsExport(practice.submissions("people")),
      )
      expect(settled).toMatchObject({
        done: ["10 rows landed, nothing is left in doubt.", expect.any(String)],
        left: 0,
      })

      const { report } = await call("results", "report", { pipeline: "people" })
      expect(report.rows.invalid).toBe(1)
      const of = { pipeline: "people", run: report.run }
      const table = await call("results", "rejected", { ...of, rows: 10 })
      expect(table).toMatchObject({
        columns: ["No", "Full name", "E-mail address", "Note"],
        total: 1,
        isFixed: false,
        rows: [{
          row: "31",
          wrong: ["E-mail address"],
          cells: ["31", "Bad", "not-an-address", "internal"],
        }],
      })
      expect(table).not.toHaveProperty("unfixable")
      const cells = [{ row: table.rows[0]!.name, column: 2, text: "bad@example.org" }]
      await call("results", "fix", { ...of, version: table.version, cells })
      const others = [{ ...cells[0]!, text: "other@example.org" }]
      await expect(call("results", "fix", { ...of, version: table.version, cells: others })).rejects.toMatchObject({
        status: 422,
      })
      expect(await call("results", "rejected", { ...of, rows: 10 })).toMatchObject({
        isFixed: true,
        rows: [{ cells: ["31", "Bad", "bad@example.org", "internal"] }],
      })
      const fixing = await call("runs", "start", { pipeline: "people", mode: "run", fixedOf: report.run })
      await follow(fixing.id, ({ state }) => state._tag === "Asking")
      await call("runs", "answer", { job: fixing.id, service: "live" })
      expect((await follow(fixing.id)).at(-1)?.state).toMatchObject({ exitCode: 0, word: { title: "Complete" } })
    })
    const stored = practice.submissions("people").map(({ questions }) =>
      Object.fromEntries(questions.map(({ id, value }) => [id, value]))
    )
    expect(stored.map(({ mail, name }) => `${name} ${mail}`).toSorted()).toEqual(expected)
  }),
)

live(
  "an internal error comes with what it means, and with the command that shows where it happened",
  Effect.gen(function*() {
    const { root } = yield* world
    const guard = (): never => {
      throw new Error("The cell says ann@example.org")
    }
    const { done } = yield* Effect.flatMap(served(root, { guard }), (studio) => Effect.promise(() => pageOf(studio)))
    for (
      const [mode, words] of [["check", "check"], ["rehearsal", "rehearse"], ["dry-run", "run"], [
        "run",
        "run",
      ]] as const
    ) {
      const end = yield* Effect.promise(() => done({ pipeline: "people", mode }))
      expect(end).toMatchObject({
        exitCode: 70,
        message: expect.stringMatching(
          /^This is an internal error of formferry\. The ledger has a record of everything/,
        ),
        next: `formferry ${words} people ${mode === "dry-run" ? "--dry-run " : ""}--log-level debug`,
      })
      expect(JSON.stringify(end)).not.toContain("ann@example.org")
    }
  }),
)

live(
  "rejected rows can't be sent before the rows with the same key were sent",
  Effect.gen(function*() {
    const { root, run, settings, source } = yield* world
    yield* settings({ sink: ", canary: off" })
    yield* source(["1,Ann,a@example.org", "2,Cy,c@example.org", "2,Bob,b@example.org"])
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const unfixable = (options: NonNullable<Parameters<typeof run>[0]>) =>
      Effect.gen(function*() {
        const report = yield* run(options)
        expect(report.rows.duplicate).toBe(1)
        const of = { pipeline: "people", run: report.run, rows: 10 }
        return (yield* Effect.promise(() => call("results", "rejected", of))).unfixable
      })
    expect(yield* unfixable({ dryRun: true })).toMatch(/^A dry run sends nothing/)
    expect(yield* unfixable({ limit: 1 })).toMatch(/^This run did not send all of its rows\./)
    expect(yield* unfixable({})).toBeUndefined()
  }),
)

live(
  "an unreadable row is sent once it has no damaged character, and a row that was sent is shown as such and not sent again",
  Effect.gen(function*() {
    const { names, root, run, settings, source, write } = yield* world
    yield* settings({ rowKey: "content" })
    yield* source(["1,Ann,a@example.org"])
    const damaged = "No,Name,Mail\n1,Ann,a@example.org\n2,Zoë,z@example.org\n3,caf\xe9,caf\xe9@example.org\n"
    yield* write(
      "source.csv",
      Buffer.concat([Buffer.from("\ufeff"), Buffer.from(damaged.replace("Zoë", "Zoe"), "latin1")]),
    )
    const report = yield* run()
    expect(report.rows).toMatchObject({ imported: 2, invalid: 1 })
    const { call, done } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const of = { pipeline: "people", run: report.run }
      const fix = async (column: number, text: string) => {
        const { rows, version } = await call("results", "rejected", { ...of, rows: 10 })
        await call("results", "fix", { ...of, version, cells: [{ row: rows[0]!.name, column, text }] })
        await done({ pipeline: "people", mode: "run", fixedOf: report.run })
        return (await call("results", "rejected", { ...of, rows: 10 })).rows[0]
      }
      expect(await fix(1, "caf\ufffd")).toMatchObject({ isUnread: true, isSent: false })
      expect(await fix(1, "cafe")).toMatchObject({ isUnread: true, isSent: false })
      expect(names()).toEqual(["Ann", "Zoe"])
      expect(await fix(2, "cafe@example.org")).toMatchObject({ isUnread: false, isSent: true })
      expect(await fix(1, "Café")).toMatchObject({ isSent: true })
    })
    expect(names()).toEqual(["Ann", "Zoe", "cafe"])
  }),
)

live(
  "a row with too many cells comes with those beyond the header, and is sent without them after a fix",
  Effect.gen(function*() {
    const { names, root, run, source } = yield* world
    yield* source(["1,Ann,a@example.org", "2,Bob, the second,b@example.org"])
    const report = yield* run()
    expect(report.rows.invalid).toBe(1)
    const { call, done } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const of = { pipeline: "people", run: report.run }
      const { rows, version } = await call("results", "rejected", { ...of, rows: 10 })
      expect(rows).toMatchObject([{ cells: ["2", "Bob", " the second"], beyond: ["b@example.org"], wrong: [] }])
      const cells = [{ row: rows[0]!.name, column: 2, text: "b@example.org" }]
      await call("results", "fix", { ...of, version, cells })
      const fixed = await call("results", "rejected", { ...of, rows: 10 })
      expect(fixed.rows).toMatchObject([{ cells: ["2", "Bob", "b@example.org"], beyond: [] }])
      expect(await done({ pipeline: "people", mode: "run", fixedOf: report.run })).toMatchObject({ exitCode: 0 })
    })
    expect(names()).toEqual(["Ann", "Bob"])
  }),
)

live(
  "fixed cells are saved in their own rows after someone has sorted the lines, and refused if a row was deleted",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(["1,Ann,not-an-address", "2,Bob,nowhere", "3,Cy,none"])
    const of = { pipeline: "people", run: (yield* run()).run, rows: 10 }
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const { rows, version } = await call("results", "rejected", of)
      const cell = (at: number, text: string) => ({ row: rows[at]!.name, column: 2, text })
      await call("results", "fix", { ...of, version, cells: [cell(0, "ann@example.org")] })
      const file = join(root, "reports", "people", of.run, "rejected-fixed.csv")
      const [titles = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n")
      writeFileSync(file, [titles, ...lines.toReversed(), "4,Dan,no,,,,,,", "5,Eve,no,,,,,,"].join("\n"))
      const sorted = await call("results", "rejected", of)
      const added = { row: sorted.rows[4]!.name, column: 2, text: "eve@example.org" }
      await call("results", "fix", {
        ...of,
        version: sorted.version,
        cells: [cell(0, "a@example.org"), cell(1, "b@example.org"), added],
      })
      const fixed = await call("results", "rejected", of)
      expect(fixed.rows.map(({ cells }) => cells.join())).toEqual([
        "3,Cy,none",
        "2,Bob,b@example.org",
        "1,Ann,a@example.org",
        "4,Dan,no",
        "5,Eve,eve@example.org",
      ])
      writeFileSync(file, [titles, ...lines.slice(0, 2)].join("\n"))
      const shorter = (await call("results", "rejected", of)).version
      await expect(call("results", "fix", { ...of, version: shorter, cells: [cell(2, "c@example.org")] })).rejects
        .toThrow("The file no longer has a row whose cells you changed.")
    })
  }),
)

live(
  "a run of fixed rows that can't be read ends with exit code 2, as with any other source",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(["1,Ann,nowhere"])
    const report = yield* run()
    const { done } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      mkdirSync(join(root, "reports", "people", report.run, "rejected-fixed.csv"))
      const fixing = { pipeline: "people", mode: "run", fixedOf: report.run } as const
      expect(await done(fixing)).toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/^rejected-fixed\.csv can't be read: /),
      })
    })
  }),
)

live(
  "the rejected rows of a masked report come with the reason why they can't be fixed",
  Effect.gen(function*() {
    const { root, run, source } = yield* world
    yield* source(["1,Bad,not-an-address"])
    const report = yield* run({ redact: true })
    expect(report.rows.invalid).toBe(1)
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const of = { pipeline: "people", run: report.run, rows: 10 }
    expect(yield* Effect.promise(() => call("results", "rejected", of))).toMatchObject({
      total: 1,
      unfixable: "This report has digests in place of values, so its rows can't be fixed.",
    })
  }),
)

live(
  "a run that leaves dumps unread and has no row that needs review needs a decision",
  Effect.gen(function*() {
    const { root, settings, write } = yield* world
    mkdirSync(join(root, "dumps"))
    yield* settings({ file: "{ glob: ../dumps/*.csv, take: newest }" })
    const { call, done } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const dump = (day: number) => write(`dumps/2026-11-0${day}.csv`, `No,Name,Mail\n${day},Ann,ann@example.org\n`)
    yield* dump(1)
    expect(yield* Effect.promise(() => done({ pipeline: "people", mode: "run" }))).toMatchObject({ exitCode: 0 })
    yield* dump(2)
    yield* dump(3)
    expect(yield* Effect.promise(() => done({ pipeline: "people", mode: "run" }))).toMatchObject({
      exitCode: 1,
      word: { title: "Needs your decision" },
      message: expect.stringMatching(/^Needs your decision\. /),
    })
    const { report, runs } = yield* Effect.promise(() => call("results", "report", { pipeline: "people" }))
    for (const one of [report, runs[0]]) expect(one).toMatchObject({ outcome: "attention", needReview: 0 })
    const decision = { title: "Needs your decision" }
    const { pipelines } = yield* Effect.promise(() => call("project", "home", {}))
    expect(pipelines[0]).toMatchObject({ state: decision, standings: [{ runs: [{ state: decision }, {}] }] })
  }),
)
