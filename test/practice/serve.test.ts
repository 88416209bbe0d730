import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { serve } from "../../src/practice/PracticeService.ts"
import { make } from "../../src/service/client.ts"
import { accepts, otherAddresses } from "../localServer.ts"
import { options } from "../service/options.ts"
import { form } from "./forms.ts"
import { rateWindow } from "./rateWindow.ts"

const booking = {
  fullName: "Ada",
  email: "ada@example.org",
  timezone: "UTC",
  eventStartTime: "2024-05-01T10:00:00.000Z",
  eventEndTime: "2024-05-01T11:00:00.000Z",
}

it.scopedLive("the practice service returns every member over HTTP as it was sent", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0, gateway: "acme" })
    const service = yield* make({ ...options, baseUrl: practice.baseUrl, apiKey: practice.apiKey, gateway: "acme" })
    expect(yield* service.form("f1")).toEqual(form)
    const outcome = yield* service.create("f1", [{
      questions: [{ id: "q1", value: "Ada" }],
      urlParameters: [{ id: "u1", name: "legacy_id", value: "007" }],
      submissionTime: "2020-02-03T04:05:06+02:00",
      scheduling: [{ id: "s1", value: booking }],
      payments: [{
        id: "p1",
        value: { paymentId: "x", gatewayCustomerId: "cus_1", totalAmount: 12.5, discountCode: "no" },
      }],
      login: { email: "ada@example.org" },
    }], () => true)
    if (outcome._tag !== "Created") throw new Error(outcome._tag)
    const [id = ""] = outcome.ids
    const read = yield* service.read("f1", id, { editLink: true })
    expect(read).toEqual({
      submissionId: id,
      submissionTime: "2020-02-03T02:05:06.000Z",
      lastUpdatedAt: "2020-02-03T02:05:06.000Z",
      questions: [
        { id: "q1", name: "Name", type: "ShortAnswer", known: true, value: "Ada" },
        { id: "q2", name: "Colour", type: "Dropdown", known: true, value: null },
      ],
      calculations: [{ id: "c1", name: "Sum", type: "text", value: null }],
      urlParameters: [{ id: "u1", name: "legacy_id", value: "007" }],
      scheduling: [{ id: "s1", name: "Booking", value: booking }],
      payments: [{ id: "p1", name: "Fee", value: { paymentId: "x", gatewayCustomerId: "cus_1", totalAmount: 12.5 } }],
      quiz: { score: undefined, maxScore: undefined },
      login: { email: "ada@example.org" },
      editLink: read?.editLink,
    })
    expect(read?.editLink).toContain(id)
    expect(practice.submissions("f1")).toEqual([{ ...read, editLink: undefined }])
    expect(outcome.submissions).toEqual(practice.submissions("f1"))
    expect(yield* service.read("f1", "unknown")).toBeUndefined()
    expect(yield* Effect.flip(service.form("f2"))).toMatchObject({ reason: "form-not-found", status: 404 })
    expect(yield* service.requests).toEqual({ metadata: 2, create: 1, read: 2, retried: 0, throttled: 0 })
  }))

it.scopedLive("the practice service accepts connections at 127.0.0.1 only", () =>
  Effect.gen(function*() {
    const port = Number(new URL((yield* serve({ forms: [form], port: 0 })).baseUrl).port)
    expect(yield* accepts("127.0.0.1", port)).toBe(true)
    for (const address of otherAddresses) expect([address, yield* accepts(address, port)]).toEqual([address, false])
  }))

it.scopedLive("the practice service reports a busy port, and frees its own port when it closes", () =>
  Effect.gen(function*() {
    const port = yield* Effect.scoped(Effect.gen(function*() {
      const { baseUrl } = yield* serve({ forms: [form], port: 0 })
      const port = Number(new URL(baseUrl).port)
      expect(yield* Effect.flip(serve({ forms: [form], port }))).toMatchObject({
        _tag: "PortUnusable",
        port,
        code: "EADDRINUSE",
      })
      return port
    }))
    expect((yield* serve({ forms: [form], port })).baseUrl).toContain(`:${port}/`)
  }))

it.scopedLive("the practice service refuses a body over the limit on a connection that stays usable", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0 })
    const service = yield* make({ ...options, baseUrl: practice.baseUrl, apiKey: practice.apiKey })
    const item = { questions: [{ id: "q1", value: "x".repeat(6_000_000) }] }
    expect(yield* service.create("f1", [item], () => true)).toMatchObject({ _tag: "Refused", status: 413 })
    expect(yield* service.form("f1")).toEqual(form)
    expect(practice.count("f1")).toBe(0)
  }))

it.scopedLive("the practice service sends everything to a client that obeys its rate limit", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0, rate: rateWindow(20, 1) })
    const service = yield* make({ ...options, baseUrl: practice.baseUrl, apiKey: practice.apiKey, concurrency: 8 })
    const forms = yield* Effect.all(Array.from({ length: 30 }, () => service.form("f1")), { concurrency: "unbounded" })
    expect(forms).toHaveLength(30)
    expect((yield* service.requests).throttled).toBeLessThanOrEqual(8)
  }))

it.scopedLive("the practice service has a random key in each process, which its root page does not show", () =>
  Effect.gen(function*() {
    const practices = yield* Effect.all([serve({ forms: [form], port: 0 }), serve({ forms: [form], port: 0 })])
    const [first, second] = practices.map(({ apiKey }) => Redacted.value(apiKey))
    expect(first).toMatch(/^practice_[0-9a-f]{32}$/)
    expect(first).not.toBe(second)
    const page = yield* Effect.promise(async () => (await fetch(new URL("/", practices[0].baseUrl))).text())
    expect(page).not.toContain(first)
  }))
