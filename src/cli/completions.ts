import type { Argument, Command, Option } from "commander"
import * as Effect from "effect/Effect"
import type { Disk } from "../project/disk.ts"
import { optionsFrom } from "./mistakes.ts"

/** A word that can come next, and what it does. */
type Word = readonly [word: string, about: string]

/** The possible values, by option or by the value's placeholder in the help. */
type Known = ReadonlyMap<string, ReadonlyArray<string>>

const bash = `# To install, add this line to ~/.bashrc: source <(formferry --completions bash)
_formferry() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o bashdefault -o default -F _formferry formferry`

const zsh = `# To install, add this line to ~/.zshrc, below compinit: source <(formferry --completions zsh)
_formferry() {
  local -a found
  local line
  for line in "\${(@f)$("$words[1]" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe formferry found; else _files; fi
}
compdef _formferry formferry`

const fish = `# To install, add this line to ~/.config/fish/config.fish: formferry --completions fish | source
function __formferry
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($typed[1] __complete $typed[2..] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c formferry -f -a '(__formferry)'`

/** The script for each shell. If formferry returns no words, the script completes file names. */
export const completionScripts = { bash, fish, zsh }

/** Returns the names that exist in a project. None if the project can't be read. */
const knownNames = (words: ReadonlyArray<string>): Effect.Effect<Known, never, Disk> =>
  Effect.gen(function*() {
    const { findProject, listPipelines, loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    const given = words[words.indexOf("--project") + 1]
    const root = words.includes("--project") && given !== undefined ? given : yield* findProject(".")
    const { names, texts } = yield* listPipelines(root)
    const project = yield* Effect.option(loadProject(root, { pipelines: [] }))
    const { keysAt } = yield* Effect.promise(() => import("../project/yamlText.ts"))
    const { newestRuns } = yield* Effect.promise(() => import("../report/pastRuns.ts"))
    const runs = project._tag === "None" || words.every((word) => !word.startsWith("--run"))
      ? []
      : yield* Effect.forEach(
        names.filter((name) => words.includes(name)),
        (name) => newestRuns(project.value.reports, name),
      )
    return new Map([
      ["NAME", names],
      ["--run", runs.flat()],
      ["TAG", texts.flatMap(({ tags }) => tags ?? [])],
      ["TARGET", texts.flatMap(({ yaml }) => keysAt(yaml, ["sink", "targets"]) ?? [])],
      ["SERVICE", project._tag === "None" ? [] : [...project.value.services.keys()]],
    ])
  }).pipe(Effect.orElseSucceed(() => new Map()))

/** The state of a command line before its last word. */
interface Place {
  readonly command: Command
  /** The option that takes the next word as its value. */
  readonly option: Option | undefined
  /** How many arguments it has so far. */
  readonly given: number
  readonly onlyArguments: boolean
}

const next = (place: Place, word: string): Place => {
  const { command, given, onlyArguments, option } = place
  if (!onlyArguments && word === "--") return { ...place, option: undefined, onlyArguments: true }
  if (!onlyArguments && word.startsWith("-")) {
    const found = optionsFrom(command).find(({ long, short }) => long === word || short === word)
    return { ...place, option: found?.required === true ? found : undefined }
  }
  if (option !== undefined) return { ...place, option: option.variadic ? option : undefined }
  // After `help`, commands are completed as if it were absent.
  if (word === "help" && command.parent === null) return place
  const below = command.commands.find((one) => one.name() === word)
  return below === undefined ? { ...place, given: given + 1 } : { ...place, command: below }
}

const valuesOf = (of: Option | Argument | undefined, known: Known): ReadonlyArray<Word> => {
  if (of === undefined) return []
  const names = "flags" in of ? [of.long ?? "", /<(\w+)/.exec(of.flags)?.[1] ?? ""] : [of.name()]
  return [...new Set(of.argChoices ?? names.flatMap((name) => known.get(name) ?? []))].map((word): Word => [word, ""])
}

const wordsAt = ({ command, given, onlyArguments, option }: Place, current: string, known: Known) => {
  if (option !== undefined) return valuesOf(option, known)
  if (current.startsWith("-") && !onlyArguments) {
    return [...optionsFrom(command).map((one): Word => [one.long ?? "", one.description]), help]
  }
  if (command.commands.length > 0) return command.commands.map((one): Word => [one.name(), one.summary()])
  const takes = command.registeredArguments
  const last = takes.at(-1)
  return valuesOf(takes[given] ?? (last?.variadic === true ? last : undefined), known)
}

const help: Word = ["--help", "Show this help."]

/**
 * Returns the possible last words of a command line, one per line, each with its meaning after a tab. Returns none if a file name is possible.
 *
 * @param typed the words after the program's name up to the cursor
 */
export const complete = (program: Command, typed: ReadonlyArray<string>) =>
  Effect.map(knownNames(typed), (known) => {
    // bash splits `--to=live` into three words.
    const words = typed.filter((word, at) => word !== "=" || at === typed.length - 1)
    const written = words.at(-1) === "=" ? "" : words.at(-1) ?? ""
    const [, option = "", value = ""] = /^(--[\w-]+=)([^]*)$/.exec(written) ?? []
    const start: Place = { command: program, option: undefined, given: 0, onlyArguments: false }
    const before = [...words.slice(0, -1), ...(option === "" ? [] : [option.slice(0, -1)])]
    const current = option === "" ? written : value
    return wordsAt(before.reduce(next, start), current, known)
      .filter(([word]) => word.startsWith(current))
      .map(([word, about]) => `${option}${word}\t${about.replace(/\s+/g, " ")}`)
  })
