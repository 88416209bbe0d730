import * as Effect from "effect/Effect"
import { differingCode, editedCode, goneCode, missingCode, stateCode } from "../codes.ts"
import type { Database } from "./database.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

/** Whether a person undid the run that batch `b` belongs to while rows of it were in doubt, as part of a SELECT. */
export const ofUndoneRun = `EXISTS (SELECT 1 FROM fact f, json_each(f.value) undone
  WHERE f.place = b.place AND f.name = 'undone' AND undone.value = (SELECT name FROM run WHERE id = b.run))`

/** Tables with facts about submissions that exist in the form. */
const tables = ["detail", "verified", "refusedAgain", "drift", "vanished"] as const

/** What a person may have acknowledged about a submission. If the row is sent again, its new submission must be reviewed again. */
const codes = [differingCode, missingCode, editedCode, goneCode].join(", ")

/** Whether a submission was one that an undone row had replaced. Then only its id remains. */
const forgetReplaced = (db: Database, place: number, keyDigest: Buffer, submissionId: string): boolean => {
  const { changes } = db.run(
    `DELETE FROM replaced WHERE submission = ?3 AND at IS NOT NULL
       AND row = (SELECT id FROM row WHERE place = ?1 AND digest = ?2 AND state = ${stateCode.undone})`,
    [place, keyDigest, submissionId],
  )
  if (changes > 0) db.run("INSERT INTO forgotten (place, submission) VALUES (?, ?)", [place, submissionId])
  return changes > 0
}

/**
 * Records, inside a transaction, that submissions were deleted. A row that was imported with its submission is then undone, and keeps the digests
 * of its key and content, and the submission's id. Of a submission that an undone row had replaced, only the id remains. Throws without recording anything if a submission is
 * neither.
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
      if (forgetReplaced(db, place, keyDigest, submissionId)) continue
      throw new Refusal(Effect.dieMessage("A submission was deleted, but its row was not imported with it."))
    }
    const [row, batch] = found
    db.run("UPDATE batch SET imported = max(0, imported - 1) WHERE id = ?", [batch])
    for (const table of tables) db.run(`DELETE FROM ${table} WHERE row = ?`, [row])
    db.run(`DELETE FROM acknowledged WHERE place = ? AND digest = ? AND what IN (${codes})`, [place, keyDigest])
  }
}
