import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Logger, Random, Redacted, TestClock } from "effect"
import type { Item } from "../../src/domain/item.ts"
import { make } from "../../src/service/client.ts"
import type { TransportResponse } from "../../src/service/transport.ts"
import { type ConnectionFailed, inProcessTransport } from "./inProcessTransport.ts"
import { options } from "./options.ts"

const response = (status: number, body: unknown, headers: Record<string, string> = {}): TransportResponse => ({
  status,
  headers,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
})

const submission = { submission: { submissionId: "s", questions: [] } }

/** Returns a client of a service with these answers in turn. The last answer is repeated. */
const answering = (...answers: ReadonlyArray<TransportResponse | ConnectionFailed>) => {
  let asked = 0
  return inProcessTransport({
    answer: () =>
      Effect.suspend((): Effect.Effect<TransportResponse, ConnectionFailed> => {
        const answer = answers[Math.min(asked++, answers.length - 1)] ?? { reason: "no answer" }
        return "reason" in answer ? Effect.fail(answer) : Effect.succeed(answer)
      }),
  })
}

const items: ReadonlyArray<Item> = [{ questions: [] }]
const always = () => true

/** Reads a submission, and fails unless the client sends this read after exactly this time. */
const expectReadAfter = (service: Effect.Effect.Success<ReturnType<typeof make>>, millis: number) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(service.read("f", "s"))
    yield* TestClock.adjust(millis - 1)
    expect((yield* service.requests).read).toBe(0)
    yield* TestClock.adjust(1)
    expect(yield* Fiber.join(fiber)).toBeDefined()
  })

describe("the service client", () => {
  it.scoped("the client retries reads with growing waits until it has the answer", () =>
    Effect.gen(function*() {
      const service = yield* make(
        options,
        answering(response(500, "<html>"), { reason: "reset" }, response(200, "<html>"), response(200, submission)),
      )
      const fiber = yield* Effect.fork(service.read("f", "s"))
      yield* TestClock.adjust(Duration.millis(300))
      expect((yield* service.requests).read).toBe(1)
      yield* TestClock.adjust(Duration.seconds(10))
      expect((yield* Fiber.join(fiber))?.submissionId).toBe("s")
      expect(yield* service.requests).toMatchObject({ read: 4, retried: 3 })
    }).pipe(Effect.withRandom(Random.make("seed"))))

  it.scoped("the client gives up on a read after several attempts, and says what happened and what to do", () =>
    Effect.gen(function*() {
      const service = yield* make(options, answering({ reason: "the connection was reset" }))
      const fiber = yield* Effect.fork(Effect.flip(service.form("f")))
      yield* TestClock.adjust(Duration.minutes(5))
      const error = yield* Fiber.join(fiber)
      expect(error).toMatchObject({ reason: "unreachable" })
      expect(error.message).toContain("can't be reached after several attempts: the connection was reset")
      expect((yield* service.requests).metadata).toBe(6)
    }))

  it.scoped("the client does not retry after a redirect, a wrong key, an unknown form or an exhausted quota", () =>
    Effect.gen(function*() {
      for (
        const [answer, reason] of [
          [response(301, ""), "redirect"],
          [response(401, ""), "credentials"],
          [response(404, ""), "form-not-found"],
          [response(402, ""), "quota"],
          [response(429, "", { "retry-after": "7200" }), "quota"],
          [response(400, { message: "odd id" }), "unexpected"],
        ] as const
      ) {
        const service = yield* make(options, answering(answer))
        expect(yield* Effect.flip(service.form("f"))).toMatchObject({ reason })
        expect((yield* service.requests).metadata).toBe(1)
      }
    }))

  it.scoped("the client names a form that the service does not know", () =>
    Effect.gen(function*() {
      const service = yield* make(options, answering(response(404, "")))
      const { message } = yield* Effect.flip(service.form("f1"))
      expect(message).toMatch(/^Form f1: \S+ does not know this form: status 404/)
    }))

  it.scoped("the client says that it received a web page instead of a form, without a retry", () =>
    Effect.gen(function*() {
      const service = yield* make(options, answering(response(200, "<!doctype html><title>Sign in</title>")))
      expect((yield* Effect.flip(service.form("f"))).message).toContain(
        "does not answer as specified: status 200 came with a web page instead of the requested form. Check baseUrl",
      )
      expect((yield* service.requests).metadata).toBe(1)
    }))

  it.scoped("the client says once that it repeats the request for a form", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))
      const service = yield* make(options, answering({ reason: "the proxy refused the connection" }))
      const fiber = yield* Effect.fork(Effect.provide(Effect.flip(service.form("f")), logger))
      yield* TestClock.adjust(Duration.minutes(5))
      expect((yield* Fiber.join(fiber)).reason).toBe("unreachable")
      expect(logged.flat()).toEqual([
        expect.stringMatching(/^Waiting for \S+: the proxy refused the connection\. The request is repeated/),
      ])
    }))

  it.scoped("the client returns undefined for a submission if the service answers 404 or 410", () =>
    Effect.gen(function*() {
      for (const status of [404, 410]) {
        const service = yield* make(options, answering(response(status, { message: "Not Found" })))
        expect(yield* service.read("f", "s")).toBeUndefined()
      }
    }))

  it.scoped("the client never repeats a create, for any answer", () =>
    Effect.gen(function*() {
      for (
        const answer of [response(429, ""), response(503, ""), response(400, ""), response(200, "<html>"), {
          reason: "x",
        }]
      ) {
        let asked = 0
        const service = yield* make(
          options,
          inProcessTransport({
            answer: () => {
              asked++
              return "reason" in answer ? Effect.fail(answer) : Effect.succeed(answer)
            },
          }),
        )
        yield* service.create("f", items, always)
        yield* TestClock.adjust(Duration.minutes(5))
        expect(asked).toBe(1)
        expect((yield* service.requests).create).toBe(1)
      }
    }))

  it.scoped("the client calls the guard only when the request's turn has come", () =>
    Effect.gen(function*() {
      const service = yield* make({ ...options, requestsPerSecond: 1 }, answering(response(200, submission)))
      yield* service.read("f", "s")
      let wanted = true
      const fiber = yield* Effect.fork(service.create("f", items, () => wanted))
      yield* TestClock.adjust(500)
      wanted = false
      yield* TestClock.adjust(500)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "NotCreated", throttled: false })
    }))

  it.scoped("the client counts a create as retried if its items are known not to have been created", () =>
    Effect.gen(function*() {
      const service = yield* make(
        options,
        answering(response(429, "", { "retry-after": "1" }), response(200, { submissions: [] })),
      )
      yield* service.create("f", items, always)
      yield* TestClock.adjust(2000)
      const fiber = yield* Effect.fork(service.create("f", items, always))
      yield* TestClock.adjust(2000)
      yield* Fiber.join(fiber)
      expect(yield* service.requests).toMatchObject({ create: 2, retried: 1, throttled: 1 })
    }))

  it.scoped("the client delays all requests if the service asks one request to wait", () =>
    Effect.gen(function*() {
      const service = yield* make(
        options,
        answering(response(429, "", { "retry-after": "10" }), response(200, submission)),
      )
      yield* service.create("f", items, always)
      yield* expectReadAfter(service, 10_000)
    }))

  it.scoped("the client cancels a create that waits in a pause, and sends nothing", () =>
    Effect.gen(function*() {
      const service = yield* make(
        options,
        answering(response(429, "", { "retry-after": "500" }), response(200, submission)),
      )
      yield* service.create("f", items, always)
      const abort = new AbortController()
      const fiber = yield* Effect.fork(
        Effect.uninterruptible(service.create("f", items, always, abort.signal)),
      )
      yield* TestClock.adjust("10 seconds")
      abort.abort()
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "NotCreated", throttled: false })
      expect((yield* service.requests).create).toBe(1)
    }))

  it.scoped("the client shares pace and pauses between the runs of a service, and counts each run's own requests", () =>
    Effect.gen(function*() {
      const service = yield* make(
        { ...options, requestsPerSecond: 1 },
        answering(response(429, "", { "retry-after": "10" }), response(200, submission)),
      )
      const [a, b] = [yield* service.apart, yield* service.apart]
      yield* a.create("f", items, always)
      const reading = yield* Effect.fork(b.read("f", "s"))
      yield* TestClock.adjust(9_999)
      expect((yield* b.requests).read).toBe(0)
      yield* TestClock.adjust(1)
      yield* Fiber.join(reading)
      expect(yield* a.requests).toMatchObject({ create: 1, read: 0, throttled: 1 })
      expect(yield* b.requests).toMatchObject({ create: 0, read: 1, throttled: 0 })
      expect(yield* b.pace).toMatchObject({ buckets: [{ read: 1, create: 0 }] })
    }))

  it.scoped("the client identifies a form by the id in its metadata, or else by the requested id", () =>
    Effect.gen(function*() {
      const asked = (body: unknown) =>
        Effect.flatMap(make(options, answering(response(200, body))), (one) => one.form("f"))
      expect((yield* asked({ name: "F", questions: [] })).id).toBe("f")
      expect((yield* asked({ id: "F", name: "F", questions: [] })).id).toBe("F")
    }))

  it.scoped("a create that gets a 429 returns the wait of Retry-After, or else of the backoff", () =>
    Effect.gen(function*() {
      const asked = [
        [{ "retry-after": "7" }, 7_000],
        [{ "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT" }, 9_000],
        [{ "ratelimit-limit": "5", "ratelimit-reset": "3" }, 3_000],
        [{}, 250],
      ] as const
      for (const [headers, wait] of asked) {
        const service = yield* make(options, answering(response(429, "Too many requests. Try again soon.", headers)))
        expect(yield* service.create("f", items, always)).toMatchObject({ _tag: "NotCreated", throttled: true, wait })
      }
    }))

  it.scoped("the client treats a 503 with Retry-After as not created only if a setting says so, and delays all requests", () =>
    Effect.gen(function*() {
      const busy = response(503, "<html>", { "retry-after": "5" })
      const doubtful = yield* make(options, answering(busy))
      expect(yield* doubtful.create("f", items, always)).toMatchObject({ _tag: "InDoubt" })
      const believed = yield* make(
        { ...options, unavailableIsNotCreated: true },
        answering(busy, response(200, submission)),
      )
      expect(yield* believed.create("f", items, always)).toMatchObject({ _tag: "NotCreated", wait: 5_000 })
      yield* expectReadAfter(believed, 5_000)
    }))

  it.scoped("the client reports a timeout during the answer as in doubt, and a timeout while connecting as not created", () =>
    Effect.gen(function*() {
      for (
        const [server, expected] of [
          [{ answer: () => Effect.never }, "InDoubt"],
          [{ connect: Effect.never, answer: () => Effect.never }, "NotCreated"],
        ] as const
      ) {
        const service = yield* make(options, inProcessTransport(server))
        const fiber = yield* Effect.fork(service.create("f", items, always))
        yield* TestClock.adjust(Duration.seconds(31))
        expect((yield* Fiber.join(fiber))._tag).toBe(expected)
      }
    }))

  it.scoped("the client never includes the key in a failure", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const tell = (value: unknown) => void told.push(JSON.stringify(value), String(value))
      for (const answer of [response(401, { message: "API Key invalid" }), response(302, ""), response(400, "")]) {
        const service = yield* make(options, answering(answer))
        tell(yield* Effect.flip(service.form("f")))
        tell(yield* service.create("f", items, always))
      }
      for (const key of ["sk_very_secret\n", "sk very_secret", "", "sk_very_secret\u{1F600}"]) {
        const opened = yield* Effect.exit(
          make({ ...options, apiKey: Redacted.make(key) }, answering(response(200, ""))),
        )
        expect(Exit.isFailure(opened)).toBe(true)
        tell(opened)
      }
      expect(told.join("\n")).not.toContain("very_secret")
    }))
})
