import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeCodec } from "../../src/service/codec.ts"
import type { CreateOutcome } from "../../src/service/FormService.ts"
import { maskKey, outcomeOfFailure, outcomeOfResponse } from "../../src/service/outcome.ts"
import { MaybeSent, NeverSent } from "../../src/service/transport.ts"

/** The key has characters that each encoding writes in its own way. */
const key = `fk_"a\\b/c&d+e=9f3`

const settings = {
  codec: makeCodec("gateway"),
  baseUrl: "https://forms.example/v1",
  masked: maskKey(key),
  unavailableIsNotCreated: false,
}

const outcome = (
  status: number,
  body: string,
  options: {
    readonly sent?: number
    readonly wait?: number
    readonly headers?: Record<string, string>
    readonly believe503?: boolean
  } = {},
): CreateOutcome =>
  outcomeOfResponse(
    { status, headers: options.headers ?? {}, body: Buffer.from(body) },
    options.sent ?? 2,
    options.wait,
    { ...settings, unavailableIsNotCreated: options.believe503 ?? false },
  )

const short = (result: CreateOutcome): string => {
  const reason = result._tag === "Unusable" || result._tag === "InDoubt" ? result.error?.reason : undefined
  return reason === undefined ? result._tag : `${result._tag} ${reason}`
}

const error = (message: string) => JSON.stringify({ statusCode: 400, error: "Bad Request", message })
const issues = (...list: ReadonlyArray<object>) => error(JSON.stringify(list))
const html = "<html><head><title>502 Bad Gateway</title></head></html>"

describe("the outcome of a create request", () => {
  const table: ReadonlyArray<readonly [what: string, status: number, body: string, expected: string]> = [
    ["the specified body", 200, `{"submissions":[{"submissionId":"a"},{"submissionId":"b"}]}`, "Created"],
    ["the specified body with another 2xx", 201, `{"submissions":[{"submissionId":"a"}]}`, "Created"],
    ["fewer submissions than items", 200, `{"submissions":[]}`, "Created"],
    ["a page of HTML", 200, html, "InDoubt"],
    ["an empty body", 204, "", "InDoubt"],
    ["a truncated body", 200, `{"submissions":[{"submissionId":`, "InDoubt"],
    ["a different shape", 200, `{"submission":{}}`, "InDoubt"],
    ["submissions that are not a list", 200, `{"submissions":{}}`, "InDoubt"],
    ["a redirect", 302, "", "InDoubt redirect"],
    ["a redirect that keeps the method", 307, "", "InDoubt redirect"],
    ["a wrong key", 401, "", "Unusable credentials"],
    ["a key without permission", 403, error("Forbidden"), "Unusable credentials"],
    ["a wrong key as a 400", 400, error("api key INVALID"), "Unusable credentials"],
    [
      "an issue that only mentions a key",
      400,
      issues({ path: ["submissions", 0], message: "api key invalid" }),
      "Refused",
    ],
    ["a demand for payment", 402, "", "InDoubt quota"],
    ["an unknown form", 404, error("Not Found"), "Unusable form-not-found"],
    ["a method that is not allowed", 405, html, "InDoubt unexpected"],
    ["a conflict", 409, "", "InDoubt unexpected"],
    ["a wrong content type", 415, "", "InDoubt unexpected"],
    ["unavailable for legal reasons", 451, "", "InDoubt unexpected"],
    ["a refusal in words", 400, error("question q1 is odd"), "Refused"],
    ["a refusal without a message", 400, "", "InDoubt unexpected"],
    ["a refusal as HTML", 400, html, "InDoubt unexpected"],
    ["a refusal that is not in the service's format", 422, "[]", "InDoubt unexpected"],
    ["too large, in the service's words", 413, error("too large"), "Refused"],
    ["too large, in a proxy's page", 413, html, "InDoubt unexpected"],
    ["not processable", 422, error("no"), "Refused"],
    ["a request timeout", 408, "", "InDoubt"],
    ["too many requests", 429, error("Too many requests. Try again soon."), "NotCreated"],
    ["an error of the service", 500, error("oops"), "InDoubt"],
    ["an error of a proxy", 502, html, "InDoubt"],
    ["a page that says unavailable", 503, html, "InDoubt"],
    ["a gateway's timeout", 504, html, "InDoubt"],
    ["an undefined status", 999, "", "InDoubt"],
  ]
  for (const [what, status, body, expected] of table) {
    it(`the outcome is ${expected} for ${status} with ${what}`, () =>
      expect(short(outcome(status, body))).toBe(expected))
  }

  it("the outcome contains each valid submission, even if others are malformed or have a repeated id", () => {
    const body = JSON.stringify({
      submissions: [
        null,
        7,
        { questions: [] },
        {
          submissionId: "a",
          questions: [null, { id: "q", value: 1 }, { value: 2 }, "x"],
          scheduling: 5,
          login: "me",
          quiz: null,
        },
        { submissionId: "b" },
        { submissionId: "b", questions: [] },
        { submissionId: 12 },
      ],
    })
    const result = outcome(200, body, { sent: 7 })
    if (result._tag !== "Created") throw new Error(result._tag)
    expect(result.ids).toEqual(["a", "b"])
    expect(result.submissions.map((submission) => submission?.submissionId)).toEqual([
      undefined,
      undefined,
      undefined,
      "a",
      undefined,
      undefined,
      undefined,
    ])
    expect(result.submissions[3]?.questions).toEqual([{
      id: "q",
      name: undefined,
      type: undefined,
      known: true,
      value: 1,
    }])
    expect(result.submissions[3]?.login).toBeUndefined()
  })

  it("the outcome names the refused item only if the request contained it, with the issues of that item only", () => {
    expect(outcome(400, issues({ path: ["submissions", 2], message: "no" }))).toMatchObject({ index: undefined })
    expect(outcome(400, issues({ path: ["submissions"], message: "too many" }))).toMatchObject({
      index: undefined,
      message: "submissions: too many",
    })
    expect(outcome(
      422,
      issues(
        { path: ["submissions", 1, "login", "email"], expected: "email" },
        { path: ["submissions", 0, "questions"], message: "Required" },
        { path: ["submissions", 1, "questions", 0, "value"], message: "No" },
      ),
    )).toEqual({
      _tag: "Refused",
      status: 422,
      index: 1,
      message: 'login.email: expected "email"; questions.0.value: No',
    })
    // The issues are a list, not a string that contains a list.
    const list = JSON.stringify({ message: [{ path: ["submissions", 1, "questions"], message: "No" }] })
    expect(outcome(400, list)).toMatchObject({ _tag: "Refused", index: 1, message: "questions: No" })
  })

  it("a 503 with Retry-After counts as not created only if a setting says so", () => {
    const headers = { "retry-after": "5" }
    expect(short(outcome(503, "", { headers, wait: 5000 }))).toBe("InDoubt")
    expect(outcome(503, "", { headers, wait: 5000, believe503: true })).toMatchObject({
      _tag: "NotCreated",
      wait: 5000,
    })
    expect(short(outcome(503, "", { believe503: true }))).toBe("InDoubt")
  })

  it("a 429 with a very long wait counts as an exhausted quota", () => {
    expect(short(outcome(429, "", { wait: 60_000 }))).toBe("NotCreated")
    expect(short(outcome(429, "", { wait: 3_600_000 }))).toBe("Unusable quota")
  })

  it("a request without an answer counts as not created only if it was never sent", () => {
    expect(outcomeOfFailure(new NeverSent({ reason: "refused" }))).toMatchObject({
      _tag: "NotCreated",
      throttled: false,
    })
    expect(outcomeOfFailure(new MaybeSent({ reason: "the connection was reset" }))).toEqual({
      _tag: "InDoubt",
      reason: "the connection was reset after sending had started",
    })
    expect(outcomeOfFailure(new MaybeSent({ reason: "the answer was cut short", status: 401 }))._tag).toBe("InDoubt")
  })

  it("any answer is classified, and counts as not created only if resending is safe", () => {
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => error(text)),
      fc.jsonValue().map((value) => JSON.stringify({ submissions: [value] })),
    )
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), bodies, (status, body) => {
        const tag = outcome(status, body)._tag
        expect(tag === "NotCreated").toBe(status === 429)
        if (tag === "Created") expect(Math.floor(status / 100)).toBe(2)
        if (tag === "Refused") expect([400, 413, 422]).toContain(status)
        if (status === 408 || status >= 500 || status < 200) expect(tag).toBe("InDoubt")
        if (status >= 300 && status < 400) expect(tag).toBe("InDoubt")
        if (tag === "Unusable") expect([400, 401, 403, 404]).toContain(status)
      }),
      { seed: 7, numRuns: 500 },
    )
  })
})

describe("messages of a service that repeats the API key", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  const percent = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("")
  const entities = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
  const spellings: ReadonlyArray<readonly [how: string, text: string]> = [
    ["as it is", key],
    ["in JSON", JSON.stringify(key).slice(1, -1)],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(key)).slice(1, -1)],
    ["in JSON by code", [...key].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join("")],
    ["in a URL", encodeURIComponent(key)],
    ["in a URL, every character", percent(key)],
    ["in a URL in a URL", encodeURIComponent(encodeURIComponent(key))],
    ["in HTML", entities(key)],
    ["in hexadecimal digits", Buffer.from(key).toString("hex")],
    ["in capitals", key.toUpperCase()],
    ["in Base64", base64(key)],
    ["in Base64 as a header", base64(`Bearer ${key}`)],
    ["in Base64 as a header without a space", base64(`Bearer:${key}.`)],
    ["in Base64 as basic authentication", base64(`u:${key}`)],
    ["in Base64 for URLs", Buffer.from(`user:${key}`).toString("base64url")],
  ]

  it.each(spellings)("a message has the API key masked if it is written %s", (_, text) => {
    const before = "x".repeat(480)
    for (const status of [400, 401, 402, 403, 404, 409, 413, 415, 422]) {
      const bodies = [
        error(`${before} ${text}`),
        error(`The key ${text} is odd`),
        issues({ path: ["submissions", 0, text], message: `odd: ${text}`, expected: text }),
        issues({ path: ["submissions", 1], expected: { header: text } }),
      ]
      for (const body of bodies) {
        const told = JSON.stringify(outcome(status, body))
        for (const [how, other] of spellings) {
          // "Bearer " is not a secret.
          const from = how.includes("header") ? 12 : 1
          // At most a few characters of the key are left, wherever the text was truncated.
          expect(told).not.toContain(JSON.stringify(other).slice(from, from + 8))
        }
        expect(told).toMatch(/<the API key>|x{400}/)
      }
    }
  })

  it("a message keeps all other words and answers unchanged", () => {
    expect(outcome(400, error("The question Name is odd"))).toMatchObject({ message: "The question Name is odd" })
    const body = JSON.stringify({
      submissions: [{ submissionId: "a", questions: [{ id: "q", name: "Q", type: "ShortAnswer", value: key }] }],
    })
    expect(JSON.stringify(outcome(200, body, { sent: 1 }))).toContain(JSON.stringify(key).slice(1, -1))
  })
})
