import { FileSystem, Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { live, world } from "../run/world.ts"
import { pageOf, served, withDraft } from "./opened.ts"

/** Returns a file with this many valid rows. */
const csvOf = (rows: number) =>
  ["No,Name,Mail", ...Array.from({ length: rows }, (_, at) => `${at + 1},Person,p${at}@example.org`)].join("\n")

const commented = `# Our people. Ask Ada before you change this.
pipeline: people
source:
  file: ../source.csv   # from the old program
  rowKey: [No]
mapping:
  questions:
    # Names are as typed.
    - id: name
      from: Name
    - id: mail
      from: Mail
      as: email   # checked
sink:
  service: live
  form: people
`

live(
  "edits keep every other line of a pipeline's text, and nothing is written before it is saved",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    yield* source(["1,Ada,ada@example.org"], "No,Name,Mail,Born,Left")
    yield* write("pipelines/people.yaml", commented)
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call } = await pageOf(studio)
      const { text, version } = await call("draft", "open", { pipeline: "people" })
      expect(text).toBe(commented)
      const edit = async (from: string, operation: Parameters<typeof call<"draft", "edit">>[2]["operation"]) =>
        (await call("draft", "edit", { pipeline: "people", text: from, operation })).text
      const ignored = await edit(text, { _tag: "IgnoreColumn", column: "Born" })
      expect(ignored).toBe(commented.replace("sink:\n", "  ignore: [Born]\nsink:\n"))
      expect(await edit(ignored, { _tag: "IgnoreColumn", column: "Left" })).toBe(
        commented.replace("sink:\n", "  ignore: [Born, Left]\nsink:\n"),
      )
      expect(await edit(text, { _tag: "SetRowKey", columns: ["No", "Mail"] })).toBe(
        commented.replace("rowKey: [No]", "rowKey: [No, Mail]"),
      )
      expect(await edit(text, { _tag: "Unmap", question: "mail" })).toBe(
        commented.replace("    - id: mail\n      from: Mail\n      as: email   # checked\n", ""),
      )
      const choice = { _tag: "SetChoice", question: "mail", choice: "a: b" } as const
      const chosen = await edit(text, { ...choice, option: "Red # 1" })
      expect(chosen).toBe(
        commented.replace("# checked\n", '# checked\n      values:\n        "a: b": "Red # 1"\n'),
      )
      expect(await edit(chosen, { ...choice, option: null })).toBe(chosen.replace('"Red # 1"', "null"))
      const state = await call("draft", "state", { pipeline: "people", text })
      expect(state).toMatchObject({ unused: [4, 5], rowKey: ["No"] })
      expect(state.diagnostics[0]).toMatchObject({ severity: "warning", file: "pipelines/people.yaml" })
      expect(state.questions).toMatchObject([{ id: "name", line: 9 }, { id: "mail", line: 11, as: "email" }])
      const broken = await call("draft", "state", { pipeline: "people", text: `${text}  form: twice\n` })
      expect(broken.diagnostics).toContainEqual(expect.objectContaining({ severity: "error" }))
      expect((await call("draft", "open", { pipeline: "people" })).version).toBe(version)
    })
  }),
)

live(
  "a question that gets the texts of a different one counts as answered",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    yield* source(["1,Ada,ada@example.org"])
    const redirects = "      as: choice\n      options: [Ada]\n      otherwise: { use: Ada, textTo: Mail }\n"
    const text = commented.replace("    - id: mail\n      from: Mail\n      as: email   # checked\n", redirects)
    yield* write("pipelines/people.yaml", text)
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    const state = yield* Effect.promise(() => call("draft", "state", { pipeline: "people", text }))
    expect(state.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    expect(state.questions).toMatchObject([
      { id: "name", state: "mapped", line: 9 },
      { id: "mail", state: "redirected", from: [], shown: "Name", line: 9 },
    ])
  }),
)

live(
  "a file that someone else changed is not overwritten, and the answer contains its text",
  Effect.gen(function*() {
    const { root, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    const studio = yield* served(root)
    const [first, second] = yield* Effect.promise(async () => [await pageOf(studio), await pageOf(studio)] as const)
    const opened = yield* Effect.promise(() => second.call("draft", "open", { pipeline: "people" }))
    const saved = yield* Effect.promise(() =>
      first.call("draft", "save", { ...opened, text: commented.replace("Ada", "Grace") })
    )
    yield* Effect.promise(() =>
      expect(second.call("draft", "save", { ...opened, text: commented })).rejects.toMatchObject({
        status: 422,
        content: { code: "FileChanged", text: saved.text, version: saved.version },
      })
    )
    // A second save of the same text, as after a double click.
    expect(
      yield* Effect.promise(() => second.call("draft", "save", { ...opened, text: saved.text })),
    ).toMatchObject({ version: saved.version })
    // Even a file that can't be read as YAML can be opened and repaired.
    yield* write("pipelines/people.yaml", "pipeline: [\n")
    const broken = yield* Effect.promise(() => first.call("draft", "open", { pipeline: "people" }))
    expect(broken.text).toBe("pipeline: [\n")
    yield* Effect.promise(() => first.call("draft", "save", { ...broken, text: commented }))
    expect((yield* Effect.promise(() => first.call("draft", "open", { pipeline: "people" }))).text).toBe(commented)
  }),
)

live(
  "a draft whose file was deleted is not saved, and the answer says how to keep its text",
  Effect.gen(function*() {
    const { root } = yield* world
    yield* withDraft(root, async ({ call }, draft) => {
      const { version } = await call("draft", "open", draft)
      rmSync(join(root, "pipelines/people.yaml"))
      await expect(call("draft", "save", { ...draft, version })).rejects.toMatchObject({
        content: {
          message: expect.stringMatching(
            /^No file in pipelines\/ is called people any more.*Nothing was saved.*copy it/,
          ),
        },
      })
      expect(readdirSync(join(root, "pipelines"))).toEqual([])
    })
  }),
)

live(
  "of two saves at the same time, one is written and the other one is refused",
  Effect.gen(function*() {
    const { root, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      let { version } = await call("draft", "open", { pipeline: "people" })
      for (let round = 1; round <= 20; round++) {
        const texts = ["Ada", "Grace"].map((name) => commented.replace("Ada", `${name} ${round}`))
        const saves = texts.map((text) => call("draft", "save", { pipeline: "people", text, version }))
        const ended = await Promise.allSettled(saves)
        expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
        const saved = await call("draft", "open", { pipeline: "people" })
        expect(saved.text).toBe(texts[ended.findIndex(({ status }) => status === "fulfilled")])
        version = saved.version
      }
    })
  }),
)

live(
  "a save leaves a file alone that a different process is writing, and no file of its own",
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { root, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* write("pipelines/people.yaml.part", "theirs")
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const { version } = await call("draft", "open", { pipeline: "people" })
      await call("draft", "save", { pipeline: "people", text: `${commented}# mine\n`, version })
    })
    const folder = path.join(root, "pipelines")
    expect((yield* fs.readDirectory(folder)).toSorted()).toEqual(["people.yaml", "people.yaml.part"])
    expect(yield* fs.readFileString(path.join(folder, "people.yaml.part"))).toBe("theirs")
    expect(yield* fs.readFileString(path.join(folder, "people.yaml"))).toBe(`${commented}# mine\n`)
  }),
)

live(
  "the studio of a project has the same address each time, unless its port is used",
  Effect.gen(function*() {
    const { root } = yield* world
    const origin = Effect.map(served(root, { port: undefined }), (studio) => studio.origin)
    const first = yield* Effect.scoped(origin)
    expect(yield* origin).toBe(first)
    expect(yield* origin).not.toBe(first)
  }),
)

live(
  "a file keeps its line ends, and its text counts as unchanged until someone edits it",
  Effect.gen(function*() {
    const { root, write } = yield* world
    const own = commented.replaceAll("\n", "\r\n")
    yield* write("pipelines/people.yaml", own)
    const { call } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const opened = await call("draft", "open", { pipeline: "people" })
      expect(opened.text).toBe(commented)
      const file = () => readFileSync(join(root, "pipelines/people.yaml"), "utf8")
      const saved = await call("draft", "save", opened)
      expect(file()).toBe(own)
      await call("draft", "save", { ...saved, text: opened.text.replace("Ask Ada", "Ask Grace") })
      expect(file()).toBe(own.replace("Ask Ada", "Ask Grace"))
    })
  }),
)

live(
  "a new name is not saved if the ledger would not recognise the rows, and with `renamedFrom`, no row is sent again",
  Effect.gen(function*() {
    const { names, root, run, source, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* write("pipelines/taken.yaml", commented.replace("pipeline: people", "pipeline: taken"))
    yield* source(["1,Ada,ada@example.org", "2,Bob,bob@example.org"])
    yield* run()
    const { call, done } = yield* Effect.flatMap(served(root), (studio) => Effect.promise(() => pageOf(studio)))
    yield* Effect.promise(async () => {
      const opened = await call("draft", "open", { pipeline: "people" })
      const named = (name: string) => ({
        ...opened,
        text: opened.text.replace("pipeline: people", `pipeline: ${name}`),
      })
      await expect(call("draft", "save", named("taken"))).rejects.toMatchObject({
        content: { code: "NameRefused", message: expect.stringContaining("pipelines/taken.yaml is called taken, too") },
      })
      await expect(call("draft", "save", named("persons"))).rejects.toMatchObject({
        content: { code: "NameRefused", message: expect.stringContaining(`write "renamedFrom: people"`) },
      })
      expect(await call("draft", "open", { pipeline: "people" })).toEqual(opened)
      const saved = await call("draft", "save", named("persons\nrenamedFrom: people"))
      expect(saved).toMatchObject({ pipeline: "persons", file: "pipelines/people.yaml" })
      const draft = { pipeline: "persons", text: saved.text }
      expect(await call("draft", "state", draft)).toMatchObject({ diagnostics: [], failures: [] })
      expect(await call("draft", "save", saved)).toEqual(saved)
      expect(await done({ pipeline: "persons", mode: "run" })).toMatchObject({ word: { title: "Complete" } })
    })
    expect(names()).toEqual(["Ada", "Bob"])
  }),
)

live(
  "the first rows give provisional figures, all rows give the final ones, and closing the page disturbs nothing",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* source(Array.from({ length: 15_000 }, (_, at) => `${at + 1},Person,${at < 12_000 ? "p@example.org" : "?"}`))
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call, leaving } = await pageOf(studio)
      const draft = { pipeline: "people", text: commented }
      expect(await call("draft", "counts", { ...draft, whole: false })).toMatchObject({
        rows: 10_000,
        invalid: 0,
        isWhole: false,
      })
      expect(await call("draft", "survey", { ...draft, whole: false })).toMatchObject({ rows: 10_000, isWhole: false })
      expect(await call("draft", "counts", { ...draft, whole: true })).toMatchObject({
        rows: 15_000,
        invalid: 3_000,
        isWhole: true,
      })
      const leave = leaving("draft/counts", { ...draft, whole: true })
      // Long enough that the reading has started.
      await after(20)
      await leave()
      const later = await call("draft", "preview", { ...draft, row: 14_000, rows: 1 })
      expect(later.rows).toMatchObject([{ row: 14_000, valid: false }])
    })
  }),
)

live(
  "a new pipeline reports the rows that it reads, and keeps the survey of all rows for its map",
  Effect.gen(function*() {
    const { root } = yield* world
    const studio = yield* served(root, { maxUpload: Infinity })
    yield* Effect.promise(async () => {
      const { call, send } = await pageOf(studio)
      const { file } = await send("project/upload?name=rows.csv", csvOf(30_000))
      const about = { pipeline: "fresh", source: file, service: "live", form: "people" }
      const read: Array<number | undefined> = []
      const making = call("project", "create", about)
      while (await Promise.race([making.then(() => false), after(20).then(() => true)])) {
        read.push((await call("project", "reading", { pipeline: "fresh" })).rows)
      }
      const made = await making
      expect(read.some((rows = 0) => rows > 0)).toBe(true)
      expect(await call("project", "reading", { pipeline: "fresh" })).toEqual({})
      const survey = await call("draft", "survey", { pipeline: "fresh", text: made.text, whole: false })
      expect(survey).toMatchObject({ rows: 30_000, isWhole: true })
    })
  }),
)

live(
  "a new pipeline that is cancelled is not read any further, and its uploaded copy is removed unless a pipeline uses it",
  Effect.gen(function*() {
    const { root } = yield* world
    const studio = yield* served(root, { maxUpload: Infinity })
    const stored = () => readdirSync(join(root, "sources")).filter((name) => !name.startsWith("."))
    yield* Effect.promise(async () => {
      const { call, leaving, send } = await pageOf(studio)
      const about = { pipeline: "fresh", service: "live", form: "people" }
      const { file } = await send("project/upload?name=rows.csv", csvOf(150_000))
      const leave = leaving("project/create", { ...about, source: file })
      const read = async () => (await call("project", "reading", { pipeline: "fresh" })).rows ?? 0
      await expect.poll(read, { timeout: 30_000 }).toBeGreaterThan(0)
      await leave()
      await expect.poll(stored, { timeout: 30_000 }).toEqual([])
      expect(await read()).toBe(0)
      expect(existsSync(join(root, "pipelines/fresh.yaml"))).toBe(false)
      await expect(call("project", "create", { ...about, source: file })).rejects.toThrow("no uploaded file")

      const used = await send("project/upload?name=used.csv", csvOf(10))
      const unused = await send("project/upload?name=unused.csv", csvOf(10))
      await call("project", "create", { ...about, source: used.file })
      for (const file of [used.file, unused.file, "pipelines/fresh.yaml"]) {
        await call("project", "discard", { file })
      }
      expect(stored()).toEqual(["used.csv"])
      expect(existsSync(join(root, "pipelines/fresh.yaml"))).toBe(true)
    })
  }),
)

live(
  "a rehearsal shows no limit of the live service, and a command for the next step has paths from the project's folder",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* source(["1,Ada,ada@example.org", "2,Bob,no-address"])
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call, done } = await pageOf(studio)
      const rehearsed = await done({ pipeline: "people", mode: "rehearsal" })
      expect(rehearsed.states.filter(({ pace }) => pace.limit !== undefined)).toEqual([])
      const ran = await done({ pipeline: "people", mode: "run" })
      expect(ran.states.at(-1)?.pace.limit).toBeGreaterThan(0)
      const { report } = await call("results", "report", { pipeline: "people" })
      expect([ran.next, report.next]).toEqual([
        expect.stringContaining(`reports/people/${report.run}/rejected.csv`),
        expect.not.stringContaining(root),
      ])
    })
  }),
)

live(
  "a second job of a pipeline is refused until the first has ended, and a stop finishes what is in flight",
  Effect.gen(function*() {
    const { names, root, source, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* source(Array.from({ length: 200 }, (_, at) => `${at + 1},Person ${at + 1},p${at}@example.org`))
    const studio = yield* served(root)
    yield* Effect.promise(async () => {
      const { call, done, follow } = await pageOf(studio)
      const { id } = await call("runs", "start", { pipeline: "people", mode: "run" })
      await expect(call("runs", "start", { pipeline: "people", mode: "check" })).rejects.toThrow("in progress")
      await follow(id, ({ progress }) => (progress?.sent ?? 0) > 0)
      await call("runs", "stop", { job: id })
      const end = (await follow(id)).at(-1)
      expect(end?.state).toMatchObject({
        _tag: "Ended",
        exitCode: 130,
        word: { title: "Interrupted" },
        // The outcome's meaning would repeat the second sentence.
        message: expect.stringMatching(
          /^Interrupted\. The run was interrupted \(SIGINT\)\. Requests in flight were finished and recorded\. (?!Requests)/,
        ),
      })
      await expect(call("runs", "stop", { job: id })).rejects.toThrow("has ended")
      expect(names().length).toBeLessThan(200)
      expect(await done({ pipeline: "people", mode: "run" })).toMatchObject({
        exitCode: 0,
        word: { title: "Complete" },
      })
    })
    expect(names().length).toBe(200)
    expect(new Set(names()).size).toBe(200)
  }),
)

live(
  "a studio that is ending finishes what is in flight, and starts no other job",
  Effect.gen(function*() {
    const { root, source, write } = yield* world
    yield* write("pipelines/people.yaml", commented)
    yield* write("pipelines/others.yaml", commented.replace("pipeline: people", "pipeline: others"))
    yield* source(Array.from({ length: 200 }, (_, at) => `${at + 1},Person ${at + 1},p${at}@example.org`))
    const studio = yield* served(root)
    const { call, follow } = yield* Effect.promise(() => pageOf(studio))
    const { id } = yield* Effect.promise(() => call("runs", "start", { pipeline: "people", mode: "run" }))
    yield* Effect.promise(() => follow(id, ({ progress }) => (progress?.sent ?? 0) > 0))
    const ending = yield* Effect.fork(studio.jobs.stopAll("SIGINT"))
    yield* Effect.yieldNow()
    const start = call("runs", "start", { pipeline: "others", mode: "run" })
    yield* Effect.promise(() => expect(start).rejects.toThrow("The studio is ending."))
    yield* Fiber.join(ending)
    expect((yield* studio.jobs.list).map(({ pipeline, state }) => [pipeline, state._tag])).toEqual([[
      "people",
      "Ended",
    ]])
  }),
)
