import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { PullProgress } from "../../../src/source/Source.ts"
import { koboExports, qualtricsJobs } from "./fakeJobs.ts"
import { type FakeTools, type Received, records, type Sent, startTools, token } from "./fakeTools.ts"
import { pullProject } from "./pullProject.ts"

let tools: FakeTools & { readonly stop: () => void }
let kinds = { qualtrics: qualtricsJobs(), kobo: koboExports() }
const { failure, now, open, pulled, run } = pullProject(() => tools.base)
beforeAll(async () => {
  tools = await startTools((request, store) =>
    kinds[request.url.pathname.startsWith("/surveys") ? "qualtrics" : "kobo"](request, store)
  )
})
afterAll(() => tools.stop())
beforeEach(() => {
  kinds = { qualtrics: qualtricsJobs(), kobo: koboExports() }
  tools.store = records(1, 2_500)
  tools.meddle = () => undefined
  tools.received.length = 0
})

const jobs = {
  Qualtrics: {
    auth: "{ header: { name: X-API-TOKEN, value: { env: TOOL_TOKEN } } }",
    source: `request: { path: /surveys/SV_1/export-responses, json: { format: csv } }
  job:
    id: /result/progressId
    poll: /surveys/SV_1/export-responses/{job}
    status: { at: /result/status, running: [inProgress], completed: [complete], failed: [failed] }
    file: /result/fileId
    download: /surveys/SV_1/export-responses/{file}/file
    every: 10 millis`,
  },
  KoboToolbox: {
    auth: "{ header: { name: Authorization, prefix: Token, value: { env: TOOL_TOKEN } } }",
    source: `request: { path: /assets/aBc123/exports/, json: { type: csv, group_sep: / } }
  job:
    id: /uid
    poll: /assets/aBc123/exports/{job}/
    status: { at: /status, running: [created, processing], completed: [complete], failed: [error] }
    file: /result
    every: 10 millis`,
  },
}

const all = (last: number) => records(1, last).map(({ id, name }) => `${id} ${name}`)

/** Answers the request for the job's state: the second request. */
const polled = (body: unknown) => (_: Received, count: number) => count === 2 ? { body } : undefined
const result = (members: object) => polled({ result: members })

describe.each(Object.entries(jobs))("an export job of %s", (_, job) => {
  it("is started, waited for and downloaded, and has every record once", async () => {
    const { rows } = await pulled(job)
    expect(rows).toEqual(all(2_500))
    // One request starts the job, three ask for its state, and one downloads the file.
    expect(tools.received.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET", "GET"])
    // Only the first request contains the body.
    expect(tools.received.slice(1).map(({ body }) => body)).toEqual(["", "", "", ""])
  })

  it("waits as long as a 429 asks, and downloads again what was cut short", async () => {
    tools.meddle = (_, count) => {
      if (count === 2) return { status: 429, headers: { "retry-after": "1" } }
      return count === 6 ? "cut" : undefined
    }
    const started = now()
    expect((await pulled(job)).rows).toEqual(all(2_500))
    expect(now() - started).toBeGreaterThan(950)
    expect(tools.received).toHaveLength(7)
  })

  it.each([1, 2, 5])("does not follow a redirect of request %i", async (at) => {
    tools.meddle = (_, count) =>
      count === at ? { status: 302, headers: { location: "https://elsewhere.example/secretpath" } } : undefined
    expect((await failure(job)).message).toContain("redirects to elsewhere.example. Redirects are not followed")
    expect(tools.received).toHaveLength(at)
  })

  it.each([1, 2, 5])("is refused with its own message if the token expires before request %i", async (at) => {
    tools.meddle = (_, count) => count === at ? { status: 401 } : undefined
    const error = await failure(job)
    expect(error.message).toContain("the secret in TOOL_TOKEN is wrong or has expired")
    expect(error._tag).toBe("ConnectionUnusable")
  })
})

describe("a job", () => {
  it.each<[string, (request: Received, count: number) => Sent | undefined, string, string]>([
    [
      "fails",
      result({ status: "failed" }),
      "could not create the file: its job ended in the state `failed`",
      "ConnectionUnusable",
    ],
    [
      "has an unknown state",
      result({ status: "paused" }),
      "reports the state `paused` at /result/status that `source.job.status` doesn't list",
      "SourceError",
    ],
    [
      "has no state",
      result({}),
      "reports a state at /result/status that `source.job.status` doesn't list",
      "SourceError",
    ],
    ["has a secret as state", result({ status: token }), "reports a state at /result/status", "SourceError"],
    ["has a list as state", result({ status: ["complete"] }), "reports a state at /result/status", "SourceError"],
    ["has no file", result({ status: "complete" }), "sent no file id at /result/fileId", "SourceError"],
    [
      "has a file whose id leads elsewhere",
      result({ status: "complete", fileId: ".." }),
      "sent no file id at /result/fileId",
      "SourceError",
    ],
    [
      "has an empty file",
      (_, count) => count === 5 ? { body: "" } : undefined,
      "sent an empty file",
      "SourceError",
    ],
    [
      "has a file that ends early",
      (_, count) => count === 5 ? { body: Buffer.from("PK\u0003\u0004 but nothing else") } : undefined,
      "is damaged",
      "SourceError",
    ],
    [
      "has no JSON as state",
      polled("<html>secretpath</html>"),
      "sent an answer about its job that is not JSON",
      "SourceError",
    ],
    [
      "has an unknown path",
      (_, count) => count === 2 ? { status: 404 } : undefined,
      "has nothing at the path of the request (404). Correct `source.job`",
      "SourceError",
    ],
    [
      "is refused",
      (_, count) => count === 1 ? { status: 400, body: "secretpath" } : undefined,
      "refused the request (400). Correct `source.request`",
      "SourceError",
    ],
  ])("that %s is an error", async (_, meddle, message, tag) => {
    tools.meddle = meddle
    const error = await failure(jobs.Qualtrics)
    expect(error.message).toContain(message)
    expect(error._tag).toBe(tag)
  })

  it.each([undefined, null, 1.5, {}, "", ".", "..", "a\nb", "\ud800"])(
    "whose id is %j is an error",
    async (progressId) => {
      tools.meddle = () => ({ body: { result: { progressId, status: "inProgress" } } })
      const error = await failure(jobs.Qualtrics)
      expect(error.message).toContain("sent no job id at /result/progressId")
      expect(tools.received).toHaveLength(1)
    },
  )

  it("may have numbers as states", async () => {
    const source = jobs.Qualtrics.source.replace("[inProgress]", "[1]").replace("[complete]", "[3, '4']")
    tools.meddle = (_, count) => {
      if (count === 2) return { body: { result: { status: 1 } } }
      if (count === 3) return { body: { result: { status: 4, fileId: "f" } } }
      return count === 4 ? { body: "id,name\n1,Ada\n" } : undefined
    }
    expect((await pulled({ ...jobs.Qualtrics, source })).rows).toEqual(["1 Ada"])
  })

  it("is shown while it is running, and then the download", async () => {
    const phases: Array<string> = []
    await run(
      Effect.provideService(
        open(jobs.Qualtrics.auth, jobs.Qualtrics.source),
        PullProgress,
        (phase) => Effect.sync(() => void phases.push(phase)),
      ),
    )
    expect([...new Set(phases)]).toEqual(["job", "download"])
  })

  it("has its id in the path as one segment", async () => {
    tools.meddle = (_, count) =>
      count === 1 ? { body: { result: { progressId: "../a?b#c/$&" } } } : result({ status: "failed" })(_, count)
    await failure(jobs.Qualtrics)
    expect(tools.received[1]?.url.pathname).toBe("/surveys/SV_1/export-responses/..%2Fa%3Fb%23c%2F%24%26")
    expect(tools.received[1]?.url.search).toBe("")
  })

  it("that never ends is an error that names its state", async () => {
    tools.meddle = (_, count) => count === 1 ? undefined : { body: { result: { status: "inProgress" } } }
    const source = `${jobs.Qualtrics.source}\n    within: 1 second`
    const error = await failure({ ...jobs.Qualtrics, source })
    expect(error.message).toContain("did not create the file within 1s: its job is still in the state `inProgress`")
    expect(error._tag).toBe("ConnectionUnusable")
    expect(tools.received.length).toBeGreaterThan(3)
  })

  it.each([
    [
      "on a different host",
      "https://elsewhere.example/secretpath",
      "sent an address on https://elsewhere.example for the file",
    ],
    ["that is missing", null, "sent no address of the file at /result"],
    ["that is no address", "http://", "sent no address of the file at /result"],
  ])("whose file has an address %s is an error", async (_, address, message) => {
    tools.meddle = polled({ status: "complete", result: address })
    const error = await failure(jobs.KoboToolbox)
    expect(error.message).toContain(message)
    expect(tools.received).toHaveLength(2)
  })

  it("can't be used together with pages", async () => {
    const { message } = await failure({
      ...jobs.Qualtrics,
      source: `${jobs.Qualtrics.source}\n  page: { link: /next }`,
    })
    expect(message).toContain("`page` can't be used together with `job`")
  })

  it("needs its id in the path of its state", async () => {
    const { message } = await failure({ ...jobs.Qualtrics, source: jobs.Qualtrics.source.replace("/{job}", "") })
    expect(message).toContain("expects a path that contains `{job}`")
  })
})
