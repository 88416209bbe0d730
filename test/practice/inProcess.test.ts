import { expect, it } from "@effect/vitest"
import { Duration, Effect, Random, Redacted } from "effect"
import { serve } from "../../src/practice/PracticeService.ts"
import { make } from "../../src/service/client.ts"
import type { OpenTransport } from "../../src/service/transport.ts"
import { form } from "./forms.ts"
import { inProcess } from "./inProcess.ts"
import { rateWindow } from "./rateWindow.ts"

const options = { forms: [form], apiKey: Redacted.make("sk_1"), rate: rateWindow(1000, 60) }

/** Sends several requests to a practice service. Returns the answers without parts that always differ. */
const converse = (baseUrl: string, open?: OpenTransport) =>
  Effect.gen(function*() {
    const service = yield* make({
      baseUrl,
      apiKey: options.apiKey,
      requestsPerSecond: Infinity,
      concurrency: 2,
      timeout: Duration.seconds(5),
      editLinkParameter: "includeEditLink",
      gateway: "gateway",
      capabilities: ["list", "delete"],
    }, open)
    const created = yield* service.create("f1", [{
      questions: [{ id: "q1", value: "Ä" }],
      submissionTime: "2024-01-01T00:00:00Z",
    }], () => true)
    const [id = ""] = created._tag === "Created" ? created.ids : []
    return [
      yield* service.form("f1"),
      created,
      yield* service.read("f1", id),
      yield* service.read("f1", "none"),
      yield* service.forms,
      yield* service.list?.("f1", { offset: 0, sort: "asc" }) ?? Effect.void,
      yield* service.remove?.("f1", "none", () => true) ?? Effect.void,
      yield* service.create("f1", [{ questions: [{ id: "nope", value: 1 }] }], () => true),
      yield* Effect.flip(service.form("none")),
      yield* service.requests,
    ]
  })

it.scopedLive("the practice service answers the same in process and over HTTP, with the same ids for the same seed", () =>
  Effect.gen(function*() {
    const served = yield* serve({ ...options, port: 0 }).pipe(Effect.withRandom(Random.make(42)))
    const inside = yield* inProcess(options).pipe(Effect.withRandom(Random.make(42)))
    const [overSockets, without] = [yield* converse(served.baseUrl), yield* converse(inside.baseUrl, inside.open)]
    expect(JSON.stringify(overSockets).replaceAll(served.baseUrl, "BASE")).toBe(
      JSON.stringify(without).replaceAll(inside.baseUrl, "BASE"),
    )
    expect(inside.submissions("f1")).toEqual(served.submissions("f1"))
    expect(inside.submissions("f1")[0]?.submissionId).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  }))
