import type * as Effect from "effect/Effect"

/** Thrown by a program that must not be done. Only that program fails. The others of its transaction are done without it. */
export class Refusal<E> {
  readonly failure: Effect.Effect<never, E>
  constructor(failure: Effect.Effect<never, E>) {
    this.failure = failure
  }
}
