import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { request } from "undici"
import { parseForm } from "../../src/practice/files.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import * as exchanges from "./exchanges.ts"
import { form, siblingForm } from "./expected.ts"

/** Starts the practice service with the literal form, and returns a function that sends literal requests. */
const practice = Effect.gen(function*() {
  const forms = [
    yield* parseForm("literal.json", exchanges.metadataBody),
    yield* parseForm("sibling.json", exchanges.siblingMetadata),
  ]
  const served = yield* serve({ forms, port: 0, apiKey: Redacted.make("sk_prod_1"), gateway: "acme" })
  const origin = new URL(served.baseUrl).origin
  const send = (
    method: "GET" | "POST",
    path: string,
    body?: string,
    authorization: string | null = "Bearer sk_prod_1",
  ) =>
    Effect.promise(async () => {
      const response = await request(origin + path, {
        method,
        headers: {
          ...(authorization === null ? {} : { authorization }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body ?? null,
      })
      const text = await response.body.text()
      return { status: response.statusCode, headers: response.headers, json: JSON.parse(text) }
    })
  return { send, served, forms }
})

describe("the practice service with literal requests", () => {
  it.scopedLive("the practice service accepts the literal metadata as a form file, and returns it", () =>
    Effect.gen(function*() {
      const { send, forms } = yield* practice
      expect(forms).toEqual([form, siblingForm])
      const { documents: _, tags: __, ...specified } = JSON.parse(exchanges.metadataBody)
      const response = yield* send("GET", exchanges.formPath)
      expect(response).toMatchObject({ status: 200, json: specified })
      expect(Object.keys(response.json)).toEqual(Object.keys(specified))
      expect(response.headers["content-type"]).toContain("application/json")
    }))

  it.scopedLive("the practice service creates the literal items and returns the literal submission, both immediately and later", () =>
    Effect.gen(function*() {
      const { send } = yield* practice
      const response = yield* send("POST", `${exchanges.formPath}/submissions`, exchanges.createBody)
      expect(response.status).toBe(200)
      expect(Object.keys(response.json)).toEqual(["submissions"])
      const [first, second] = response.json.submissions
      const literal = JSON.parse(exchanges.fullSubmission)
      // Only the service decides the id, the calculations and the quiz. The discount code is never sent.
      const { discountCode: _, brandNewMember: __, ...payment } = literal.payments[0].value
      expect(first).toEqual({
        ...literal,
        submissionId: first.submissionId,
        calculations: first.calculations,
        quiz: first.quiz,
        payments: [{ ...literal.payments[0], value: payment }],
        documents: undefined,
      })
      expect(first.calculations).toMatchObject([{ id: "cal1", name: "Total" }])
      expect(first.submissionId).not.toBe(second.submissionId)
      expect(second.submissionTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(second.questions[1]).toEqual({ id: "aB9dE2fGh1", name: "Born", type: "DatePicker", value: null })
      const path = `${exchanges.formPath}/submissions/${first.submissionId}`
      expect((yield* send("GET", path)).json).toEqual({ submission: first })
      const withLink = (yield* send("GET", `${path}?includeEditLink=true`)).json.submission
      expect(withLink).toEqual({ ...first, editLink: withLink.editLink })
      expect(withLink.editLink).toMatch(/^http/)
      expect((yield* send("GET", `${path}?includeEditLink=false`)).json).toEqual({ submission: first })
    }))

  it.scopedLive("the practice service lists its forms by name and id", () =>
    Effect.gen(function*() {
      const { send } = yield* practice
      expect(yield* send("GET", exchanges.formsPath)).toMatchObject({
        status: 200,
        json: JSON.parse(exchanges.formsBody),
      })
    }))

  it.scopedLive("the practice service lists submissions, a page at a time", () =>
    Effect.gen(function*() {
      const { send } = yield* practice
      const created = yield* send("POST", `${exchanges.formPath}/submissions`, exchanges.createBody)
      const page = yield* send("GET", exchanges.listPath)
      expect(page).toMatchObject({ status: 200, json: { totalResponses: 2, pageCount: 2 } })
      expect(Object.keys(page.json)).toEqual(["responses", "totalResponses", "pageCount"])
      // The first item has the earlier submission time.
      expect(page.json.responses).toEqual([created.json.submissions[1]])
    }))

  it.scopedLive("the practice service accepts a booking with a phone number", () =>
    Effect.gen(function*() {
      const { send } = yield* practice
      const response = yield* send("POST", "/v1/api/forms/sib1/submissions", exchanges.siblingRequest)
      expect(response.status).toBe(200)
      expect(response.json.submissions[0].scheduling[0].value).toMatchObject({ fullName: "Ada Lovelace" })
    }))

  it.scopedLive("the practice service refuses the literal malformed request with the observed answer, and creates nothing", () =>
    Effect.gen(function*() {
      const { send, served } = yield* practice
      const response = yield* send("POST", `${exchanges.formPath}/submissions`, exchanges.invalidRequest)
      expect(response.status).toBe(400)
      const literal = JSON.parse(exchanges.invalidBody)
      expect({ ...response.json, message: JSON.parse(response.json.message) }).toEqual({
        ...literal,
        message: JSON.parse(literal.message),
      })
      expect(served.count("vso9PzRfHQus")).toBe(0)
    }))

  it.scopedLive("the practice service refuses invalid keys with the observed messages", () =>
    Effect.gen(function*() {
      const { send } = yield* practice
      const keys = [null, "Bearer sk", "Basic abc", "Bearer sk_other"]
      for (const [index, key] of keys.entries()) {
        const response = yield* send("GET", exchanges.formPath, undefined, key)
        expect(response.status).toBe(400)
        expect(response.json).toEqual(JSON.parse(exchanges.credentialBody(exchanges.credentialMessages[index] ?? "")))
      }
    }))
})
