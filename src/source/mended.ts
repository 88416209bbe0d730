import * as Stream from "effect/Stream"
import type { Problem, ProblemCode } from "../domain/problem.ts"
import type { Cells, RowChunk } from "../domain/row.ts"
import { mendedColumns } from "./columns.ts"
import type { Source } from "./Source.ts"

/** The problems of rows that could not be read properly. Each is a row's only problem. */
const unread = ["ragged-row", "damaged-text", "header-row", "not-json", "conflict"] as const satisfies ReadonlyArray<
  ProblemCode
>

/**
 * Rejects the rows of a rejected.csv that an earlier run could not read properly, until a person deletes their `_code`:
 * missing cells, damaged characters and conflicting records look like ordinary cells in the file, so nothing else
 * shows that a person has corrected them. Such a row has no `_key`, because its key was not read.
 */
export const holdUnread = (mended: Source): Source => {
  const first = mended.columns.length - mendedColumns.length
  const [key, code, column] = (["_key", "_code", "_column"] as const).map((name) => first + mendedColumns.indexOf(name))
  const held = (cells: Cells, row: number): Problem | undefined => {
    const found = cells[key!] == null ? unread.find((one) => one === cells[code!]) : undefined
    if (found === undefined) return undefined
    const title = cells[column!]
    return {
      code: found,
      column: typeof title === "string" ? title : undefined,
      message: `Row ${row} could not be read properly by an earlier run (${found}). `
        + `Correct its cells, then delete the content of its column _code.`,
    }
  }
  const inChunk = (chunk: RowChunk): RowChunk => {
    const faults = new Map(chunk.faults)
    chunk.rows.forEach((cells, at) => {
      const problem = faults.has(at) ? undefined : held(cells, chunk.firstRow + at)
      if (problem !== undefined) faults.set(at, problem)
    })
    return { ...chunk, faults }
  }
  return { ...mended, read: (expected) => Stream.map(mended.read(expected), inChunk) }
}
