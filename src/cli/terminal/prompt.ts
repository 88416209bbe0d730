import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import { widthOf, wrapToWidth } from "./screen.ts"

/** Reads keys until `isDone` returns true for one of them. Returns the typed text. Shows it during typing if `echo` is set. Ctrl-C and Ctrl-D fail with QuitException. */
const readKeys = (isDone: (text: string, key: string) => boolean, echo: boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const terminal = yield* Terminal.Terminal
    const keys = yield* terminal.readInput
    const characters: Array<string> = []
    while (true) {
      const { input, key } = yield* Effect.mapError(keys.take, () => new Terminal.QuitException())
      if (key.ctrl && (key.name === "c" || key.name === "d")) {
        yield* terminal.display("\n")
        return yield* new Terminal.QuitException()
      }
      const typed = input._tag === "Some" && !key.ctrl && !key.meta && /^\P{Cc}+$/u.test(input.value) ? input.value : ""
      if (key.name === "backspace") {
        const removed = characters.pop()
        if (removed !== undefined && echo) yield* terminal.display("\b \b".repeat(widthOf(removed)))
      } else if (typed !== "") {
        characters.push(typed)
        if (echo) yield* terminal.display(typed)
      }
      if (isDone(characters.join(""), key.name)) {
        yield* terminal.display("\n")
        return characters.join("")
      }
    }
  }))

/** Shows text of any origin, wrapped to the window. */
const show = (text: string, end: string) =>
  Effect.flatMap(
    Terminal.Terminal,
    (terminal) =>
      Effect.flatMap(terminal.columns, (columns) =>
        terminal.display(wrapToWidth(text, columns > 0 ? columns : 80).join("\n") + end)),
  )

/** Shows a sentence before a question, wrapped to the window. */
export const say = (text: string) => show(text, "\n")

const isEnter = (_: string, key: string): boolean => key === "return" || key === "enter"

/** Asks a question that one key answers. Only `y` means yes. */
export const confirm = (question: string) =>
  Effect.gen(function*() {
    yield* show(`${question} (y/N)`, " ")
    const answer = yield* readKeys((text, key) => text !== "" || isEnter(text, key), true)
    return answer.toLowerCase() === "y"
  })

/**
 * Asks for text until `read` accepts it.
 *
 * @param read returns the value, or fails with the reason why the text is wrong
 */
export const ask = <A, R = never>(
  question: string,
  read: (text: string) => Effect.Effect<A, string, R>,
  { echo = true }: { readonly echo?: boolean } = {},
) =>
  Effect.gen(function*() {
    while (true) {
      yield* show(`${question}:`, " ")
      const text = yield* readKeys(isEnter, echo)
      const answer = yield* Effect.either(read(text.trim()))
      if (answer._tag === "Right") return answer.right
      yield* show(answer.left, "\n")
    }
  })

/** Returns how `ask` reads a text that is wrong only if it has a fault. */
export const unless = (faultIn: (text: string) => string | undefined) => (text: string) => {
  const fault = faultIn(text)
  return fault === undefined ? Effect.succeed(text) : Effect.fail(fault)
}

/** Asks a question that has several answers. You type the number of an answer. */
export const choose = <A>(
  question: string,
  choices: ReadonlyArray<{ readonly title: string; readonly value: A }>,
) =>
  Effect.gen(function*() {
    yield* show(question, "\n")
    for (const [at, { title }] of choices.entries()) yield* show(`${at + 1}  ${title}`, "\n")
    const wrong = `Type a number from 1 to ${choices.length}.`
    return yield* ask(`Number (1 to ${choices.length})`, (text) => {
      const chosen = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined
      return chosen === undefined ? Effect.fail(wrong) : Effect.succeed(chosen.value)
    })
  })
