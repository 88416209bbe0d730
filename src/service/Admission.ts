import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import pLimit from "p-limit"
import { maxItems } from "../domain/item.ts"
import { NeverSent, type ResponseHeaders } from "./transport.ts"

/** Returns the time in milliseconds since 1970, with fractions, by a monotonic clock. A rounded time would miss the edge of a rate window. */
export const momentOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** Decides when requests may start: `Pace` for this process alone, `SharedPace` for several hosts. Times are in milliseconds. */
export interface Pacing {
  /**
   * Takes a slot and returns 0, or returns how many milliseconds to wait before calling again.
   *
   * @param ready how many requests could start now
   */
  readonly take: (now: number, ready: number) => number
  /**
   * Adjusts the pace after a response to a request that was sent at `sentAt`. Returns how many milliseconds all requests must wait, or undefined if no
   * wait is needed.
   */
  readonly observe: (status: number, headers: ResponseHeaders, sentAt: number, now: number) => number | undefined
  /** When requests resume. Nothing is sent before then. */
  readonly pausedUntil: number
  /** Calls a listener when a slot may have become available before the end of a wait. */
  readonly onChange?: (listener: () => void) => void
  /** Why no request can be sent any more. */
  readonly failure?: NeverSent | undefined
  /** Requests per second of all hosts that share the rate. */
  readonly used?: number
}

/** The kind of a request. Reads go before creates, so that submissions are verified before many more are created. */
export type Priority = "read" | "create"

/**
 * The queue for all requests to a service. Reads come before creates, but only `mostReads` in a row. Requests of the same kind keep their order. The
 * pace determines when each request may start, and the number of requests in flight is limited.
 */
export interface Admission {
  /**
   * Waits for a turn, then runs `work`, which receives the start of its turn in milliseconds. Fails with `NeverSent` if
   * `signal` is aborted before the turn. After that, the signal has no effect. The wait can be interrupted only if the
   * caller can.
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
  /** The start of the turn in milliseconds. */
  readonly startedAt: number
}

type Waiter = (turn: Turn | NeverSent) => void

/**
 * After this many reads in a row, the next create goes first. A full batch needs one create and as many reads. If creates waited until no read was
 * left, all batches in flight would be created at the same time and then read at the same time, with pauses between.
 */
const mostReads = maxItems

const wasCancelled = new NeverSent({ reason: "it was cancelled", heldBack: true })

export const makeAdmission = (pace: Pacing, concurrency: number): Effect.Effect<Admission, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const limit = pLimit(concurrency)
    const queues: Record<Priority, Array<Waiter>> = { read: [], create: [] }
    const alarm = yield* FiberHandle.makeRuntime<never>()
    let readsInARow = 0
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

    // Chooses the next request only when it can start at once, so that p-limit never queues a request and a read can still go first.
    const pump = () => {
      for (;;) {
        const free = concurrency - limit.activeCount - limit.pendingCount
        const ready = Math.min(free, queues.read.length + queues.create.length)
        if (ready <= 0) return
        const { failure } = pace
        if (failure !== undefined) {
          for (const waiter of [...queues.read.splice(0), ...queues.create.splice(0)]) waiter(failure)
          return
        }
        const now = momentOf(clock)
        const wait = pace.take(now, ready)
        if (wait > 0) return wakeIn(wait, now)
        const isReadNext = readsInARow < mostReads || queues.create.length === 0
        const read = isReadNext ? queues.read.shift() : undefined
        readsInARow = read === undefined ? 0 : readsInARow + 1
        const waiter = read ?? queues.create.shift()
        // p-limit already counts the request as done when its promise settles, so `pumpSoon` can start the next one.
        void limit(() => new Promise<void>((leave) => waiter?.({ leave, startedAt: now }))).then(pumpSoon)
      }
    }

    // Runs only once for all requests that are added or finished at the same time, so that a read goes before creates that are added together with it.
    const pumpSoon = () => {
      if (pumping) return
      pumping = true
      queueMicrotask(() => {
        pumping = false
        pump()
      })
    }

    pace.onChange?.(pumpSoon)
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
              leave = turn instanceof NeverSent ? () => {} : turn.leave
              resume(turn instanceof NeverSent ? Effect.fail(turn) : Effect.succeed(turn.startedAt))
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
