import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/** How many times and for how long to retry. */
export interface RetryPolicy {
  /** All attempts, including the first. */
  readonly attempts: number
  /** The wait before the second attempt. It doubles before each further attempt. */
  readonly base: Duration.Duration
  /** The longest wait between two attempts. */
  readonly max: Duration.Duration
}

export const defaultReadRetries: RetryPolicy = {
  attempts: 6,
  base: Duration.millis(500),
  max: Duration.seconds(30),
}

/** Makes a schedule of limited exponential backoff for requests that are safe to repeat. The jitter comes from Effect's Random. */
export const backOff = ({ attempts, base, max }: RetryPolicy) =>
  Schedule.exponential(base).pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, max)),
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(Math.max(0, attempts - 1))),
  )
