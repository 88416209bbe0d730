import type { Column } from "../domain/row.ts"
import type { ColumnName, Pipeline } from "../project/Pipeline.ts"
import { allEntries, entryColumns } from "./inputColumns.ts"

/** The columns that a pipeline names, as if a source had just these: to compile its mapping where no source is at hand. */
export const mentionedColumns = (pipeline: Pipeline): ReadonlyArray<Column> => {
  const { columns: aliases, rowKey, where } = pipeline.source
  const named: ReadonlyArray<ColumnName> = [
    ...allEntries(pipeline).flatMap(entryColumns),
    ...(rowKey === undefined || rowKey === "content" ? [] : rowKey),
    ...where.map((condition) => condition.column),
    ...pipeline.mapping.ignore,
    ...aliases,
  ]
  const own = new Set(aliases.map((alias) => alias.name))
  // A name of the pipeline's own is no title.
  return [...new Set(named.map((column) => column.name))]
    .map((name, position) => ({ position, title: own.has(name) ? "" : name, name }))
}
