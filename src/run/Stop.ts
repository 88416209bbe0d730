import { Deferred, Effect } from "effect"

/** Why a run ends before all rows are sent. Several may come together. */
export type StopReason =
  | { readonly _tag: "Interrupted"; readonly signal: "SIGINT" | "SIGTERM" }
  /** The canary failed or a `stopWhen` limit was passed (exit 3). */
  | { readonly _tag: "Protected"; readonly because: string }
  /** The canary ended in doubt: it proves nothing (exit 4). */
  | { readonly _tag: "CanaryInDoubt" }
  /** The service can't be used, or the source changed under the run (exit 5). */
  | { readonly _tag: "Unavailable"; readonly because: string }
  /** Another run took the lock over (exit 6). */
  | { readonly _tag: "Overtaken"; readonly because: string }
  /** The ledger or a report can't be written: the run fails, and everything else must end first. */
  | { readonly _tag: "Failed" }

/** A latch that all parts of a run look at before they take new rows. What is in flight is always finished and recorded. */
export interface Stop {
  readonly request: (reason: StopReason) => Effect.Effect<void>
  /** Asked synchronously by row work. */
  readonly requested: () => boolean
  readonly reasons: () => ReadonlyArray<StopReason>
  /** Ends as soon as a stop is requested: waits are raced against it. */
  readonly wait: Effect.Effect<void>
  /** Ends when reading back ends too: what was created is still read when the run only protects the form. */
  readonly readingEnds: Effect.Effect<void>
}

export const makeStop: Effect.Effect<Stop> = Effect.gen(function*() {
  const latch = yield* Deferred.make<void>()
  const readingLatch = yield* Deferred.make<void>()
  const reasons: Array<StopReason> = []
  return {
    request: (reason) =>
      Effect.suspend(() => {
        reasons.push(reason)
        const ends = reason._tag === "Protected" ? Effect.void : Deferred.succeed(readingLatch, undefined)
        return Effect.asVoid(Effect.zipRight(ends, Deferred.succeed(latch, undefined)))
      }),
    requested: () => reasons.length > 0,
    reasons: () => reasons,
    wait: Deferred.await(latch),
    readingEnds: Deferred.await(readingLatch),
  }
})
