import type { Diagnostic } from "../../domain/diagnostic.ts"
import { allEntries, entryColumns } from "../../mapping/ColumnBook.ts"
import { diagnosticAt } from "../../project/errors.ts"
import type { ColumnName, Pipeline } from "../../project/Pipeline.ts"
import { suggest } from "../../project/suggestion.ts"
import type { Source } from "../../source/Source.ts"

/** Columns that a pipeline names and its source does not have: what can be told without any form. */
export const missingColumns = (pipeline: Pipeline, source: Source): ReadonlyArray<Diagnostic> => {
  const { rowKey, where } = pipeline.source
  const names = source.columns.flatMap(({ name }) => name ?? [])
  const asked: ReadonlyArray<ColumnName> = [
    ...allEntries(pipeline).flatMap(entryColumns),
    ...(rowKey === undefined || rowKey === "content" ? [] : rowKey),
    ...where.map(({ column }) => column),
  ]
  return asked.filter(({ name }) => !names.includes(name) && !names.includes(name.trim())).map(({ name, path }) => {
    const message = `The source has no column "${name}".`
    return diagnosticAt(pipeline.document, "error", path, message, suggest(name, names, "Its columns are"))
  })
}

/** Columns that a source did not have when the pipeline was made. */
export const newColumns = (
  pipeline: Pipeline,
  source: Source,
  before: ReadonlyArray<string> | undefined,
): ReadonlyArray<Diagnostic> => {
  if (before === undefined) return []
  const known = new Set(before)
  const added = source.columns.filter(({ title }) => title.trim() !== "" && !known.has(title)).map(({ title }) =>
    title.trim()
  )
  return added.length === 0 ? [] : [diagnosticAt(
    pipeline.document,
    "warning",
    ["source", "file"],
    `The source has ${
      added.length === 1 ? "a column" : `${added.length} columns`
    } that it did not have when the pipeline was made: ${added.slice(0, 12).join(", ")}${
      added.length > 12 ? ` and ${added.length - 12} more` : ""
    }.`,
    `Suggestions for what is new: formferry init ${pipeline.name}. Or accept it: formferry check ${pipeline.name} --accept-form.`,
  )]
}
