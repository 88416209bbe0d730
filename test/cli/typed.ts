import { Terminal } from "@effect/platform"
import { Effect, Mailbox, Option } from "effect"

const names: Readonly<Record<string, string>> = {
  "\r": "return",
  "\u007F": "backspace",
  "\u0003": "c",
  "\u001B": "escape",
}

/** Returns a terminal at which these keys were typed, and what it shows. */
export const typed = (keys: string) =>
  Effect.gen(function*() {
    const mailbox = yield* Mailbox.make<Terminal.UserInput>()
    for (const key of keys) {
      const ctrl = key === "\u0003"
      yield* mailbox.offer({
        input: Option.some(key),
        key: { name: names[key] ?? key.toLowerCase(), ctrl, meta: false, shift: false },
      })
    }
    const shown: Array<string> = []
    const terminal = Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(true),
      readInput: Effect.succeed(mailbox),
      readLine: Effect.never,
      display: (text) => Effect.sync(() => void shown.push(text)),
    })
    return { terminal, shown }
  })
