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

const bash = ({ places, values }: Words): ReadonlyArray<string> => [
  "_formferry() {",
  `  local at="" next="" word`,
  `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
  `    case "\${at:+$at }$word" in`,
  `      ${places.flatMap(({ path }) => (path === "" ? [] : [quote(path)])).join("|")}) at="\${at:+$at }$word";;`,
  "    esac",
  "  done",
  `  case "\${COMP_WORDS[COMP_CWORD-1]}" in`,
  ...[...values].map(([option, words]) => `    ${option}) next=${quote(words.join(" "))};;`),
  `    *) case "$at" in`,
  ...places.map(({ path, words }) => `      ${quote(path)}) next=${quote(words.map(([word]) => word).join(" "))};;`),
  "    esac;;",
  "  esac",
  `  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
  "}",
  "complete -o bashdefault -o default -F _formferry formferry",
]

/** zsh reads completions of bash. */
const zsh = (words: Words): ReadonlyArray<string> => ["autoload -U +X bashcompinit && bashcompinit", ...bash(words)]

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
