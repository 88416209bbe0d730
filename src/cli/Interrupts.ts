import { Context, Effect, type Scope } from "effect"
import type { Signal } from "../run/Stop.ts"
import { Output } from "./Output.ts"
import { wrapToWidth } from "./terminal/screen.ts"

/** The signals that end formferry. A second Ctrl-C (SIGINT) or SIGTERM ends the process at once. */
export class Interrupts extends Context.Tag("formferry/Interrupts")<Interrupts, {
  /** Completes with the first signal. */
  readonly first: Effect.Effect<Signal>
  /** While the scope is open the first signal interrupts nothing: the command asks `first` and comes to a clean end itself. */
  readonly takeOver: Effect.Effect<void, never, Scope.Scope>
}>() {}

/** Takes over what the first Ctrl-C does, for as long as the scope is open, and says that it was heard. Gives the signal when it comes. */
export const cleanEnd = Effect.gen(function*() {
  const output = yield* Output
  const interrupts = yield* Interrupts
  yield* interrupts.takeOver
  yield* Effect.forkScoped(Effect.flatMap(interrupts.first, (signal) =>
    Effect.sync(() => {
      const text = `${signal}: what is in flight is finished and recorded. A second Ctrl-C or SIGTERM ends at once.`
      output.tell(wrapToWidth(text, output.err.width).join("\n"))
    })))
  return interrupts.first
})
