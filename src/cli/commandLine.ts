import { Options } from "@effect/cli"
import { Either, LogLevel, Option } from "effect"
import type { Context } from "effect"
import { nearest, oneOf, quoted } from "../project/suggestion.ts"
import type { Invocation } from "./Invocation.ts"
import { type LogFormat, logFormats } from "./logFormat.ts"

/** A command's name and options: what it takes to read a command line. */
export interface CommandShape {
  readonly name: string
  readonly options: Readonly<Record<string, Options.Options<unknown>>>
}

/** A command line that can't be read (exit 2). */
export interface UsageFault {
  readonly message: string
  /** The command it is about, where there is one. */
  readonly command: string | undefined
}

export type CommandLine =
  & { readonly invocation: Context.Tag.Service<typeof Invocation>; readonly logFormat: LogFormat }
  & (
    | { readonly _tag: "Help" | "Version" }
    /** For @effect/cli: the command, its options one by one, `--`, its other arguments. */
    | { readonly _tag: "Command"; readonly args: ReadonlyArray<string> }
  )

/** How many words an option takes. */
type Takes = "nothing" | "one" | "some"

/** Options of every command, and those of @effect/cli itself. */
const everywhere: ReadonlyMap<string, Takes> = new Map([
  ["--project", "one"],
  ["--log-level", "one"],
  ["--log-format", "one"],
  ["--no-color", "nothing"],
  ["--help", "nothing"],
  ["--version", "nothing"],
  ["--completions", "one"],
])

const logLevels: ReadonlyMap<string, LogLevel.LogLevel> = new Map(
  LogLevel.allLevels.map((level) => [level._tag.toLowerCase(), level]),
)

const optionsOf = ({ options }: CommandShape): ReadonlyMap<string, Takes> =>
  new Map(
    Object.values(options).flatMap((option) => {
      const name = Option.getOrUndefined(Options.getIdentifier(option))
      const takes = Options.isBool(option) ? "nothing" : Options.getUsage(option)._tag === "Repeated" ? "some" : "one"
      return name === undefined ? [] : [[name, takes] as const]
    }),
  )

const isOption = (word: string): boolean => word.startsWith("--") && word !== "--"

const split = (word: string): readonly [name: string, value: string | undefined] => {
  const at = word.indexOf("=")
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

/** The first word that is neither an option nor an option's value. */
const commandAt = (typed: ReadonlyArray<string>, takes: (name: string) => Takes | undefined): number => {
  for (let at = 0; at < typed.length; at++) {
    const word = typed[at] ?? ""
    if (!word.startsWith("-")) return at
    const [name, value] = split(word)
    if (value === undefined && takes(name) === "one") at++
  }
  return -1
}

/**
 * Reads a command line as people write it: options before or behind the command and its arguments, `--rows A B C`, options of all commands anywhere. @effect/cli alone takes an
 * unknown option for an argument, a `yes` behind a flag for its value, and `-5` for five flags; it gets the words in the one order in which it reads all of them right.
 */
export const readCommandLine = (
  typed: ReadonlyArray<string>,
  commands: ReadonlyArray<CommandShape>,
): Either.Either<CommandLine, UsageFault> => {
  const shapes = new Map(commands.map((command) => [command.name, optionsOf(command)]))
  const anyCommands = new Map([...shapes.values()].flatMap((options) => [...options]))
  const at = commandAt(typed, (name) => everywhere.get(name) ?? anyCommands.get(name))
  const command = at < 0 ? undefined : typed[at]
  const wrong = (message: string) => Either.left({ message, command })

  const own = command === undefined ? new Map<string, Takes>() : shapes.get(command)
  if (own === undefined) {
    const near = nearest(command ?? "", shapes.keys())
    const hint = near === undefined
      ? `There are ${oneOf([...shapes.keys()].map(quoted), "and")}.`
      : `Did you mean ${quoted(near)}?`
    return Either.left({ message: `There is no command ${quoted(command ?? "")}. ${hint}`, command: undefined })
  }

  const values = new Map<string, Array<string>>()
  const names: Array<string> = []
  const words = at < 0 ? typed : typed.toSpliced(at, 1)
  for (let next = 0; next < words.length; next++) {
    const word = words[next] ?? ""
    if (word === "--") {
      names.push(...words.slice(next + 1))
      break
    }
    if (!word.startsWith("-") || word === "-") {
      names.push(word)
      continue
    }
    const [name, given] = word === "-h" ? ["--help", undefined] : split(word)
    const takes = own.get(name) ?? everywhere.get(name)
    if (takes === undefined) {
      const near = nearest(name, [...own.keys(), ...everywhere.keys()])
      const hint = near !== undefined
        ? `Did you mean ${quoted(near)}?`
        : isOption(word)
        ? ""
        : "Write an argument that begins with a dash behind `--`."
      return wrong(
        `${command === undefined ? "formferry" : quoted(command)} has no option ${quoted(name)}. ${hint}`.trim(),
      )
    }
    const before = values.get(name)
    if (before !== undefined && takes === "one") return wrong(`${quoted(name)} is given twice.`)
    const found = before ?? []
    values.set(name, found)
    if (takes === "nothing") {
      if (given !== undefined) return wrong(`${quoted(name)} takes no value.`)
      continue
    }
    if (given !== undefined) {
      found.push(given)
      continue
    }
    const behind = words.slice(next + 1)
    const end = behind.findIndex((one) => one === "--" || isOption(one))
    const more = behind.slice(0, end < 0 ? undefined : end).slice(0, takes === "one" ? 1 : undefined)
    if (more.length === 0) return wrong(`${quoted(name)} needs a value.`)
    found.push(...more)
    next += more.length
  }

  const level = values.get("--log-level")?.[0]
  const logLevel = level === undefined ? LogLevel.Info : logLevels.get(level.toLowerCase())
  if (logLevel === undefined) {
    return wrong(
      `${quoted(level ?? "")} is no log level. There are ${oneOf([...logLevels.keys()].map(quoted), "and")}.`,
    )
  }
  const format = values.get("--log-format")?.[0] ?? "text"
  const logFormat = logFormats.find((one) => one === format)
  if (logFormat === undefined) {
    return wrong(`${quoted(format)} is no log format. There are ${oneOf(logFormats.map(quoted), "and")}.`)
  }
  const invocation = {
    typed,
    command,
    names,
    project: values.get("--project")?.[0],
    json: values.has("--json"),
    logLevel,
  }
  if (values.has("--version")) return Either.right({ _tag: "Version", invocation, logFormat })
  if (values.has("--help")) return Either.right({ _tag: "Help", invocation, logFormat })
  const shell = values.get("--completions")?.[0]
  if (shell !== undefined) {
    return Either.right({ _tag: "Command", invocation, logFormat, args: ["--completions", shell] })
  }
  if (command === undefined) return wrong("Which command?")
  const options = [...values].flatMap(([name, found]) =>
    !own.has(name) ? [] : own.get(name) === "nothing" ? [name] : found.flatMap((value) => [name, value])
  )
  return Either.right({ _tag: "Command", invocation, logFormat, args: [command, ...options, "--", ...names] })
}
