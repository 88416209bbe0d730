import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { makeAdmission } from "../../src/service/Admission.ts"
import { Pace } from "../../src/service/pace.ts"
import { makeUnwanted } from "../../src/service/Unwanted.ts"

describe("the door to a service", () => {
  it.scoped("lets requests in at the pace, reads before creates", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(5), 8)
      const order: Array<string> = []
      const enter = (name: string, priority: "read" | "create") =>
        admission.admit(priority, (at) => Effect.sync(() => void order.push(`${name}@${at}`)))
      const all = yield* Effect.fork(
        Effect.all([enter("c1", "create"), enter("c2", "create"), enter("r1", "read"), enter("r2", "read")], {
          concurrency: "unbounded",
        }),
      )
      yield* TestClock.adjust(599)
      expect(order).toEqual(["c1@0", "r1@200", "r2@400"])
      yield* TestClock.adjust(1)
      yield* Fiber.join(all)
      expect(order).toEqual(["c1@0", "r1@200", "r2@400", "c2@600"])
    }))

  it.scoped("never has more in flight than allowed, and takes no slot for one that could not start", () =>
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
        Effect.all(Array.from({ length: 6 }, () => admission.admit("read", work)), { concurrency: "unbounded" }),
      )
      yield* TestClock.adjust(4000)
      yield* Fiber.join(all)
      expect(most).toBe(2)
      expect(starts).toEqual([0, 10, 1000, 1010, 2000, 2010])
    }))

  it.scoped("one that gave up waiting takes no turn, and one that fails gives its place back", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(1), 1)
      const order: Array<string> = []
      const enter = (name: string) => admission.admit("create", () => Effect.sync(() => void order.push(name)))
      yield* Effect.flip(admission.admit("create", () => Effect.fail("broken")))
      const first = yield* Effect.fork(enter("first"))
      const second = yield* Effect.fork(enter("second"))
      yield* TestClock.adjust(500)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(500)
      yield* Fiber.join(second)
      expect(order).toEqual(["second"])
      expect(yield* Clock.currentTimeMillis).toBe(1000)
    }))

  it.scopedLive("loses no place over a thousand requests, some of them interrupted at any moment", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(Infinity), 3)
      let done = 0
      yield* Effect.forEach(
        Array.from({ length: 1200 }, (_, n) => n),
        (n) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.fork(
              admission.admit(n % 2 === 0 ? "read" : "create", () => Effect.andThen(Effect.yieldNow(), () => done++)),
            )
            for (let step = 0; step < n % 7; step++) yield* Effect.promise(() => Promise.resolve())
            if (n % 3 === 0) yield* Fiber.interrupt(fiber)
            else yield* Fiber.join(fiber)
          }),
        { concurrency: 20, discard: true },
      )
      expect(done).toBeGreaterThanOrEqual(800)
      // All three places are free again.
      yield* Effect.all([1, 2, 3].map(() => admission.admit("read", () => Effect.sleep(1))), { concurrency: 3 }).pipe(
        Effect.timeout(1000),
      )
    }))

  it.scoped("who does not want to wait any more leaves at once, in a pause too, also where nothing may be interrupted", () =>
    Effect.gen(function*() {
      const pace = new Pace(1)
      const admission = yield* makeAdmission(pace, 1)
      pace.observe(429, { "retry-after": "500" }, 0, 0)
      const { end, unwanted } = makeUnwanted()
      let begun = 0
      const work = () => Effect.sync(() => ++begun)
      const waiting = yield* Effect.fork(
        Effect.uninterruptible(admission.admitUnless("create", unwanted, work)),
      )
      yield* TestClock.adjust("1 minute")
      end()
      expect(yield* Fiber.join(waiting)).toBe("unwanted")
      expect(yield* Clock.currentTimeMillis).toBe(60_000)
      // It has left the line: the next one's turn comes as if it had never been there.
      const next = yield* Effect.fork(admission.admitUnless("create", makeUnwanted().unwanted, work))
      yield* TestClock.adjust("440 seconds")
      expect(yield* Fiber.join(next)).toBe(1)
    }))

  it.scopedLive("a turn that comes in the moment in which it is not wanted any more is taken or given back, never lost", () =>
    Effect.gen(function*() {
      const admission = yield* makeAdmission(new Pace(Infinity), 2)
      yield* Effect.forEach(
        Array.from({ length: 2000 }, (_, n) => n),
        (n) =>
          Effect.gen(function*() {
            const { end, unwanted } = makeUnwanted()
            const fiber = yield* Effect.fork(
              Effect.uninterruptible(
                admission.admitUnless("create", unwanted, () => Effect.yieldNow()),
              ),
            )
            for (let step = 0; step < n % 9; step++) yield* Effect.promise(() => Promise.resolve())
            end()
            yield* Fiber.join(fiber)
          }),
        { concurrency: 20, discard: true },
      )
      yield* Effect.all([1, 2].map(() => admission.admit("read", () => Effect.sleep(1))), { concurrency: 2 }).pipe(
        Effect.timeout(1000),
      )
    }))
})
