import { FileSystem, Path } from "@effect/platform"
import { Effect, Schema } from "effect"
import { ConfigurationInvalid } from "./errors.ts"

const about =
  "The form as it was when the pipeline was made, or when a person last accepted it (formferry check --accept-form). Belongs into version control."

const Element = Schema.Struct({ id: Schema.String, name: Schema.String })
const elements = Schema.optionalWith(Schema.Array(Element), { default: () => [] })

const RecordFile = Schema.Struct({
  pipeline: Schema.String,
  target: Schema.UndefinedOr(Schema.String),
  service: Schema.String,
  form: Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    questions: Schema.Array(Schema.Struct({
      ...Element.fields,
      type: Schema.UndefinedOr(Schema.String),
      options: Schema.UndefinedOr(Schema.Array(Schema.Struct({ value: Schema.String, label: Schema.String }))),
    })),
    calculations: elements,
    urlParameters: elements,
    scheduling: elements,
    payments: elements,
    quiz: Schema.UndefinedOr(Schema.Struct({ enabled: Schema.Boolean })),
  }),
  /** Titles of the source's columns; undefined: not known. */
  columns: Schema.UndefinedOr(Schema.Array(Schema.String)),
})

/** A form as it was when a pipeline was made for it or last accepted it, and the columns that its source had. */
export type FormRecord = typeof RecordFile.Type

const decode = Schema.decode(Schema.parseJson(RecordFile), { exact: false })

/** Returns a pipeline's name as part of a file's name. Characters that no file name may contain are written as %XX. */
const inFileName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[*]/g, "%2A").replaceAll(/^\.+$/g, (dots) => "%2E".repeat(dots.length))

/** Returns a record's path from the project's folder: `config/forms/NAME.json`, or `NAME@TARGET.json` for one of several targets. */
export const recordFile = (pipeline: string, target: string | undefined): string =>
  `config/forms/${inFileName(pipeline)}${target === undefined ? "" : `@${inFileName(target)}`}.json`

/** Reads the form as it was, or undefined if it was not recorded. */
export const readFormRecord = (
  root: string,
  pipeline: string,
  target: string | undefined,
): Effect.Effect<FormRecord | undefined, ConfigurationInvalid, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = recordFile(pipeline, target)
    const invalid = (message: string) =>
      new ConfigurationInvalid({
        diagnostics: [{
          severity: "error",
          file,
          line: 1,
          column: 1,
          excerpt: "",
          message,
          suggestion:
            "Get it back from version control; or delete it and record the form as it is now: formferry check --accept-form.",
        }],
      })
    const text = yield* fs.readFileString(path.join(root, file)).pipe(
      Effect.map((text): string | undefined => text),
      Effect.catchTag(
        "SystemError",
        (error) => error.reason === "NotFound" ? Effect.void : invalid(`The file can't be read: ${error.message}`),
      ),
      Effect.catchTag("BadArgument", (error) => invalid(`The file can't be read: ${error.message}`)),
    )
    if (text === undefined) return undefined
    return yield* decode(text).pipe(
      Effect.mapError(() => invalid("The file does not hold a form as formferry writes it.")),
    )
  })

/** Records the form, readable and in an order that keeps differences small. Returns the file's path from the project's folder. */
export const writeFormRecord = (root: string, record: FormRecord) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const name = recordFile(record.pipeline, record.target)
    const file = path.join(root, name)
    const { form, pipeline, target, service, columns } = record
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    const text = JSON.stringify({ about, pipeline, target, service, form, columns }, null, 2)
    // Replaced as a whole: a half-written record would stop every run.
    yield* fs.writeFileString(`${file}.new`, `${text}\n`)
    yield* fs.rename(`${file}.new`, file)
    return name
  })
