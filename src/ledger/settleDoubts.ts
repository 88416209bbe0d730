import { Effect } from "effect"
import type { Settlement } from "../domain/report.ts"
import { fateCode, stateCode, verdictCode } from "./codes.ts"
import type { Database } from "./database.ts"
import type { SettledRow } from "./records.ts"
import { completeReplacement, openOfRow, undoReplacement } from "./replace.ts"
import { isoOf } from "./Store.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

/** What settles rows in doubt, and who says so. */
export interface Settling {
  readonly rows: ReadonlyArray<SettledRow>
  readonly by: string
  readonly because: string | undefined
  readonly file: Settlement["file"]
}

/**
 * Records, inside a transaction, what rows in doubt turned out to be: landed ones are imported and unread, the others were not created. A row that is not in doubt is a fault of the
 * caller's: nothing is recorded.
 */
export const settleDoubts = (store: Store, place: number, { because, by, file, rows }: Settling): void => {
  if (rows.length === 0) return
  const { db } = store
  const settlement = db.run(
    "INSERT INTO settlement (place, at, by, because, file, sha256, complete) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [
      place,
      store.clock.unsafeCurrentTimeMillis(),
      by,
      because ?? null,
      file?.name ?? null,
      file?.sha256 ?? null,
      file?.isComplete === true ? 1 : 0,
    ],
  ).id
  for (const { keyDigest, outcome, proof, reason } of rows) {
    const found = db.get<readonly [number, number]>(
      `SELECT r.id, d.batch FROM row r JOIN doubt d ON d.row = r.id WHERE r.place = ? AND r.digest = ? AND r.state = ${stateCode.inDoubt}`,
      [place, keyDigest],
    )
    if (found === undefined) {
      throw new Refusal(Effect.dieMessage("A row was to be settled that is not in doubt."))
    }
    const [row, batch] = found
    const replacement = openOfRow(db, row)
    if (outcome._tag === "Landed") {
      land(db, row, batch, outcome.submissionId)
      if (replacement !== undefined) completeReplacement(store, replacement)
    } else if (replacement !== undefined) undoReplacement(db, replacement)
    else {
      db.run("UPDATE row SET state = ?, resent = 0 WHERE id = ?", [stateCode.notCreated, row])
      db.run("DELETE FROM detail WHERE row = ?", [row])
    }
    db.run("DELETE FROM doubt WHERE row = ?", [row])
    // A person has seen this doubt. Another one, should it come to that, is a new one.
    db.run("DELETE FROM acknowledged WHERE place = ? AND digest = ? AND what = ?", [
      place,
      keyDigest,
      fateCode("inDoubt"),
    ])
    db.run(
      "INSERT INTO settled (settlement, row, batch, landed, submission, reason, proof) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        settlement,
        row,
        batch,
        outcome._tag === "Landed" ? 1 : 0,
        outcome._tag === "Landed" ? outcome.submissionId ?? null : null,
        reason,
        proof,
      ],
    )
  }
}

const land = (db: Database, row: number, batch: number, submissionId: string | undefined): void => {
  db.run("UPDATE row SET state = ?, verdict = ?, submission = ? WHERE id = ?", [
    stateCode.imported,
    verdictCode.unread,
    submissionId ?? null,
    row,
  ])
  db.run("UPDATE batch SET imported = imported + 1 WHERE id = ?", [batch])
}

type SettlementColumns = readonly [
  at: number,
  by: string,
  because: string | null,
  file: string | null,
  sha256: string | null,
  complete: number,
  landed: number,
  notLanded: number,
]

/** How rows in doubt of a place were settled, the newest first. */
export const settlements = (db: Database, place: number, limit: number): ReadonlyArray<Settlement> =>
  db.all<SettlementColumns>(
    `SELECT t.at, t.by, t.because, t.file, t.sha256, t.complete, coalesce(sum(s.landed), 0), coalesce(sum(1 - s.landed), 0)
     FROM settlement t JOIN settled s ON s.settlement = t.id WHERE t.place = ? GROUP BY t.id ORDER BY t.id DESC LIMIT ?`,
    [place, limit],
  ).map(([at, by, because, file, sha256, complete, landed, notLanded]) => ({
    at: isoOf(at),
    by,
    because: because ?? undefined,
    file: file === null ? undefined : { name: file, sha256: sha256 ?? "", isComplete: complete === 1 },
    landed,
    notLanded,
  }))

/** Ids that answered a batch of the place and belong to no row. */
export const looseIds = (db: Database, place: number): ReadonlyArray<string> =>
  db.all<readonly [string]>("SELECT loose FROM batch WHERE place = ? AND loose IS NOT NULL ORDER BY id", [place])
    .flatMap(([loose]) => JSON.parse(loose) as ReadonlyArray<string>)
