import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ledgerOf } from "../../../src/jobs/projectLedger.ts"
import { openLedger } from "../../../src/ledger/openLedger.ts"
import { loadProject } from "../../../src/project/loadProject.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { newPlace } from "../../acceptance/inPostgres.ts"
import { connected } from "../../ledger/postgres/connecting.ts"
import { withoutPostgres } from "../../ledger/postgres/server.ts"
import { answering } from "../../localServer.ts"

/** A tool that answers each request with one record, and notes which token requested it when. */
const tool = Effect.suspend(() => {
  const received: Array<{ readonly token: string; readonly at: number }> = []
  const server = answering((request, response) => {
    received.push({ token: request.headers.authorization ?? "", at: performance.now() })
    response.end("id,name\n1,Ada\n")
  })
  return Effect.map(server, (port) => ({ received, base: `http://127.0.0.1:${port}` }))
})

/** Returns the largest number of times within a second. */
const mostInASecond = (times: ReadonlyArray<number>) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length))

describe.skipIf(withoutPostgres)("pulls of several hosts", () => {
  it.scopedLive("share the rate of an account, also of one without a secret, but not with a different account", () =>
    Effect.gen(function*() {
      const { base, received } = yield* tool
      const place = yield* newPlace
      const root = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "formferry-shared-pull-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      )
      for (const folder of ["config", "pipelines"]) mkdirSync(join(root, folder))
      // Two variables with the same secret are two accounts for a process, and one for the ledger.
      const tokens = { A: "tok_same", B: "tok_same", C: "tok_other" }
      writeFileSync(
        join(root, ".env"),
        `DATABASE_URL=${place.url}\nLEDGER_KEY=${place.key}\n${
          Object.entries(tokens).map(([name, token]) => `${name}=${token}`).join("\n")
        }`,
      )
      const connection = (name: string, auth = `auth: { bearer: { env: ${name} } }, `) =>
        `  ${name}: { base: "${base}", ${auth}requestsPerSecond: 20, rateLimit: shared }\n`
      const open = ["D", "E"]
      writeFileSync(
        join(root, "config/formferry.yaml"),
        `services: { practice: { practice: { forms: forms } } }
connections:
${Object.keys(tokens).map((name) => connection(name)).join("")}${open.map((name) => connection(name, "")).join("")}
ledger: { url: { env: DATABASE_URL }, project: ${place.project}, schema: ${place.schema}, key: { env: LEDGER_KEY }, marks: { folder: ../marks } }
`,
      )
      for (const name of [...Object.keys(tokens), ...open]) {
        writeFileSync(
          join(root, `pipelines/${name}.yaml`),
          `pipeline: ${name}
source: { connection: ${name}, request: { path: /rows }, format: csv, rowKey: [id] }
mapping: { questions: [{ name: Name, from: name }] }
sink: { service: practice, form: people }
`,
        )
      }
      const project = yield* loadProject(root)
      yield* Effect.scoped(Effect.flatMap(ledgerOf(project), openLedger))
      const pull = (name: string) => Effect.scoped(openSource(project.pipelines.get(name)!.source))
      const host = (name: string) => Effect.repeatN(pull(name), 19)
      yield* Effect.all([...Object.keys(tokens), ...open].map(host), { concurrency: "unbounded" })
      const times = (token: string) =>
        received.filter((one) => one.token === (token === "" ? "" : `Bearer ${token}`)).map(({ at }) => at)
      expect(times("tok_other")).toHaveLength(20)
      const span = (all: ReadonlyArray<number>) => (all.at(-1) ?? 0) - (all[0] ?? 0)
      for (const shared of [times("tok_same"), times("")]) {
        expect(shared).toHaveLength(40)
        // Two hosts that count only their own requests would send 40 a second.
        expect(mostInASecond(shared)).toBeLessThan(30)
        expect(span(shared)).toBeGreaterThan(39 * 50 - 500)
      }
      const database = yield* connected(place.url, place.schema)
      expect((yield* Effect.promise(() => database.send("SELECT 1 FROM rate"))).rows).toHaveLength(3)
    }).pipe(Effect.provide(NodeContext.layer)))
})
