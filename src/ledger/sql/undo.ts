import * as Effect from "effect/Effect"
import { differingCode, editedCode, goneCode, missingCode, stateCode } from "../codes.ts"
import { all, insert, Refusal, run, type Sql, write } from "./statement.ts"

/** Whether a person undid the run that batch `b` belongs to while rows of it were in doubt, as part of a SELECT. */
export const ofUndoneRun = `EXISTS (SELECT 1 FROM fact f JOIN run u ON u.id = b.run
  WHERE f.place = b.place AND f.name = 'undone' AND u.name IN (SELECT value FROM json_each(f.value)))`

/**
 * Whether a row was in doubt after a batch, and an export, a list or a person showed that its submission had landed, as part of a SELECT.
 *
 * @param row the row's id and the batch, as expressions
 */
export const wasFound = (row: string, batch: string): string =>
  `EXISTS (SELECT 1 FROM settled s WHERE s.row = ${row} AND s.batch = ${batch} AND s.landed = 1)`

/** Tables with facts about submissions that exist in the form. */
const tables = ["detail", "verified", "refusedAgain", "drift", "vanished"] as const

/** What a person may have acknowledged about a submission. If the row is sent again, its new submission must be reviewed again. */
const codes = [differingCode, missingCode, editedCode, goneCode].join(", ")

/** Whether a submission was one that an undone row had replaced. Then only its id remains. */
function* forgetReplaced(place: number, keyDigest: Buffer, submissionId: string): Sql<boolean> {
  const changes = yield* run(
    `DELETE FROM replaced WHERE submission = ?3 AND at IS NOT NULL
       AND row = (SELECT id FROM row WHERE place = ?1 AND digest = ?2 AND state = ${stateCode.undone})`,
    [place, keyDigest, submissionId],
  )
  if (changes > 0) yield* insert("forgotten", { place, submission: submissionId })
  return changes > 0
}

export const removeImported = (batch: number): Sql<void> =>
  write("UPDATE batch SET imported = CASE WHEN imported > 0 THEN imported - 1 ELSE 0 END WHERE id = ?", [batch])

/**
 * Records, inside a transaction, that submissions were deleted. A row that was imported with its submission is then undone, and keeps the digests
 * of its key and content, and the submission's id. Of a submission that an undone row had replaced, only the id remains. Throws without recording anything if a submission is
 * neither.
 */
export function* undo(
  place: number,
  rows: ReadonlyArray<{ readonly keyDigest: Buffer; readonly submissionId: string }>,
): Sql<void> {
  for (const { keyDigest, submissionId } of rows) {
    const [found] = yield* all<readonly [number, number]>(
      `UPDATE row SET state = ${stateCode.undone}, verdict = NULL
       WHERE place = ? AND digest = ? AND submission = ? AND state = ${stateCode.imported} RETURNING id, batch`,
      [place, keyDigest, submissionId],
    )
    if (found === undefined) {
      if (yield* forgetReplaced(place, keyDigest, submissionId)) continue
      throw new Refusal(Effect.dieMessage("A submission was deleted, but its row was not imported with it."))
    }
    const [row, batch] = found
    yield* removeImported(batch)
    for (const table of tables) yield* write(`DELETE FROM ${table} WHERE row = ?`, [row])
    yield* write(`DELETE FROM acknowledged WHERE place = ? AND digest = ? AND what IN (${codes})`, [place, keyDigest])
  }
}
