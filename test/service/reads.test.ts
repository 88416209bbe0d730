import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"
import type { Submission } from "../../src/domain/submission.ts"
import { unlessAborted } from "../../src/service/cancellation.ts"
import { make } from "../../src/service/client.ts"
import type { FormService } from "../../src/service/FormService.ts"
import { overHttp } from "../../src/service/overHttp.ts"
import { answering } from "../localServer.ts"
import { inProcessTransport } from "./inProcessTransport.ts"
import { options } from "./options.ts"

/**
 * The statuses for each submission in turn, repeating the last one. 0 means no answer, and 299 means a different
 * submission.
 */
type Answers = Readonly<Record<string, ReadonlyArray<number>>>

const answerer = (answers: Answers) => {
  const asked = new Map<string, number>()
  return (path: string): { readonly status: number; readonly body: string } => {
    const submissionId = path.split("/").at(-1) ?? ""
    const times = asked.get(submissionId) ?? 0
    asked.set(submissionId, times + 1)
    const statuses = answers[submissionId] ?? [200]
    const status = statuses[Math.min(times, statuses.length - 1)] ?? 200
    const submission = { submissionId: status === 299 ? "z" : submissionId, questions: [] }
    return { status, body: JSON.stringify(status < 300 ? { submission } : {}) }
  }
}

const served = (answers: Answers) => {
  const answer = answerer(answers)
  return make(
    options,
    inProcessTransport({
      answer: ({ path }) => {
        const { body, status } = answer(path)
        return status === 0 ? Effect.never : Effect.succeed({ status, headers: {}, body: Buffer.from(body) })
      },
    }),
  )
}

/** Returns these answers over real connections. */
const servedOverHttp = (answers: Answers) =>
  Effect.gen(function*() {
    const answer = answerer(answers)
    const port = yield* answering((request, response) => {
      const { body, status } = answer(request.url ?? "")
      if (status !== 0) response.writeHead(status).end(body)
    })
    return yield* make({ ...options, baseUrl: `http://127.0.0.1:${port}/v1` }, overHttp)
  })

/** Reads submissions at the same time until the signal is aborted, and calls `each` with each result. */
const readMany = (
  service: Pick<FormService, "read">,
  form: string,
  ids: ReadonlyArray<string>,
  each: (index: number, submission: Submission | undefined) => void,
  signal = new AbortController().signal,
) =>
  unlessAborted(
    Effect.forEach(ids, (id, index) => Effect.map(service.read(form, id), (submission) => each(index, submission)), {
      concurrency: "unbounded",
      discard: true,
    }),
    signal,
  )

const ids = ["a", "b", "c", "d", "e", "f", "g"]

describe("a compressed answer", () => {
  it.scopedLive("a form whose coding is unknown is refused, so that nothing is sent", () =>
    Effect.gen(function*() {
      const port = yield* answering((_, response) => {
        response.writeHead(200, { "content-encoding": "zstd" }).end("?")
      })
      const at = {
        ...options,
        baseUrl: `http://127.0.0.1:${port}/v1`,
        readRetries: { attempts: 1, base: Duration.zero, max: Duration.zero },
      }
      const service = yield* make(at, overHttp)
      expect((yield* Effect.flip(service.form("f"))).message).toContain(
        "status 200 came with a compressed body that can't be read",
      )
    }))
})

describe("many concurrent reads", () => {
  it.scoped("concurrent reads retry an answer with the wrong submission, and fail if it is repeated", () =>
    Effect.gen(function*() {
      const once = yield* served({ c: [299, 200] })
      const found: Array<string | undefined> = []
      const asked = yield* Effect.fork(
        readMany(once, "form", ids, (_, submission) => found.push(submission?.submissionId)),
      )
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(asked)
      expect(found.toSorted()).toEqual(ids)
      const always = yield* served({ c: [299] })
      for (
        const read of [
          readMany(always, "form", ["c"], () => expect.fail("it is not c")),
          Effect.asVoid(always.read("form", "c")),
        ]
      ) {
        const fiber = yield* Effect.fork(Effect.flip(read))
        yield* TestClock.adjust("10 minutes")
        const { message, reason } = yield* Fiber.join(fiber)
        expect(reason).toBe("unexpected")
        expect(message).toContain("not the requested submission")
      }
    }))

  it.scoped("concurrent reads return each submission with its index, return undefined for unknown submissions, and retry failures", () =>
    Effect.gen(function*() {
      const service = yield* served({ b: [404], c: [500, 503, 200] })
      const found = new Map<number, string | undefined>()
      const fiber = yield* Effect.fork(
        readMany(service, "form", ids, (index, submission) => found.set(index, submission?.submissionId)),
      )
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      expect(Object.fromEntries(found)).toEqual({ 0: "a", 1: undefined, 2: "c", 3: "d", 4: "e", 5: "f", 6: "g" })
      expect(yield* service.requests).toMatchObject({ read: 9, retried: 2, throttled: 0 })
    }))

  for (const [how, serve] of [["in this process", served], ["over HTTP", servedOverHttp]] as const) {
    it.scopedLive(`concurrent reads end with the first failure, and release the places of the others (${how})`, () =>
      Effect.gen(function*() {
        const service = yield* serve({ a: [0], b: [0], d: [401] })
        const found: Array<number> = []
        const error = yield* Effect.flip(readMany(service, "form", ids, (index) => found.push(index)))
        expect(error.reason).toBe("credentials")
        expect(found).toEqual([2])
        for (let index = 0; index < 8; index++) expect((yield* service.read("form", "z"))?.submissionId).toBe("z")
        expect(found).toEqual([2])
      }))

    it.scopedLive(`concurrent reads release their places when they are interrupted, whether sent or waiting (${how})`, () =>
      Effect.gen(function*() {
        const service = yield* serve(Object.fromEntries(ids.map((id) => [id, [0]])))
        const found: Array<number> = []
        const fiber = yield* Effect.fork(readMany(service, "form", ids, (index) => found.push(index)))
        while ((yield* service.requests).read < 4) yield* Effect.sleep(1)
        yield* Fiber.interrupt(fiber)
        for (let index = 0; index < 8; index++) expect((yield* service.read("form", "z"))?.submissionId).toBe("z")
        expect(found).toEqual([])
        expect((yield* service.requests).read).toBe(12)
      }))
  }

  it.scopedLive("concurrent reads end without a failure and release their places when cancelled, even while they wait for a retry", () =>
    Effect.gen(function*() {
      for (const answers of [{ a: [0], b: [0], c: [0], d: [0] }, { b: [503] }, {}]) {
        const service = yield* served(answers)
        const abort = new AbortController()
        const found: Array<number> = []
        const fiber = yield* Effect.fork(readMany(service, "form", ids, (index) => found.push(index), abort.signal))
        while ((yield* service.requests).read < 4) yield* Effect.sleep(1)
        yield* Effect.sleep(20)
        abort.abort()
        yield* Fiber.join(fiber)
        const before = found.length
        for (let index = 0; index < 8; index++) expect((yield* service.read("form", "z"))?.submissionId).toBe("z")
        expect(found.length).toBe(before)
        expect(before).toBe("a" in answers ? 0 : "b" in answers ? 6 : 7)
        // A call after the cancellation requests nothing.
        const asked = (yield* service.requests).read
        yield* readMany(service, "form", ids, (index) => found.push(index), abort.signal)
        expect(found.length).toBe(before)
        expect((yield* service.requests).read).toBe(asked)
      }
    }))

  it.scoped("concurrent reads send nothing for an empty list, and turn an error of the callback into a defect", () =>
    Effect.gen(function*() {
      const service = yield* served({})
      yield* readMany(service, "form", [], () => undefined)
      const asked = readMany(service, "form", ids, () => {
        throw new Error("no ear")
      })
      const caught = yield* Effect.catchAllDefect(asked, (defect) => Effect.succeed(defect))
      expect(caught).toEqual(new Error("no ear"))
    }))
})
