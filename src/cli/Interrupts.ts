import { Context } from "effect"
import type { Effect, Scope } from "effect"

export type Signal = "SIGINT" | "SIGTERM"

/** The exit status of a process that a signal ended. */
export const statusOfSignal: { readonly [S in Signal]: number } = { SIGINT: 130, SIGTERM: 143 }

/** What the user's Ctrl-C (SIGINT) and a supervisor's SIGTERM do. A second one always ends the process at once. */
export class Interrupts extends Context.Tag("formferry/Interrupts")<Interrupts, {
  /** Completes with the first signal. */
  readonly first: Effect.Effect<Signal>
  /** While the scope is open the first signal interrupts nothing: the command asks `first` and comes to a clean end itself. */
  readonly takeOver: Effect.Effect<void, never, Scope.Scope>
}>() {}
