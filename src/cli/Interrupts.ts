import { Context } from "effect"
import type { Effect, Scope } from "effect"
import type { Signal } from "../run/Stop.ts"

/** The signals that end formferry. A second Ctrl-C (SIGINT) or SIGTERM ends the process at once. */
export class Interrupts extends Context.Tag("formferry/Interrupts")<Interrupts, {
  /** Completes with the first signal. */
  readonly first: Effect.Effect<Signal>
  /** While the scope is open the first signal interrupts nothing: the command asks `first` and comes to a clean end itself. */
  readonly takeOver: Effect.Effect<void, never, Scope.Scope>
}>() {}
