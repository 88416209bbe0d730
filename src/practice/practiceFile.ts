import { FileSystem } from "@effect/platform"
import { Effect, ParseResult } from "effect"
import { parseDocument } from "yaml"
import { yamlTooLarge } from "../project/pipelineFiles.ts"

/** All that is wrong with a file of the practice service, one line each. */
export type Problems = ReadonlyArray<string>

/** Reads the text of a form file or a faults file. */
export const readPracticeFile = (file: string): Effect.Effect<string, Problems, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) return yield* Effect.fail([tooLarge])
    return yield* Effect.mapError(fs.readFileString(file), (error): Problems => [error.message])
  })

/** Returns the value of such a text, YAML or JSON. */
export const parsePracticeFile = (text: string): Effect.Effect<unknown, Problems> =>
  Effect.suspend(() => {
    const document = parseDocument(text, { prettyErrors: true })
    return document.errors.length > 0
      ? Effect.fail(document.errors.map((error) => error.message))
      : Effect.succeed<unknown>(document.toJS())
  })

/**
 * Returns what is wrong with a value, one line per place: `faults[2].wait: is missing`.
 * @param at the value's own place; empty for the whole file
 */
export const problemsOf = (error: ParseResult.ParseError, at = ""): Problems => {
  const places = new Map<string, string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const path = issue.path.map((member) => (typeof member === "number" ? `[${member}]` : `.${String(member)}`))
    const place = `${at}${path.join("")}`.replace(/^\./, "")
    const problem = issue._tag === "Missing"
      ? "is missing"
      : issue._tag === "Unexpected"
      ? "is not a setting here"
      : issue.message.split("\n")[0] ?? ""
    // Of an optional setting's alternatives, the setting itself comes first.
    if (!places.has(place)) places.set(place, problem)
  }
  return Array.from(places, ([place, problem]) => `${place === "" ? "the file" : place}: ${problem}`)
}
