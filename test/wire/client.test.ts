import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { make } from "../../src/service/client.ts"
import { quickly } from "../quickly.ts"
import { answerText, rawServer } from "../service/rawServer.ts"
import * as exchanges from "./exchanges.ts"
import { form, full, items, sibling, siblingForm, sparse } from "./expected.ts"

/** Starts a service that answers requests with the given literal texts in turn, and a client for it. */
const played = (...answers: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    let next = 0
    const server = yield* rawServer((socket, soFar) => {
      const length = Number(/content-length: (\d+)/i.exec(soFar)?.[1] ?? 0)
      const [head = "", body = ""] = soFar.split("\r\n\r\n")
      if (!soFar.includes("\r\n\r\n") || body.length < length || head === "") return
      socket.end((answers[next++] ?? "").replace("\r\n", "\r\nconnection: close\r\n"))
    })
    const service = yield* make({
      baseUrl: `http://127.0.0.1:${server.port}/v1/api`,
      apiKey: Redacted.make("sk_prod_1"),
      requestsPerSecond: Infinity,
      concurrency: 2,
      timeout: Duration.seconds(5),
      editLinkParameter: "includeEditLink",
      gateway: "acme",
      capabilities: ["list", "delete"],
      readRetries: { attempts: 3, base: Duration.millis(1), max: Duration.millis(2) },
    })
    /** Returns the parts of a connection's request: its first line, headers and body. */
    const request = (connection: number) => {
      const [head = "", body = ""] = Buffer.from(server.received[connection] ?? "", "latin1").toString().split(
        "\r\n\r\n",
      )
      const [line = "", ...headers] = head.split("\r\n")
      return { line, headers: headers.map((text) => text.toLowerCase()), body }
    }
    return { service, request, requests: server.requests }
  })

const always = () => true

describe("the client with literal answers", () => {
  it.scopedLive("reads a form's metadata", () =>
    Effect.gen(function*() {
      const { service, request } = yield* played(answerText(200, exchanges.metadataBody))
      expect(yield* service.form("vso9PzRfHQus")).toEqual(form)
      expect(request(0).line).toBe(`GET ${exchanges.formPath} HTTP/1.1`)
      expect(request(0).headers).toContain("authorization: bearer sk_prod_1")
      expect(request(0).body).toBe("")
    }))

  it.scopedLive("sends the literal body to create submissions, and reads the literal answer", () =>
    Effect.gen(function*() {
      const { service, request } = yield* played(
        answerText(200, `{"submissions":[${exchanges.sparseSubmission},${exchanges.fullSubmission}]}`),
      )
      expect(yield* service.create("vso9PzRfHQus", items, always)).toEqual({
        _tag: "Created",
        submissions: [sparse, full],
        ids: [sparse.submissionId, full.submissionId],
      })
      expect(request(0).line).toBe(`POST ${exchanges.formPath}/submissions HTTP/1.1`)
      expect(request(0).headers).toContain("content-type: application/json")
      expect(JSON.parse(request(0).body)).toEqual(JSON.parse(exchanges.createBody))
    }))

  it.scopedLive("reads a submission, and its edit link if requested", () =>
    Effect.gen(function*() {
      const withLink = exchanges.sparseSubmission.replace("{", '{"editLink":"https://forms.example/edit/1",')
      const { service, request } = yield* played(
        answerText(200, `{"submission":${exchanges.fullSubmission}}`),
        answerText(200, `{"submission":${withLink}}`),
      )
      expect(yield* service.read("vso9PzRfHQus", full.submissionId)).toEqual(full)
      expect(yield* service.read("vso9PzRfHQus", "9a0b", { editLink: true })).toEqual({
        ...sparse,
        editLink: "https://forms.example/edit/1",
      })
      expect(request(0).line).toBe(`GET ${exchanges.formPath}/submissions/${full.submissionId} HTTP/1.1`)
      expect(request(1).line).toBe(`GET ${exchanges.formPath}/submissions/9a0b?includeEditLink=true HTTP/1.1`)
    }))

  it.scopedLive("encodes ids so that they can't change the path", () =>
    Effect.gen(function*() {
      const { service, request } = yield* played(answerText(404, "{}"), answerText(404, "{}"))
      yield* service.read("a/b?c", "../x#y")
      yield* service.read("..", ".")
      expect(request(0).line).toBe("GET /v1/api/forms/a%2Fb%3Fc/submissions/..%2Fx%23y HTTP/1.1")
      expect(request(1).line).toBe("GET /v1/api/forms/%2E%2E/submissions/%2E HTTP/1.1")
    }))

  it.scopedLive("lists a page of submissions with the form's total, and counts malformed ones", () =>
    Effect.gen(function*() {
      const page = `{"responses":[${exchanges.fullSubmission},{"submissionId":null},${exchanges.sparseSubmission}],`
        + `"totalResponses":303,"pageCount":3}`
      const { service, request } = yield* played(answerText(200, page))
      expect(yield* service.list?.("vso9PzRfHQus", { offset: 300, sort: "asc" }) ?? Effect.void)
        .toEqual({ submissions: [full, sparse], malformed: 1, total: 303 })
      expect(request(0).line).toBe(
        `GET ${exchanges.formPath}/submissions?limit=150&offset=300&sort=asc HTTP/1.1`,
      )
    }))

  it.scopedLive("a list without a total is not accepted as an answer", () =>
    Effect.gen(function*() {
      const page = answerText(200, `{"responses":[${exchanges.fullSubmission}]}`)
      const { service, requests } = yield* played(page, page, page)
      expect(yield* Effect.flip(service.list?.("f", { offset: 0, sort: "desc" }) ?? Effect.void))
        .toMatchObject({ reason: "unexpected" })
      expect(requests()).toHaveLength(3)
    }))

  it.scopedLive("if a service does not know the path of a list, the error names the capability that must not be set", () =>
    Effect.gen(function*() {
      const { service } = yield* played(answerText(404, "{}"))
      const error = yield* Effect.flip(service.list?.("f", { offset: 0, sort: "desc" }) ?? Effect.void)
      expect(error).toMatchObject({ reason: "unexpected", status: 404 })
      expect(String(error)).toContain("its `capabilities` in config/formferry.yaml must not contain `list`")
    }))

  it.scopedLive("lists the account's forms by their public ids, and omits those without one", () =>
    Effect.gen(function*() {
      const { service, request } = yield* played(
        answerText(200, `[{"name":"People","formId":"p1","id":17},{"id":"q2"},{"name":"No id"},null]`),
      )
      expect(yield* service.forms).toEqual([{ id: "p1", name: "People" }, { id: "q2", name: "q2" }])
      expect(request(0).line).toBe("GET /v1/api/forms HTTP/1.1")
    }))

  it.scopedLive("repeats a deletion whose answer was lost, and counts a 404 as success", () =>
    Effect.gen(function*() {
      const { service, request } = yield* played("", answerText(404, "{}"), answerText(200, ""))
      const remove = (id: string) => service.remove?.("vso9PzRfHQus", id, always) ?? Effect.void
      expect(yield* remove("a/b")).toBe("absent")
      expect(yield* remove("c")).toBe("deleted")
      expect([0, 1].map((connection) => request(connection).line)).toEqual(
        Array.from({ length: 2 }, () => `DELETE ${exchanges.formPath}/submissions/a%2Fb HTTP/1.1`),
      )
    }))

  it.scopedLive("sends no deletion if the guard forbids it", () =>
    Effect.gen(function*() {
      const { service, requests } = yield* played()
      expect(yield* service.remove?.("f", "a", () => false) ?? Effect.void).toBe("heldBack")
      expect(requests().filter((one) => one !== "")).toEqual([])
    }))

  it.scopedLive("ignores a form's tags, documents and approvals, the ids of its options and the types of its calculations", () =>
    Effect.gen(function*() {
      const { service } = yield* played(answerText(200, exchanges.siblingMetadata))
      expect(yield* service.form("sib1")).toEqual(siblingForm)
    }))

  it.scopedLive("ignores a submission's start time, documents, approvals and booking's phone number", () =>
    Effect.gen(function*() {
      const { service } = yield* played(answerText(200, `{"submission":${exchanges.siblingSubmission}}`))
      expect(yield* service.read("sib1", "5b2d")).toEqual(sibling)
    }))

  it.scopedLive("reads a listed submission like one that was read individually", () =>
    Effect.gen(function*() {
      const page = `{"responses":[${exchanges.siblingSubmission}],"totalResponses":1,"pageCount":1}`
      const { service } = yield* played(answerText(200, page))
      expect(yield* service.list?.("sib1", { offset: 0, sort: "asc" }) ?? Effect.void)
        .toEqual({ submissions: [sibling], malformed: 0, total: 1 })
    }))

  for (const message of exchanges.credentialMessages) {
    it.scopedLive(`the client treats a 400 with "${message}" as a wrong key, and doesn't retry it`, () =>
      Effect.gen(function*() {
        const body = exchanges.credentialBody(message.toUpperCase())
        const { service, requests } = yield* played(answerText(400, body), answerText(400, body), answerText(400, body))
        const refused = { reason: "credentials", status: 400 }
        expect(yield* Effect.flip(service.form("f"))).toMatchObject(refused)
        expect(yield* Effect.flip(service.read("f", "s"))).toMatchObject(refused)
        expect(yield* service.create("f", items, always)).toMatchObject({
          _tag: "Unusable",
          error: { reason: "credentials" },
        })
        expect(requests()).toHaveLength(3)
      }))
  }

  it.scopedLive("finds the refused item in a message that contains a JSON array", () =>
    Effect.gen(function*() {
      const { service } = yield* played(answerText(400, exchanges.invalidBody))
      expect(yield* service.create("f", items, always)).toEqual({
        _tag: "Refused",
        status: 400,
        message: "urlParameters.0.value: Expected string, received number",
        index: 1,
      })
    }))

  it.scopedLive("the client treats a 429 as not created, and retries a read after the stated wait", () =>
    quickly(Effect.gen(function*() {
      const { service } = yield* played(
        answerText(429, exchanges.throttledBody, exchanges.throttledHeaders),
        answerText(429, exchanges.throttledBody, exchanges.throttledHeaders),
        answerText(200, `{"submission":${exchanges.fullSubmission}}`),
      )
      expect(yield* service.create("f", items, always)).toMatchObject({
        _tag: "NotCreated",
        throttled: true,
        wait: 1000,
      })
      expect(yield* service.read("f", full.submissionId)).toEqual(full)
      expect(yield* service.requests).toEqual({ metadata: 0, create: 1, read: 2, retried: 1, throttled: 2 })
    })))
})
