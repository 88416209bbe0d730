import * as Effect from "effect/Effect"
import { differingCode, editedCode, goneCode, missingCode, stateCode } from "../codes.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

/** Tables with facts about submissions that exist in the form. */
const tables = ["detail", "verified", "refusedAgain", "drift", "vanished"] as const

/** What a person may have acknowledged about a submission. If the row is sent again, its new submission must be reviewed again. */
const codes = [differingCode, missingCode, editedCode, goneCode].join(", ")

/**
 * Records, inside a transaction, that the submissions of imported rows were deleted. An undone row keeps the digests of its key and content, and
 * the submission's id. Throws without recording anything if a row is not imported with this submission.
 */
export const undo = (
  { db }: Store,
  place: number,
  rows: ReadonlyArray<{ readonly keyDigest: Buffer; readonly submissionId: string }>,
): void => {
  for (const { keyDigest, submissionId } of rows) {
    const [found] = db.all<readonly [number, number]>(
      `UPDATE row SET state = ${stateCode.undone}, verdict = NULL
       WHERE place = ? AND digest = ? AND submission = ? AND state = ${stateCode.imported} RETURNING id, batch`,
      [place, keyDigest, submissionId],
    )
    if (found === undefined) {
      throw new Refusal(Effect.dieMessage("A submission was deleted, but its row was not imported with it."))
    }
    const [row, batch] = found
    db.run("UPDATE batch SET imported = max(0, imported - 1) WHERE id = ?", [batch])
    for (const table of tables) db.run(`DELETE FROM ${table} WHERE row = ?`, [row])
    db.run(`DELETE FROM acknowledged WHERE place = ? AND digest = ? AND what IN (${codes})`, [place, keyDigest])
  }
}
