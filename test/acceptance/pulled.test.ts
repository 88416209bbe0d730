import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { records, startTools, token } from "../source/pull/fakeTools.ts"
import { bench } from "./contacts.ts"

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
    const init = yield* at.inProcess("init", "contacts")
    expect(init.status, init.stdout + init.stderr).toBe(0)
    expect(at.read("pipelines/contacts.yaml")).toMatch(/name: Name\n +from: name/)
    expect((yield* at.inProcess("run", "contacts")).status).toBe(0)
    expect(at.count()).toBe(60)
  }))

it.scopedLive("records are pulled and imported, and the next night imports only the new ones", () =>
  Effect.gen(function*() {
    const { at, tools } = yield* projectWith(60)
    at.write("token", "tok_expired\n")
    at.write("pipelines/contacts.yaml", pipeline)

    const refused = yield* at.inProcess("run", "contacts")
    expect(refused.status).toBe(5)
    expect(refused.stderr).toContain("refused the sign-in (401): the secret in ../token is wrong or has expired")
    expect(refused.stderr).not.toContain("tok_")

    at.write("token", `${token}\n`)
    const check = yield* at.inProcess("check", "contacts")
    expect(check.status, check.stdout + check.stderr).toBe(0)
    const first = yield* at.run("run", "contacts")
    expect(first.status, first.stderr).toBe(0)
    expect(at.count()).toBe(60)
    expect(at.report().sources).toMatchObject([{
      file: `tool (${new URL(tools.base).host})`,
      format: "jsonl",
      rows: 60,
    }])

    const unchanged = yield* at.inProcess("run", "contacts")
    expect(unchanged.status, unchanged.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ read: 60, alreadyImported: 60, imported: 0 })

    tools.store = records(1, 100)
    const second = yield* at.inProcess("run", "contacts")
    expect(second.status, second.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ read: 100, alreadyImported: 60, imported: 40 })
    expect(at.count()).toBe(100)
    expect((yield* at.inProcess("status", "contacts")).status).toBe(0)
    for (const { stderr, stdout } of [first, check, second]) expect(stdout + stderr).not.toContain("tok_")
  }))
