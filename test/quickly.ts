import { type Clock, Duration, Effect } from "effect"

/** How many times faster waits are, so that rates, retries and `Retry-After` cost no time. */
const speed = 20

/** Runs an effect whose waits are short. The clock that measures them is as fast, and the time of day is not changed. */
export const quickly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.clock, (clock) => {
    const start = clock.unsafeCurrentTimeNanos()
    const faster: Pick<Clock.Clock, "sleep" | "unsafeCurrentTimeNanos"> = {
      sleep: (duration) => clock.sleep(Duration.times(duration, 1 / speed)),
      unsafeCurrentTimeNanos: () => start + (clock.unsafeCurrentTimeNanos() - start) * BigInt(speed),
    }
    return Effect.withClock(effect, Object.assign(Object.create(clock) as Clock.Clock, faster))
  })
