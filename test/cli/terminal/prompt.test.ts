import { Terminal } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, choose, confirm } from "../../../src/cli/terminal/prompt.ts"
import { typed } from "../typed.ts"

/**
 * Answers a question with these keys. Returns the terminal's text, and the answer or the fact that the person
 * cancelled.
 */
const typing = <A>(keys: string, question: Effect.Effect<A, unknown, Terminal.Terminal>) =>
  Effect.gen(function*() {
    const { shown, terminal } = yield* typed(keys)
    const answer = yield* question.pipe(
      Effect.provideService(Terminal.Terminal, terminal),
      Effect.catchAll((error) => Effect.succeed(error instanceof Terminal.QuitException ? "left" : error)),
    )
    return { answer, shown: shown.join("") }
  })

const name = ask("Name", (text) => text === "" ? Effect.fail("Type a name.") : Effect.succeed(text))

it.effect("confirm reads a single key, and accepts only y as yes", () =>
  Effect.gen(function*() {
    const answers: Array<unknown> = []
    for (const key of ["y", "Y", "n", "x", "\r", "\u0003"]) answers.push((yield* typing(key, confirm("Go on?"))).answer)
    expect(answers).toEqual([true, true, false, false, false, "left"])
    expect((yield* typing("y", confirm("Send\u001B[2J?"))).shown).toBe("Send␛[2J? (y/N) y\n")
  }))

it.effect("ask shows the typed text, supports backspace, and repeats the question after an invalid answer", () =>
  Effect.gen(function*() {
    expect(yield* typing("Adq\u007Fa\r", name)).toEqual({ answer: "Ada", shown: "Name: Adq\b \ba\n" })
    expect(yield* typing("\u007F \rBo\u001B\r", name)).toEqual({
      answer: "Bo",
      shown: "Name:  \nType a name.\nName: Bo\n",
    })
    expect((yield* typing("Ad\u0003", name)).answer).toBe("left")
  }))

it.effect("ask never shows a secret", () =>
  Effect.gen(function*() {
    const key = ask("Key", Effect.succeed<string>, { echo: false })
    expect(yield* typing("s3cre\u007Fet\r", key)).toEqual({ answer: "s3cret", shown: "Key: \n" })
  }))

it.effect("choose returns the value whose number was typed", () =>
  Effect.gen(function*() {
    const which = choose("Which?", [{ title: "live", value: 1 }, { title: "practice", value: 2 }])
    expect(yield* typing("3\r2\r", which)).toEqual({
      answer: 2,
      shown: "Which?\n1  live\n2  practice\nNumber (1 to 2): 3\nType a number from 1 to 2.\nNumber (1 to 2): 2\n",
    })
  }))
