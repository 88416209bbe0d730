// Generates files from declarations in the code. `npm run generate` writes them.
import { Option, Schema, SchemaAST } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "yaml"
import { aboutValue, type Command, type CommandGroup, type Option as CommandOption } from "../../src/cli/command.ts"
import { everywhere, flagOf } from "../../src/cli/commandLine.ts"
import { tree } from "../../src/cli/formferry.ts"
import { byCode, exits } from "../../src/domain/exit.ts"
import { fateWords, verdictWords } from "../../src/domain/fate.ts"
import { problemWords } from "../../src/domain/problem.ts"
import { RunReport } from "../../src/domain/report.ts"
import { listed } from "../../src/domain/words.ts"
import { kinds } from "../../src/kinds/index.ts"
import type { Kind } from "../../src/kinds/Kind.ts"
import { expected, property, shapesOf } from "../../src/project/expectations.ts"
import { Identifier } from "../../src/project/fields.ts"
import { jsonSchemas } from "../../src/project/jsonSchemas.ts"
import { questionEntry } from "../../src/project/mappingEntries.ts"
import { pipelineSchema } from "../../src/project/Pipeline.ts"
import { type DraftValue, flow } from "../../src/project/PipelineDraft.ts"
import { basesText } from "../../src/project/preset.ts"
import { presets } from "../../src/project/presets/index.ts"
import type { Preset } from "../../src/project/presets/Preset.ts"
import { projectSchema } from "../../src/project/Project.ts"
import { annotation } from "../../src/project/section.ts"
import { quoted } from "../../src/project/suggestion.ts"
import { csvFiles } from "../../src/report/csvFiles.ts"

const inYaml = (value: unknown): string => {
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0, defaultStringType: "PLAIN" }).trim()
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Returns the line of a key: its purpose, expected value, default and example. */
const keyLine = (path: string, signature: SchemaAST.PropertySignature): string => {
  const description = annotation<string>(signature, SchemaAST.DescriptionAnnotationId) ?? ""
  const standard = annotation<unknown>(signature, SchemaAST.DefaultAnnotationId)
  const [example] = annotation<ReadonlyArray<unknown>>(signature, SchemaAST.ExamplesAnnotationId) ?? []
  return [
    `- **\`${path}\`**${signature.isOptional ? "" : " (required)"}: ${sentence(description)}`,
    `Expects ${expected(signature.type).replace(expected(Identifier.ast), "a plain name")}.`,
    ...(standard === undefined ? [] : [`Default: ${inYaml(standard)}.`]),
    ...(example === undefined ? [] : [`Example: ${inYaml(example)}`]),
  ].join(" ")
}

/** Returns the lines of a key and of the keys inside its value. */
const linesOf = (signature: SchemaAST.PropertySignature, prefix: string): ReadonlyArray<string> => {
  const path = `${prefix}${String(signature.name)}`
  return [keyLine(path, signature), ...inner(signature.type, path)]
}

/** Whether a value is the place of a secret, which the page describes only once. */
const isSecret = (ast: SchemaAST.AST): boolean => expected(ast).endsWith("{ env: NAME } or { file: PATH }")

/** Returns the lines of a struct's keys, and of the keys inside their values. */
const keyLines = (ast: SchemaAST.AST, prefix: string): ReadonlyArray<string> =>
  (isSecret(ast) ? [] : shapesOf(ast).structs).flatMap(({ core }) => [
    // If two keys have the same named type, the description of the second one refers to the first.
    ...core.propertySignatures.flatMap((signature, at, all) =>
      annotation(signature.type, SchemaAST.IdentifierAnnotationId) !== undefined
        && all.findIndex(({ type }) => type === signature.type) < at
        ? [keyLine(`${prefix}${String(signature.name)}`, signature)]
        : linesOf(signature, prefix)
    ),
    // An expected answer may contain further expected answers.
    ...core.indexSignatures.flatMap(({ type }) =>
      SchemaAST.isSuspend(type) || shapesOf(type).structs.some((each) => each.core === core)
        ? []
        : keyLines(type, `${prefix}NAME.`)
    ),
  ])

const inner = (type: SchemaAST.AST, path: string): ReadonlyArray<string> => {
  const { lists } = shapesOf(type)
  const items = lists.flatMap(({ core }) => core.rest.map((rest) => rest.type))
    .filter((item) => !SchemaAST.isSuspend(item))
  return [...keyLines(type, `${path}.`), ...items.flatMap((item) => keyLines(item, `${path}[].`))]
}

/** Returns a section of texts and lists. Each line is listed once, because alternatives of a union repeat keys. */
const section = (title: string, ...blocks: ReadonlyArray<string | ReadonlyArray<string>>): string =>
  [title, ...blocks.map((block) => (typeof block === "string" ? block : [...new Set(block)].join("\n")))]
    .filter((text) => text !== "").join("\n\n")

const member = (ast: SchemaAST.AST, key: string): SchemaAST.AST => {
  for (const { core } of shapesOf(ast).structs) {
    const found = property(core, key)
    if (found !== undefined) return found.type
  }
  throw new Error(`No key ${key}`)
}

/** Describes the input of a kind: a column, parts, options or rows. */
const takes = (kind: Pick<Kind, "many" | "named" | "parts">): string =>
  [
    "one column",
    ...(kind.many ? ["several columns, joined"] : []),
    ...(kind.parts === undefined
      ? []
      : [`the parts ${listed(Object.entries(kind.parts).map(([part, of]) => `${quoted(part)} (${of})`))}`]),
    ...(kind.named === "options" ? ["a column for each option", "a block"] : []),
    ...(kind.named === "ranks" ? ["a column with the rank of each option (`ranks`)", "a block"] : []),
    ...(kind.named === "rows" ? ["a column for each row", "a block"] : []),
  ].join("; ")

const optionsOf = (kind: Kind): ReadonlyArray<string> => {
  const { ast } = Schema.Struct(kind.options) as unknown as Schema.Schema<unknown>
  return keyLines(ast, "")
}

const keyIn = (line: string): string => /`([^`]+)`/.exec(line)?.[1] ?? ""

const kindSection = (kind: Kind, earlier: ReadonlyArray<Kind>): string => {
  const firstWith = (line: string) => earlier.find((one) => optionsOf(one).includes(line))
  const options = optionsOf(kind)
  const lines = [
    ...earlier.flatMap((one) => {
      const keys = options.filter((line) => firstWith(line) === one).map(keyIn).filter((key) => !key.includes("."))
      const named = keys.map((key) => `**\`${key}\`**`).join(", ")
      return keys.length === 0 ? [] : [`- ${named}: as for [${one.name}](#${one.name.toLowerCase()}).`]
    }),
    ...options.filter((line) => firstWith(line) === undefined),
  ]
  return section(
    `### ${kind.name}`,
    sentence(kind.description),
    `Takes: ${takes(kind)}.${kind.types.length === 0 ? "" : ` The default kind for ${listed(kind.types)} questions.`}`,
    lines.length === 0 ? "No options of its own." : lines,
  )
}

/** Returns the struct of an entry without a kind: the keys that all entries have. */
const commonEntry = (): SchemaAST.AST => {
  const union = questionEntry().ast
  const plain = shapesOf(union).structs.find(({ core }) => property(core, "as") === undefined)
  if (plain === undefined) throw new Error("No entry without a kind")
  return plain.ast
}

const lists = ["questions", "urlParameters", "submissionTime", "lastUpdatedAt", "login", "scheduling", "payments"]

const inputs = `- \`from: Column\`: one column, by its header or its name under \`source.columns\`.
- \`from: [A, B]\`: several columns, joined (text and its parts only).
- \`from: { firstOf: [A, B] }\`: the first of these columns that is filled. If another one is filled with a different text, the row has a \`conflict\`.
- \`from: { PART: column }\`: the parts of a kind, the options of \`choices\`, the rows of a \`matrix\`; each is a column, or an entry with its own options: \`{ from: …, value: …, template: …, extract: …, default: … }\`.
- \`from: { ranks: { OPTION: column } }\`: the ranks of a \`ranking\`.
- \`from: { block: TITLE }\`: all columns of a question that a form tool spreads over several, for \`choices\`, \`ranking\` and \`matrix\`; \`formferry inspect\` lists the blocks.
- \`value: TEXT\`: a constant. \`template: "{A} {B}"\`: text with columns in braces.`

const generated = "<!-- Written by npm run generate. -->"

const head = `${generated}

# Configuration, key by key

Both kinds of file are YAML 1.2. The first line may name the JSON Schema, so that an editor completes and explains every key:
\`# yaml-language-server: $schema=…\` with \`config/schemas/pipeline.schema.json\` or \`project.schema.json\` (\`formferry schema\` prints them). \`formferry init\` names \`config/schemas/pipelines/NAME.json\`, which also lists the source's columns and the form's questions and options. For an existing pipeline, \`formferry schema pipeline --for NAME\` prints that schema. If the file exists, \`check\` and \`init\` keep it up to date. Keys that begin with \`x-\` are ignored. Paths are relative to the file that contains them. A *plain name* consists of letters, digits, \`.\`, \`_\` and \`-\`, and begins with a letter or digit.
Cells and answers are text as written: \`007\`, \`yes\` and \`1.50\` are not converted. Regular expressions use RE2: they take time in proportion to the text, and don't support look-around or back-references.`

/** Returns the reference page of all keys and kinds in Markdown. */
export const referencePage = (): string => {
  const pipeline = pipelineSchema().ast
  const mapping = member(pipeline, "mapping")
  const top = new Set(["source", "mapping", "sink", "reconcile", "examples"])
  return [
    head,
    section(
      "# pipelines/NAME.yaml",
      shapesOf(pipeline).structs.flatMap(({ core }) => core.propertySignatures).flatMap((signature) =>
        top.has(String(signature.name)) ? [] : linesOf(signature, "")
      ),
    ),
    section("## source", keyLines(member(pipeline, "source"), "")),
    section(
      "## mapping",
      keyLines(mapping, "").filter((line) =>
        !lists.some((list) => line.startsWith(`- **\`${list}.`) || line.startsWith(`- **\`${list}[`))
        && !line.startsWith("- **`defaults.")
      ),
    ),
    section(
      "## An entry of the mapping",
      "Every entry names what it fills (`id`, `name` or both) and where its cells come from. `as` is their kind of value. Without `as`, the question's type in the form decides the kind; if the form states no type, the kind is text. Options of a kind need `as`.",
      inputs,
      keyLines(commonEntry(), "").filter((line) => !/^- \*\*`(?:from|when)\./.test(line)),
    ),
    section("## The kinds of value (`as`)", "Every kind trims cells, and treats empty ones as no answer."),
    ...[...kinds.values()].map((kind, at, all) => kindSection(kind, all.slice(0, at))),
    section(
      "## sink",
      keyLines(member(pipeline, "sink"), "").map((line) =>
        line.replace(/`stopWhen\.new\.(share|atLeast)`/, "`stopWhen.LIMIT.$1`")
      ).filter((line) => !/`stopWhen\.[a-zA-Z]+\.(?:share|atLeast)`/.test(line) || line.includes("LIMIT")),
    ),
    section("## reconcile", keyLines(member(pipeline, "reconcile"), "")),
    section(
      "## examples",
      "Tests of the pipeline, run by `check`: only the mapping is applied to each row, not `where` or `unique`.",
      inner(member(pipeline, "examples"), "examples"),
    ),
    section(
      "# config/formferry.yaml",
      "Don't write a secret into the file. Write where to find it: `{ env: NAME }` names an environment variable, which may also be in a `.env` file next to `config/`. `{ file: PATH }` names a file, relative to this one, that contains only the secret.",
      keyLines(projectSchema.ast, "").map((line) => line.replace(" A .env file next to config/ is also read.", "")),
    ),
  ].join("\n\n") + "\n"
}

/** Returns every place of report.json that has a value, such as `problems[].examples[].row`, with its description. */
const reportFields = (): ReadonlyArray<readonly [place: string, description: string]> => {
  const found: Array<readonly [string, string]> = []
  const visit = (type: SchemaAST.AST, place: string, above: string): void => {
    const description = Option.getOrElse(SchemaAST.getDescriptionAnnotation(type), () => above)
    const [member = type] = SchemaAST.isUnion(type)
      ? type.types.filter((one) => !SchemaAST.isUndefinedKeyword(one))
      : []
    const isList = SchemaAST.isTupleType(type) ? type.rest[0]?.type : undefined
    if (SchemaAST.isUnion(type) && member !== type && type.types.length === 2) visit(member, place, description)
    else if (isList !== undefined) visit(isList, `${place}[]`, description)
    else if (SchemaAST.isTypeLiteral(type) && type.propertySignatures.length > 0) {
      for (const { name, type: field } of type.propertySignatures) {
        visit(field, place === "" ? String(name) : `${place}.${String(name)}`, "")
      }
    } else found.push([SchemaAST.isTypeLiteral(type) ? `${place}.*` : place, description])
  }
  visit(SchemaAST.typeAST(RunReport.ast), "", "")
  return found
}

/** Returns a page about the codes and files of a report. */
const reportPage = (): string =>
  [
    generated,
    "# Report files, field by field",
    "Fields, columns and codes may be added, but none of these will be removed. [Review a report](review.md) says what to do with them.",
    section(
      "## Fates",
      "Each row of the source has exactly one fate, and the counts add up.",
      table(["fate", "meaning"], named(fateWords)),
    ),
    section("## Verdicts", "Each imported row has a verdict.", table(["verdict", "meaning"], named(verdictWords))),
    section(
      "## Problem codes",
      "The column `_code` of `rejected.csv` and `problems[].code` of `report.json`.",
      table(
        ["code", "why the row, or an answer, can't be sent"],
        Object.entries(problemWords).map(([code, words]) => [`\`${code}\``, words]),
      ),
    ),
    section(
      "## CSV files",
      "UTF-8, commas, a header line, `\\n` between lines, and quotes where needed. Files for spreadsheets are protected: a cell that could be a formula has a `'` in front, even if it already begins with one. Remove one `'` to get the cell. In `differences.csv` a value that is not text is JSON, and an empty cell means that nothing was sent or returned. `rejected.csv` and `in-doubt.csv` contain the source's cells unchanged, except that damaged characters are written as `\ufffd`, and an error in a workbook ends with `(an error in the workbook)`, so that it is rejected again until you correct it. Missing cells are empty, and cells beyond the header follow `_message`.",
    ),
    ...Object.values(csvFiles).map(({ about, hasCells, holds, name, titles }) =>
      section(
        `### ${name}`,
        `${holds[0]?.toUpperCase()}${holds.slice(1)}.${
          hasCells ? " The source's own columns in their order, then:" : ""
        }`,
        table(["column", "contains"], titles.map((title, at) => [`\`${title}\``, about[at] ?? ""])),
      )
    ),
    section(
      "## report.json",
      "A field without a value is `null`, so that every field is always present. Times are ISO 8601 in UTC.",
      table(["field", "is"], reportFields().map(([place, description]) => [`\`${place}\``, description])),
    ),
  ].join("\n\n") + "\n"

const json = (value: unknown): string => JSON.stringify(value, null, 2) + "\n"

/** Returns a table of the given columns. */
const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const inTable = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "<br>")

const named = (words: Readonly<Record<string, { readonly meaning: string }>>) =>
  Object.entries(words).map(([name, { meaning }]) => [`\`${name}\``, meaning])

const optionLine = (key: string, option: CommandOption<unknown>): readonly [string, string] => [
  `\`${flagOf(key)}${option.value === undefined ? "" : ` ${option.value}${option.list === "words" ? "…" : ""}`}\``,
  inTable(aboutValue(option)),
]

const allCommands = Object.values(tree).flat().flatMap((one): ReadonlyArray<Command> =>
  "commands" in one ? one.commands : [one]
)

const lineOf = ([key, option]: readonly [string, CommandOption<unknown>]): string => optionLine(key, option).join(" ")

/** Returns the options that at least three commands have, with the same description. */
const sharedOptions = allCommands.flatMap(({ options }) => Object.entries(options)).filter((one, at, all) => {
  const same = all.filter((each) => lineOf(each) === lineOf(one))
  return same.length >= 3 && all.findIndex((each) => lineOf(each) === lineOf(one)) === at
})

const isShared = (option: readonly [string, CommandOption<unknown>]): boolean =>
  sharedOptions.some((one) => lineOf(one) === lineOf(option))

/** Returns the section of a command, or the sections of a group's commands. */
const commandSections = (declared: Command | CommandGroup, words = declared.name): ReadonlyArray<string> => {
  if ("commands" in declared) return declared.commands.flatMap((one) => commandSections(one, `${words} ${one.name}`))
  const given = Object.values(declared.arguments)
  const usage = given.map(({ isList, isRequired, value }) => {
    const name = `${value}${isList ? "…" : ""}`
    return isRequired ? name : `[${name}]`
  })
  const rows = [
    ...given.map(({ about, choices, value }) => [
      `\`${value}\``,
      inTable(`${about}${choices === undefined ? "" : ` One of: ${choices.map((one) => `\`${one}\``).join(", ")}.`}`),
    ]),
    ...Object.entries(declared.options).filter((one) => !isShared(one)).map(([key, one]) => optionLine(key, one)),
  ]
  const shared = Object.entries(declared.options).filter(isShared).map(([key, one]) => optionLine(key, one)[0])
  return [
    section(
      `### ${words}`,
      `\`${["formferry", words, ...usage].join(" ")}\``,
      declared.about,
      rows.length === 0 ? "" : table(["argument or option", ""], rows),
      shared.length === 0
        ? ""
        : `Shared options: ${listed(shared)} ([described below](#options-of-several-commands)).`,
      declared.examples.map(({ about, words: typed }) => `- \`formferry ${typed}\`: ${about}`),
    ),
  ]
}

/** Returns a page of all commands, generated from their declarations. */
const commandsPage = (): string =>
  [
    generated,
    "# Commands",
    "Results go to stdout; progress and logs go to stderr. `formferry COMMAND --help` shows the same in the terminal.",
    ...Object.entries(tree).flatMap(([title, commands]) => [
      `## ${title.replace(":", "")}`,
      ...commands.flatMap((one) => commandSections(one)),
    ]),
    section(
      "## Options of several commands",
      table(["option", ""], sharedOptions.map(([key, one]) => optionLine(key, one))),
    ),
    section(
      "## Options of every command",
      table(["option", ""], [
        ...Object.entries(everywhere).map(([key, one]) => optionLine(key, one)),
        ["`--no-color`", "Write no colours. The environment's `NO_COLOR` does the same."],
        ["`-h`, `--help`", "Show the help."],
        ["`-V`, `--version`", "Show the version."],
      ]),
    ),
    section(
      "## Exit codes",
      table(["code", "meaning"], byCode.map(({ code, meaning }) => [`${code}`, meaning])),
      `If several apply, the most severe one is used: ${
        Object.values(exits).map(({ code }) => code).filter((code) => code !== 0).join(", ")
      }. If the exit code is not 0 and a command can help, the last line on stderr is that command. In a terminal, it follows \`Next:\`. [What to do after each](monitoring.md#what-to-do-after-each-exit-code).`,
      "`check` exits with code 0 or 2, 5 if the service can't be used, or 70 if the ledger is damaged. `settle` exits with code 0 if no row of the pipeline is in doubt, otherwise 4. `status --max-age` exits with code 0 or 1.",
    ),
  ].join("\n\n") + "\n"

/** Returns YAML with each of these keys on one line. */
const yamlLines = (keys: object, indent = ""): string =>
  Object.entries(keys).map(([key, value]) => `${indent}${key}: ${flow(value as DraftValue, false)}`).join("\n")

const yamlBlock = (text: string): string => `\`\`\`yaml\n${text}\n\`\`\``

/** Returns the key of a source that contains a variable. */
const variableKey = (name: string): string => name === "form" ? "`form`" : `\`variables.${name}\``

/** Returns the section of a preset: what a project writes, and the keys that the preset adds. */
const presetSection = ([name, preset]: readonly [string, Preset]): string => {
  const { base, evidence, notes, servers, signIn, source, title, token, variables } = preset
  const bases = basesText(preset)
  const { form, ...others } = Object.fromEntries(
    Object.entries(variables).map(([variable, { example }]) => [variable, example]),
  )
  const connection = {
    api: name,
    ...(base === undefined ? { base: servers?.[0]?.bases[0] } : {}),
    ...(token === undefined ? preset.auth : { token: { env: `${name.toUpperCase().replaceAll("-", "_")}_TOKEN` } }),
  }
  const pulled = {
    connection: name,
    ...(form === undefined ? {} : { form }),
    ...(Object.keys(others).length === 0 ? {} : { variables: others }),
  }
  return section(
    `## ${title}`,
    yamlBlock(`connections:\n${yamlLines({ [name]: connection }, "  ")}`),
    yamlBlock(yamlLines({ source: pulled })),
    [
      ...Object.entries(variables).map(([variable, { about }]) => `- **${variableKey(variable)}**: ${sentence(about)}`),
      ...(bases === undefined ? [] : [`- **\`base\` of the connection**: for ${sentence(bases)}`]),
      `- **Sign in**: ${signIn}`,
      ...notes.map((note) => `- ${note}`),
      `- **Evidence**: ${evidence}`,
    ],
    `The preset adds these keys to \`source\`:`,
    yamlBlock(yamlLines(source)),
  )
}

/** Returns a page of all presets, generated from their files. */
const presetsPage = (): string =>
  [
    generated,
    "# Form tools with a preset",
    "This page shows what to write for each tool, in a connection with `api` and in the `source` of a pipeline. Start with [Pull records from a form tool](pull.md).",
    table(
      ["`api`", "tool", "what `source` must name"],
      Object.entries(presets).map(([name, { title, variables }]) => [
        `\`${name}\``,
        title,
        Object.keys(variables).map(variableKey).join(", "),
      ]),
    ),
    ...Object.entries(presets).map(presetSection),
  ].join("\n\n") + "\n"

/** Returns the generated files that are missing or different below `root`, with paths relative to the repository. */
export const differing = (root: string): ReadonlyArray<{ readonly file: string; readonly text: string }> => {
  const { pipeline, project } = jsonSchemas()
  const textOf = (file: string): string | undefined => {
    const path = join(root, file)
    return existsSync(path) ? readFileSync(path, "utf8") : undefined
  }
  return [
    { file: "config/schemas/project.schema.json", text: json(project) },
    { file: "config/schemas/pipeline.schema.json", text: json(pipeline) },
    { file: "docs/pipeline.md", text: referencePage() },
    { file: "docs/report.md", text: reportPage() },
    { file: "docs/commands.md", text: commandsPage() },
    { file: "docs/presets.md", text: presetsPage() },
  ].filter(({ file, text }) => textOf(file) !== text)
}
