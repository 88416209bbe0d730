import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { loadProject } from "../../src/project/loadProject.ts"
import { presets } from "../../src/project/presets/index.ts"
import { run } from "../source/opening.ts"

const root = mkdtempSync(join(tmpdir(), "formferry-presets-"))
for (const folder of ["config", "pipelines"]) mkdirSync(join(root, folder))
afterAll(() => rmSync(root, { recursive: true }))

/** Loads a project with this connection and source. */
const load = (connection: string, source: string) => {
  writeFileSync(
    join(root, "config/formferry.yaml"),
    `services: { practice: { practice: { forms: forms } } }\nconnections: { tool: ${connection} }\n`,
  )
  writeFileSync(
    join(root, "pipelines/people.yaml"),
    `pipeline: people
source: ${source}
mapping: { questions: [{ name: Name, from: name }] }
sink: { service: practice, form: people }
`,
  )
  return Effect.map(loadProject(root), ({ pipelines }) => pipelines.get("people")!.source)
}

const failure = (connection: string, source: string) =>
  run(Effect.map(Effect.flip(load(connection, source)), ({ message }) => message))

const kobo = "{ api: kobo, token: { env: T } }"

describe.each(Object.entries(presets))("the preset %s", (name, preset) => {
  const { form, ...others } = Object.fromEntries(
    Object.entries(preset.variables).map(([variable, { example }]) => [variable, example]),
  )
  const base = preset.base === undefined ? ", base: https://forms.example.org" : ""
  const auth = preset.auth === undefined ? "token: { env: T }" : JSON.stringify(preset.auth).slice(1, -1)
  const own = `connection: tool${form === undefined ? "" : `, form: ${JSON.stringify(form)}`}${
    Object.keys(others).length === 0 ? "" : `, variables: ${JSON.stringify(others)}`
  }`

  it("contains only what a pipeline can contain, and needs only what it says", async () => {
    const source = await run(load(`{ api: ${name}, ${auth}${base} }`, `{ ${own} }`))
    expect(JSON.stringify(source)).not.toMatch(/\{(?!offset|number|cursor|since|until|job|file)\w+\}/)
    expect(source.file).toMatchObject({ connection: "tool", account: { name: "tool" } })
    // The request is not the one that stands for an unknown preset.
    expect(source.file).not.toMatchObject({ request: { path: "/" } })
  })

  it("is the same as its keys written in the pipeline", async () => {
    const filled = await run(load(`{ api: ${name}, ${auth}${base} }`, `{ ${own} }`))
    const text = JSON.stringify(preset.source).replaceAll(
      /\{(\w+)\}/g,
      (all, one: string) => one === "form" ? form ?? all : others[one] ?? all,
    )
    const plain = await run(load(`{ base: https://forms.example.org }`, `{ connection: tool, ${text.slice(1)}`))
    const comparable = ({ file, rowKey, where, ...rest }: typeof filled) => ({
      ...rest,
      where: where.map(({ column, is }) => [column.name, is]),
      rowKey: rowKey === "content" ? rowKey : rowKey?.map((one) => one.name),
      file: { ...file as object, account: undefined, form: undefined, variables: undefined },
    })
    expect(comparable(filled)).toEqual(comparable(plain))
  })
})

describe("a source with a preset", () => {
  it("replaces keys of the preset, and adds to its parameters", async () => {
    const source = await run(load(
      kobo,
      `{ connection: tool, form: "a b/c", rowKey: [_id], request: { query: { limit: 10, query: '{"age":1}' } } }`,
    ))
    expect(source.file).toMatchObject({
      request: {
        path: "/api/v2/assets/a%20b%2Fc/data/",
        query: { limit: "10", query: '{"age":1}', sort: '{"_id":1}', format: "json" },
      },
      page: { offset: 0, total: { at: "/count" }, id: "/_id" },
      account: { base: "https://kf.kobotoolbox.org", requestsPerSecond: 2 },
    })
    expect(source.rowKey).toMatchObject([{ name: "_id" }])
  })

  it("keeps the form's id as written", async () => {
    const source = await run(load(kobo, "{ connection: tool, form: 0012 }"))
    expect(source.file).toMatchObject({ request: { path: "/api/v2/assets/0012/data/" } })
  })

  it.each([
    [kobo, "{ connection: tool }", "KoboToolbox needs `form`: the project's id, as in its address."],
    [kobo, "{ connection: tool, form: a, variables: { from: b } }", "KoboToolbox has no variable `from`."],
    [
      "{ api: odk, base: https://x.org }",
      "{ connection: tool, form: a }",
      "Add `variables: { project: 3 }`.",
    ],
    ["{ base: https://x.org }", "{ connection: tool, form: a }", "`form` needs a connection with `api`"],
    ["{ base: https://x.org }", "{ connection: tool }", "`connection` also needs `request`"],
    ["{ api: kobbo }", "{ connection: tool, form: a }", "Did you mean `kobo`?"],
    ["{ api: odk }", "{ connection: tool, form: a, variables: { project: 1 } }", "`odk` also needs `base`"],
    [
      "{ api: odk, base: https://x.org, token: { env: T } }",
      "{ file: x.csv }",
      "ODK Central can't be used with a `token`.",
    ],
    ["{ base: https://x.org, token: { env: T } }", "{ file: x.csv }", "`token` also needs `api`."],
    [
      "{ api: kobo, token: { env: T }, auth: { bearer: { env: T } } }",
      "{ file: x.csv }",
      "`auth` can't be used together with `token`.",
    ],
    ["{ token: { env: T } }", "{ file: x.csv }", "needs `api` or `base`."],
    [kobo, "{ file: x.csv, form: a }", "`form` also needs `connection`."],
    [kobo, "{ connection: toll, form: a }", "has no connection `toll`."],
    [kobo, "{ connection: tool, form: a, page: { number: 1 } }", "`request` doesn't contain `{number}`"],
  ])("is refused: %s %s", async (connection, source, message) => {
    const said = await failure(connection, source)
    expect(said).toContain(message)
    expect(said).toMatch(/(?:formferry|people)\.yaml:\d+:\d+/)
  })
})
