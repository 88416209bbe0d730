import { Effect } from "effect"
import { Line } from "./Line.ts"

/**
 * Calls the listener once, on cancellation; at once if it is already cancelled. A listener costs nothing, while an Effect that waits would take a fiber for every batch.
 *
 * @returns unsubscribes the listener
 */
export type Unwanted = (listener: () => void) => () => void

/** Waits for the cancellation. */
export const waitUnwanted = (unwanted: Unwanted): Effect.Effect<void> =>
  Effect.async((resume) => {
    const end = unwanted(() => resume(Effect.void))
    return Effect.sync(end)
  })

/** Runs an effect until the cancellation, which interrupts it. Returns undefined then. */
export const unlessUnwanted = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  unwanted: Unwanted,
): Effect.Effect<A | undefined, E, R> => Effect.raceFirst(work, Effect.as(waitUnwanted(unwanted), undefined))

/** Makes a cancellation, which `end` triggers. */
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
