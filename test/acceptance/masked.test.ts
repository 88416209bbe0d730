// Tests a service that repeats the API key in its messages. No output may contain the key.
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { answering } from "../localServer.ts"
import { hearing } from "../notify/webhooks.ts"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"
import { apiKey, expectNoKeyIn, formferry, inProcess } from "./formferry.ts"

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

/** Whether the service refuses only creates, or all requests. */
interface Refusal {
  status: number
  isForAll: boolean
}

/** Starts a service that returns the form, and refuses requests with a message that repeats the key. */
const repeating = (refusal: Refusal) =>
  answering((incoming, outgoing) => {
    const key = incoming.headers.authorization?.replace("Bearer ", "") ?? ""
    const words = `not with ${key}, ${encodeURIComponent(key)} or ${Buffer.from(`Bearer ${key}`).toString("base64")}`
    const { isForAll, status } = refusal
    const isRefused = isForAll || incoming.method === "POST"
    incoming.resume().on("end", () => {
      outgoing.writeHead(isRefused ? status : 200, { "content-type": "application/json" })
      outgoing.end(JSON.stringify(isRefused ? { statusCode: status, error: "Refused", message: words } : form))
    })
  })

it.scopedLive("an API key in a service's messages is masked in the terminal, logs, project files, webhooks and telemetry", () =>
  Effect.gen(function*() {
    const at = yield* bench()
    const refusal: Refusal = { status: 400, isForAll: false }
    const port = yield* repeating(refusal)
    const config = at.read("config/formferry.yaml").replaceAll(/http:\S+/g, `http://127.0.0.1:${port}/v1/api`)
    const webhook = yield* hearing()
    const collector = yield* hearing()
    at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: contacts\n  canary: off" }))
    at.write("config/formferry.yaml", `${config}notify:\n  - webhook: { env: HOOK }\n`)
    const env = {
      HOOK: `http://127.0.0.1:${webhook.port}/hook`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    }
    const encoded = Buffer.from(`Bearer ${apiKey}`).toString("base64").slice(12, -4)
    const leaks = new Set<string>()
    const look = (place: string, text: string) => {
      for (const words of [apiKey, encoded]) if (text.includes(words)) leaks.add(place)
    }
    for (const [status, isForAll] of [[400, false], [422, false], [401, false], [401, true], [409, false]] as const) {
      Object.assign(refusal, { status, isForAll })
      // New rows, because a row that the service refused is not sent again.
      at.write("source.csv", csv(upTo(3).map((key) => key + status)))
      const args = ["run", "contacts", "--log-format", "json", "--log-level", "debug"]
      // The first run is the built command.
      const ran = yield* (status === 400 ? formferry : inProcess)(args, { cwd: at.folder, env })
      expect(ran.status, ran.stderr).toBeGreaterThan(0)
      expect(ran.stdout + ran.stderr + at.read(join("reports/contacts/latest", "report.json"))).toContain(
        "<the API key>",
      )
      look("terminal", ran.stdout + ran.stderr)
      for (const file of ["report.json", "report.html", "rejected.csv"]) {
        look(file, readFileSync(join(at.report().folder, file), "utf8"))
      }
    }
    for (const [place, { heard }] of Object.entries({ webhook, collector })) {
      expect(heard.length, place).toBeGreaterThanOrEqual(5)
      for (const { body } of heard) look(place, body)
    }
    expect([...leaks]).toEqual([])
    // The ledger is searched as well.
    expectNoKeyIn(at.folder)
  }))
