import * as Effect from "effect/Effect"

/** Waits until a signal is aborted. */
export const untilAborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (signal.aborted) return resume(Effect.void)
    const listener = () => resume(Effect.void)
    signal.addEventListener("abort", listener, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", listener))
  })

/** Runs an effect, and interrupts it if a signal is aborted. In that case, returns undefined. */
export const unlessAborted = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  signal: AbortSignal,
): Effect.Effect<A | undefined, E, R> => Effect.raceFirst(work, Effect.as(untilAborted(signal), undefined))
