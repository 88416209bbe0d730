import { Effect, FiberHandle } from "effect"
import type { Clock, Scope } from "effect"
import pLimit from "p-limit"
import type { Pace } from "./pace.ts"
import { NeverSent } from "./transport.ts"

/** Returns the time in milliseconds since 1970, with fractions, by a monotonic clock. A rounded time would miss the edge of a rate window. */
export const momentOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** The priority of a request. Reads go before creates, so that submissions are verified before more are created. */
export type Priority = "read" | "create"

/**
 * The queue for all requests to a service. Reads go first, and otherwise the order is kept. Each request needs a slot of the pace, and the number of
 * requests in flight is limited.
 */
export interface Admission {
  /**
   * Waits for a turn, then runs `work`, which receives the time of its slot in milliseconds. Fails with `NeverSent` if `signal` is aborted before the
   * turn. After that, the signal has no effect. The wait can be interrupted only if the caller can.
   */
  readonly admit: <A, E>(
    priority: Priority,
    signal: AbortSignal | undefined,
    work: (startedAt: number) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | NeverSent>
}

interface Turn {
  /** Ends the turn. */
  readonly leave: () => void
  /** The time of the slot in milliseconds. */
  readonly startedAt: number
}

type Waiter = (turn: Turn) => void

const wasCancelled = new NeverSent({ reason: "it was cancelled", heldBack: true })

export const makeAdmission = (pace: Pace, concurrency: number): Effect.Effect<Admission, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const limit = pLimit(concurrency)
    const queues: Record<Priority, Array<Waiter>> = { read: [], create: [] }
    const alarm = yield* FiberHandle.makeRuntime<never>()
    let wakeAt = Infinity
    let pumping = false

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

    // Takes a slot and chooses the next request only when the limit has room, so that nothing queues at the limit.
    const pump = () => {
      while (queues.read.length + queues.create.length > 0 && limit.activeCount + limit.pendingCount < concurrency) {
        const now = momentOf(clock)
        const wait = pace.take(now)
        if (wait > 0) return wakeIn(wait, now)
        const waiter = queues.read.shift() ?? queues.create.shift()
        // When the promise settles, p-limit already has room again, because it counts a request as done earlier.
        void limit(() => new Promise<void>((leave) => waiter?.({ leave, startedAt: now }))).then(pumpSoon)
      }
    }

    // Runs only once for all requests that join or leave at the same time. So a read that joins together with creates goes first.
    const pumpSoon = () => {
      if (pumping) return
      pumping = true
      queueMicrotask(() => {
        pumping = false
        pump()
      })
    }

    return {
      admit: (priority, signal, work) =>
        Effect.suspend(() => {
          let leave = () => {}
          const turn = Effect.async<number, NeverSent>((resume) => {
            if (signal?.aborted === true) return resume(Effect.fail(wasCancelled))
            const queue = queues[priority]
            const leaveQueue = () => {
              signal?.removeEventListener("abort", cancel)
              const at = queue.indexOf(waiter)
              if (at >= 0) queue.splice(at, 1)
            }
            const cancel = () => {
              leaveQueue()
              resume(Effect.fail(wasCancelled))
            }
            const waiter: Waiter = (turn) => {
              signal?.removeEventListener("abort", cancel)
              leave = turn.leave
              resume(Effect.succeed(turn.startedAt))
            }
            leave = leaveQueue
            queue.push(waiter)
            signal?.addEventListener("abort", cancel, { once: true })
            pumpSoon()
          })
          return Effect.ensuring(Effect.flatMap(turn, work), Effect.sync(() => leave()))
        }),
    }
  })
