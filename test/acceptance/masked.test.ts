// A service that repeats the API key in what it says: the key is written nowhere.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { hearing } from "../notify/webhooks.ts"
import { bench, csv, upTo } from "./contacts.ts"
import { apiKey, expectNoKeyIn, formferry } from "./formferry.ts"

const form = {
  id: "contacts",
  name: "Contacts",
  questions: [
    { id: "qName", name: "Name", type: "ShortAnswer" },
    { id: "qMail", name: "E-mail", type: "EmailInput" },
    { id: "qBorn", name: "Born", type: "DatePicker" },
  ],
  calculations: [],
  urlParameters: [],
  scheduling: [],
  payments: [],
}

/** A service that knows the form and refuses whatever it is sent with this status, in words that repeat the key. */
const repeating = (status: () => number) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((incoming, outgoing) => {
        const key = incoming.headers.authorization?.replace("Bearer ", "") ?? ""
        const words = `not with ${key}, ${encodeURIComponent(key)} or ${
          Buffer.from(`Bearer ${key}`).toString("base64")
        }`
        const refusal = { statusCode: status(), error: "Refused", message: words }
        const isCreate = incoming.method === "POST"
        incoming.resume().on("end", () => {
          outgoing.writeHead(isCreate ? status() : 200, { "content-type": "application/json" })
          outgoing.end(JSON.stringify(isCreate ? refusal : form))
        })
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close()),
  )

it.scopedLive("what a service says is masked in the terminal, in logs, in every file of the project, in webhooks and telemetry", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    let status = 400
    const { port } = (yield* repeating(() => status)).address() as AddressInfo
    const config = at.read("config/formferry.yaml").replaceAll(/http:\S+/g, `http://127.0.0.1:${port}/v1/api`)
    const webhook = yield* hearing()
    const collector = yield* hearing()
    at.write("config/formferry.yaml", `${config}notify:\n  - webhook: { env: HOOK }\n`)
    const env = {
      HOOK: `http://127.0.0.1:${webhook.port}/hook`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    }
    at.write("source.csv", csv(upTo(3)))
    const encoded = Buffer.from(`Bearer ${apiKey}`).toString("base64").slice(12, -4)
    for (status of [400, 422, 401, 409]) {
      const args = ["run", "contacts", "--log-format", "json", "--log-level", "debug"]
      const ran = yield* formferry(args, { cwd: at.folder, env })
      expect(ran.status, ran.stderr).toBeGreaterThan(0)
      expect(ran.stdout + ran.stderr + at.read(join("reports/contacts/latest", "report.json"))).toContain(
        "<the API key>",
      )
      expect(ran.stdout + ran.stderr).not.toContain(encoded)
      for (const file of ["report.json", "report.html", "rejected.csv"]) {
        const text = readFileSync(join(at.report().folder, file), "utf8")
        expect([file, text.includes(encoded), text.includes(apiKey)]).toEqual([file, false, false])
      }
    }
    const told = { webhook: webhook.heard, collector: collector.heard }
    for (const [to, heard] of Object.entries(told)) {
      expect(heard.length, to).toBeGreaterThanOrEqual(4)
      const bodies = heard.map(({ body }) => body)
      expect(bodies.filter((body) => body.includes(encoded) || body.includes(apiKey)), to).toEqual([])
    }
    // The ledger, too.
    expectNoKeyIn(at.folder)
  }))
