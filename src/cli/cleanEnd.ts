import { Effect } from "effect"
import { Interrupts } from "./Interrupts.ts"
import { Output } from "./Output.ts"
import { wrapToWidth } from "./show/fit.ts"

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
