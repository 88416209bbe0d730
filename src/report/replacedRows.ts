import type { Replacement } from "../domain/run.ts"
import type { CsvLine } from "./csv.ts"
import type { Codec } from "./spool.ts"

/** Titles of replaced.csv. */
export const replacedTitles = ["row", "key", "submission_id", "replaces", "edit_link"]

/** A line of replaced.csv. */
export const replacedLine = (one: Replacement): CsvLine => [
  String(one.row),
  one.key,
  one.submissionId,
  one.replaces ?? "",
  one.editLink ?? "",
]

/** Replacements in their spool. */
export const replacementCodec: Codec<Replacement> = {
  encode: (one) => JSON.stringify(one),
  decode: (line) => {
    const { replaces, editLink, ...rest } = JSON.parse(line) as Replacement
    return { ...rest, replaces, editLink }
  },
}
