import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { type Batches, inTwoSteps } from "../../src/run/inTwoSteps.ts"

/** Steps that take a second each, and the most of each that were under way at the same time. */
const counted = () => {
  const most = { first: 0, second: 0, ahead: 0 }
  const now = { first: 0, second: 0, ahead: 0 }
  const done: Array<number> = []
  const step = (which: "first" | "second", work: Effect.Effect<void>) =>
    Effect.sync(() => (most[which] = Math.max(most[which], ++now[which]))).pipe(
      Effect.zipRight(work),
      Effect.zipRight(Effect.sync(() => now[which]--)),
    )
  return {
    most,
    done,
    first: (batch: number) =>
      step("first", Effect.sleep(1_000)).pipe(
        Effect.zipRight(Effect.sync(() => (most.ahead = Math.max(most.ahead, ++now.ahead)))),
        Effect.as(batch),
      ),
    second: (millis: number) => (batch: number) =>
      Effect.sync(() => now.ahead--).pipe(
        Effect.zipRight(step("second", Effect.sleep(millis))),
        Effect.zipRight(Effect.sync(() => void done.push(batch))),
      ),
  }
}

/** Batches that are read some at a time, with a pause before each reading; what does not fill a reading is the last. */
const batchesOf = (all: ReadonlyArray<number>, atATime: number): Batches<number> => {
  const left = [...all]
  let ready: Array<number> = []
  let isReading = false
  return {
    next: () => ready.length === 0 ? undefined : Effect.succeed(ready.shift() ?? 0),
    more: Effect.suspend(() => {
      expect(isReading).toBe(false)
      isReading = true
      return Effect.map(Effect.yieldNow(), () => {
        isReading = false
        if (left.length <= 1) return false
        ready = left.splice(0, Math.min(atATime, left.length - 1))
        return true
      })
    }),
    last: () => left.length === 0 ? undefined : Effect.succeed(left.shift() ?? 0),
  }
}

const numbers = Array.from({ length: 100 }, (_, index) => index)

describe("batches that go through two steps", () => {
  it.scoped("go through both, each once, as many at the same time as each step allows", () =>
    Effect.gen(function*() {
      const { done, first, most, second } = counted()
      const fiber = yield* Effect.fork(
        inTwoSteps(batchesOf(numbers, 7), { work: first, atOnce: 3 }, {
          work: second(2_000),
          atOnce: 5,
        }),
      )
      yield* TestClock.adjust("60 seconds")
      yield* Fiber.join(fiber)
      expect(done.toSorted((a, b) => a - b)).toEqual(numbers)
      expect(most).toMatchObject({ first: 3, second: 5 })
    }))

  it.scoped("wait before the second step only so many at a time: then the first waits", () =>
    Effect.gen(function*() {
      const { done, first, most, second } = counted()
      const fiber = yield* Effect.fork(
        inTwoSteps(batchesOf(numbers, 1_000), { work: first, atOnce: 8 }, { work: second(20_000), atOnce: 2 }),
      )
      yield* TestClock.adjust("60 seconds")
      // Sixteen wait, and what the eight senders can't hand over.
      expect(most).toEqual({ first: 8, second: 2, ahead: 16 + 8 })
      yield* TestClock.adjust("20 minutes")
      yield* Fiber.join(fiber)
      expect(done).toHaveLength(100)
    }))

  it.scoped("none are there: it ends", () =>
    inTwoSteps(batchesOf([], 1), { work: () => Effect.void, atOnce: 4 }, { work: () => Effect.void, atOnce: 4 }))
})
