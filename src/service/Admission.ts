import { Effect, FiberHandle } from "effect"
import type { Scope } from "effect"
import pLimit from "p-limit"
import type { Pace } from "./pace.ts"

/** Reads go before creates: what was created is proven before more is. */
export type Priority = "read" | "create"

/** The one door through which all requests to a service go: first come by priority, a slot of the pace each, so many in flight at most. */
export interface Admission {
  /** Waits for its turn, then does `work`, which is given the time at which it was let in (milliseconds). */
  readonly admit: <A, E>(priority: Priority, work: (startedAt: number) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Waiter {
  readonly enter: (leave: () => void) => void
}

export const makeAdmission = (pace: Pace, concurrency: number): Effect.Effect<Admission, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const limit = pLimit(concurrency)
    const reads = new Set<Waiter>()
    const creates = new Set<Waiter>()
    const alarm = yield* FiberHandle.makeRuntime<never>()
    let wakeAt = Infinity

    const wakeIn = (wait: number, now: number) => {
      if (now + wait >= wakeAt) return
      wakeAt = now + wait
      alarm(
        Effect.andThen(Effect.sleep(wait), () => {
          wakeAt = Infinity
          pump()
        }),
      )
    }

    // A slot is taken only when the limit has room, and the first in line is chosen only then: nothing waits behind the limit.
    const pump = () => {
      while (reads.size + creates.size > 0 && limit.activeCount + limit.pendingCount < concurrency) {
        const now = clock.unsafeCurrentTimeMillis()
        const wait = pace.take(now)
        if (wait > 0) {
          wakeIn(wait, now)
          return
        }
        const line = reads.size > 0 ? reads : creates
        for (const waiter of line) {
          line.delete(waiter)
          // p-limit counts a request as gone before its own promise settles: here there is room again.
          void limit(() => new Promise<void>((leave) => waiter.enter(leave))).then(pump)
          break
        }
      }
    }

    return {
      admit: (priority, work) =>
        Effect.acquireUseRelease(
          Effect.interruptible(Effect.async<() => void>((resume) => {
            let gone = false
            let entered: (() => void) | undefined
            const waiter: Waiter = {
              enter: (leave) => {
                entered = leave
                if (gone) leave()
                else resume(Effect.succeed(leave))
              },
            }
            const line = priority === "read" ? reads : creates
            line.add(waiter)
            pump()
            return Effect.sync(() => {
              gone = true
              line.delete(waiter)
              entered?.()
            })
          })),
          () => Effect.suspend(() => work(clock.unsafeCurrentTimeMillis())),
          (leave) => Effect.sync(leave),
        ),
    }
  })
