import { FileSystem, Path } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import type { Form } from "../domain/form.ts"
import { parsePracticeFile, problemsOf, readPracticeFile } from "./practiceFile.ts"

const absentIsEmpty = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Array(schema), { default: () => [] })

const Element = Schema.Struct({ id: Schema.NonEmptyString, name: Schema.String })

const Option = Schema.Union(
  Schema.String,
  Schema.Struct({ value: Schema.String, label: Schema.optional(Schema.String) }),
)

/** A form file's content: a form's metadata as in wire.ts, but exact. Lists may be missing; an option may be a text alone. */
export const FormFile = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.String,
  questions: Schema.Array(
    Schema.Struct({
      ...Element.fields,
      type: Schema.optional(Schema.NonEmptyString),
      options: Schema.optional(Schema.Array(Option)),
    }),
  ),
  calculations: absentIsEmpty(Element),
  urlParameters: absentIsEmpty(Element),
  scheduling: absentIsEmpty(Element),
  payments: absentIsEmpty(Element),
  quiz: Schema.optional(Schema.Struct({ enabled: Schema.optional(Schema.Boolean) })),
})

/** The form that a form file describes. */
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

/** A form file of the practice service can't be used. */
export class FormFileInvalid extends Schema.TaggedError<FormFileInvalid>()("FormFileInvalid", {
  file: Schema.String,
  problems: Schema.Array(Schema.String),
}) {
  override get message() {
    return `The form file ${this.file} can't be used:\n${this.problems.map((problem) => `  ${problem}`).join("\n")}\n`
      + "A form file holds what the service returns as a form's metadata: id, name, questions and the other lists."
  }
}

const decodeFile = Schema.decodeUnknownEither(FormFile, { errors: "all", onExcessProperty: "ignore" })

const repeatedIds = (form: Form): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return [...form.questions, ...form.scheduling, ...form.payments, ...form.urlParameters, ...form.calculations]
    .filter(({ id }) => seen.size === seen.add(id).size)
    .map(({ id }) => `the id ${JSON.stringify(id)} occurs twice`)
}

/** Decodes a form file's text, YAML or JSON. */
export const parseForm = (file: string, text: string): Effect.Effect<Form, FormFileInvalid> =>
  Effect.gen(function*() {
    const content = yield* parsePracticeFile(text)
    const form = toForm(yield* Either.mapLeft(decodeFile(content), (error) => problemsOf(error)))
    const problems = repeatedIds(form)
    return problems.length > 0 ? yield* Effect.fail(problems) : form
  }).pipe(Effect.mapError((problems) => new FormFileInvalid({ file, problems })))

/** Loads all form files of a folder (`*.yaml`, `*.yml`, `*.json`), by file name. Two forms with one id are an error. */
export const loadForms = (
  folder: string,
): Effect.Effect<ReadonlyArray<Form>, FormFileInvalid, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const listed = yield* Effect.mapError(
      fs.readDirectory(folder),
      (error) => new FormFileInvalid({ file: folder, problems: [error.message] }),
    )
    const forms = new Map<string, Form>()
    for (const name of listed.filter((name) => /\.(ya?ml|json)$/i.test(name)).sort()) {
      const file = path.join(folder, name)
      const text = yield* Effect.mapError(
        readPracticeFile(file),
        (problems) => new FormFileInvalid({ file, problems }),
      )
      const form = yield* parseForm(file, text)
      if (forms.has(form.id)) {
        return yield* new FormFileInvalid({
          file,
          problems: [`another file has the id ${JSON.stringify(form.id)} already`],
        })
      }
      forms.set(form.id, form)
    }
    return Array.from(forms.values())
  })
