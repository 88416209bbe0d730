import { Effect, FiberHandle } from "effect"
import type { Scope } from "effect"
import pLimit from "p-limit"
import { Line } from "./Line.ts"
import { momentOf } from "./moment.ts"
import type { Pace } from "./pace.ts"
import type { Unwanted } from "./Unwanted.ts"

/** Reads go before creates: what was created is proven before more is. */
export type Priority = "read" | "create"

/** The one door through which all requests to a service go: first come by priority, a slot of the pace each, so many in flight at most. */
export interface Admission {
  /** Waits for its turn, then does `work`, which is given the time at which it was let in (milliseconds). */
  readonly admit: <A, E>(priority: Priority, work: (startedAt: number) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The same for who does not want to wait any more once it is `unwanted`: then `work` was not begun. */
  readonly admitUnless: <A, E>(
    priority: Priority,
    unwanted: Unwanted,
    work: (startedAt: number) => Effect.Effect<A, E>,
  ) => Effect.Effect<A | "unwanted", E>
  /** The same without an Effect: `begin` is called in its turn, never before this returns, and has to call `leave` when done. Gives what leaves the line; after the turn came that does nothing. */
  readonly queue: (priority: Priority, begin: (startedAt: number, leave: () => void) => void) => () => void
}

interface Waiter {
  /** @param startedAt when the pace gave the slot, in milliseconds: the very time that it has taken down */
  readonly enter: (leave: () => void, startedAt: number) => void
}

/** What to call when done, and since when it is its turn. */
interface Turn {
  readonly leave: () => void
  readonly startedAt: number
}

export const makeAdmission = (pace: Pace, concurrency: number): Effect.Effect<Admission, never, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const limit = pLimit(concurrency)
    let pumping = false
    const reads = new Line<Waiter>()
    const creates = new Line<Waiter>()
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
      while (reads.length + creates.length > 0 && limit.activeCount + limit.pendingCount < concurrency) {
        const now = momentOf(clock)
        const wait = pace.take(now)
        if (wait > 0) {
          wakeIn(wait, now)
          return
        }
        const waiter = reads.next() ?? creates.next()
        if (waiter === undefined) return
        // p-limit counts a request as gone before its own promise settles: here there is room again.
        void limit(() => new Promise<void>((leave) => waiter.enter(leave, now))).then(pumpSoon)
      }
    }

    // Once for all that leave and join together.
    const pumpSoon = () => {
      if (pumping) return
      pumping = true
      queueMicrotask(() => {
        pumping = false
        pump()
      })
    }

    /**
     * Waits in line for the turn, or until it is given up.
     *
     * @param leaving is told how to leave the line, and with what in the place of the turn: nothing happens once it is the waiter's turn
     */
    const enter = <G>(
      priority: Priority,
      leaving: (leave: (given: G) => void) => void,
    ): Effect.Effect<Turn | G> =>
      Effect.suspend(() => {
        let entered: (() => void) | undefined
        let gone = false
        const line = priority === "read" ? reads : creates
        return Effect.async<Turn | G>((resume) => {
          const waiter: Waiter = {
            enter: (leave, startedAt) => {
              entered = leave
              if (gone) leave()
              else resume(Effect.succeed({ leave, startedAt }))
            },
          }
          line.join(waiter)
          leaving((given) => {
            if (line.leave(waiter)) resume(Effect.succeed(given))
          })
          pump()
          return Effect.sync(() => {
            gone = true
            line.leave(waiter)
          })
        }).pipe(
          // Also when the turn came in the very moment of the interrupt.
          Effect.onInterrupt(() => Effect.sync(() => entered?.())),
        )
      })

    const leaveBy = (turn: Turn | "unwanted") =>
      Effect.sync(() => {
        if (turn !== "unwanted") turn.leave()
      })
    return {
      queue: (priority, begin) => {
        const line = priority === "read" ? reads : creates
        const waiter: Waiter = { enter: (leave, startedAt) => begin(startedAt, leave) }
        line.join(waiter)
        // Those that join together are let in together, and none before it knows how to leave.
        pumpSoon()
        return () => void line.leave(waiter)
      },
      admit: (priority, work) =>
        Effect.acquireUseRelease(
          Effect.interruptible(enter<never>(priority, () => undefined)),
          ({ startedAt }) => work(startedAt),
          leaveBy,
        ),
      admitUnless: <A, E>(
        priority: Priority,
        unwanted: Unwanted,
        work: (startedAt: number) => Effect.Effect<A, E>,
      ) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            let deaf = (): void => undefined
            const entered = enter<"unwanted">(priority, (leave) => {
              deaf = unwanted(() => leave("unwanted"))
            })
            return Effect.ensuring(entered, Effect.sync(() => deaf()))
          }),
          (turn): Effect.Effect<A | "unwanted", E> => turn === "unwanted" ? Effect.succeed(turn) : work(turn.startedAt),
          leaveBy,
        ),
    }
  })
