import type * as Commander from "commander"
import { listed } from "../domain/words.ts"
import { oneOf, quoted, suggest } from "../project/suggestion.ts"

export const wordsOf = (command: Commander.Command): ReadonlyArray<string> =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()]

/** Returns the options that a command reads: its own, then those of every command. */
export const optionsFrom = (command: Commander.Command): ReadonlyArray<Commander.Option> => [
  ...command.options,
  ...(command.parent === null ? [] : optionsFrom(command.parent)),
]

/** Commander's message for each mistake, and our replacement. Its other errors don't occur, because no option is declared as mandatory or conflicting. */
const wordings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^unknown option '([^]*?)'$/, "There is no option `$1`."],
  [/^option '(--[^ ']+)[^']*' argument missing$/, "`$1` needs a value."],
  [/^missing required argument '(.*)'$/, "$1 is missing."],
]

/** Returns the message for a word that should be a subcommand, but is not. */
const noCommand = (word: string, command: Commander.Command): string => {
  const names = command.commands.map((one) => one.name())
  const hint = names.length === 0 ? undefined : suggest(word, names, "Commands are")
  return [
    `There is no command ${quoted([...wordsOf(command), word].join(" "))}.`,
    ...(hint === undefined ? [] : [hint]),
  ].join(" ")
}

/** Returns our wording of commander's error about a command. */
const sentence = ({ code, message }: Commander.CommanderError, command: Commander.Command): string => {
  const name = quoted(["formferry", ...wordsOf(command)].join(" "))
  if (code === "commander.excessArguments") {
    const most = command.registeredArguments.length
    const extra = command.args[most] ?? ""
    return most === 0
      ? `${name} takes no argument ${quoted(extra)}.`
      : `${quoted(extra)} is one argument too many for ${name}.`
  }
  const [, flag = ""] = /^error: unknown option '(--[^'=]+)=/.exec(message) ?? []
  if (flag !== "" && optionsFrom(command).some(({ long }) => long === flag)) return `${quoted(flag)} takes no value.`
  if (code === "commander.unknownCommand") return noCommand(command.args[0] ?? "", command)
  const [, said = "", near] = /^(?:error: )?([^]*?)(?:\n\(Did you mean (?:one of )?(.+)\?\))?$/.exec(message) ?? []
  const [pattern, ours] = wordings.find(([one]) => one.test(said)) ?? [/$/, ""]
  const sentence = said.replace(pattern, ours)
  return near === undefined ? sentence : `${sentence} Did you mean ${oneOf(near.split(", ").map(quoted))}?`
}

/** Returns the message for the first word that is not a command, or undefined. */
export const unknownWord = (
  [word, ...words]: ReadonlyArray<string>,
  command: Commander.Command,
): string | undefined => {
  if (word === undefined) return undefined
  const below = command.commands.find((one) => one.name() === word)
  if (below !== undefined) return unknownWord(words, below)
  return noCommand(word, command)
}

/** Returns a sentence that says which commands an unknown option belongs to, or "" if that does not help. */
const owners = (command: Commander.Command, message: string): string => {
  const [, flag = ""] = /^error: unknown option '(--[^'=]+)/.exec(message) ?? []
  const owning = (command.parent ?? command).commands.filter((one) => one.options.some(({ long }) => long === flag))
  if (owning.length === 0 || owning.includes(command)) return ""
  if (command.parent === null) return " Write a command's options after its name."
  const names = owning.map((one) => quoted(wordsOf(one).join(" ")))
  return names.length > 3 ? "" : ` ${quoted(flag)} belongs to ${listed(names)}.`
}

/** Returns the message for a command line that commander refused at a command. */
export const mistake = (error: Commander.CommanderError, at: Commander.Command): string =>
  sentence(error, at) + owners(at, error.message)
