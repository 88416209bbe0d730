import { Clock, Duration, Effect } from "effect"

/** Shorter waits, such as those of a pace or a retry, take real time. Longer waits end when the test sets the clock. */
const real = 5_000

/** A clock that the test sets and that otherwise runs normally. Nights pass instantly, and sockets still work. */
export const nightClock = (start: string) => {
  const system = Clock.make()
  let offset = Date.parse(start) - system.unsafeCurrentTimeMillis()
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const now = () => system.unsafeCurrentTimeMillis() + offset
  const clock: Clock.Clock = {
    ...system,
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis < real) return system.sleep(duration)
      return Effect.async<void>((resume) => {
        const sleeper = { at: now() + millis, wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
    },
  }
  return {
    clock,
    /** Sets the clock, and ends the waits until then. */
    set: (time: string) =>
      Effect.sync(() => {
        offset = Date.parse(time) - system.unsafeCurrentTimeMillis()
        for (const sleeper of sleepers) {
          // The wait started a moment after its length was computed, so it ends a moment late.
          if (sleeper.at > now() + 1_000) continue
          sleepers.delete(sleeper)
          sleeper.wake()
        }
      }),
    now: () => new Date(now()).toISOString(),
  }
}
