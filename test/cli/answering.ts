// A terminal in which a scripted person answers each question.
import { Terminal } from "@effect/platform"
import { Effect, Mailbox, Option } from "effect"
import { onOneLine } from "../acceptance/formferry.ts"

/**
 * Part of the text that the terminal must show after the last answer, and the next answer: part of a choice, or the
 * text to type. `quit` is Ctrl-C.
 */
export type Answer = readonly [question: string, answer: string]

/** Returns the number of the choice that contains this text, or the text itself if there is no such choice. */
const keysFor = (shown: string, answer: string): string => {
  const choice = shown.split("\n").find((line) =>
    /^\d+ {2}/.test(line) && line.replace(/^\d+ {2}/, "").includes(answer)
  )
  return choice === undefined ? answer : /^\d+/.exec(choice)?.[0] ?? answer
}

/**
 * Runs an effect in a terminal that answers these questions in order. Returns its result or failure, and all text
 * shown. Dies if an unexpected question comes.
 */
export const answering = <A, E, R>(answers: ReadonlyArray<Answer>, asking: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const mailbox = yield* Mailbox.make<Terminal.UserInput>()
    const left = [...answers]
    let [shown, all] = ["", ""]
    const press = (name: string, input: string, ctrl = false) =>
      mailbox.offer({ input: Option.some(input), key: { name, ctrl, meta: false, shift: false } })
    const display = (text: string) =>
      Effect.gen(function*() {
        shown += text
        all += text
        // A question ends with a space, after which the cursor stays.
        if (!text.endsWith(": ")) return
        const [question, answer] = left.shift() ?? ["", ""]
        const asked = onOneLine(shown)
        if (question === "" || !asked.includes(question)) {
          return yield* Effect.dieMessage(`expected ${JSON.stringify(question)}, was asked:\n${all}`)
        }
        const keys = keysFor(shown, answer)
        shown = ""
        if (answer === "quit") return yield* press("c", "\u0003", true)
        for (const key of keys) yield* press(key, key)
        return yield* press("return", "\r")
      })
    const terminal = Terminal.Terminal.of({
      columns: Effect.succeed(200),
      rows: Effect.succeed(50),
      isTTY: Effect.succeed(true),
      readInput: Effect.succeed(mailbox),
      readLine: Effect.never,
      display: (text) => Effect.asVoid(display(text)),
    })
    const result = yield* asking.pipe(Effect.provideService(Terminal.Terminal, terminal), Effect.merge)
    if (left.length > 0) return yield* Effect.dieMessage(`was not asked ${JSON.stringify(left[0]?.[0])}:\n${all}`)
    return { result, shown: all }
  })
