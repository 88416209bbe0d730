import { Effect, Queue } from "effect"

/** What is done with each batch, and with how many at the same time. */
export interface Step<A, B> {
  readonly work: (batch: A) => Effect.Effect<B>
  readonly atOnce: number
}

/** Batches that are through the first step and wait for the second, at most: then the first step waits. */
const between = 16

/** Where batches come from. No stream: each pull of one costs more than a batch's other steps of the run together. */
export interface Batches<A, E = never> {
  /** The next one of what was read; undefined: more has to be read. */
  readonly next: () => Effect.Effect<A, E> | undefined
  /** Reads more. False: there is no more. Not asked for while it is under way. */
  readonly more: Effect.Effect<boolean>
  /** What is left at the end, if anything is. */
  readonly last: () => Effect.Effect<A, E> | undefined
}

/**
 * Takes batches through two steps, one as soon as it is through the first. As two `Stream.mapEffect` would, for a third of what they cost: a fixed number of fibers that each
 * take the next batch.
 *
 * @param batches one that is undefined ends who took it: whoever gives it has asked the run to stop
 */
export const inTwoSteps = <A, B>(
  batches: Batches<A | undefined>,
  first: Step<A, B>,
  second: Step<B, void>,
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const turn = yield* Effect.makeSemaphore(1)
    const done = yield* Queue.bounded<{ readonly batch: B } | undefined>(between)
    const nothing = Effect.succeed(undefined)
    let ended = false
    const read: Effect.Effect<A | undefined> = Effect.suspend(() => {
      const one = batches.next()
      if (one !== undefined || ended) return one ?? nothing
      return Effect.flatMap(batches.more, (isMore) => {
        if (isMore) return read
        ended = true
        return batches.last() ?? nothing
      })
    })
    const readInTurn = turn.withPermits(1)(read)
    // What is read already is there for whoever comes: only who has to read waits for a turn.
    const next: Effect.Effect<A | undefined> = Effect.suspend(() => batches.next() ?? (ended ? nothing : readInTurn))
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
  })

const atOnce = (count: number, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.all(Array.from({ length: count }, () => work), { concurrency: "unbounded", discard: true })
