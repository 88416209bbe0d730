import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { stringifyCircular } from "effect/Inspectable"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { parseDocument } from "yaml"
import type { Form } from "../domain/form.ts"
import { cut } from "../domain/problem.ts"
import { reasonOf } from "../domain/systemErrors.ts"
import { FilledText } from "../kinds/Kind.ts"
import { type Disk, disk } from "../project/disk.ts"
import { expected } from "../project/expectations.ts"
import { nearest } from "../project/suggestion.ts"
import { yamlTooLarge } from "../project/yamlText.ts"
import type { FaultPlan, PlannedFault } from "./faults.ts"
import { namedFaults } from "./namedFaults.ts"

/** All mistakes in a file of the practice service, one per line. */
type Problems = ReadonlyArray<string>

const unusable = ({ file, problems }: { readonly file: string; readonly problems: Problems }): string =>
  [`${file} can't be used:`, ...problems.map((problem) => `  ${problem}`)].join("\n")

/** Reads the text of a form file or a faults file. */
const readPracticeFile = (file: string): Effect.Effect<string, Problems, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const tooLarge = yield* yamlTooLarge(file)
    if (tooLarge !== undefined) return yield* Effect.fail([tooLarge])
    return yield* Effect.mapError(fs.readFileString(file), (error): Problems => [reasonOf(error)])
  })

/** Parses the text of a form file or a faults file, which is YAML or JSON. */
const parsePracticeFile = (text: string): Effect.Effect<unknown, Problems> =>
  Effect.suspend(() => {
    const document = parseDocument(text, { prettyErrors: true })
    return document.errors.length > 0
      ? Effect.fail(document.errors.map((error) => error.message))
      : Effect.succeed<unknown>(document.toJS())
  })

/**
 * Returns the mistakes in a value, one per place: `faults[2].wait: is missing`.
 *
 * @param at the value's own place; empty for the whole file
 */
const problemsOf = ({ issue }: ParseResult.ParseError, at = ""): Problems =>
  mistakesIn(issue, at).map(({ at, problem }) => `${at === "" ? "the file" : at}: ${problem}`)

interface Mistake {
  readonly at: string
  readonly problem: string
}

/** @param ast the schema that the value at this place must fit, with its refinements. */
const mistakesIn = (issue: ParseResult.ParseIssue, at: string, ast?: SchemaAST.AST): ReadonlyArray<Mistake> => {
  switch (issue._tag) {
    case "Missing":
      return [{ at, problem: "is missing" }]
    case "Unexpected":
      return [{ at, problem: "is not a setting here" }]
    case "Pointer": {
      const path = [issue.path].flat().map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`)
      return mistakesIn(issue.issue, `${at}${path.join("")}`.replace(/^\./, ""))
    }
    case "Composite": {
      const issues = [issue.issues].flat()
      if (issue.ast._tag !== "Union") return issues.flatMap((one) => mistakesIn(one, at))
      const [type, ...others] = issue.ast.types.filter((type) => type._tag !== "UndefinedKeyword")
      const ofType = issues.find((one) => "ast" in one && one.ast === type)
      // Several alternatives are named together.
      if (ofType === undefined || others.length > 0) break
      return mistakesIn(ofType, at)
    }
    case "Refinement":
    case "Transformation":
      if (issue.kind === "From" || issue.kind === "Encoded") return mistakesIn(issue.issue, at, ast ?? issue.ast)
      break
    default:
  }
  const problem = `expects ${expected(ast ?? issue.ast)}, not ${cut(stringifyCircular(issue.actual), 60)}`
  return [{ at, problem }]
}

const absentIsEmpty = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Array(schema), { default: () => [] })

const Element = Schema.Struct({ id: FilledText, name: Schema.String })

const Option = Schema.Union(
  Schema.String,
  Schema.Struct({ value: Schema.String, label: Schema.optional(Schema.String) }),
)

/**
 * The content of a form file: a form's metadata as in wire.ts, but checked strictly. Lists may be missing, and an
 * option may be just a string.
 */
export const FormFile = Schema.Struct({
  id: FilledText,
  name: Schema.String,
  questions: Schema.Array(
    Schema.Struct({
      ...Element.fields,
      type: Schema.optional(FilledText),
      options: Schema.optional(Schema.Array(Option)),
    }),
  ),
  calculations: absentIsEmpty(Element),
  urlParameters: absentIsEmpty(Element),
  scheduling: absentIsEmpty(Element),
  payments: absentIsEmpty(Element),
  quiz: Schema.optional(Schema.Struct({ enabled: Schema.optional(Schema.Boolean) })),
})

/** Returns the form that a form file describes. */
export const toForm = (file: typeof FormFile.Type): Form => ({
  ...file,
  questions: file.questions.map(({ id, name, type, options }) => ({
    id,
    name,
    type,
    options: options?.map((option) =>
      typeof option === "string"
        ? { value: option, label: option }
        : { value: option.value, label: option.label ?? option.value }
    ),
  })),
  quiz: file.quiz?.enabled === undefined ? undefined : { enabled: file.quiz.enabled },
})

/** A form file of the practice service, or the folder of form files, can't be used. */
export class FormFileInvalid extends Schema.TaggedError<FormFileInvalid>()("FormFileInvalid", {
  file: Schema.String,
  isFolder: Schema.optional(Schema.Boolean),
  problems: Schema.Array(Schema.String),
}) {
  override get message() {
    if (this.isFolder === true) {
      return `The folder of form files ${this.file} can't be read: ${
        this.problems.join(" ")
      }. Correct \`forms\` of the practice service, or create the folder and write a form file into it.`
    }
    return `The form file ${unusable(this)}\n`
      + "A form file contains what the service returns as a form's metadata: id, name, questions and the other lists."
  }
}

const decodeForm = Schema.decodeUnknownEither(FormFile, { errors: "all", onExcessProperty: "ignore" })

const repeatedIds = (form: Form): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return [...form.questions, ...form.scheduling, ...form.payments, ...form.urlParameters, ...form.calculations]
    .filter(({ id }) => seen.size === seen.add(id).size)
    .map(({ id }) => `the id ${JSON.stringify(id)} occurs twice`)
}

/** Decodes the text of a form file, which is YAML or JSON. */
export const parseForm = (file: string, text: string): Effect.Effect<Form, FormFileInvalid> =>
  Effect.gen(function*() {
    const content = yield* parsePracticeFile(text)
    const form = toForm(yield* Either.mapLeft(decodeForm(content), (error) => problemsOf(error)))
    const problems = repeatedIds(form)
    return problems.length > 0 ? yield* Effect.fail(problems) : form
  }).pipe(Effect.mapError((problems) => new FormFileInvalid({ file, problems })))

/** Loads all form files of a folder (`*.yaml`, `*.yml`, `*.json`), sorted by file name. Fails if two forms have the same id. */
export const loadForms = (
  folder: string,
): Effect.Effect<ReadonlyArray<Form>, FormFileInvalid, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const listed = yield* Effect.mapError(
      fs.readDirectory(folder),
      (error) => new FormFileInvalid({ file: folder, isFolder: true, problems: [reasonOf(error)] }),
    )
    const forms = new Map<string, Form>()
    for (const name of listed.filter((name) => /\.(ya?ml|json)$/i.test(name)).sort()) {
      const file = path.join(folder, name)
      const text = yield* Effect.mapError(readPracticeFile(file), (problems) => new FormFileInvalid({ file, problems }))
      const form = yield* parseForm(file, text)
      if (forms.has(form.id)) {
        const problems = [`another file already has the id ${JSON.stringify(form.id)}`]
        return yield* new FormFileInvalid({ file, problems })
      }
      forms.set(form.id, form)
    }
    return Array.from(forms.values())
  })

/** A faults file of the practice service can't be used (exit code 2). */
export class FaultsFileInvalid extends Schema.TaggedError<FaultsFileInvalid>()("FaultsFileInvalid", {
  file: Schema.String,
  problems: Schema.Array(Schema.String),
}) {
  override get message() {
    return `The faults file ${unusable(this)}\n`
      + "A faults file has a seed and a list of faults: docs/practice.md lists them."
  }
}

const decodeFaults = Schema.decodeUnknownEither(
  Schema.Struct({
    seed: Schema.optionalWith(Schema.Int, { default: () => 1 }),
    faults: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  }),
  { errors: "all", onExcessProperty: "error" },
)

const isNamed = (name: string): name is keyof typeof namedFaults => Object.hasOwn(namedFaults, name)

const decodeEntry = (
  { fault: name, ...settings }: Readonly<Record<string, unknown>>,
  at: string,
): Either.Either<PlannedFault, Problems> => {
  if (name === undefined) return Either.left([`${at}.fault: is missing`])
  if (typeof name === "string" && isNamed(name)) {
    return Either.mapLeft(namedFaults[name].decode(settings), (error) => problemsOf(error, at))
  }
  const near = nearest(String(name), Object.keys(namedFaults))
  return Either.left([
    `${at}.fault: there is no fault ${JSON.stringify(name)}${near === undefined ? "" : `; did you mean ${near}?`}`,
  ])
}

/** Plans the faults that the text of a faults file describes. The text is YAML or JSON. */
export const parseFaults = (file: string, text: string): Effect.Effect<FaultPlan, FaultsFileInvalid> =>
  Effect.gen(function*() {
    const content = yield* parsePracticeFile(text)
    const { faults, seed } = yield* Either.mapLeft(decodeFaults(content), (error) => problemsOf(error))
    const entries = faults.map((entry, index) => decodeEntry(entry, `faults[${index}]`))
    const problems = entries.flatMap((entry) => (Either.isLeft(entry) ? entry.left : []))
    if (problems.length > 0) return yield* Effect.fail(problems)
    return { seed, faults: entries.flatMap((entry) => (Either.isRight(entry) ? [entry.right] : [])) }
  }).pipe(Effect.mapError((problems) => new FaultsFileInvalid({ file, problems })))

/** Reads a faults file. */
export const loadFaults = (file: string): Effect.Effect<FaultPlan, FaultsFileInvalid, FileSystem.FileSystem> =>
  readPracticeFile(file).pipe(
    Effect.mapError((problems) => new FaultsFileInvalid({ file, problems })),
    Effect.flatMap((text) => parseFaults(file, text)),
  )
