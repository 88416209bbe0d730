import { Effect } from "effect"
import { packAnswers } from "./answersCode.ts"
import { stateCode, verdictCode } from "./codes.ts"
import type { Param } from "./database.ts"
import type { ReadBack } from "./records.ts"
import type { Store } from "./Store.ts"
import { inTens } from "./tens.ts"
import { Refusal } from "./Writer.ts"

/** Records verdicts inside a transaction. The content of a verified row is deleted; the digests of its answers stay. */
export const recordReadBack = (store: Store, place: number, rows: ReadonlyArray<ReadBack>): void => {
  const { db, texts } = store
  for (const verdict of ["verified", "differing", "missing"] as const) {
    for (const [some, values] of inTens(rows.filter((row) => row.verdict === verdict))) {
      const { changes } = db.run(
        `UPDATE row SET verdict = ? WHERE place = ? AND digest IN (${values("?")}) AND state = ${stateCode.imported}`,
        [verdictCode[verdict], place, ...some.map((row) => row.keyDigest)],
      )
      if (changes !== some.length) {
        throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
      }
      // A submission that is missing brings no answers, and takes nothing away from what is known of them.
      const packed = some.flatMap(({ keyDigest, answers }): ReadonlyArray<Param> => [
        keyDigest,
        answers.size === 0 ? null : packAnswers(answers, texts),
      ])
      db.run(
        `UPDATE detail SET ${
          verdict === "verified" ? "item = NULL, cells = NULL, " : ""
        }answers = coalesce(v.column2, answers)
         FROM (VALUES ${
          values("(?, ?)")
        }) v WHERE detail.row = (SELECT id FROM row WHERE place = ? AND digest = v.column1)`,
        [...packed, place],
      )
    }
  }
}
