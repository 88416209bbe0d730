import * as Commander from "commander"
import { type Context, Effect, LogLevel } from "effect"
import { listed } from "../domain/words.ts"
import { nearest, oneOf, quoted } from "../project/suggestion.ts"
import { version } from "../project/version.ts"
import {
  type Argument,
  choice,
  type Command,
  type CommandGroup,
  type Example,
  type Option,
  parsed,
  text,
  type Work,
} from "./command.ts"
import { completions, shells } from "./completions.ts"
import { UsageWrong } from "./Failure.ts"
import type { Invocation } from "./Invocation.ts"
import { type LogFormat, logFormats, Output } from "./Output.ts"
import { paints, type Screen } from "./terminal/screen.ts"

/** Commands below the title under which the help lists them. */
export type CommandTree = Readonly<Record<string, ReadonlyArray<Command | CommandGroup>>>

/** A command line as it was read. */
interface CommandLine {
  readonly invocation: Context.Tag.Service<typeof Invocation>
  readonly logFormat: LogFormat
  /** What it asks for. Fails with UsageWrong if it can't be read. */
  readonly work: Work
}

const logLevels: ReadonlyMap<string, LogLevel.LogLevel> = new Map(
  LogLevel.allLevels.map((level) => [level._tag.toLowerCase(), level]),
)

/** The options of every command. */
export const everywhere = {
  project: text("DIR", "The project's folder. Default: the nearest folder upwards with config/formferry.yaml."),
  logLevel: parsed(
    "LEVEL",
    (name) => logLevels.get(name.toLowerCase()),
    oneOf([...logLevels.keys()]),
    `How much to log on stderr: ${oneOf([...logLevels.keys()])}. Default: info.`,
  ),
  logFormat: choice("FORMAT", logFormats, "How to write lines on stderr. Default: text."),
  completions: choice("SHELL", shells, "Print the shell's completions."),
}

/** Returns an option's name as it is typed: `--dry-run` for the key `dryRun`. */
export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Returns the option for the parser. A list takes words up to the next option; any other option is given once. */
const optionOf = (key: string, option: Option<unknown>, owner: Commander.Command, typed: ReadonlyArray<string>) => {
  const long = flagOf(key)
  if (option.value === undefined) return new Commander.Option(long, option.about)
  const built = new Commander.Option(`${long} <${option.value}${option.list === "words" ? "..." : ""}>`, option.about)
  if (option.choices !== undefined) built.choices(option.choices)
  const checkChoice = built.parseArg
  return built.argParser<unknown>((value, previous) => {
    // The parser alone would take `--dry-run` of `--to --dry-run` for the target.
    if (value.startsWith("--") && !typed.includes(`${long}=${value}`)) owner.error(`${quoted(long)} needs a value.`)
    if (option.list !== undefined) return [...(Array.isArray(previous) ? previous : []), value]
    if (previous !== undefined) owner.error(`${quoted(long)} is given twice.`)
    if (option.parse === undefined) return checkChoice === undefined ? value : checkChoice(value, previous)
    return option.parse(value) ?? owner.error(`${long} takes ${option.takes}.`)
  })
}

const argumentOf = ({ about, choices, isList, isRequired, value }: Argument<unknown>) => {
  const name = `${value}${isList ? "..." : ""}`
  const built = new Commander.Argument(isRequired ? `<${name}>` : `[${name}]`, about)
  return choices === undefined ? built : built.choices(choices)
}

/** Returns the values of declared options or arguments, by their keys. */
const valuesOf = (
  declared: Readonly<Record<string, { readonly absent?: unknown }>>,
  found: (key: string, at: number) => unknown,
) => Object.fromEntries(Object.entries(declared).map(([key, { absent }], at) => [key, found(key, at) ?? absent]))

const wordsOf = (command: Commander.Command): ReadonlyArray<string> =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()]

const shownExamples = (examples: ReadonlyArray<Example>, command: Commander.Command): string => {
  const helper = command.createHelp()
  return [
    "",
    helper.styleTitle("Examples:"),
    ...examples.flatMap(({ about, words }) => [`  formferry ${words}`, `      ${about}`]),
  ].join("\n")
}

/** What commander says, and what we say instead. */
const wordings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^unknown (command|option) '([^]*?)'$/, "There is no $1 `$2`."],
  [/^option '(--[^ ']+)[^']*' argument missing$/, "`$1` needs a value."],
  [/^missing required argument '(.*)'$/, "`<$1>` is missing."],
  [
    /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/,
    "Too many arguments for `$1`: $3 instead of $2.",
  ],
  [/^option '(--[^ ']+)[^']*' argument '([^]*)' is invalid\. (.*)$/, "`$1` can't be `$2`. $3"],
  [/^command-argument value '([^]*)' is invalid for argument '(.*)'\. (.*)$/, "`<$2>` can't be `$1`. $3"],
]

/** Says in our words what commander says. */
const sentence = (message: string): string => {
  const [, said = "", near] = /^(?:error: )?([^]*?)(?:\n\(Did you mean (?:one of )?(.+)\?\))?$/.exec(message) ?? []
  const [pattern, ours] = wordings.find(([one]) => one.test(said)) ?? [/$/, ""]
  const sentence = said.replace(pattern, ours)
  const [, value = "", choices] = /(?:argument|value) '([^]*)' is invalid.*Allowed choices are (.*)\.$/.exec(said) ?? []
  if (choices !== undefined) {
    const meant = nearest(value, choices.split(", "))
    return meant === undefined ? sentence : `${sentence} Did you mean ${quoted(meant)}?`
  }
  return near === undefined ? sentence : `${sentence} Did you mean ${oneOf(near.split(", ").map(quoted))}?`
}

/** Returns where an unknown option belongs, if that helps. */
const owners = (command: Commander.Command, message: string): string => {
  const [, flag = ""] = /^error: unknown option '(--[^'=]+)/.exec(message) ?? []
  const owning = (command.parent ?? command).commands.filter((one) => one.options.some(({ long }) => long === flag))
  if (owning.length === 0) return ""
  if (command.parent === null) return " Write a command's options after its name."
  const names = owning.map((one) => quoted(wordsOf(one).join(" ")))
  return names.length > 3 ? "" : ` ${quoted(flag)} belongs to ${listed(names)}.`
}

/**
 * Reads a command line. Options of all commands may stand anywhere, a command's own after its name.
 *
 * @param screen what help is made for
 */
export const readCommandLine = (
  typed: ReadonlyArray<string>,
  { about, tree }: { readonly about: string; readonly tree: CommandTree },
  screen: Screen,
): CommandLine => {
  let written = ""
  let chosen: {
    readonly words: ReadonlyArray<string>
    readonly pipelines: ReadonlyArray<string>
    readonly json: boolean
    readonly work: Work
  } | undefined
  let stoppedAt: Commander.Command | undefined
  const paint = paints(screen)

  const prepare = (command: Commander.Command) =>
    command.exitOverride((error) => {
      stoppedAt = command
      throw error
    })
  const add = (parent: Commander.Command, declared: Command | CommandGroup, title?: string) => {
    const [summary = ""] = declared.about.split(/(?<=\.) /)
    const command = prepare(parent.command(declared.name).description(declared.about).summary(summary))
    if (title !== undefined) command.helpGroup(title)
    if ("commands" in declared) {
      command.usage("COMMAND")
      for (const one of declared.commands) add(command, one)
      return
    }
    for (const one of Object.values(declared.arguments)) command.addArgument(argumentOf(one))
    for (const [key, one] of Object.entries(declared.options)) command.addOption(optionOf(key, one, command, typed))
    command.addHelpText("after", () => shownExamples(declared.examples, command))
    command.action(() => {
      const given = valuesOf(declared.arguments, (_, at) => command.processedArgs[at])
      const options = valuesOf(declared.options, (key) => command.getOptionValue(key))
      chosen = {
        words: wordsOf(command),
        pipelines: Object.entries(declared.arguments).flatMap(([key, { value }]) =>
          value === "NAME" ? [given[key]].flat().filter((word) => typeof word === "string") : []
        ),
        json: options["json"] === true,
        work: declared.run({ ...given, ...options }),
      }
    })
  }

  const program = prepare(new Commander.Command("formferry"))
    .description(about)
    .usage("COMMAND")
    .helpOption("-h, --help", "Show this help.")
    .commandsGroup("Help:")
    .helpCommand("help [COMMAND]", "Shows the help of a command.")
    .version(version, "-V, --version", "Show the version.")
    .option("--no-color", "Write no colours. The environment's NO_COLOR does the same.")
    .configureOutput({
      writeOut: (part) => {
        written += part
      },
      writeErr: () => undefined,
      getOutHelpWidth: () => screen.width,
      getOutHasColors: () => screen.colour,
    })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      styleTitle: paint.strong,
      styleOptionTerm: paint.strong,
      styleArgumentTerm: paint.strong,
      styleSubcommandTerm: paint.strong,
      subcommandTerm: (command) => command.name(),
    })
  for (const [key, one] of Object.entries(everywhere)) program.addOption(optionOf(key, one, program, typed))
  for (const [title, commands] of Object.entries(tree)) for (const one of commands) add(program, one, title)

  const unread: Context.Tag.Service<typeof Invocation> = {
    typed,
    command: undefined,
    pipelines: [],
    project: undefined,
    json: typed.includes("--json"),
    logLevel: LogLevel.Info,
  }
  const printed = (text: string): CommandLine => ({
    invocation: unread,
    logFormat: "text",
    work: Effect.flatMap(Output, (output) => output.print(text.trimEnd())),
  })

  let refused: Commander.CommanderError | undefined
  try {
    program.parse(typed, { from: "user" })
  } catch (error) {
    if (!(error instanceof Commander.CommanderError)) throw error
    if (error.exitCode === 0) return printed(written)
    refused = error
  }
  const shell = program.getOptionValue("completions")
  if (shell !== undefined) return printed(completions(program, shell))
  if (refused !== undefined || chosen === undefined) {
    const at = stoppedAt ?? program
    const names = at.commands.map((one) => quoted(one.name()))
    const message = refused === undefined || refused.code === "commander.help"
      ? `Which command${at === program ? "" : `: ${oneOf(names)}`}?`
      : sentence(refused.message) + owners(at, refused.message)
    const command = at === program ? undefined : wordsOf(at).join(" ")
    return { invocation: { ...unread, command }, logFormat: "text", work: Effect.fail(new UsageWrong({ message })) }
  }
  return {
    invocation: {
      typed,
      command: chosen.words.join(" "),
      pipelines: chosen.pipelines,
      project: program.getOptionValue("project"),
      json: chosen.json,
      logLevel: program.getOptionValue("logLevel") ?? LogLevel.Info,
    },
    logFormat: program.getOptionValue("logFormat") ?? "text",
    work: chosen.work,
  }
}
