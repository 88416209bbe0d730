import { Cause, Effect, Exit, Option } from "effect"
import type { Admission } from "./Admission.ts"
import type { Transport, TransportExit } from "./transport.ts"
import type { Unwanted } from "./Unwanted.ts"

/** Requests that are safe to repeat, and what becomes of their answers. */
export interface ReadAll<A, L, E> {
  readonly paths: ReadonlyArray<string>
  readonly queue: Admission["queue"]
  readonly dispatch: NonNullable<Transport["dispatch"]>
  /**
   * @param startedAt when the request was let in, in milliseconds
   * @param index of its path
   */
  readonly judge: (outcome: TransportExit, startedAt: number, index: number) => Exit.Exit<A, L | E>
  /** Told of every success, by the index of its path. */
  readonly each: (index: number, found: A) => void
  /** Where it is told, what has no answer yet is given up, and nothing is worth another try. */
  readonly unwanted: Unwanted | undefined
  /** The failure where it is worth another try. */
  readonly isLater: (failure: L | E) => L | undefined
}

/**
 * Sends many reads at the same time, each once and in its turn, by callbacks: one Effect for all of them. Gives which are worth another try, and why; fails at once with
 * the first failure that is not, and gives the others up then, as it does when it is interrupted.
 */
export const readAll = <A, L, E>(
  { dispatch, each, isLater, judge, paths, queue, unwanted }: ReadAll<A, L, E>,
): Effect.Effect<ReadonlyArray<readonly [index: number, failure: L]>, Exclude<E, L>> =>
  Effect.async((resume) => {
    const later: Array<readonly [number, L]> = []
    /** What gives each one up that has no answer yet, by index. */
    const going = new Array<(() => void) | undefined>(paths.length).fill(undefined)
    let left = paths.length
    let ended = false
    /** Ends the listening. */
    let deaf = (): void => undefined
    const end = (): void => {
      ended = true
      deaf()
      for (const giveUp of going) giveUp?.()
    }
    const fail = (failure: Effect.Effect<never, Exclude<E, L>>): void => {
      if (ended) return
      end()
      resume(failure)
    }
    const settled = (index: number, outcome: TransportExit, startedAt: number): void => {
      const exit = judge(outcome, startedAt, index)
      if (Exit.isSuccess(exit)) each(index, exit.value)
      else {
        const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
        const worth = failure === undefined ? undefined : isLater(failure)
        if (worth === undefined) return fail(Effect.failCause(exit.cause as Cause.Cause<Exclude<E, L>>))
        later.push([index, worth])
      }
      if (--left > 0) return
      deaf()
      resume(Effect.succeed(later))
    }
    if (left === 0) return resume(Effect.succeed(later))
    const listening = unwanted?.(() => {
      if (ended) return
      end()
      resume(Effect.succeed([]))
    })
    if (listening !== undefined) deaf = listening
    paths.forEach((path, index) => {
      if (ended) return
      const begin = (startedAt: number, leave: () => void): void => {
        going[index] = undefined
        if (ended) return leave()
        let answered = false
        try {
          const giveUp = dispatch({ method: "GET", path }, (outcome) => {
            answered = true
            going[index] = undefined
            try {
              if (!ended) settled(index, outcome, startedAt)
            } catch (defect) {
              fail(Effect.die(defect))
            }
            // Who comes next goes by the pace as this answer leaves it.
            leave()
          })
          // It may have been what ended all the others.
          if (!answered && ended) giveUp()
          else if (!answered) going[index] = giveUp
        } catch (defect) {
          leave()
          fail(Effect.die(defect))
        }
      }
      going[index] = queue("read", begin)
    })
    return Effect.sync(end)
  })
