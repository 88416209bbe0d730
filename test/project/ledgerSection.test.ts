import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { parse } from "yaml"
import { jsonSchemas } from "../../src/project/jsonSchemas.ts"
import { projectDiagnostics } from "./diagnosed.ts"
import { marked, places } from "./marked.ts"

const withLedger = (ledger: string) => `services: { practice: { practice: { forms: f } } }\nledger: ${ledger}\n`

const whole = "url: { env: U }, project: acme, key: { env: K }, marks: { folder: m }"

const inEditor = new Ajv({ strict: false }).compile(jsonSchemas().project)

describe("the ledger of a project file", () => {
  it.each([
    "{ file: l.db }",
    `{ ${whole} }`,
    `{ ${whole}, schema: imports_2, leaseTimeout: 10 seconds, durability: managed }`,
    `{ ${whole.replace("{ folder: m }", "{ url: { env: M } }")} }`,
  ])("can be %s", (ledger) => {
    expect([projectDiagnostics(withLedger(ledger)), inEditor(parse(withLedger(ledger)))]).toEqual([[], true])
  })

  it.each([
    ["{ file: l.db, «url: { env: U } }", ["`url` can't be used together with `file`.", "Keep only `file` or `url`."]],
    ["{ «url: { env: U }, project: acme, key: { env: K } }", [
      "`url` also needs `marks`. Marks prove that a ledger was not replaced by an older copy. A ledger in PostgreSQL needs a place for them that every host reads. A ledger in a file has its marks next to the file and among the reports.",
      "Add `marks`.",
    ]],
    ["{ «url: { env: U }, project: acme, marks: { folder: m } }", ["`url` also needs `key`.", "Add `key`."]],
    ["{ url: { env: U }, project: acme, key: { env: K }, «marks: {} }", [
      "`marks` needs `folder` or `url`.",
      "Add one of them.",
    ]],
    ["{ file: l.db, «marks: { folder: m } }", [
      "`marks` can't be used together with `file`. Marks prove that a ledger was not replaced by an older copy. A ledger in PostgreSQL needs a place for them that every host reads. A ledger in a file has its marks next to the file and among the reports.",
      "Keep only one of them.",
    ]],
    [`{ ${whole}, schema: «Formferry }`, [
      "`schema` expects a name of small letters, digits and `_` that doesn't begin with a digit or `pg_`, not `Formferry`.",
    ]],
    [`{ ${whole}, leaseTimeout: «5 seconds }`, [
      "`leaseTimeout` must be at least 10 seconds. With less, a short delay of the network would stop a run.",
    ]],
    [`{ ${whole}, «shcema: x }`, ["`shcema` is not a key of `ledger`.", "Did you mean `schema`?"]],
    [`{ ${whole.replace("key: { env: K }", "«key: { file: k }")} }`, [
      "`key` needs `env`.",
      "Add `env`: the name of an environment variable.",
    ]],
  ])("is refused if it is %s", (ledger, sentences) => {
    const at = marked(withLedger(ledger))
    const found = projectDiagnostics(at.text)
    expect(places(found.slice(0, 1))).toEqual(at.places)
    expect(
      found.slice(0, 1).flatMap((
        { message, suggestion },
      ) => [message, ...suggestion === undefined ? [] : [suggestion]]),
    )
      .toEqual(sentences)
  })

  const key = "0123456789abcdef".repeat(4)
  it.each([
    `{ ${whole.replace("{ env: U }", "postgresql://me:secret51/x@host/db")} }`,
    `{ ${whole.replace("{ env: U }", "{ env: 'postgresql://me:secret51@host/db' }")} }`,
    `{ ${whole.replace("{ env: K }", `"${key}"`)} }`,
    `{ ${whole.replace("{ env: K }", `{ env: "${key}" }`)} }`,
  ])("is refused without showing a secret that it contains: %s", (ledger) => {
    const found = projectDiagnostics(withLedger(ledger))
    expect(found.length).toBeGreaterThan(0)
    expect(JSON.stringify(found)).not.toMatch(/secret51|89abcdef/)
  })
})
