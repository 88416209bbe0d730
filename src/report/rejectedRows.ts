import type { ProblemCode } from "../domain/problem.ts"
import type { CsvLine } from "./csv.ts"
import type { RejectedRow } from "./RunFolder.ts"
import { sourceLine } from "./sourceLine.ts"
import type { Codec } from "./spool.ts"

/** Between several problems of one row. */
export const rejectedJoint = " · "

/** What is said of a row that is rejected for its fate alone. */
const codeOfFate: { readonly [F in RejectedRow["fate"]]: ProblemCode | "" } = {
  invalid: "",
  refused: "refused",
  duplicate: "duplicate-key",
  changed: "changed",
}

/** Titles of our own columns in rejected.csv, behind those of the source. */
export const rejectedTitles = ["_row", "_key", "_code", "_column", "_message"]

/**
 * A line of rejected.csv. `_code`, `_column` and `_message` hold as many parts as the row has problems, in the same order; a problem without a column leaves its part
 * empty, and `_column` is empty when no problem has one.
 */
export const rejectedLine = (row: RejectedRow, columns: number): CsvLine => {
  const named = row.problems.some((problem) => problem.column !== undefined && problem.column !== "")
  return sourceLine(row.cells, columns, [
    String(row.row),
    row.key ?? "",
    row.problems.length === 0 ? codeOfFate[row.fate] : row.problems.map((problem) => problem.code).join(rejectedJoint),
    named ? row.problems.map((problem) => problem.column ?? "").join(rejectedJoint) : "",
    row.problems.map((problem) => problem.message).join(rejectedJoint),
  ])
}

/** Rejected rows in their spool. */
export const rejectedCodec: Codec<RejectedRow> = {
  encode: (row) => JSON.stringify({ ...row, key: row.key ?? null }),
  decode: (line) => {
    const row = JSON.parse(line) as Omit<RejectedRow, "key"> & { readonly key: string | null }
    return { ...row, key: row.key ?? undefined }
  },
}
