import { CliConfig, CommandDescriptor, HelpDoc, Usage } from "@effect/cli"
import type { Command } from "@effect/cli"
import { stripVTControlCharacters } from "node:util"
import { widthOf, wrapToWidth } from "./show/fit.ts"
import { paints, type Screen } from "./show/Screen.ts"

/** A command with what its help says. */
export interface HelpedCommand {
  readonly name: string
  readonly about: string
  readonly command: Pick<Command.Command<string, unknown, unknown, unknown>, "descriptor">
}

type Definition = readonly [term: string, meaning: string]

const everywhere: ReadonlyArray<Definition> = [
  ["--project DIR", "The project's folder; without it the nearest one upwards with config/formferry.yaml."],
  ["--log-level LEVEL", "all, trace, debug, info, warning, error, fatal or none."],
  ["--log-format FORMAT", "How lines on stderr are written: text, json or logfmt."],
  ["--no-color", "No colours; the environment's NO_COLOR does the same."],
  ["--completions SHELL", "Completions for bash, fish or zsh."],
  ["--help, --version", "Show help, show the version."],
]

/** What `formferry --help` shows. */
export const programHelp = (about: string, commands: ReadonlyArray<HelpedCommand>, screen: Screen): string =>
  [
    wrapToWidth(about, screen.width).join("\n"),
    section("USAGE", ["  formferry COMMAND …", "  formferry COMMAND --help"], screen),
    section("COMMANDS", definitions(commands.map(({ name, about }) => [name, about]), screen), screen),
    section("EVERYWHERE", definitions(everywhere, screen), screen),
  ].join("\n\n")

/** What `formferry COMMAND --help` shows. @effect/cli knows all of it, but says much that nobody asks for. */
export const commandHelp = ({ about, command }: HelpedCommand, screen: Screen): string => {
  const { descriptor } = command
  const usage = plain(Usage.getHelp(CommandDescriptor.getUsage(descriptor)))
  const help = CommandDescriptor.getHelp(descriptor, CliConfig.make({ showBuiltIns: false }))
  return [
    wrapToWidth(about, screen.width).join("\n"),
    section("USAGE", wrapToWidth(`formferry ${usage}`, screen.width - 2).map((line) => `  ${line}`), screen),
    ...[...listsIn(help)].map(([title, list]) => section(title, definitions(list, screen), screen)),
    section("EVERYWHERE", definitions(everywhere, screen), screen),
  ].join("\n\n")
}

const section = (title: string, lines: ReadonlyArray<string>, screen: Screen): string =>
  [paints(screen).strong(title), ...lines].join("\n")

const definitions = (list: ReadonlyArray<Definition>, screen: Screen): ReadonlyArray<string> => {
  const paint = paints(screen)
  const widest = Math.max(...list.map(([term]) => widthOf(term)))
  const room = screen.width - widest - 4
  return list.flatMap(([term, meaning]) => {
    const lines = wrapToWidth(meaning, Math.max(20, room))
    return lines.map((line, at) =>
      at === 0
        ? `  ${paint.strong(term)}${" ".repeat(widest - widthOf(term))}  ${line}`
        : " ".repeat(widest + 4) + line
    )
  })
}

const plain = (doc: HelpDoc.HelpDoc): string => stripVTControlCharacters(HelpDoc.toAnsiText(doc)).trim()

const flat = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...flat(doc.left), ...flat(doc.right)] : [doc]

/** The lists of a help by the header above them. Of a definition's paragraphs the first is the value's type, the second is ours. */
const listsIn = (doc: HelpDoc.HelpDoc): ReadonlyMap<string, ReadonlyArray<Definition>> => {
  const lists = new Map<string, Array<Definition>>()
  let title = ""
  for (const part of flat(doc)) {
    if (part._tag === "Header") title = plain(part)
    if (part._tag !== "DescriptionList") continue
    const list = lists.get(title) ?? []
    lists.set(title, list)
    for (const [term, meaning] of part.definitions) {
      list.push([
        plain(HelpDoc.p(term)).replace(/ \d\+$/, ""),
        flat(meaning).slice(1, 2).map(plain).join(""),
      ])
    }
  }
  return lists
}
