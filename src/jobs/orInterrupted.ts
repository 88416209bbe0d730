import { Effect } from "effect"

/**
 * Does what comes before a run has anything to finish, and ends at once when the user interrupts: a service that can't be reached, or that asks to wait, must not
 * keep Ctrl-C waiting.
 *
 * @param interrupted completes when the user interrupts
 */
export const orInterrupted = <A, E, R>(
  interrupted: Effect.Effect<unknown>,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => Effect.raceFirst(work, Effect.zipRight(interrupted, Effect.interrupt))
