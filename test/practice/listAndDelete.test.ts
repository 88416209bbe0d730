import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { request } from "undici"
import { serve } from "../../src/practice/PracticeService.ts"
import { type Fault, planned } from "./faults.ts"
import { form } from "./forms.ts"

interface Body {
  readonly submission?: { readonly submissionId: string }
  readonly submissions: ReadonlyArray<{ readonly submissionId: string }>
  readonly responses: ReadonlyArray<{ readonly submissionId: string; readonly editLink?: string }>
  readonly totalResponses: number
}

/** Starts the practice service with faults and two submissions, the first of which is older. */
const started = (...faults: ReadonlyArray<Fault>) =>
  Effect.gen(function*() {
    const practice = yield* serve({ forms: [form], port: 0, faults: planned({ seed: 1, faults }) })
    const authorization = `Bearer ${Redacted.value(practice.apiKey)}`
    const send = (method: "GET" | "POST" | "DELETE", path: string, body?: unknown) =>
      Effect.tryPromise(async () => {
        const response = await request(`${practice.baseUrl}/forms${path}`, {
          method,
          headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
          body: body === undefined ? null : JSON.stringify(body),
          headersTimeout: 300,
        })
        return { status: response.statusCode, json: await response.body.json() as Body }
      })
    const { json } = yield* send("POST", "/f1/submissions", {
      submissions: ["2020", "2024"].map((year) => ({ questions: [], submissionTime: `${year}-01-01T00:00:00Z` })),
    })
    const [older = "", newer = ""] = json.submissions.map(({ submissionId }) => submissionId)
    const listed = Effect.map(send("GET", "/f1/submissions?sort=asc"), (page) =>
      page.json.responses.map(({ submissionId }) => submissionId))
    return { practice, send, older, newer, listed }
  })

describe("the practice service's list of submissions over HTTP", () => {
  it.scopedLive("the list shows the submissions as a read shows them", () =>
    Effect.gen(function*() {
      const { newer, older, send } = yield* started()
      const read = (id: string) => Effect.map(send("GET", `/f1/submissions/${id}`), ({ json }) => json.submission)
      expect((yield* send("GET", "/f1/submissions?sort=asc")).json).toEqual({
        responses: [yield* read(older), yield* read(newer)],
        totalResponses: 2,
        pageCount: 1,
      })
    }))

  it.scopedLive("the list contains edit links only if they are requested", () =>
    Effect.gen(function*() {
      const { older, send } = yield* started()
      const first = (query: string) =>
        Effect.map(send("GET", `/f1/submissions?sort=asc&${query}`), ({ json }) => json.responses[0])
      expect((yield* first("includeEditLink=true"))?.editLink).toContain(older)
      expect(yield* first("includeEditLink=false")).not.toHaveProperty("editLink")
    }))

  it.scopedLive("a submission that the fault `invisible` hides only from lists can be read, and is listed later", () =>
    Effect.gen(function*() {
      const { listed, older, newer, send } = yield* started({
        fault: "invisible",
        in: "list",
        for: Duration.seconds(1),
      })
      expect((yield* send("GET", `/f1/submissions/${older}`)).status).toBe(200)
      expect(yield* listed).toEqual([])
      yield* Effect.sleep("1100 millis")
      expect(yield* listed).toEqual([older, newer])
    }))

  it.scopedLive("a submission hidden by the fault `invisible` is neither read nor listed", () =>
    Effect.gen(function*() {
      const { listed, older, send } = yield* started({ fault: "invisible", for: Duration.minutes(1) })
      expect((yield* send("GET", `/f1/submissions/${older}`)).status).toBe(404)
      expect(yield* listed).toEqual([])
    }))

  it.scopedLive("an intruder's submission appears in the form after a list", () =>
    Effect.gen(function*() {
      const { listed, newer, older } = yield* started({ fault: "intruder", at: [1] })
      expect(yield* listed).toEqual([older, newer])
      const [first, second, intruder, ...others] = yield* listed
      expect([first, second, others]).toEqual([older, newer, []])
      expect(intruder).toMatch(/^[0-9a-f-]{36}$/)
    }))

  it.scopedLive("a fault of lists does not affect reads, forms or deletions", () =>
    Effect.gen(function*() {
      const { older, send } = yield* started({ fault: "status", status: 503, body: "json", when: "before", on: "list" })
      const statuses = yield* Effect.forEach(
        [["GET", `/f1/submissions/${older}?x=/submissions`], ["GET", "/f1"], ["GET", ""], [
          "DELETE",
          `/f1/submissions/${older}`,
        ], ["GET", "/f1/submissions?search=/submissions/x"]] as const,
        ([method, path]) => Effect.map(send(method, path), ({ status }) => status),
      )
      expect(statuses).toEqual([200, 200, 200, 200, 503])
    }))
})

describe("deleting submissions of the practice service", () => {
  it.scopedLive("a deleted submission is neither read, listed nor deleted again", () =>
    Effect.gen(function*() {
      const { listed, newer, older, practice, send } = yield* started()
      expect((yield* send("DELETE", `/f1/submissions/${older}`)).status).toBe(200)
      expect(yield* listed).toEqual([newer])
      expect((yield* send("GET", `/f1/submissions/${older}`)).status).toBe(404)
      expect((yield* send("DELETE", `/f1/submissions/${older}`)).status).toBe(404)
      expect(practice.submissions("f1").map(({ submissionId }) => submissionId)).toEqual([newer])
    }))

  const lost: ReadonlyArray<readonly [fault: Fault, kept: number]> = [
    [{ fault: "reset", on: "delete", when: "before" }, 2],
    [{ fault: "reset", on: "delete", when: "after" }, 1],
    [{ fault: "unanswered", on: "delete", when: "before" }, 2],
    [{ fault: "unanswered", on: "delete", when: "after" }, 1],
    [{ fault: "status", status: 500, body: "html", on: "delete", when: "before" }, 2],
    [{ fault: "status", status: 500, body: "html", on: "delete", when: "after" }, 1],
    [{ fault: "cut", on: "delete" }, 1],
  ]
  for (const [fault, kept] of lost) {
    const when = "when" in fault ? ` ${String(fault.when)}` : ""
    it.scopedLive(`a deletion with the fault ${fault.fault}${when} is ${kept === 2 ? "not done" : "done"}, and its answer is lost`, () =>
      Effect.gen(function*() {
        const { older, practice, send } = yield* started(fault)
        expect((yield* Effect.either(send("DELETE", `/f1/submissions/${older}`)))._tag).toBe("Left")
        expect(practice.count("f1")).toBe(kept)
      }))
  }
})
