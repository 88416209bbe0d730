import { Terminal } from "@effect/platform"
import { Effect, Mailbox, Option } from "effect"

/** Runs an effect in a terminal. `answerOf` gets the text shown since the last answer, and returns the next answer. */
export const answeringAlways = <A, E, R>(answerOf: (shown: string) => string, asking: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const mailbox = yield* Mailbox.make<Terminal.UserInput>()
    let shown = ""
    const press = (name: string, input: string) =>
      mailbox.offer({ input: Option.some(input), key: { name, ctrl: false, meta: false, shift: false } })
    const display = (text: string) =>
      Effect.gen(function*() {
        shown += text
        if (!text.endsWith(": ")) return
        const keys = answerOf(shown)
        shown = ""
        for (const key of keys) yield* press(key, key)
        yield* press("return", "\r")
      })
    const terminal = Terminal.Terminal.of({
      columns: Effect.succeed(500),
      rows: Effect.succeed(50),
      isTTY: Effect.succeed(true),
      readInput: Effect.succeed(mailbox),
      readLine: Effect.never,
      display,
    })
    return yield* asking.pipe(Effect.provideService(Terminal.Terminal, terminal))
  })
