// Drafts pipelines with `init`, and uncomments open entries as a person would.
import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import type { Form, Question } from "../../../src/domain/form.ts"
import type { Shape } from "../../../src/domain/inspectedColumn.ts"
import { checkProject } from "../../../src/jobs/check.ts"
import { initialise } from "../../../src/jobs/init.ts"
import { inspectFile } from "../../../src/jobs/inspect.ts"
import { decodePipeline } from "../../../src/project/Pipeline.ts"
import { parseYaml } from "../../../src/project/yamlText.ts"
import { asFound } from "../../../src/source/openSource.ts"
import { formWith } from "../../fakeForms.ts"
import { projectFolder } from "../../project/projectFolder.ts"

/** Question types that a person could give to columns of a shape. */
const typesOf: Readonly<Record<Shape | "empty" | "text" | "choice" | "choices", string>> = {
  email: "EmailInput",
  url: "URLInput",
  phone: "PhoneNumber",
  number: "NumberInput",
  boolean: "Switch",
  date: "DatePicker",
  dateTime: "DateTimePicker",
  time: "TimePicker",
  json: "LongAnswer",
  empty: "ShortAnswer",
  text: "ShortAnswer",
  choice: "MultipleChoice",
  choices: "Checkboxes",
}

const anyTypes = [
  "DatePicker",
  "NumberInput",
  "Switch",
  "DateTimePicker",
  "TimePicker",
  "Checkboxes",
  "Ranking",
  "PhoneNumber",
  "Dropdown",
]

/** How the questions of a generated form get their types: as the cells suggest, none, or any. */
export const typings = ["fitting", "none", "any"] as const
type Typing = (typeof typings)[number]

/** Returns a form with a question for each of a file's columns, and one more for each block of columns. */
export const formFor = (file: string, typing: Typing) =>
  Effect.map(inspectFile(asFound(file)), ({ blocks, columns }): Form => {
    const asked = [
      ...columns.map(({ kind, title }, at) => ({
        name: title,
        type: typing === "none" ? undefined : typing === "any" ? anyTypes[at % anyTypes.length] : typesOf[kind],
      })),
      ...blocks.map(({ title }) => ({ name: title, type: typing === "none" ? undefined : "Checkboxes" })),
    ]
    return formWith({
      id: "form1",
      name: "Form",
      questions: asked.map((question, at): Question => ({ id: `q${at + 1}`, options: undefined, ...question })),
    })
  })

/** A pipeline that `init` drafted. */
export interface Drafted {
  readonly root: string
  readonly text: string
  readonly open: ReadonlyArray<string>
}

/** Drafts a pipeline for a file and a form, in its own project. */
export const drafted = (name: string, bytes: Uint8Array, form: Form) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const root = yield* projectFolder({
      [name]: bytes,
      "forms/form.json": JSON.stringify({ ...form, quiz: undefined }),
    })
    const { open } = yield* initialise({
      root,
      newService: { _tag: "Practice", name: "practice", forms: "../forms" },
      name: "drafted",
      source: asFound(path.join(root, name)),
      service: "practice",
      form: form.id,
    })
    const text = yield* fs.readFileString(path.join(root, "pipelines/drafted.yaml"))
    const made: Drafted = { root, text, open }
    return made
  })

/** Returns the errors in a pipeline's text. */
export const wrongIn = (text: string): ReadonlyArray<string> => {
  const result = decodePipeline(parseYaml("drafted.yaml", text))
  return result._tag === "Read" ? [] : result.findings.map(({ message }) => message)
}

const remarks = /^\s*# (?:left open|candidate|confidence|options|and )|^\s*# (?:[A-Z]|not mapped)/

/** Removes the `#` of a line, and fills in what a person must fill in. */
const bare = (line: string): string =>
  line.replace(/^(\s*)# ?/, "$1").replace(/^(\s{8,}(?:[^#"]*|".*")):( # [\d,]+ ×)?$/, "$1: null").replace(
    /^(\s*otherwise:) # .*$/,
    "$1 drop",
  )

/** Whether a commented line is YAML for a person to uncomment, and not a remark. */
const isYaml = (line: string): boolean => /^\s*# (?:- |\s{2}|[a-zA-Z]+:(?: |$))/.test(line) && !remarks.test(line)

/** Returns a draft's text with each of its commented parts uncommented alone, and then with all of them. */
export const uncommentings = (text: string): ReadonlyArray<{ readonly what: string; readonly text: string }> => {
  const lines = text.split("\n")
  const parts: Array<ReadonlyArray<number>> = []
  let part: Array<number> = []
  lines.forEach((line, at) => {
    const isFirst = /^\s*# (?:- |[a-zA-Z]+:)/.test(line)
    if (isFirst || !isYaml(line)) {
      if (part.length > 0) parts.push(part)
      part = []
    }
    if (at > 1 && isYaml(line)) part.push(at)
  })
  const withParts = (chosen: ReadonlySet<number>) =>
    lines.map((line, at) => chosen.has(at) ? bare(line) : line).join("\n")
  return [
    ...parts.map((part) => ({ what: lines[part[0] ?? 0] ?? "", text: withParts(new Set(part)) })),
    { what: "all", text: withParts(new Set(parts.flat())) },
  ]
}

const misread = new Set([
  "not-a-date",
  "ambiguous-date",
  "not-a-time",
  "not-a-date-time",
  "not-a-number",
  "not-a-boolean",
])

/** Returns the columns in which the pipeline can't read more than 1% of the filled cells. */
export const misfits = ({ root, text: written }: Drafted, filled: ReadonlyMap<string, number>) =>
  Effect.gen(function*() {
    const text =
      (written.includes("\n  rowKey:") ? written : written.replace("\nsource:\n", "\nsource:\n  rowKey: content\n"))
        // Texts for "no answer" are not filled cells.
        .replace("\n  # empty: ", "\n  empty: ")
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fs.writeFileString(path.join(root, "pipelines/drafted.yaml"), text)
    const { diagnostics, pipelines: [one] } = yield* checkProject(root, ["drafted"])
    const said = [...diagnostics, ...one?.diagnostics ?? []].filter(({ message, severity }) =>
      severity === "error" && !(message.startsWith("No answer is read") && !/\n    - id:/.test(text))
    )
    const problems = one?.data?.problems ?? []
    return [
      ...(one?.failures ?? []).map(String),
      ...said.map(({ line, message }) => `${line}: ${message}`),
      ...problems.filter(({ code, column, rows }) => misread.has(code) && rows > (filled.get(column ?? "") ?? 0) / 100)
        .map(({ code, column, examples, rows }) =>
          `${code} in ${column}: ${rows} of ${filled.get(column ?? "")}, such as ${examples[0]?.value}`
        ),
    ]
  })
