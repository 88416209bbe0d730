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
      const found = db.all<readonly [number, Buffer]>(
        `UPDATE row SET verdict = ? WHERE place = ? AND digest IN (${
          values("?")
        }) AND state = ${stateCode.imported} RETURNING id, digest`,
        [verdictCode[verdict], place, ...some.map((row) => row.keyDigest)],
      )
      if (found.length !== some.length) {
        throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
      }
      const ids = new Map(found.map(([id, digest]) => [digest.toString("latin1"), id]))
      const idOf = ({ keyDigest }: ReadBack) => ids.get(keyDigest.toString("latin1")) ?? 0
      const isVerified = verdict === "verified"
      // A submission that is missing brings no answers, and takes nothing away from what is known of them.
      db.run(
        `INSERT INTO ${isVerified ? "verified" : "detail"} (row, answers) VALUES ${values("(?, ?)")}
         ON CONFLICT (row) DO UPDATE SET answers = coalesce(excluded.answers, answers)`,
        some.flatMap((row): ReadonlyArray<Param> => [
          idOf(row),
          row.answers.size === 0 ? null : packAnswers(row.answers, texts),
        ]),
      )
      if (isVerified) db.run(`DELETE FROM detail WHERE row IN (${values("?")})`, some.map(idOf))
    }
  }
}
