import type { Clock } from "effect"

/** The time in milliseconds since 1970 and fractions of them, by a clock that nobody sets: a window of the service is left by no more than has to be. */
export const momentOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
