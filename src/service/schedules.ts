import { Duration, Schedule } from "effect"

/** How often and how long to try again. */
export interface RetryPolicy {
  /** All tries, the first included. */
  readonly attempts: number
  /** Wait before the second try; doubled for each further one. */
  readonly base: Duration.Duration
  /** Longest wait between two tries. */
  readonly max: Duration.Duration
}

export const defaultReadRetries: RetryPolicy = {
  attempts: 6,
  base: Duration.millis(500),
  max: Duration.seconds(30),
}

/** Exponential backoff, bounded, with jitter from Effect's Random, for what is safe to repeat. */
export const backOff = ({ attempts, base, max }: RetryPolicy) =>
  Schedule.exponential(base).pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, max)),
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(Math.max(0, attempts - 1))),
  )
