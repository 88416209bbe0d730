import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Logger, Metric, TestClock } from "effect"
import { setImmediate } from "node:timers/promises"
import { makeAdmission } from "../../src/service/Admission.ts"
import { Pace } from "../../src/service/pace.ts"
import { makePauseLog, makeRequests } from "../../src/service/requests.ts"
import { SharedPace } from "../../src/service/SharedPace.ts"
import { asRequest, telemetryOn } from "../../src/service/telemetry.ts"
import { type MaybeSent, NeverSent, type TransportResponse } from "../../src/service/transport.ts"

type Answer = Effect.Effect<TransportResponse, NeverSent | MaybeSent>

const answer = (status: number, wait = "3"): Answer =>
  Effect.succeed({ status, headers: status === 429 ? { "retry-after": wait } : {}, body: Buffer.from("") })

/** A queue with one place, and a transport whose requests the test answers. */
const opened = Effect.gen(function*() {
  const clock = yield* Effect.clock
  const pace = new Pace(Infinity)
  const sent: Array<{ readonly answer: (answered?: Answer) => void; givenUp: boolean }> = []
  const { requests, send } = makeRequests({
    clock,
    pace,
    logPause: makePauseLog("https://forms.example.com", pace),
    admission: yield* makeAdmission(pace, 1),
    transport: {
      send: () =>
        Effect.async<TransportResponse, NeverSent | MaybeSent>((resume) => {
          const one = { answer: (answered: Answer = answer(200)) => resume(answered), givenUp: false }
          sent.push(one)
          return Effect.sync(() => {
            one.givenUp = true
          })
        }),
    },
  })
  const create = (signal?: AbortSignal) =>
    Effect.map(
      send("create", { method: "POST", path: "/forms/f/submissions" }, signal),
      ({ response }) => response.status,
    )
  return { create, requests, sent }
})

const aWhile = TestClock.adjust(1)

describe("a request to a service", () => {
  it.scoped("a request leaves the queue if it is interrupted or cancelled before its turn, and is never sent", () =>
    Effect.gen(function*() {
      const { create, requests, sent } = yield* opened
      const abort = new AbortController()
      const first = yield* Effect.fork(create())
      yield* aWhile
      const interrupted = yield* Effect.fork(create())
      const cancelled = yield* Effect.fork(Effect.uninterruptible(Effect.flip(create(abort.signal))))
      const last = yield* Effect.fork(create())
      yield* aWhile
      yield* Fiber.interrupt(interrupted)
      abort.abort()
      expect(yield* Fiber.join(cancelled)).toMatchObject({ _tag: "NeverSent", heldBack: true })
      expect(sent).toHaveLength(1)
      sent[0]?.answer()
      expect(yield* Fiber.join(first)).toBe(200)
      yield* aWhile
      expect(sent).toHaveLength(2)
      sent[1]?.answer()
      expect(yield* Fiber.join(last)).toBe(200)
      expect((yield* requests).create).toBe(2)
    }))

  it.scoped("a request is finished if it is cancelled after its turn came", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const abort = new AbortController()
      const fiber = yield* Effect.fork(create(abort.signal))
      yield* aWhile
      abort.abort()
      yield* aWhile
      expect(sent).toMatchObject([{ givenUp: false }])
      sent[0]?.answer()
      expect(yield* Fiber.join(fiber)).toBe(200)
    }))

  it.scoped("a request is abandoned if it is interrupted in flight, and its place is released", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const fiber = yield* Effect.fork(create())
      yield* aWhile
      yield* Fiber.interrupt(fiber)
      expect(sent).toMatchObject([{ givenUp: true }])
      const next = yield* Effect.fork(create())
      yield* aWhile
      sent[1]?.answer()
      expect(yield* Fiber.join(next)).toBe(200)
    }))

  it.scoped("a request waits in the queue and for its answer while its caller can't be interrupted", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const first = yield* Effect.fork(Effect.uninterruptible(create()))
      const second = yield* Effect.fork(Effect.uninterruptible(create()))
      yield* aWhile
      yield* Fiber.interruptFork(first)
      yield* Fiber.interruptFork(second)
      yield* aWhile
      expect(sent).toMatchObject([{ givenUp: false }])
      sent[0]?.answer()
      yield* aWhile
      expect(sent).toMatchObject([{ givenUp: false }, { givenUp: false }])
      sent[1]?.answer()
      yield* Fiber.await(second)
    }))

  it.scoped("a request delays the next request as its answer demands", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const both = yield* Effect.fork(Effect.all([create(), create()], { concurrency: 2 }))
      yield* aWhile
      sent[0]?.answer(answer(429))
      yield* TestClock.adjust("2900 millis")
      expect(sent).toHaveLength(1)
      yield* TestClock.adjust("200 millis")
      expect(sent).toHaveLength(2)
      sent[1]?.answer()
      expect(yield* Fiber.join(both)).toEqual([429, 200])
    }))

  it.scoped("a request is not sent if it is cancelled from the beginning", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const abort = new AbortController()
      abort.abort()
      expect(yield* Effect.flip(create(abort.signal))).toBeInstanceOf(NeverSent)
      yield* aWhile
      expect(sent).toEqual([])
    }))

  it.scoped("a request releases its place if the transport fails or throws", () =>
    Effect.gen(function*() {
      const { create, sent } = yield* opened
      const cases = [
        [Effect.fail(new NeverSent({ reason: "refused" })), Cause.isFailType],
        [Effect.die(new Error("broken")), Cause.isDieType],
      ] as const
      for (const [failure, isSo] of cases) {
        const fiber = yield* Effect.fork(Effect.exit(create()))
        yield* aWhile
        sent.at(-1)?.answer(failure)
        const exit = yield* Fiber.join(fiber)
        expect(Exit.isFailure(exit) && isSo(exit.cause)).toBe(true)
      }
      const next = yield* Effect.fork(create())
      yield* aWhile
      sent[2]?.answer()
      expect(yield* Fiber.join(next)).toBe(200)
    }))

  it.scoped("a long wait is reported only once, with its reason", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const { create, sent } = yield* opened
      const many = Effect.all([create(), create()], { concurrency: 2 }).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))),
      )
      yield* Effect.fork(many)
      yield* aWhile
      sent[0]?.answer(answer(429, "48"))
      yield* TestClock.adjust("48 seconds")
      sent[1]?.answer(answer(429, "2"))
      yield* aWhile
      expect(logged.flat()).toEqual([
        "Waiting 48 seconds for https://forms.example.com: its request limit is used up (status 429). "
        + "Nothing is sent until then, and the run continues on its own.",
      ])
    }))
})

describe("requests to an account whose rate is shared", () => {
  it.scoped("fail without being sent, now and later, if no slot can be leased any more", () =>
    Effect.gen(function*() {
      const pace = new SharedPace(5, { lease: () => Promise.reject(new Error("the database is lost")) }, () => 0)
      const admission = yield* makeAdmission(pace, 4)
      const request = Effect.flip(admission.admit("read", undefined, () => Effect.die("it was sent")))
      const failures = [...yield* Effect.all([request, request], { concurrency: 2 }), yield* request]
      for (const failure of failures) {
        expect(failure).toMatchObject({ _tag: "NeverSent", reason: "the database is lost", final: true })
      }
    }))

  it("fail with the reason if twenty answers of the database in a row come too late to be used", async () => {
    let now = 0
    const pace = new SharedPace(5, {
      lease: () => Promise.resolve({ now: now += 280, from: now, used: 0, newer: undefined }),
    }, () => now)
    for (let answers = 0; answers < 20; answers++) {
      expect(pace.failure).toBeUndefined()
      expect(pace.take(now, 1)).toBeGreaterThan(0)
      await setImmediate()
    }
    expect(pace.failure).toMatchObject({
      reason: expect.stringMatching(/^the ledger's database answers too slowly .* took more than 250 ms\. Run closer/),
      final: true,
    })
  })

  it.effect("are counted in a metric, over all hosts, even after the clock was set back", () =>
    Effect.gen(function*() {
      const request = asRequest("read", "GET", Effect.succeed({ status: 200 }), 42)
      yield* TestClock.setTime(Date.UTC(2100, 0))
      yield* request
      yield* TestClock.setTime(0)
      yield* request
      yield* TestClock.adjust(3_000)
      yield* request
      const shared = Metric.unsafeSnapshot(undefined).filter(({ metricKey }) =>
        metricKey.name === "formferry.request.shared_rate"
      )
      // The registry is shared with all tests of this thread.
      expect(shared.map(({ metricState }) => metricState)).toContainEqual(expect.objectContaining({ value: 42 }))
    }).pipe(Effect.locally(telemetryOn, true)))
})
