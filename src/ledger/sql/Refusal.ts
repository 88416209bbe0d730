import type * as Effect from "effect/Effect"

/** Thrown by a program that must not be done. Only that program fails. The other programs of its transaction are carried out without it. */
export class Refusal<E> {
  readonly failure: Effect.Effect<never, E>
  constructor(failure: Effect.Effect<never, E>) {
    this.failure = failure
  }
}
