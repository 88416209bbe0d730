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

/** A clock whose time of day passes faster, too. Whatever compares such times must use it. */
class FasterTime implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private readonly clock: Clock.Clock
  private readonly waits: Clock.Clock
  private readonly start: number
  private skipped = 0

  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.waits = fasterWaits(clock)
    this.start = clock.unsafeCurrentTimeMillis()
  }

  readonly sleep = (duration: Duration.Duration) => this.waits.sleep(duration)
  readonly unsafeCurrentTimeMillis = () =>
    this.start + (this.clock.unsafeCurrentTimeMillis() - this.start) * speed + this.skipped
  readonly unsafeCurrentTimeNanos = () => this.waits.unsafeCurrentTimeNanos() + BigInt(this.skipped) * 1_000_000n
  readonly currentTimeMillis = Effect.sync(this.unsafeCurrentTimeMillis)
  readonly currentTimeNanos = Effect.sync(this.unsafeCurrentTimeNanos)

  /** Advances the time at once, by whole milliseconds. It does not shorten a wait that has begun. */
  skip(millis: number): void {
    this.skipped += millis
  }
}

/** Advances faster time at once, while nothing waits for it. */
export const skip = (duration: Duration.DurationInput): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    clock instanceof FasterTime
      ? Effect.sync(() => clock.skip(Duration.toMillis(duration)))
      : Effect.dieMessage("This test runs in real time.")
  )

const withClock =
  (change: (clock: Clock.Clock) => Clock.Clock) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => Effect.withClock(effect, change(clock)))

/** Runs an effect whose waits are short. */
export const quickly = withClock(fasterWaits)

/** Runs an effect and everything that it starts in faster time. */
export const inFasterTime = withClock((clock) => new FasterTime(clock))
