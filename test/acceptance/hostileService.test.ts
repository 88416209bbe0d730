import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sendOn } from "../localServer.ts"
import { bench, csv, pipelineYaml, putBetween, upTo } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

/** A bench whose service is behind a proxy that changes the bodies of its answers. */
const changing = (change: (method: string, body: string) => string) =>
  Effect.gen(function*() {
    const at = yield* bench()
    yield* putBetween(at, (incoming, outgoing) =>
      sendOn(new URL(at.baseUrl), incoming, outgoing, (answer) => {
        const parts: Array<Buffer> = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.on("end", () => {
          const body = Buffer.from(change(incoming.method ?? "", Buffer.concat(parts).toString()))
          outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, "content-length": body.length })
          outgoing.end(body)
        })
      }))
    return at
  })

it.scopedLive("a returned answer nested 5,000 levels deep is different, and the run still writes a report", () =>
  Effect.gen(function*() {
    const deep = `${'{"a":['.repeat(2_500)}${"]}".repeat(2_500)}`
    const at = yield* changing((method, body) =>
      method === "GET" && body.includes("p3@example.org") ? body.replace('"Person 3"', deep) : body
    )
    at.write("source.csv", csv(upTo(5)))
    const run = yield* at.run("run", "contacts")
    expect(run.status, run.stdout + run.stderr).toBe(3)
    expect(at.report()).toMatchObject({
      rows: { imported: 5 },
      readBack: { verified: 4, differing: 1 },
      differences: [{ question: "qName", verdict: "different", returned: "(nested more than 500 deep)" }],
    })
    yield* at.exits(4, "reconcile", "contacts")
  }))

it.scopedLive("a changed answer is different, although it came back with a type that formferry does not know", () =>
  Effect.gen(function*() {
    const at = yield* changing((_method, body) =>
      body.includes('"submissionId"') ? body.replaceAll('"ShortAnswer"', '"TextBox"').replace("Person 3", "") : body
    )
    at.write("source.csv", csv(upTo(5)))
    yield* at.exits(3, "run", "contacts")
    expect(at.report()).toMatchObject({
      readBack: { verified: 4, differing: 1 },
      differences: [{ question: "qName", verdict: "absent", sent: "Person 3" }],
    })
  }))

it.scopedLive("deeply nested values in the response to a create, even in unknown members, don't put a row in doubt", () =>
  Effect.gen(function*() {
    const deep = "[".repeat(5_000) + "]".repeat(5_000)
    const at = yield* changing((method, body) =>
      method === "POST"
        ? body.replaceAll(
          '"submissionId":',
          `"odd":${deep},"calculations":[{"id":"c","value":${deep}}],"submissionId":`,
        )
        : body
    )
    at.write("source.csv", csv(upTo(5)))
    yield* at.exits(0, "run", "contacts")
    expect(at.report().rows).toMatchObject({ imported: 5, inDoubt: 0 })
  }))

it.scopedLive.each(
  [
    { status: 302, body: "empty", location: "https://elsewhere.example/v1/api" },
    { status: 307, body: "empty", location: "/v1/api/elsewhere" },
    { status: 400, body: "html" },
    { status: 402, body: "json" },
    { status: 409, body: "json" },
  ] as const,
)(
  "a $status ($body) after the rows were stored stops the run, and the next run resends none of them",
  (answer) =>
    Effect.gen(function*() {
      const at = yield* bench({ faults: [{ fault: "status", ...answer, on: "create", when: "after", at: [2] }] })
      at.write("source.csv", csv(upTo(30)))
      // One request at a time, so that nothing is in flight when the answer arrives.
      at.write("pipelines/contacts.yaml", pipelineYaml({ sink: "service: live\n  form: contacts\n  concurrency: 1" }))
      yield* at.exits(5, "run", "contacts")
      expect(at.report().rows).toMatchObject({ imported: 10, inDoubt: 10, pending: 10 })
      expect(at.count()).toBe(20)
      yield* at.exits(4, "run", "contacts")
      expect(at.count()).toBe(30)
      expect(new Set(at.answers("qName")).size).toBe(30)
    }),
)

it.scopedLive("if the service answers with the submissions of the request before, whose answer was lost, no row is resent", () =>
  Effect.gen(function*() {
    let creates = 0
    let late = ""
    const at = yield* changing((method, body) => {
      if (method !== "POST") return body
      creates++
      if (creates === 3) return late
      if (creates !== 2) return body
      late = body
      return ""
    })
    at.edit("config/formferry.yaml", "confirm: false", "confirm: false\n    capabilities: [list]")
    at.write(
      "pipelines/contacts.yaml",
      pipelineYaml({
        sink: "service: live\n  form: contacts\n  concurrency: 1",
        more: "reconcile: { visibleWithin: 1 second }",
      }),
    )
    at.write("source.csv", csv(upTo(30)))
    yield* at.exits(3, "run", "contacts")
    expect(at.report()).toMatchObject({ rows: { imported: 20, inDoubt: 10 }, readBack: { differing: 10 } })
    const next = yield* at.exits(4, "run", "contacts")
    expect(onOneLine(next.stdout)).toContain("the service returned its id for another row")
    expect(at.report().rows).toMatchObject({ alreadyImported: 20, inDoubt: 10, imported: 0 })
    expect(at.count()).toBe(30)
  }))
