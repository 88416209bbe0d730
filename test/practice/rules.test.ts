import { describe, expect, it } from "vitest"
import { makeRules, type PracticeSettings } from "../../src/practice/rules.ts"
import { form } from "./forms.ts"
import { rateWindow } from "./rateWindow.ts"

const settings: PracticeSettings = {
  forms: new Map([["f1", form]]),
  apiKey: "sk_1",
  prefix: "/v1/api",
  gateway: "gateway",
  editLinkBase: "http://x/edit/",
}

const asking = (changed: Partial<PracticeSettings> = {}) => {
  const rules = makeRules({ ...settings, ...changed })
  let ids = 0
  return (method: string, path: string, body?: unknown, now = 0) => {
    const decision = rules(
      {
        method,
        path: `/v1/api${path}`,
        headers: { authorization: "Bearer sk_1", "content-type": "application/json" },
        body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? "")),
      },
      { store: { get: () => undefined, byTime: () => [] }, now, newId: () => `id${++ids}` },
    )
    return { ...decision, json: JSON.parse(decision.answer.body) }
  }
}

const create = (...submissions: ReadonlyArray<unknown>) => asking()("POST", "/forms/f1/submissions", { submissions })

const issuesOf = (result: { readonly json: { readonly message: string } }) =>
  JSON.parse(result.json.message) as ReadonlyArray<
    { readonly path: ReadonlyArray<string | number>; readonly code: string }
  >

describe("the practice service's rules", () => {
  it("the practice service refuses other paths and methods", () => {
    const ask = asking()
    for (
      const [method, path] of [
        ["DELETE", "/forms"],
        ["GET", "/forms/"],
        ["GET", "/forms/f2"],
        ["DELETE", "/forms/f1"],
        ["POST", "/forms/f1"],
        ["GET", "/forms/f2/submissions"],
        ["DELETE", "/forms/f1/submissions"],
        ["PUT", "/forms/f1/submissions/x"],
        ["GET", "/forms/f1/submissions/x"],
        ["DELETE", "/forms/f1/submissions/x"],
        ["GET", "/forms/f1/submissions/x/y"],
        ["GET", "/forms/f1/answers"],
        ["GET", "/forms/%2E%2E/x"],
        ["GET", "/forms/%"],
      ] as const
    ) {
      expect(ask(method, path).json).toEqual({ statusCode: 404, error: "Not Found", message: "Not Found" })
    }
    expect(ask("POST", "/forms/f2/submissions", { submissions: [] }).answer.status).toBe(404)
    expect(ask("GET", "/forms/f1").answer.status).toBe(200)
  })

  it("the practice service accepts up to 10 items in a request", () => {
    const items = Array.from({ length: 11 }, () => ({ questions: [] }))
    expect(issuesOf(create(...items))).toMatchObject([{ code: "too_big", path: ["submissions"] }])
    expect(create(...items).created).toBeUndefined()
    expect(create(...items.slice(1)).created?.submissions).toHaveLength(10)
    expect(create().json).toEqual({ submissions: [] })
  })

  it("the practice service names each invalid item, and doesn't create the other items of the request", () => {
    const cases: ReadonlyArray<readonly [item: unknown, path: ReadonlyArray<string | number>]> = [
      [{}, ["questions"]],
      [null, []],
      [{ questions: "x" }, ["questions"]],
      [{ questions: [{ value: 1 }] }, ["questions", 0, "id"]],
      [{ questions: [{ id: "nope", value: 1 }] }, ["questions", 0, "id"]],
      [{ questions: [], urlParameters: [{ id: "u1", value: "x" }] }, ["urlParameters", 0, "name"]],
      [{ questions: [], submissionTime: "yesterday" }, ["submissionTime"]],
      [{ questions: [], submissionTime: "2024-01-01" }, ["submissionTime"]],
      [{ questions: [], lastUpdatedAt: null }, ["lastUpdatedAt"]],
      [{ questions: [], login: { email: "ada" } }, ["login", "email"]],
      [{ questions: [], payments: [{ id: "p1", value: { currency: "EUR" } }] }, ["payments", 0, "value", "paymentId"]],
      [{ questions: [], scheduling: [{ id: "s1", value: null }] }, ["scheduling", 0, "value"]],
      [{ questions: [], scheduling: [{ id: "s2", value: booking }] }, ["scheduling", 0, "id"]],
      [
        { questions: [], scheduling: [{ id: "s1", value: { ...booking, eventEndTime: 5 } }] },
        ["scheduling", 0, "value", "eventEndTime"],
      ],
    ]
    for (const [item, path] of cases) {
      const result = create({ questions: [] }, item)
      expect(result.answer.status).toBe(400)
      expect(result.created).toBeUndefined()
      expect(issuesOf(result).map((issue) => issue.path)).toEqual([["submissions", 1, ...path]])
    }
  })

  it("a refusal never repeats a value", () => {
    const result = create({
      questions: [{ id: 7, value: "x" }],
      login: { email: "secret person" },
      submissionTime: "secret",
    })
    expect(issuesOf(result)).toHaveLength(3)
    expect(result.answer.body).not.toContain("secret")
  })

  it("the practice service refuses a body that is not JSON, or not declared as JSON", () => {
    const ask = asking()
    expect(ask("POST", "/forms/f1/submissions", "{").answer.status).toBe(400)
    expect(ask("POST", "/forms/f1/submissions", "[]").answer.status).toBe(400)
  })

  it("the practice service keeps times as instants, answers of any JSON type, and undeclared URL parameters", () => {
    const value = { deep: [null, { x: 1.5 }, "ä"] }
    const [submission] = create({
      questions: [{ id: "q2", value }, { id: "q1" }],
      submissionTime: "2024-05-01T12:00:00+02:00",
      urlParameters: [{ id: "other", name: "other", value: "1" }],
    }).json.submissions
    expect(submission).toEqual({
      submissionId: "id1",
      submissionTime: "2024-05-01T10:00:00.000Z",
      lastUpdatedAt: "2024-05-01T10:00:00.000Z",
      questions: [
        { id: "q1", name: "Name", type: "ShortAnswer", value: null },
        { id: "q2", name: "Colour", type: "Dropdown", value },
      ],
      calculations: [{ id: "c1", name: "Sum", type: "text", value: null }],
      urlParameters: [{ id: "u1", name: "legacy_id", value: null }, { id: "other", name: "other", value: "1" }],
      scheduling: [{ id: "s1", name: "Booking", value: null }],
      payments: [{ id: "p1", name: "Fee", value: null }],
      quiz: {},
    })
  })

  it("the practice service limits requests per window, and states its limits in each answer", () => {
    const ask = asking({ rate: rateWindow(2, 1) })
    expect(ask("GET", "/forms/f1", undefined, 0).answer.headers).toMatchObject({
      "ratelimit-limit": "2",
      "ratelimit-policy": "2;w=1",
      "ratelimit-remaining": "1",
      "ratelimit-reset": "1",
    })
    expect(ask("GET", "/forms/none", undefined, 10).answer.status).toBe(404)
    const refused = ask("POST", "/forms/f1/submissions", { submissions: [{ questions: [] }] }, 20)
    expect(refused.answer.status).toBe(429)
    expect(refused.answer.headers).toMatchObject({ "retry-after": "1", "ratelimit-remaining": "0" })
    expect(refused.created).toBeUndefined()
    expect(ask("GET", "/forms/f1", undefined, 1000).answer.status).toBe(200)
  })
})

const booking = {
  fullName: "Ada",
  email: "ada@example.org",
  timezone: "UTC",
  eventStartTime: "2024-05-01T10:00:00Z",
  eventEndTime: "2024-05-01T11:00:00Z",
}
