import { Effect } from "effect"
import { packAnswers } from "./answersCode.ts"
import { stateCode, verdictCode } from "./codes.ts"
import type { Param } from "./database.ts"
import type { ReadBack } from "./records.ts"
import type { Store } from "./Store.ts"
import { inTens } from "./tens.ts"
import { Refusal } from "./Writer.ts"

/**
 * Records verdicts inside a transaction. The content of a verified row is deleted, and the digests of its answers go to a table of their own: pages that were full of content are free again for that of the
 * next rows.
 */
export const recordReadBack = (store: Store, place: number, rows: ReadonlyArray<ReadBack>): void => {
  const { db, texts } = store
  for (const verdict of ["verified", "differing", "missing"] as const) {
    for (const [some, values] of inTens(rows.filter((row) => row.verdict === verdict))) {
      const keys = some.map((row) => row.keyDigest)
      const { changes } = db.run(
        `UPDATE row SET verdict = ? WHERE place = ? AND digest IN (${values("?")}) AND state = ${stateCode.imported}`,
        [verdictCode[verdict], place, ...keys],
      )
      if (changes !== some.length) {
        throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
      }
      // A submission that is missing brings no answers, and takes nothing away from what is known of them.
      const packed = some.flatMap(({ keyDigest, answers }): ReadonlyArray<Param> => [
        keyDigest,
        answers.size === 0 ? null : packAnswers(answers, texts),
      ])
      const isVerified = verdict === "verified"
      db.run(
        `INSERT INTO ${isVerified ? "verified" : "detail"} (row, answers)
         SELECT r.id, ${isVerified ? "coalesce(v.column2, (SELECT answers FROM detail WHERE row = r.id))" : "v.column2"}
         FROM (VALUES ${values("(?, ?)")}) v JOIN row r ON r.place = ? AND r.digest = v.column1 WHERE true
         ON CONFLICT (row) DO UPDATE SET answers = coalesce(excluded.answers, answers)`,
        [...packed, place],
      )
      if (isVerified) {
        db.run(
          `DELETE FROM detail WHERE row IN (SELECT id FROM row WHERE place = ? AND digest IN (${values("?")}))`,
          [place, ...keys],
        )
      }
    }
  }
}
