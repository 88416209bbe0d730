import * as Commander from "commander"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import { namesOf } from "../domain/words.ts"
import { nearest, oneOf, quoted } from "../project/suggestion.ts"
import { homepage, version } from "../project/version.ts"
import {
  aboutValue,
  type Argument,
  argumentList,
  choice,
  type Command,
  type CommandGroup,
  commonOptions,
  type Example,
  type Option,
  parsed,
  text,
  type Work,
} from "./command.ts"
import { complete, completionScripts } from "./completions.ts"
import { UsageWrong } from "./Failure.ts"
import type { Invocation } from "./Invocation.ts"
import { mistake, optionsFrom, unknownWord, wordsOf } from "./mistakes.ts"
import { type LogFormat, logFormats, Output } from "./Output.ts"
import { paints, type Screen } from "./terminal/screen.ts"

/** Commands, by the heading under which the help lists them. */
type CommandTree = Readonly<Record<string, ReadonlyArray<Command | CommandGroup>>>

interface CommandLine {
  readonly invocation: Context.Tag.Service<typeof Invocation>
  readonly logFormat: LogFormat
  /** What the line asks for. Fails with UsageWrong if the line can't be read. */
  readonly work: Work
}

const shells = namesOf(completionScripts)

const isShell = (word: unknown): word is (typeof shells)[number] => shells.some((shell) => shell === word)

const logLevels: ReadonlyMap<string, LogLevel.LogLevel> = new Map(
  LogLevel.allLevels.map((level) => [level._tag.toLowerCase(), level]),
)

/** The options of every command. */
export const everywhere = {
  project: text(
    "DIR",
    "The project's folder. Default: the current folder, or the nearest one above it, that contains config/formferry.yaml.",
  ),
  logLevel: {
    ...parsed(
      "LEVEL",
      (name) => logLevels.get(name.toLowerCase()),
      oneOf([...logLevels.keys()]),
      "How much to log on stderr. Default: info.",
    ),
    choices: [...logLevels.keys()],
  },
  logFormat: choice("FORMAT", logFormats, "The format of lines on stderr. Default: text."),
  completions: choice(
    "SHELL",
    shells,
    "Print a script that completes commands, options and pipelines. Its first line says how to install it.",
  ),
}

/** Returns an option's name as it is typed: `--dry-run` for the key `dryRun`. */
export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Returns one of the choices. Fails if the word is none of them, with a hint if it resembles none. */
const chosenOf = (
  word: string,
  choices: ReadonlyArray<string>,
  what: string,
  owner: Commander.Command,
  hint = "",
): string => {
  if (choices.includes(word)) return word
  const near = nearest(word, choices)
  const more = near === undefined ? hint : `Did you mean ${quoted(near)}?`
  return owner.error(`${what} takes ${oneOf(choices)}, not ${quoted(word)}. ${more}`.trimEnd())
}

/** Returns the option for the parser. A list takes all words up to the next option, and can be given again. Any other option is given once. */
const optionOf = (key: string, option: Option<unknown>, owner: Commander.Command, typed: ReadonlyArray<string>) => {
  const { choices = [], list, parse, value } = option
  const long = flagOf(key)
  const flags = value === undefined ? long : `${long} <${value}${list === "words" ? "..." : ""}>`
  const built = new Commander.Option(flags, aboutValue(option))
  // The parser would store `--no-open` as the value of an option `open`.
  built.negate = false
  if (option.group !== undefined) built.helpGroup(option.group)
  if (value === undefined) return built
  if (choices.length > 0) built.choices(choices)
  return built.argParser<unknown>((value, previous) => {
    // In `--to --dry-run`, the parser alone would take `--dry-run` as the target.
    if (value.startsWith("--") && !typed.includes(`${long}=${value}`)) owner.error(`${quoted(long)} needs a value.`)
    if (list !== undefined) return [...(Array.isArray(previous) ? previous : []), value]
    if (previous !== undefined) owner.error(`${quoted(long)} occurs twice.`)
    if (parse === undefined) return choices.length === 0 ? value : chosenOf(value, choices, quoted(long), owner)
    return parse(value) ?? owner.error(`${quoted(long)} takes ${option.takes}, not ${quoted(value)}.`)
  })
}

const argumentOf = (declared: Argument<unknown>, owner: Commander.Command) => {
  const { about, choices, hint, isList, isRequired, value } = declared
  const name = `${value}${isList ? "..." : ""}`
  const built = new Commander.Argument(
    isRequired ? `<${name}>` : `[${name}]`,
    aboutValue({ about, ...(choices && { choices }) }),
  )
  return choices === undefined
    ? built
    : built.choices(choices).argParser((word: string) => chosenOf(word, choices, value, owner, hint))
}

/** Returns a command's usage without its name: the arguments, the required options, then `[OPTIONS]`. */
const usageOf = (declared: Command): string =>
  [
    ...Object.values(declared.arguments).map(({ isList, isRequired, value }) =>
      isRequired ? `${value}${isList ? "..." : ""}` : `[${value}${isList ? "..." : ""}]`
    ),
    ...Object.entries(declared.options).flatMap(([key, { isRequired, list, value }]) =>
      isRequired === true ? [`${flagOf(key)} ${value}${list === "words" ? "..." : ""}`] : []
    ),
    "[OPTIONS]",
  ].join(" ")

/** Returns the values of declared options or arguments, by their keys. */
const valuesOf = (
  declared: Readonly<Record<string, { readonly absent?: unknown }>>,
  found: (key: string, at: number) => unknown,
) => Object.fromEntries(Object.entries(declared).map(([key, { absent }], at) => [key, found(key, at) ?? absent]))

const docs = `Docs: ${homepage}`

/** Returns the end of a command's help. */
const shownExamples = (examples: ReadonlyArray<Example>, command: Commander.Command): string =>
  [
    "",
    command.createHelp().styleTitle("Examples:"),
    ...examples.flatMap(({ about, words }) => [`  formferry ${words}`, `      ${about}`]),
    "",
    docs,
  ].join("\n")

const helpWords = { name: "help", about: "Shows the help of a command." }

const plainHelp = new Commander.Help()

/** Returns the options of a command that has subcommands, for the end of its help. */
const shownOptions = (command: Commander.Command, screen: Screen): string => {
  const helper = command.createHelp()
  helper.prepareContext({ helpWidth: screen.width })
  const own = plainHelp.visibleOptions(command)
  const all = [...own, ...(command.parent === null ? [] : optionsFrom(command.parent))]
  const width = Math.max(...all.map((option) => helper.optionTerm(option).length))
  const items = all.map((option) =>
    helper.formatItem(helper.styleOptionTerm(helper.optionTerm(option)), width, option.description, helper)
  )
  return ["", ...helper.formatItemList(commonOptions, items, helper)].join("\n").trimEnd()
}

/** What formferry can do. */
interface Declared {
  readonly about: string
  readonly examples: ReadonlyArray<Example>
  readonly tree: CommandTree
}

/** What the parser has found in a command line. */
interface Found {
  /** The help or the version that it has written. */
  written: string
  /** The command where it stopped. */
  stoppedAt?: Commander.Command
  /** The command to run. */
  chosen?: {
    readonly words: ReadonlyArray<string>
    readonly pipelines: ReadonlyArray<string>
    readonly json: boolean
    readonly github: boolean
    readonly work: Work
  }
}

/** Makes the parser of a command line from the declared commands. `found` has the result after `program.parse`. */
const makeProgram = (typed: ReadonlyArray<string>, { about, examples, tree }: Declared, screen: Screen) => {
  const found: Found = { written: "" }
  const paint = paints(screen)

  const helpOf = (command: Commander.Command): string => {
    found.written = ""
    command.outputHelp()
    return found.written.trimEnd()
  }
  const prepare = (command: Commander.Command) =>
    command.exitOverride((error) => {
      found.stoppedAt = command
      throw error
    })
  const add = (parent: Commander.Command, declared: Command | CommandGroup, title?: string) => {
    const [summary = ""] = declared.about.split(/(?<=\.) /)
    const command = prepare(parent.command(declared.name).description(declared.about).summary(summary))
    if (title !== undefined) command.helpGroup(title)
    if ("commands" in declared) {
      const first = declared.commands.slice(0, 3).flatMap(({ examples }) => examples.slice(0, 1))
      command.usage("COMMAND [OPTIONS]").helpCommand(`${helpWords.name} [COMMAND]`, helpWords.about)
        .addHelpText("after", () => `${shownOptions(command, screen)}\n${shownExamples(first, command)}`)
      for (const one of declared.commands) add(command, one)
      return
    }
    command.usage(usageOf(declared))
    for (const one of Object.values(declared.arguments)) command.addArgument(argumentOf(one, command))
    for (const [key, one] of Object.entries(declared.options)) command.addOption(optionOf(key, one, command, typed))
    command.addHelpText("after", () => shownExamples(declared.examples, command))
    command.action(() => {
      const given = valuesOf(declared.arguments, (_, at) => command.processedArgs[at])
      const options = valuesOf(declared.options, (key) => command.getOptionValue(key))
      for (const [key, { isRequired }] of Object.entries(declared.options)) {
        if (isRequired === true && command.getOptionValue(key) === undefined) {
          command.error(`${quoted(flagOf(key))} is missing.`)
        }
      }
      found.chosen = {
        words: wordsOf(command),
        pipelines: Object.entries(declared.arguments).flatMap(([key, { value }]) =>
          value === "NAME" ? [given[key]].flat().filter((word) => typeof word === "string") : []
        ),
        json: options["json"] === true,
        github: options["output"] === "github" && options["json"] !== true,
        work: declared.run({ ...given, ...options } as never),
      }
    })
  }

  const program = prepare(new Commander.Command("formferry"))
    .description(about)
    .usage("COMMAND [OPTIONS]")
    .addHelpText("after", ({ command }) => `${shownOptions(command, screen)}\n${shownExamples(examples, command)}`)
    .addHelpOption(new Commander.Option("-h, --help", "Show this help.").helpGroup(commonOptions))
    .helpCommand(false)
    .optionsGroup(commonOptions)
    .version(version, "-V, --version", "Show the version.")
    .option("--no-color", "Write no colours. The environment variable NO_COLOR does the same.")
    .configureOutput({
      writeOut: (part) => {
        found.written += part
      },
      writeErr: () => undefined,
      getOutHelpWidth: () => screen.width,
      getOutHasColors: () => screen.colour,
    })
    .configureHelp({
      minWidthToWrap: 20,
      // The command's own options, then those of every command, in one list. Below a list of commands, `shownOptions` shows them.
      visibleOptions: (command) =>
        command.commands.length > 0 || command.parent === null
          ? []
          : [...plainHelp.visibleOptions(command), ...optionsFrom(command.parent)],
      optionTerm: ({ flags }) => flags.replace(/<(.*)>/, "$1"),
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
      subcommandDescription: (command) => command.summary() || command.description(),
      styleTitle: paint.strong,
      styleOptionTerm: paint.strong,
      styleArgumentTerm: paint.strong,
      styleSubcommandTerm: paint.strong,
      subcommandTerm: (command) => command.name(),
    })
  for (const [key, one] of Object.entries(everywhere)) program.addOption(optionOf(key, one, program, typed))
  for (const [title, commands] of Object.entries(tree)) for (const one of commands) add(program, one, title)
  const help: Command = {
    ...helpWords,
    examples: [
      { words: "help", about: "Lists all commands." },
      { words: "help run", about: "Shows the arguments, options and examples of `run`." },
      { words: "help ledger backup", about: "Shows the help of `ledger backup`." },
    ],
    arguments: { words: argumentList("COMMAND", false, "The command. Default: all commands.") },
    options: {},
    run: ({ words }: { readonly words: ReadonlyArray<string> }) => {
      const unknown = unknownWord(words, program)
      if (unknown !== undefined) return program.error(unknown)
      const named = words.reduce((at, word) => at.commands.find((one) => one.name() === word) ?? at, program)
      return Effect.flatMap(Output, (output) => output.print(helpOf(named)))
    },
  }
  add(program, help, "Help:")
  return { program, helpOf, found }
}

/**
 * Reads a command line. Common options may be anywhere; a command's own options must follow its name.
 *
 * @param screen the screen for which help is formatted
 */
export const readCommandLine = (typed: ReadonlyArray<string>, declared: Declared, screen: Screen): CommandLine => {
  const { found, helpOf, program } = makeProgram(typed, declared, screen)
  const unread: Context.Tag.Service<typeof Invocation> = {
    typed,
    command: undefined,
    pipelines: [],
    project: undefined,
    json: typed.includes("--json"),
    github: false,
    logLevel: LogLevel.Info,
  }
  const printed = (text: string): CommandLine => ({
    invocation: unread,
    logFormat: "text",
    work: Effect.flatMap(Output, (output) => output.print(text.trimEnd())),
  })

  const logFormat = () => program.getOptionValue("logFormat") ?? "text"
  const wrong = (message: string, command?: string, help?: string): CommandLine => ({
    invocation: { ...unread, command },
    logFormat: logFormat(),
    work: Effect.fail(new UsageWrong({ message, ...(help && { help }) })),
  })

  // The completion scripts call this.
  if (typed[0] === "__complete") {
    return {
      ...printed(""),
      work: Effect.flatMap(
        complete(program, typed.slice(1)),
        (lines) => Effect.flatMap(Output, ({ print }) => lines.length === 0 ? Effect.void : print(lines.join("\n"))),
      ),
    }
  }

  let refused: Commander.CommanderError | undefined
  try {
    program.parse(typed, { from: "user" })
  } catch (error) {
    if (!(error instanceof Commander.CommanderError)) throw error
    if (error.exitCode === 0) return printed(found.written)
    refused = error
  }
  const { chosen, stoppedAt } = found
  const shell = program.getOptionValue("completions")
  if (isShell(shell)) return printed(completionScripts[shell])
  if (refused !== undefined || chosen === undefined) {
    const at = stoppedAt ?? program
    const names = at.commands.map((one) => quoted(one.name()))
    const command = at === program ? undefined : wordsOf(at).join(" ")
    return refused === undefined || refused.code === "commander.help"
      ? wrong(`Which command${at === program ? "" : `: ${oneOf(names)}`}?`, command, helpOf(at))
      : wrong(mistake(refused, at), command)
  }
  return {
    invocation: {
      typed,
      command: chosen.words.join(" "),
      pipelines: chosen.pipelines,
      project: program.getOptionValue("project"),
      json: chosen.json,
      github: chosen.github,
      logLevel: program.getOptionValue("logLevel") ?? LogLevel.Info,
    },
    logFormat: logFormat(),
    work: chosen.work,
  }
}
