import type * as Clock from "effect/Clock"

/** A time by two clocks. The steady clock includes time during which the process was stopped. The wall clock includes time during which the machine was asleep. */
export interface Moment {
  readonly wall: number
  readonly steady: bigint
}

export const momentOf = (clock: Clock.Clock): Moment => ({
  wall: clock.unsafeCurrentTimeMillis(),
  steady: clock.unsafeCurrentTimeNanos(),
})

/** Returns the milliseconds between two moments, by the clock that shows more. */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, Number(to.steady - from.steady) / 1e6)
