import { Effect, Queue, Stream } from "effect"

/** What is done with each batch, and with how many at the same time. */
export interface Step<A, B> {
  readonly work: (batch: A) => Effect.Effect<B>
  readonly atOnce: number
}

/** Batches that are through the first step and wait for the second, at most: then the first step waits. */
const between = 16

/**
 * Takes batches through two steps, one as soon as it is through the first. As two `Stream.mapEffect` would, for a third of what they cost: a fixed number of fibers that each
 * take the next batch.
 */
export const inTwoSteps = <A, B>(
  batches: Stream.Stream<A>,
  first: Step<A, B>,
  second: Step<B, void>,
): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const pull = yield* Stream.toPull(batches)
    const turn = yield* Effect.makeSemaphore(1)
    const done = yield* Queue.bounded<{ readonly batch: B } | undefined>(between)
    let pulled: Array<A> = []
    let ended = false
    const pullInTurn = turn.withPermits(1)(Effect.suspend(() => more))
    // What is pulled already is there for whoever comes: only who has to pull waits for a turn.
    const next: Effect.Effect<A | undefined> = Effect.suspend(() =>
      pulled.length > 0 ? Effect.succeed(pulled.shift()) : pullInTurn
    )
    const more: Effect.Effect<A | undefined> = Effect.suspend(() => {
      if (pulled.length > 0) return Effect.succeed(pulled.shift())
      if (ended) return Effect.succeed(undefined)
      return Effect.matchEffect(pull, {
        // The stream has no failure but its end.
        onFailure: () => {
          ended = true
          return Effect.succeed(undefined)
        },
        onSuccess: (chunk) => {
          pulled = Array.from(chunk)
          return more
        },
      })
    })
    const doFirst: Effect.Effect<void> = Effect.flatMap(next, (batch) =>
      batch === undefined
        ? Effect.void
        : Effect.flatMap(first.work(batch), (result) => Effect.zipRight(done.offer({ batch: result }), doFirst)))
    const doSecond: Effect.Effect<void> = Effect.flatMap(Queue.take(done), (one) =>
      one === undefined ? Effect.void : Effect.zipRight(second.work(one.batch), doSecond))
    yield* Effect.all([
      Effect.zipRight(
        atOnce(first.atOnce, doFirst),
        done.offerAll(Array.from({ length: second.atOnce }, () =>
          undefined)),
      ),
      atOnce(second.atOnce, doSecond),
    ], { concurrency: "unbounded", discard: true })
  }))

const atOnce = (count: number, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.all(Array.from({ length: count }, () => work), { concurrency: "unbounded", discard: true })
