import { FileSystem, Path } from "@effect/platform"
import { Effect, ParseResult, Schema } from "effect"
import { parseDocument } from "yaml"
import type { Form } from "../domain/form.ts"
import { yamlTooLarge } from "../project/pipelineFiles.ts"
import { FormFile, toForm } from "./formFile.ts"

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

/** What is wrong, one line a place: `questions[3].id: is missing`. */
const problemsOf = (error: ParseResult.ParseError): ReadonlyArray<string> => {
  const places = new Map<string, string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
    const place = issue.path.map((member) => (typeof member === "number" ? `[${member}]` : `.${String(member)}`)).join(
      "",
    )
    places.set(place.replace(/^\./, ""), issue._tag === "Missing" ? "is missing" : issue.message.split("\n")[0] ?? "")
  }
  return Array.from(places, ([place, problem]) => `${place === "" ? "the file" : place}: ${problem}`)
}

const twice = (form: Form): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return [...form.questions, ...form.scheduling, ...form.payments, ...form.urlParameters, ...form.calculations]
    .filter(({ id }) => seen.size === seen.add(id).size)
    .map(({ id }) => `the id ${JSON.stringify(id)} occurs twice`)
}

/** A form file's text, YAML or JSON, as a form. */
export const parseForm = (file: string, text: string): Effect.Effect<Form, FormFileInvalid> =>
  Effect.gen(function*() {
    const document = parseDocument(text, { prettyErrors: true })
    if (document.errors.length > 0) {
      return yield* new FormFileInvalid({ file, problems: document.errors.map((error) => error.message) })
    }
    const decoded = decodeFile(document.toJS())
    if (decoded._tag === "Left") return yield* new FormFileInvalid({ file, problems: problemsOf(decoded.left) })
    const form = toForm(decoded.right)
    const problems = twice(form)
    return problems.length > 0 ? yield* new FormFileInvalid({ file, problems }) : form
  })

/** All form files of a folder (`*.yaml`, `*.yml`, `*.json`), by file name. Two forms with one id are an error. */
export const loadForms = (
  folder: string,
): Effect.Effect<ReadonlyArray<Form>, FormFileInvalid, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const unreadable = (file: string) =>
      Effect.mapError((error: Error) => new FormFileInvalid({ file, problems: [error.message] }))
    const names = (yield* fs.readDirectory(folder).pipe(unreadable(folder)))
      .filter((name) => /\.(ya?ml|json)$/i.test(name))
      .sort()
    const forms = new Map<string, Form>()
    for (const name of names) {
      const file = path.join(folder, name)
      const tooLarge = yield* yamlTooLarge(file)
      if (tooLarge !== undefined) return yield* new FormFileInvalid({ file, problems: [tooLarge] })
      const form = yield* parseForm(file, yield* fs.readFileString(file).pipe(unreadable(file)))
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
