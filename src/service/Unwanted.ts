import { Effect } from "effect"
import { Line } from "./Line.ts"

/**
 * Tells once when something is not wanted any more, at once where that is so already. A listener costs nothing where an Effect that waits takes a fiber, which a run would start
 * for every batch.
 *
 * @returns what ends the listening
 */
export type Unwanted = (listener: () => void) => () => void

/** As an Effect: ends when it is not wanted any more. */
export const waitUnwanted = (unwanted: Unwanted): Effect.Effect<void> =>
  Effect.async((resume) => {
    const end = unwanted(() => resume(Effect.void))
    return Effect.sync(end)
  })

/** Does something until it is not wanted any more; undefined: then it was given up. */
export const unlessUnwanted = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  unwanted: Unwanted,
): Effect.Effect<A | undefined, E, R> => Effect.raceFirst(work, Effect.as(waitUnwanted(unwanted), undefined))

/** Something that is wanted until `end` is called. */
export const makeUnwanted = (): { readonly unwanted: Unwanted; readonly end: () => void } => {
  let ended = false
  const listeners = new Line<() => void>()
  return {
    unwanted: (listener) => {
      if (ended) {
        listener()
        return () => undefined
      }
      // Its own, so that one function may listen twice.
      const one = () => listener()
      listeners.join(one)
      return () => void listeners.leave(one)
    },
    end: () => {
      if (ended) return
      ended = true
      for (let one = listeners.next(); one !== undefined; one = listeners.next()) one()
    },
  }
}
