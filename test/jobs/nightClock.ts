import { Clock, Duration, Effect } from "effect"

/** Shorter waits (of a pace, of a retry) are real; longer ones end when the test says that it is so late. */
const real = 5_000

/** A clock that the test sets, and that goes on by itself from there: nights pass at once, and sockets still work. */
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
    /** Makes it that late, and wakes who waited for it. */
    set: (time: string) =>
      Effect.sync(() => {
        offset = Date.parse(time) - system.unsafeCurrentTimeMillis()
        for (const sleeper of sleepers) {
          if (sleeper.at > now()) continue
          sleepers.delete(sleeper)
          sleeper.wake()
        }
      }),
    now: () => new Date(now()).toISOString(),
  }
}
