import { Effect, FiberHandle } from "effect"
import type { Clock, Scope } from "effect"
import pLimit from "p-limit"
import type { Pace } from "./pace.ts"
import { NeverSent } from "./transport.ts"

/** Returns the time in milliseconds since 1970, with fractions, by a monotonic clock: a rounded time would miss the edge of a rate window. */
export const momentOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Reads go before creates, so that submissions are verified before more are created. */
export type Priority = "read" | "create"

/** The queue that every request to a service passes: reads first, then in order, a slot of the pace each, and a limit on the requests in flight. */
export interface Admission {
  /**
   * Waits for its turn, then does `work`, which receives the time of its slot in milliseconds. If `signal` is aborted before its turn, it fails as never sent;
   * after that, the signal does nothing. While it waits it can be interrupted only if the caller can.
   */
  readonly admit: <A, E>(
    priority: Priority,
    signal: AbortSignal | undefined,
    work: (startedAt: number) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | NeverSent>
}

interface Turn {
  /** Releases the place. */
  readonly leave: () => void
  /** When the pace gave the slot, in milliseconds. */
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

    // A slot is taken, and the next request chosen, only when the limit has room, so that nothing queues behind the limit.
    const pump = () => {
      while (queues.read.length + queues.create.length > 0 && limit.activeCount + limit.pendingCount < concurrency) {
        const now = momentOf(clock)
        const wait = pace.take(now)
        if (wait > 0) return wakeIn(wait, now)
        const waiter = queues.read.shift() ?? queues.create.shift()
        // At this point p-limit has room again: it counts a request as done before its own promise settles.
        void limit(() => new Promise<void>((leave) => waiter?.({ leave, startedAt: now }))).then(pumpSoon)
      }
    }

    // Once for all that join or leave together, so that a read that joins at the same time as creates goes first.
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
