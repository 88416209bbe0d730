import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, TestClock } from "effect"
import { type Admission, makeAdmission } from "../../src/service/Admission.ts"
import { Pace } from "../../src/service/pace.ts"
import { readAll } from "../../src/service/readAll.ts"
import { type SendOne, sendOne } from "../../src/service/sendOne.ts"
import type { TransportExit } from "../../src/service/transport.ts"
import { makeUnwanted, type Unwanted } from "../../src/service/Unwanted.ts"

/** A door with one place, and a transport whose requests are answered by hand. */
const opened = Effect.gen(function*() {
  const pace = new Pace(Infinity)
  const { queue } = yield* makeAdmission(pace, 1)
  const sent: Array<{ readonly answer: (status?: number) => void; givenUp: boolean }> = []
  const send = (unwanted?: Unwanted) =>
    sendOne<string>({
      request: { method: "POST", path: "/forms/f/submissions" },
      priority: "create",
      queue,
      dispatch: (_, settled) => {
        const settle = (exit: TransportExit) => settled(exit)
        const one = {
          answer: (status = 200) =>
            settle(
              Exit.succeed({ status, headers: status === 429 ? { "retry-after": "3" } : {}, body: Buffer.from("") }),
            ),
          givenUp: false,
        }
        sent.push(one)
        return () => {
          one.givenUp = true
          settle(Exit.die("given up"))
        }
      },
      judge: (outcome) => {
        if (!Exit.isSuccess(outcome)) return Exit.die("given up")
        pace.observe(outcome.value.status, outcome.value.headers, 0, 0)
        return Exit.succeed("answered")
      },
      unwanted,
      notSent: () => "not sent",
    })
  return { queue, sent, send }
})

const aWhile = TestClock.adjust(1)

describe("a request that is sent once", () => {
  it.scoped("leaves the line when it is interrupted, or not wanted, before its turn: it is never sent", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* opened
      const { end, unwanted } = makeUnwanted()
      const first = yield* Effect.fork(send())
      yield* aWhile
      const interrupted = yield* Effect.fork(send())
      const given = yield* Effect.fork(Effect.uninterruptible(send(unwanted)))
      const last = yield* Effect.fork(send())
      yield* aWhile
      yield* Fiber.interrupt(interrupted)
      end()
      expect(yield* Fiber.join(given)).toBe("not sent")
      expect(sent).toHaveLength(1)
      sent[0]?.answer()
      expect(yield* Fiber.join(first)).toBe("answered")
      yield* aWhile
      expect(sent).toHaveLength(2)
      sent[1]?.answer()
      expect(yield* Fiber.join(last)).toBe("answered")
    }))

  it.scoped("is finished when it is not wanted any more only after its turn came", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* opened
      const { end, unwanted } = makeUnwanted()
      const fiber = yield* Effect.fork(send(unwanted))
      yield* aWhile
      end()
      yield* aWhile
      expect(sent).toMatchObject([{ givenUp: false }])
      sent[0]?.answer()
      expect(yield* Fiber.join(fiber)).toBe("answered")
    }))

  it.scoped("is given up when it is interrupted on its way, and its place is free again", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* opened
      const fiber = yield* Effect.fork(send())
      yield* aWhile
      yield* Fiber.interrupt(fiber)
      expect(sent).toMatchObject([{ givenUp: true }])
      const next = yield* Effect.fork(send())
      yield* aWhile
      sent[1]?.answer()
      expect(yield* Fiber.join(next)).toBe("answered")
    }))

  it.scoped("holds the next one back for as long as its answer asks to", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* opened
      const both = yield* Effect.fork(Effect.all([send(), send()], { concurrency: 2 }))
      yield* aWhile
      sent[0]?.answer(429)
      yield* TestClock.adjust("2900 millis")
      expect(sent).toHaveLength(1)
      yield* TestClock.adjust("200 millis")
      expect(sent).toHaveLength(2)
      sent[1]?.answer()
      expect(yield* Fiber.join(both)).toEqual(["answered", "answered"])
    }))

  it.effect("is judged before it gives its place back, and so is each of many reads: the next one goes by the pace as it is then", () =>
    Effect.gen(function*() {
      const happened: Array<string> = []
      const queue: Admission["queue"] = (_, begin) => {
        queueMicrotask(() => begin(0, () => happened.push("left")))
        return () => undefined
      }
      const dispatch: SendOne<string>["dispatch"] = (_, settled) => {
        settled(Exit.succeed({ status: 200, headers: {}, body: Buffer.from("") }))
        return () => undefined
      }
      const judge = () => {
        happened.push("judged")
        return Exit.succeed("answered")
      }
      const request = { method: "POST", path: "/" } as const
      yield* sendOne({
        request,
        priority: "create",
        queue,
        dispatch,
        judge,
        unwanted: undefined,
        notSent: () => "not sent",
      })
      expect(happened).toEqual(["judged", "left"])
      yield* readAll<string, never, never>({
        paths: ["/", "/"],
        queue,
        dispatch,
        judge,
        each: () => undefined,
        unwanted: undefined,
        isLater: () => undefined,
      })
      yield* Effect.yieldNow()
      expect(happened.slice(2)).toEqual(["judged", "left", "judged", "left"])
    }))

  it.scoped("is not even begun where it is unwanted from the beginning", () =>
    Effect.gen(function*() {
      const { send, sent } = yield* opened
      const { end, unwanted } = makeUnwanted()
      end()
      expect(yield* send(unwanted)).toBe("not sent")
      yield* aWhile
      expect(sent).toEqual([])
    }))

  it.scoped("gives its place back when the transport throws, or who judges its answer", () =>
    Effect.gen(function*() {
      const { queue, send, sent } = yield* opened
      const broken = sendOne<string>({
        request: { method: "GET", path: "/" },
        priority: "create",
        queue,
        dispatch: () => {
          throw new Error("broken")
        },
        judge: () => Exit.succeed("answered"),
        unwanted: undefined,
        notSent: () => "not sent",
      })
      const exit = yield* Effect.exit(broken)
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      const misread = sendOne<string>({
        request: { method: "GET", path: "/" },
        priority: "create",
        queue,
        dispatch: (_, settled) => {
          settled(Exit.succeed({ status: 200, headers: {}, body: Buffer.from("") }))
          return () => undefined
        },
        judge: () => {
          throw new Error("broken")
        },
        unwanted: undefined,
        notSent: () => "not sent",
      })
      const judged = yield* Effect.exit(misread)
      expect(Exit.isFailure(judged) && Cause.isDie(judged.cause)).toBe(true)
      const next = yield* Effect.fork(send())
      yield* aWhile
      sent[0]?.answer()
      expect(yield* Fiber.join(next)).toBe("answered")
    }))
})
