import type { Form } from "../../domain/form.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { collectUnknown } from "../../mapping/suggest/unknownChoices.ts"
import type { Pipeline } from "../../project/Pipeline.ts"
import type { Source } from "../../source/Source.ts"

/** Entries whose cells are choices of one column, held against the form's options. */
export const choiceEntries = (pipeline: Pipeline, mapping: Mapping, form: Form, source: Source) => {
  const { defaults, questions } = pipeline.mapping
  return questions.flatMap((entry) => {
    const question = form.questions.find(({ id, name }) =>
      id === entry.id || (entry.id === undefined && name.trim() === entry.name?.trim())
    )
    const answer = mapping.answers.find(({ id, list }) => list === "questions" && id === question?.id)
    const { input } = entry
    if (question === undefined || answer === undefined || input._tag !== "Columns" || input.columns.length !== 1) {
      return []
    }
    if (entry.extract !== undefined || entry.when.length > 0) return []
    const [name] = input.columns
    const column = source.columns.find((one) => one.name === name?.name)
    if (column === undefined || !["choice", "choices", "ranking"].includes(answer.kind)) return []
    const options = { ...defaults[answer.kind], ...entry.options }
    const counter = collectUnknown(
      answer.kind,
      options,
      question,
      new Set(pipeline.source.empty.map((text) => text.trim())),
    )
    return counter === undefined ? [] : [{ entry, question, column, counter }]
  })
}
