import { expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { Form } from "../../src/domain/form.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { make } from "../../src/service/client.ts"

const form: Form = {
  id: "f1",
  name: "Contacts",
  questions: [
    { id: "q1", name: "Name", type: "ShortAnswer", options: undefined },
    { id: "q2", name: "Colour", type: "Dropdown", options: [{ value: "r", label: "Red" }] },
  ],
  calculations: [{ id: "c1", name: "Sum" }],
  urlParameters: [{ id: "u1", name: "legacy_id" }],
  scheduling: [{ id: "s1", name: "Booking" }],
  payments: [{ id: "p1", name: "Fee" }],
  quiz: undefined,
}

const booking = {
  fullName: "Ada",
  email: "ada@example.org",
  timezone: "UTC",
  eventStartTime: "2024-05-01T10:00:00.000Z",
  eventEndTime: "2024-05-01T11:00:00.000Z",
}

it.scopedLive("what is created over real HTTP is read back as it was sent, member by member", () =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0, gateway: "acme" })
    const service = yield* make({
      baseUrl: practice.baseUrl,
      apiKey: practice.apiKey,
      requestsPerSecond: Infinity,
      concurrency: 4,
      timeout: Duration.seconds(5),
      editLinkParameter: "includeEditLink",
      gateway: "acme",
    })
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
