import type { CsvLine } from "./csv.ts"
import type { ImportedRow } from "./RunFolder.ts"

/** Titles of imported.csv. */
export const importedTitles = ["row", "key", "submission_id", "verdict", "submission_time", "replaces"]

/** A line of imported.csv. */
export const importedLine = (
  row: ImportedRow,
): CsvLine => [String(row.row), row.key, row.submissionId, row.verdict, row.submissionTime ?? "", row.replaces ?? ""]
