import type { CsvLine } from "./csv.ts"
import type { VanishedRow } from "./RunFolder.ts"

/** Titles of vanished.csv. */
export const vanishedTitles = ["row", "key", "submission_id", "missing_since", "run"]

/** A line of vanished.csv. */
export const vanishedLine = ({ key, row, since, submissionId }: VanishedRow): CsvLine => [
  String(row),
  key,
  submissionId ?? "",
  since?.at ?? "",
  since?.run ?? "",
]
