import type { Column } from "../domain/row.ts"
import type { ColumnName, Pipeline } from "../project/Pipeline.ts"

/** The columns that a pipeline names, as if a source had just these: to compile its mapping where no source is at hand. */
export const mentionedColumns = (pipeline: Pipeline): ReadonlyArray<Column> => {
  const { ignore, ...mapping } = pipeline.mapping
  const entries = [
    ...mapping.questions,
    ...mapping.urlParameters,
    ...mapping.scheduling,
    ...mapping.payments,
    ...[mapping.submissionTime, mapping.lastUpdatedAt, mapping.login].flatMap((entry) => entry ?? []),
  ]
  const inputs = entries.flatMap(({ input }) =>
    input._tag === "Parts" ? input.parts.map((part) => part.input) : [input]
  )
  const key = pipeline.source.rowKey
  const named: ReadonlyArray<ColumnName> = [
    ...inputs.flatMap((input) => ("columns" in input ? input.columns : [])),
    ...(key === undefined || key === "content" ? [] : key),
    ...ignore,
  ]
  return [...new Set(named.map((column) => column.name))].map((name, position) => ({ position, title: name, name }))
}
