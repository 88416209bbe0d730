// What `check` finds about a source without reading its rows.
import { acceptFormCommand } from "../domain/acceptance.ts"
import type { Diagnostic } from "../domain/diagnostic.ts"
import { brief } from "../domain/problem.ts"
import { firstOf } from "../domain/words.ts"
import { columnBook, namedColumns } from "../mapping/ColumnBook.ts"
import { findingsIn } from "../mapping/Findings.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Pipeline } from "../project/Pipeline.ts"
import { isPull } from "../project/sourceSection.ts"
import { ownColumns } from "../source/fixed.ts"
import type { Source } from "../source/Source.ts"

/** Finds columns that the pipeline names but its source lacks. Needs no form. */
export const missingColumns = (pipeline: Pipeline, source: Source): ReadonlyArray<Diagnostic> => {
  const findings = findingsIn(pipeline.document)
  const book = columnBook({ columns: ownColumns(source.columns) }, pipeline.source.columns, findings)
  for (const name of namedColumns(pipeline)) book.find(name, "answers")
  return findings.errors
}

/** Finds a pull of only new records that would not notice that a record was skipped. */
export const uncounted = ({ document, source: { file } }: Pipeline): ReadonlyArray<Diagnostic> => {
  if (!isPull(file) || file.since === undefined || file.page === undefined || file.page.total !== undefined) return []
  const kind = (["offset", "number"] as const).find((kind) => file.page?.[kind] !== undefined)
  if (kind === undefined) return []
  const message =
    `Pages are found by \`${kind}\`, without \`total\`. If a record is edited or deleted while others are pulled, it may move to a different page or leave the selection. A different record is then skipped, and found only when all records are pulled.`
  const suggestion = "Add `total` to `page` if the tool sends the number of records, or find the pages by a cursor."
  return [diagnosticAt(document, "warning", ["source", "since"], message, suggestion, "key")]
}

/** Finds columns that the source did not have when the form was recorded. */
export const newColumns = (
  pipeline: Pipeline,
  source: Source,
  before: ReadonlyArray<string> | undefined,
): ReadonlyArray<Diagnostic> => {
  if (before === undefined) return []
  const added = source.columns.flatMap(({ title }) => title.trim() === "" || before.includes(title) ? [] : title.trim())
  return added.length === 0 ? [] : [diagnosticAt(
    pipeline.document,
    "warning",
    ["source", "file"],
    `The source has ${
      added.length === 1 ? "a column" : `${added.length} columns`
    } that it did not have when the pipeline was made: ${firstOf(added.map(brief), 12)}.`,
    `To get suggestions for what is new, run: formferry init ${pipeline.name}. To accept it, run: ${
      acceptFormCommand(pipeline.name)
    }.`,
  )]
}
