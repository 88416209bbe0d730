import { Effect } from "effect"
import { packAnswers } from "./answersCode.ts"
import { stateCode, verdictCode } from "./codes.ts"
import type { ReadBack } from "./Ledger.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

/** Records verdicts inside a transaction. The content of a verified row is deleted; the digests of its answers stay. */
export const recordReadBack = (store: Store, place: number, rows: ReadonlyArray<ReadBack>): void => {
  const { db } = store
  for (const { keyDigest, verdict, answers } of rows) {
    // No look-up first: reading a row over to JavaScript costs more than finding it twice.
    const { changes } = db.run(
      `UPDATE row SET verdict = ? WHERE place = ? AND digest = ? AND state = ${stateCode.imported}`,
      [verdictCode[verdict], place, keyDigest],
    )
    if (changes !== 1) {
      throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
    }
    // A submission that is missing brings no answers, and takes nothing away from what is known of them.
    const packed = Object.keys(answers).length === 0 ? null : packAnswers(answers, store.texts)
    db.run(
      `UPDATE detail SET ${verdict === "verified" ? "item = NULL, cells = NULL, " : ""}answers = coalesce(?, answers)
       WHERE row = (SELECT id FROM row WHERE place = ? AND digest = ?)`,
      [packed, place, keyDigest],
    )
  }
}
