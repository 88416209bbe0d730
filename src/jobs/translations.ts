import * as Effect from "effect/Effect"
import type { Form } from "../domain/form.ts"
import { shownName } from "../domain/row.ts"
import { nameColumns } from "../mapping/ColumnBook.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { loadProject } from "../project/loadProject.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import type { Source } from "../source/Source.ts"
import { exactOption, indexOptions } from "../suggest/optionIndex.ts"
import { sameText } from "../suggest/words/words.ts"
import { compileFor, withoutKey } from "./prepare.ts"
import { findPipeline } from "./target.ts"

/** The cells of a question's columns that a pipeline translates into a different answer. */
export interface TranslatedQuestion {
  readonly question: string
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Those that most need checking come first. An answer is the option's label, or null for no answer. */
  readonly values: ReadonlyArray<{ readonly cell: string; readonly answer: string | null }>
}

/** Kinds of translation. Those that most need checking come first. */
const urgency = {
  /** The cell is the name of a different option. */
  contradicts: 0,
  noAnswer: 1,
  /** Words become different words: a guess may have chosen a similar option. */
  words: 2,
  code: 3,
  /** The words are the same. */
  spelling: 4,
} as const

/** Returns the translations of a pipeline. Omits the labels of the form's options, which every pipeline reads. */
export const translationsOf = ({ answers }: Mapping, form: Form): ReadonlyArray<TranslatedQuestion> =>
  answers.flatMap(({ columns, id, list, name, translations }) => {
    const { options = [] } = form.questions.find((one) => list === "questions" && one.id === id) ?? {}
    const index = indexOptions(options)
    const optionOf = (text: string) => exactOption(index, text)
    const values = translations.flatMap(([cell, answer]) => {
      const option = answer === null ? undefined : optionOf(answer)
      if (option?.label === cell) return []
      const named = optionOf(cell)
      const shown = answer === null ? null : option?.label ?? answer
      const order = named !== undefined && named !== option
        ? urgency.contradicts
        : shown === null
        ? urgency.noAnswer
        : sameText(cell) === sameText(shown)
        ? urgency.spelling
        : /\p{L}{3}/u.test(cell)
        ? urgency.words
        : urgency.code
      return [{ cell, answer: shown, order }]
    }).toSorted((a, b) => a.order - b.order)
    const one: TranslatedQuestion = {
      question: id,
      name,
      columns: columns.map(shownName),
      values: values.map(({ answer, cell }) => ({ cell, answer })),
    }
    return values.length === 0 ? [] : [{ one, order: values[0]?.order ?? 0 }]
  }).toSorted((a, b) => a.order - b.order).map(({ one }) => one)

/** Compiles the mapping of a pipeline that may lack a row key. Returns undefined if it does not compile. */
export const compileUnkeyed = (pipeline: Pipeline, source: Source, form: Form) =>
  Effect.match(compileFor(withoutKey(pipeline), source, form), {
    onFailure: () => undefined,
    onSuccess: ({ mapping }) => mapping,
  })

/** Returns the translations in a pipeline's file. Empty if the file's mapping does not compile, which `check` reports. */
export const translationsIn = (root: string, name: string, source: Source, form: Form) =>
  Effect.gen(function*() {
    const pipeline = yield* findPipeline(yield* loadProject(root, { pipelines: [name] }), name)
    const columns = nameColumns(source.columns, pipeline.source.columns)
    const mapping = yield* compileUnkeyed(pipeline, { ...source, columns }, form)
    return mapping === undefined ? [] : translationsOf(mapping, form)
  }).pipe(Effect.catchTag("ConfigurationInvalid", () => Effect.succeed([])))
