import type { Form } from "../../domain/form.ts"
import type { Column } from "../../domain/row.ts"
import type { Mapping } from "../../mapping/Mapping.ts"
import { collectUnknown } from "../../mapping/suggest/unknownChoices.ts"
import type { MappingEntry, Pipeline } from "../../project/Pipeline.ts"
import type { Source } from "../../source/Source.ts"

/** Entries whose cells are choices, of one column or a grid's, held against the form's options. */
export const choiceEntries = (pipeline: Pipeline, mapping: Mapping, form: Form, source: Source) => {
  const { defaults, questions } = pipeline.mapping
  const columnsOf = ({ input }: MappingEntry, kind: string): ReadonlyArray<Column> => {
    if (input._tag === "Block") {
      const block = source.blocks.find(({ title }) => title.trim() === input.title.trim())
      const positions = new Set(block?.columns.map(({ position }) => position))
      return kind === "matrix" ? source.columns.filter(({ position }) => positions.has(position)) : []
    }
    if (input._tag !== "Columns" || input.columns.length !== 1) return []
    const [name] = input.columns
    const column = source.columns.find((one) => one.name === name?.name)
    return column !== undefined && ["choice", "choices", "ranking"].includes(kind) ? [column] : []
  }
  return questions.flatMap((entry) => {
    const question = form.questions.find(({ id, name }) =>
      id === entry.id || (entry.id === undefined && name.trim() === entry.name?.trim())
    )
    const answer = mapping.answers.find(({ id, list }) => list === "questions" && id === question?.id)
    if (question === undefined || answer === undefined || entry.extract !== undefined || entry.when.length > 0) {
      return []
    }
    const columns = columnsOf(entry, answer.kind)
    const [column] = columns
    // A grid whose form tells no options takes every answer.
    if (column === undefined || (answer.kind === "matrix" && (question.options ?? []).length === 0)) return []
    const options: Readonly<Record<string, unknown>> = { ...defaults[answer.kind], ...entry.options }
    const counter = collectUnknown(
      answer.kind === "matrix" ? "choice" : answer.kind,
      options,
      question,
      new Set(pipeline.source.empty.map((text) => text.trim())),
    )
    const title = entry.input._tag === "Block" ? entry.input.title : column.name ?? column.title
    return counter === undefined ? [] : [{
      entry,
      question,
      columns,
      title,
      counter,
      oneCell: (answer.kind === "choices" || answer.kind === "ranking") && options["split"] === undefined,
    }]
  })
}
