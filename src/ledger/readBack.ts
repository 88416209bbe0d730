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
    const row = db.get<readonly [number, number]>("SELECT id, state FROM row WHERE place = ? AND digest = ?", [
      place,
      keyDigest,
    ])
    if (row === undefined || row[1] !== stateCode.imported) {
      throw new Refusal(Effect.dieMessage("A verdict was to be recorded for a row that was not imported."))
    }
    db.run("UPDATE row SET verdict = ? WHERE id = ?", [verdictCode[verdict], row[0]])
    // A submission that is missing brings no answers, and takes nothing away from what is known of them.
    const packed = Object.keys(answers).length === 0 ? null : packAnswers(answers, store.texts)
    db.run(
      verdict === "verified"
        ? "UPDATE detail SET item = NULL, cells = NULL, answers = coalesce(?, answers) WHERE row = ?"
        : "UPDATE detail SET answers = coalesce(?, answers) WHERE row = ?",
      [packed, row[0]],
    )
  }
}
