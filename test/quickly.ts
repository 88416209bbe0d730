import { Clock, Duration, Effect } from "effect"

/** How many times faster time passes, so that waits for rates, retries and visible submissions cost little. */
const speed = 20

/** Returns a clock for which time passes faster from now on: waits, measurements and the time of day. */
export const quickClock = Effect.map(Effect.clock, (clock): Clock.Clock => {
  const start = clock.unsafeCurrentTimeMillis()
  const from = clock.unsafeCurrentTimeNanos()
  const nanos = () => from + (clock.unsafeCurrentTimeNanos() - from) * BigInt(speed)
  const millis = () => start + Math.floor(Number(nanos() - from) / 1e6)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => clock.sleep(Duration.times(duration, 1 / speed)),
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
  }
})

/** Runs an effect for which time passes faster. */
export const quickly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(quickClock, (clock) => Effect.withClock(effect, clock))
