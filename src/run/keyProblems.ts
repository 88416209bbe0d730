import { cut, type Problem } from "../domain/problem.ts"
import type { RunContext } from "./RunContext.ts"

type Keyed = Pick<RunContext, "keyColumns">

/** The row's key columns are empty. */
export const missingKey = (run: Keyed): Problem => ({
  code: "missing-key",
  column: run.keyColumns[0],
  message: `${run.keyColumns.join(", ")} is empty, so that the row could not be known again: give it a value.`,
})

/**
 * Another row of the source has the same key.
 *
 * @param row the other row's number, where it is known already
 */
export const duplicateOf = (run: Keyed, row: number | undefined, same: boolean): Problem => ({
  code: "duplicate-key",
  column: run.keyColumns[0],
  message: `${cut(run.keyColumns.join(", "))} holds a key that ${
    row === undefined ? "another row of this source has already" : `row ${row} has already`
  }, with ${same ? "the same content: nothing is lost" : "other content: give one of them another key, or remove it"}.`,
})

/** The row was imported with other content. */
export const changed = (run: Keyed): Problem => ({
  code: "changed",
  column: run.keyColumns[0],
  message: "The row was imported before with other content. The service can't change a submission: "
    + "edit it there, or acknowledge the row.",
})
