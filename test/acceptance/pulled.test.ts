import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { records, startTools, token } from "../source/pull/fakeTools.ts"
import { kobo } from "../source/pull/presets/kobo.ts"
import { bench } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

const pipeline = `pipeline: contacts
source:
  connection: tool
  request: { path: /kobo, query: { limit: 25 } }
  page: { link: /next, total: /count }
  records: /results
  rowKey: [_id]
mapping:
  questions:
    - { name: Name, from: name, required: true }
  ignoreQuestions: [E-mail, Born]
sink:
  service: live
  form: contacts
`

/** Makes a project whose connection leads to KoboToolbox with these records. */
const projectWith = (last: number) =>
  Effect.gen(function*() {
    const tools = yield* Effect.acquireRelease(Effect.promise(() => startTools()), (tools) => Effect.sync(tools.stop))
    const at = yield* bench()
    tools.store = records(1, last)
    at.write(
      "config/formferry.yaml",
      `${at.read("config/formferry.yaml")}connections:
  tool:
    base: ${tools.base}
    auth: { header: { name: Authorization, prefix: Token, value: { file: ../token } } }
    requestsPerSecond: 100
`,
    )
    at.write("token", `${token}\n`)
    return { at, tools }
  })

it.scopedLive("init suggests a mapping for records that are pulled, which can then be imported", () =>
  Effect.gen(function*() {
    const { at } = yield* projectWith(60)
    at.write("pipelines/contacts.yaml", pipeline.replace(/mapping:[^]*(?=sink:)/, "mapping:\n  questions: []\n"))
    yield* at.exits(0, "init", "contacts")
    expect(at.read("pipelines/contacts.yaml")).toMatch(/name: Name\n +from: name/)
    yield* at.exits(0, "run", "contacts")
    expect(at.count()).toBe(60)
  }))

it.scopedLive("records are pulled and imported, and the next night imports only the new ones", () =>
  Effect.gen(function*() {
    const { at, tools } = yield* projectWith(60)
    at.write("token", "tok_expired\n")
    at.write("pipelines/contacts.yaml", pipeline)

    const refused = yield* at.exits(5, "run", "contacts")
    expect(refused.stderr).toContain("refused the sign-in (401): the secret in ../token is wrong or has expired")
    expect(refused.stderr).not.toContain("tok_")

    at.write("token", `${token}\n`)
    const check = yield* at.exits(0, "check", "contacts")
    const first = yield* at.run("run", "contacts")
    expect(first.status, first.stderr).toBe(0)
    expect(at.count()).toBe(60)
    expect(at.report().sources).toMatchObject([{
      file: `tool (${new URL(tools.base).host})`,
      format: "jsonl",
      rows: 60,
    }])

    yield* at.exits(0, "run", "contacts")
    expect(at.report().rows).toMatchObject({ read: 60, alreadyImported: 60, imported: 0 })

    tools.store = records(1, 100)
    const second = yield* at.exits(0, "run", "contacts")
    expect(at.report().rows).toMatchObject({ read: 100, alreadyImported: 60, imported: 40 })
    expect(at.count()).toBe(100)
    yield* at.exits(0, "status", "contacts")
    for (const { stderr, stdout } of [first, check, second]) expect(stdout + stderr).not.toContain("tok_")
  }))

it.scopedLive("inspect and init pull from a connection with a preset", () =>
  Effect.gen(function*() {
    const { at, tools } = yield* projectWith(60)
    const tool = yield* Effect.acquireRelease(
      Effect.promise(() => startTools(kobo.answer)),
      (tools) => Effect.sync(tools.stop),
    )
    tool.store = records(1, 60)
    at.write(
      "config/formferry.yaml",
      `${
        at.read("config/formferry.yaml")
      }  kobo: { api: kobo, base: "${tool.base}", token: { file: ../token }, requestsPerSecond: 100 }
  odk: { api: odk, base: "${tool.base}" }
`,
    )
    const inspected = yield* at.exits(0, "inspect", "--connection", "kobo", "--form", "aBc123", "--json")
    expect(JSON.parse(inspected.stdout)).toMatchObject({
      file: `kobo (${new URL(tool.base).host})`,
      rows: 60,
      taken: expect.arrayContaining([{ what: "pulled", value: "60 records in 2 pages" }]),
    })
    const seen = (yield* at.inProcess("inspect", "--connection", "kobo", "--form", "aBc123")).stdout
    expect(seen).toMatch(/person\/name .*Person 1/)

    rmSync(join(at.folder, "pipelines/contacts.yaml"))
    yield* at.exits(
      0,
      ..."init people --connection kobo --source-form aBc123 --service live --form contacts".split(" "),
    )
    const text = at.read("pipelines/people.yaml")
    expect(text).toMatch(/source:\n {2}connection: kobo #.*60 rows\n {2}form: aBc123\n/)
    expect(parse(text).source).toEqual({ connection: "kobo", form: "aBc123", rowKey: ["_id"] })
    yield* at.exits(0, "run", "people")
    expect(at.count()).toBe(60)

    const refusals: ReadonlyArray<readonly [words: string, message: string]> = [
      [
        "inspect --connection kobo",
        "KoboToolbox needs `form`: the project's id, as in its address. Add `--form aBc123`.",
      ],
      ["inspect --connection odk --form x", "Add `--set project=3`."],
      ["inspect --connection odk --form x --set project", "`--set` expects a name and a value"],
      ["inspect --connection kobo --form x --set projct=1", "KoboToolbox has no variable `projct`."],
      ["inspect --connection tool --form x", "`connections.tool` has no `api`"],
      ["inspect --connection kobbo --form x", "Did you mean `kobo`?"],
      ["inspect --connection kobo --form x a.csv", "can't be used with a file"],
      ["inspect --form x a.csv", "`--form` and `--set` need `--connection`."],
      ["inspect", "FILE is missing: name a file, or a connection"],
      ["inspect --connection kobo --form aBc123 --encoding klingon", "There is no encoding called `klingon`."],
      ["init new --connection kobo --source-form x --source a.csv --form contacts --service live", "Use either"],
      ["init new --connection kobo --form contacts --service live", "Add `--source-form aBc123`."],
      ["init people --connection kobo --source-form x", "`--connection` is for a new pipeline"],
    ]
    for (const [words, message] of refusals) {
      const refused = yield* at.inProcess(...words.split(" "))
      expect(onOneLine(refused.stderr), words).toContain(message)
      expect(refused.status, words).toBe(2)
    }
    expect(tools.received).toHaveLength(0)
  }))
