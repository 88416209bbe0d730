import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Element, type Form, type FormList, formLists, type Option, type Question } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import type { Column } from "../domain/row.ts"
import { isMissing, reasonOf } from "../domain/systemErrors.ts"
import { firstOf, namesOf } from "../domain/words.ts"
import { type Disk, disk, writeProjectFile } from "./disk.ts"
import { aboutFile, ConfigurationInvalid } from "./errors.ts"

const about =
  "The form as it was when the pipeline was made, or when a person last accepted it (formferry check --accept-form). Keep it in version control."

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
  /** The titles of the source's columns. Undefined if unknown. */
  columns: Schema.UndefinedOr(Schema.Array(Schema.String)),
})

/** A form as it was when the pipeline was made or when a person last accepted it, with the columns of the pipeline's source. */
export type FormRecord = typeof RecordFile.Type

/** Returns the record of a form as it is now. */
export const recordOf = (
  pipeline: string,
  { service, target }: Pick<FormRecord, "service" | "target">,
  form: Form,
  columns: ReadonlyArray<Pick<Column, "title">>,
): FormRecord => ({ pipeline, target, service, form, columns: columns.map(({ title }) => title) })

const decode = Schema.decode(Schema.parseJson(RecordFile), { exact: false })

/** Returns a pipeline's name for use in a file name. Writes characters that are not allowed in file names as %XX. */
export const inFileName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[*]/g, "%2A").replaceAll(/^\.+$/g, (dots) => "%2E".repeat(dots.length))

/** Returns the path of a recorded form, relative to the project's folder: `config/forms/NAME.json`, or `NAME@TARGET.json` for one of several targets. */
export const recordFile = (pipeline: string, target: string | undefined): string =>
  `config/forms/${inFileName(pipeline)}${target === undefined ? "" : `@${inFileName(target)}`}.json`

/** Reads the recorded form. Returns undefined if no form was recorded. */
export const readFormRecord = (
  root: string,
  pipeline: string,
  target: string | undefined,
): Effect.Effect<FormRecord | undefined, ConfigurationInvalid, Disk> =>
  Effect.gen(function*() {
    const { fs, path } = yield* disk
    const file = recordFile(pipeline, target)
    const suggestion =
      "Restore it from version control, or delete it and record the form as it is now: formferry check --accept-form."
    const invalid = (message: string) =>
      new ConfigurationInvalid({ diagnostics: [aboutFile(file, message, suggestion)] })
    const text = yield* fs.readFileString(path.join(root, file)).pipe(
      Effect.map((text): string | undefined => text),
      Effect.catchAll((error) =>
        isMissing(error) ? Effect.void : invalid(`The file can't be read: ${reasonOf(error)}.`)
      ),
    )
    if (text === undefined) return undefined
    return yield* decode(text).pipe(
      Effect.mapError(() => invalid("The file does not contain a form in the format that formferry writes.")),
    )
  })

/**
 * Records the form as readable JSON, in an order that keeps differences small. Returns the file's path, relative to the
 * project's folder.
 */
export const writeFormRecord = (root: string, record: FormRecord) =>
  Effect.gen(function*() {
    const name = recordFile(record.pipeline, record.target)
    const { form, pipeline, target, service, columns } = record
    const text = JSON.stringify({ about, pipeline, target, service, form, columns }, null, 2)
    yield* writeProjectFile(root, name, `${text}\n`)
    return name
  })

/** A change of a form. */
export interface FormChange {
  readonly list: FormList
  readonly kind: "added" | "removed" | "renamed" | "newId" | "type" | "options"
  /** The question or element before the change. */
  readonly before: Element | undefined
  readonly after: Element | undefined
  /** A sentence that describes the change. */
  readonly message: string
  /** Whether the change only adds something, so that valid answers remain valid. */
  readonly harmless: boolean
}

const elementNamed = ({ id, name }: Element): string => `"${brief(name)}" (${id})`

const names = (options: ReadonlyArray<Option>): string => firstOf(options.map(({ label }) => `"${label}"`), 8)

const optionChanges = (before: Question, after: Question): ReadonlyArray<FormChange> => {
  const [was, is] = [before.options ?? [], after.options ?? []]
  const removed = was.filter(({ value }) => is.every((option) => option.value !== value))
  const added = is.filter(({ value }) => was.every((option) => option.value !== value))
  const relabelled = is.flatMap((option) => {
    const old = was.find(({ value }) => value === option.value)
    return old === undefined || old.label === option.label ? [] : [`"${old.label}" is "${option.label}" now`]
  })
  if (removed.length + added.length + relabelled.length === 0) return []
  const parts = [
    ...(removed.length === 0 ? [] : [`${names(removed)} ${removed.length === 1 ? "was" : "were"} removed`]),
    ...(added.length === 0 ? [] : [`${names(added)} ${added.length === 1 ? "is" : "are"} new`]),
    ...relabelled,
  ]
  return [{
    list: "questions",
    kind: "options",
    before,
    after,
    message: `The options of the question ${elementNamed(after)} changed: ${parts.join("; ")}.`,
    harmless: removed.length + relabelled.length === 0,
  }]
}

const questionChanges = (before: Question, after: Question): ReadonlyArray<FormChange> => {
  const change = before.type === undefined
    ? `had no known type; its type is now ${after.type}`
    : after.type === undefined
    ? `was of the type ${before.type}; its type is no longer known`
    : `was of the type ${before.type} and is ${after.type} now`
  const message = `The question ${elementNamed(after)} ${change}.`
  return [
    ...(before.type === after.type
      ? []
      : [{ list: "questions", kind: "type", before, after, message, harmless: false } as const]),
    ...optionChanges(before, after),
  ]
}

const listChanges = (
  list: FormList,
  was: ReadonlyArray<Element>,
  is: ReadonlyArray<Element>,
): ReadonlyArray<FormChange> => {
  const word = formLists[list].one
  const removed = was.filter(({ id }) => is.every((one) => one.id !== id))
  const added = is.filter(({ id }) => was.every((one) => one.id !== id))
  // If a question has the same name but a different id, it was deleted and created again.
  const recreated = removed.flatMap((before) => {
    const [after, ...more] = added.filter(({ name }) => name === before.name)
    const isOnly = removed.filter(({ name }) => name === before.name).length === 1
    return after !== undefined && more.length === 0 && isOnly ? [{ before, after }] : []
  })
  const renamed = is.flatMap((after) => {
    const before = was.find(({ id }) => id === after.id)
    return before === undefined || before.name === after.name ? [] : [{ before, after }]
  })
  const change = (
    kind: FormChange["kind"],
    before: Element | undefined,
    after: Element | undefined,
    message: string,
  ): FormChange => ({ list, kind, before, after, message, harmless: kind === "added" })
  return [
    ...renamed.map(({ after, before }) =>
      change("renamed", before, after, `The ${word} ${elementNamed(before)} is called "${brief(after.name)}" now.`)
    ),
    ...recreated.map(({ after, before }) =>
      change(
        "newId",
        before,
        after,
        `The ${word} "${brief(before.name)}" has the id ${after.id} now; it was ${before.id}.`,
      )
    ),
    ...removed.filter((one) => recreated.every(({ before }) => before !== one)).map((before) =>
      change("removed", before, undefined, `The ${word} ${elementNamed(before)} was removed.`)
    ),
    ...added.filter((one) => recreated.every(({ after }) => after !== one)).map((after) =>
      change("added", undefined, after, `The ${word} ${elementNamed(after)} is new.`)
    ),
  ]
}

/** Returns the changes of a form, in the order of its lists. Ignores the order of questions. */
export const formDifference = (before: Form, after: Form): ReadonlyArray<FormChange> => [
  ...namesOf(formLists).flatMap((list) => listChanges(list, before[list], after[list])),
  ...after.questions.flatMap((question) => {
    const was = before.questions.find(({ id }) => id === question.id)
    return was === undefined ? [] : questionChanges(was, question)
  }),
]
