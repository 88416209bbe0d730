import { Clock, Duration, Effect } from "effect"

/** How many times faster time passes, so that waits for rates, retries and visible submissions cost little. */
const speed = 20

/** Returns a clock whose waits are short. It measures them as longer, and shows the same time of day. */
export const fasterWaits = (clock: Clock.Clock): Clock.Clock => {
  const start = clock.unsafeCurrentTimeNanos()
  const nanos = () => start + (clock.unsafeCurrentTimeNanos() - start) * BigInt(speed)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => clock.sleep(Duration.times(duration, 1 / speed)),
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    currentTimeMillis: clock.currentTimeMillis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
  }
}

/** Returns a clock whose time of day passes faster, too. Whatever compares such times must use it. */
const fasterTime = (clock: Clock.Clock): Clock.Clock => {
  const start = clock.unsafeCurrentTimeMillis()
  const millis = () => start + (clock.unsafeCurrentTimeMillis() - start) * speed
  return { ...fasterWaits(clock), unsafeCurrentTimeMillis: millis, currentTimeMillis: Effect.sync(millis) }
}

const withClock = (change: typeof fasterTime) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => Effect.withClock(effect, change(clock)))

/** Runs an effect whose waits are short. */
export const quickly = withClock(fasterWaits)

/** Runs an effect and everything that it starts in faster time. */
export const inFasterTime = withClock(fasterTime)
