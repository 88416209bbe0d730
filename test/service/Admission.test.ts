import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { makeAdmission } from "../../src/service/Admission.ts"
import { Pace } from "../../src/service/pace.ts"

describe("the queue of a service", () => {
  it.scoped("the queue admits requests at the service's pace, with reads ahead of creates", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(5), 8)
      const order: Array<string> = []
      const enter = (name: string, priority: "read" | "create") =>
        admission.admit(priority, undefined, (at) => Effect.sync(() => void order.push(`${name}@${at}`)))
      const all = yield* Effect.fork(
        Effect.all([enter("c1", "create"), enter("c2", "create"), enter("r1", "read"), enter("r2", "read")], {
          concurrency: "unbounded",
        }),
      )
      yield* TestClock.adjust(599)
      expect(order).toEqual(["r1@0", "r2@200", "c1@400"])
      yield* TestClock.adjust(1)
      yield* Fiber.join(all)
      expect(order).toEqual(["r1@0", "r2@200", "c1@400", "c2@600"])
    }))

  it.scoped("a create that waits for ten reads is sent before the other reads", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(1000), 1)
      const order: Array<string> = []
      const enter = (priority: "read" | "create") =>
        admission.admit(priority, undefined, () => Effect.sync(() => void order.push(priority)))
      const entering = [...Array<"create">(2).fill("create"), ...Array<"read">(25).fill("read")].map(enter)
      const all = yield* Effect.fork(Effect.all(entering, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(all)
      const ten = Array<string>(10).fill("read")
      expect(order).toEqual([...ten, "create", ...ten, "create", ...ten.slice(5)])
    }))

  it.scoped("the queue never exceeds the requests allowed in flight, and never uses a slot for a request that can't start", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(100), 2)
      let inFlight = 0
      let most = 0
      const starts: Array<number> = []
      const work = (at: number) =>
        Effect.sync(() => {
          starts.push(at)
          most = Math.max(most, ++inFlight)
        }).pipe(Effect.andThen(Effect.sleep(1000)), Effect.ensuring(Effect.sync(() => inFlight--)))
      const all = yield* Effect.fork(
        Effect.all(Array.from({ length: 6 }, () => admission.admit("read", undefined, work)), {
          concurrency: "unbounded",
        }),
      )
      yield* TestClock.adjust(4000)
      yield* Fiber.join(all)
      expect(most).toBe(2)
      expect(starts).toEqual([0, 10, 1000, 1010, 2000, 2010])
    }))

  it.scoped("the queue skips an interrupted request, and frees the place of a failed request", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(1), 1)
      const order: Array<string> = []
      const enter = (name: string) =>
        admission.admit("create", undefined, () => Effect.sync(() => void order.push(name)))
      yield* Effect.flip(admission.admit("create", undefined, () => Effect.fail("broken")))
      const first = yield* Effect.fork(enter("first"))
      const second = yield* Effect.fork(enter("second"))
      yield* TestClock.adjust(500)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(500)
      yield* Fiber.join(second)
      expect(order).toEqual(["second"])
      expect(yield* Clock.currentTimeMillis).toBe(1000)
    }))

  it.scopedLive("the queue never loses a place over a thousand requests, some of them interrupted at any moment", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(Infinity), 3)
      let done = 0
      yield* Effect.forEach(
        Array.from({ length: 1200 }, (_, n) => n),
        (n) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.fork(
              admission.admit(n % 2 === 0 ? "read" : "create", undefined, () =>
                Effect.andThen(Effect.yieldNow(), () =>
                  done++)),
            )
            for (let step = 0; step < n % 7; step++) {
              yield* Effect.promise(() =>
                Promise.resolve()
              )
            }
            if (n % 3 === 0) yield* Fiber.interrupt(fiber)
            else yield* Fiber.join(fiber)
          }),
        { concurrency: 20, discard: true },
      )
      expect(done).toBeGreaterThanOrEqual(800)
      // All three places are free again.
      yield* Effect.all([1, 2, 3].map(() => admission.admit("read", undefined, () => Effect.sleep(1))), {
        concurrency: 3,
      }).pipe(
        Effect.timeout(1000),
      )
    }))

  it.scoped("the queue removes a cancelled request at once, even in a pause or in an uninterruptible region", () =>
    Effect.gen(function*() {
      const pace = new Pace(1)
      const admission = yield* makeAdmission(pace, 1)
      pace.observe(429, { "retry-after": "500" }, 0, 0)
      const abort = new AbortController()
      let begun = 0
      const work = () => Effect.sync(() => ++begun)
      const waiting = yield* Effect.fork(
        Effect.uninterruptible(Effect.flip(admission.admit("create", abort.signal, work))),
      )
      yield* TestClock.adjust("1 minute")
      abort.abort()
      expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "NeverSent", heldBack: true })
      expect(yield* Clock.currentTimeMillis).toBe(60_000)
      // The cancelled request has left the queue, so the next turn comes as if that request had never been queued.
      const next = yield* Effect.fork(admission.admit("create", new AbortController().signal, work))
      yield* TestClock.adjust("440 seconds")
      expect(yield* Fiber.join(next)).toBe(1)
    }))

  it.scopedLive("the queue uses or releases a turn that comes at the moment of cancellation, and loses none", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(Infinity), 2)
      yield* Effect.forEach(
        Array.from({ length: 2000 }, (_, n) => n),
        (n) =>
          Effect.gen(function*() {
            const abort = new AbortController()
            const fiber = yield* Effect.fork(
              Effect.uninterruptible(
                Effect.ignore(admission.admit("create", abort.signal, () => Effect.yieldNow())),
              ),
            )
            for (let step = 0; step < n % 9; step++) yield* Effect.promise(() => Promise.resolve())
            abort.abort()
            yield* Fiber.join(fiber)
          }),
        { concurrency: 20, discard: true },
      )
      yield* Effect.all([1, 2].map(() => admission.admit("read", undefined, () => Effect.sleep(1))), { concurrency: 2 })
        .pipe(
          Effect.timeout(1000),
        )
    }))
})
