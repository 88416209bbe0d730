import type { Json } from "../domain/json.ts"
import type { Difference } from "../domain/run.ts"
import type { CsvLine } from "./csv.ts"
import type { Codec } from "./spool.ts"

/** Titles of differences.csv. */
export const differenceTitles = [
  "row",
  "key",
  "submission_id",
  "question",
  "name",
  "verdict",
  "sent",
  "returned",
  "edit_link",
]

/** A value as people read it: a text as it is, all else as JSON, nothing where there is no value. */
export const valueText = (value: Json | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** A line of differences.csv. */
export const differenceLine = (difference: Difference): CsvLine => [
  String(difference.row),
  difference.key,
  difference.submissionId,
  difference.question,
  difference.name,
  difference.verdict,
  valueText(difference.sent),
  valueText(difference.returned),
  difference.editLink ?? "",
]

/** Differences in their spool. A member that is not there stays so; `null` is a value of its own. */
export const differenceCodec: Codec<Difference> = {
  encode: (difference) => JSON.stringify(difference),
  decode: (line) => {
    const { sent, returned, editLink, ...rest } = JSON.parse(line) as Difference
    return { ...rest, sent, returned, editLink }
  },
}
