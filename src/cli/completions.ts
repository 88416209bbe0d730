import type { Command } from "commander"

export const shells = ["bash", "fish", "zsh"] as const

/** A word that can come next, and what it does. */
type Word = readonly [word: string, about: string]

/** A command and the words that can follow it. */
interface Place {
  /** Its words after `formferry`; empty for the program. */
  readonly path: string
  readonly words: ReadonlyArray<Word>
}

/** What completes a command line. */
interface Words {
  readonly places: ReadonlyArray<Place>
  /** Options with a value, and the words that the value can be; none if it can be anything. */
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
}

const help: Word = ["--help", "Show this help."]

const placesOf = (command: Command, path: string, everywhere: ReadonlyArray<Word>): ReadonlyArray<Place> => {
  const own = path === "" ? [] : command.options.map((one): Word => [one.long ?? "", one.description])
  const words = [
    ...command.commands.map((one): Word => [one.name(), one.summary()]),
    ...command.registeredArguments.flatMap((one) => (one.argChoices ?? []).map((word): Word => [word, ""])),
    ...own,
    ...everywhere,
    help,
  ]
  return [
    { path, words },
    ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim(), everywhere)),
  ]
}

const optionsIn = (command: Command): Command["options"] => [...command.options, ...command.commands.flatMap(optionsIn)]

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Finds the typed command in `$at`. */
const findPath = ({ places }: Words, typed: string): ReadonlyArray<string> => [
  `  local at="" word`,
  `  for word in ${typed}; do`,
  `    case "\${at:+$at }$word" in`,
  `      ${places.flatMap(({ path }) => (path === "" ? [] : [quote(path)])).join("|")}) at="\${at:+$at }$word";;`,
  "    esac",
  "  done",
]

const bash = (words: Words): ReadonlyArray<string> => [
  "_formferry() {",
  ...findPath(words, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`),
  `  local next=""`,
  `  case "\${COMP_WORDS[COMP_CWORD-1]}" in`,
  ...[...words.values].map(([option, values]) => `    ${option}) next=${quote(values.join(" "))};;`),
  `    *) case "$at" in`,
  ...words.places.map(({ path, words }) =>
    `      ${quote(path)}) next=${quote(words.map(([word]) => word).join(" "))};;`
  ),
  "    esac;;",
  "  esac",
  `  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
  "}",
  "complete -o bashdefault -o default -F _formferry formferry",
]

const zsh = (words: Words): ReadonlyArray<string> => [
  "#compdef formferry",
  "_formferry() {",
  ...findPath(words, `"\${(@)words[2,CURRENT-1]}"`),
  "  local -a next",
  `  case "\${words[CURRENT-1]}" in`,
  ...[...words.values].map(([option, values]) => `    ${option}) next=(${values.join(" ")});;`),
  `    *) case "$at" in`,
  ...words.places.map(({ path, words }) =>
    `      ${quote(path)}) next=(${
      words.map(([word, about]) => quote(about === "" ? word : `${word}:${about}`)).join(" ")
    });;`
  ),
  "    esac;;",
  "  esac",
  "  _describe -o formferry next || _files",
  "}",
  "compdef _formferry formferry",
]

const fish = ({ places, values }: Words): ReadonlyArray<string> =>
  places.flatMap(({ path, words }) => {
    const typed = path.split(" ").filter((word) => word !== "")
    const when = typed.length === 0
      ? "__fish_use_subcommand"
      : typed.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ")
    return words.map(([word, about]) => {
      const value = values.get(word)
      const takes = value === undefined ? "" : value.length === 0 ? " -r" : ` -x -a ${quote(value.join(" "))}`
      const name = word.startsWith("--") ? `-l ${word.slice(2)}${takes}` : `-f -a ${word}`
      return `complete -c formferry -n ${quote(when)} ${name} -d ${quote(about)}`
    })
  })

/** Returns a shell's script that completes commands, options and their values. */
export const completions = (program: Command, shell: (typeof shells)[number]): string => {
  const everywhere = program.options.map((one): Word => [one.long ?? "", one.description])
  const values = optionsIn(program).flatMap(({ argChoices = [], long, required }) =>
    required && long != null ? [[long, argChoices] as const] : []
  )
  return { bash, fish, zsh }[shell]({ places: placesOf(program, "", everywhere), values: new Map(values) }).join("\n")
}
