import { Effect } from "effect"
import type { Settlement } from "../domain/run.ts"
import { fateCode, stateCode, verdictCode } from "./codes.ts"
import type { Database } from "./database.ts"
import { sameDestination } from "./knownSubmissions.ts"
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
    "INSERT INTO settlement (place, at, by, because, file, sha256, exported) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [
      place,
      store.clock.unsafeCurrentTimeMillis(),
      by,
      because ?? null,
      file?.name ?? null,
      file?.sha256 ?? null,
      file === undefined ? null : Date.parse(file.exportedAt),
    ],
  ).id
  for (const { keyDigest, outcome, reason } of rows) {
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
    db.run("INSERT INTO settled (settlement, row, batch, landed, submission, reason) VALUES (?, ?, ?, ?, ?, ?)", [
      settlement,
      row,
      batch,
      outcome._tag === "Landed" ? 1 : 0,
      outcome._tag === "Landed" ? outcome.submissionId ?? null : null,
      reason,
    ])
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
  exported: number | null,
  landed: number,
  notLanded: number,
]

/** How rows in doubt of a place were settled, the newest first. */
export const settlements = (db: Database, place: number, limit: number): ReadonlyArray<Settlement> =>
  db.all<SettlementColumns>(
    `SELECT t.at, t.by, t.because, t.file, t.sha256, t.exported, coalesce(sum(s.landed), 0), coalesce(sum(1 - s.landed), 0)
     FROM settlement t JOIN settled s ON s.settlement = t.id WHERE t.place = ? GROUP BY t.id ORDER BY t.id DESC LIMIT ?`,
    [place, limit],
  ).map(([at, by, because, file, sha256, exported, landed, notLanded]) => ({
    at: isoOf(at),
    by,
    because: because ?? undefined,
    file: file === null ? undefined : { name: file, sha256: sha256 ?? "", exportedAt: isoOf(exported ?? 0) },
    landed,
    notLanded,
  }))

/** A page of the ids of all submissions that stand at the place's destination, replaced and forgotten ones among them: these a person may have removed, so no export has to hold them. */
export const submissionIds = (
  db: Database,
  place: number,
  page: { readonly after: number; readonly limit: number },
): ReadonlyArray<{ readonly at: number; readonly id: string; readonly own: boolean }> =>
  db.all<readonly [number, string, number]>(
    `WITH ${sameDestination}
     SELECT at, submission, own FROM (SELECT * FROM (
       SELECT r.id * 3 AS at, r.submission, r.place = ?1 AS own FROM row r NOT INDEXED
       WHERE r.id > ?2 / 3 AND r.submission IS NOT NULL AND +r.place IN here ORDER BY r.id LIMIT ?3)
     UNION ALL SELECT * FROM (
       SELECT p.id * 3 + 1 AS at, p.submission, 0 AS own FROM replaced p JOIN row r ON r.id = p.row
       WHERE p.id > (?2 - 1) / 3 AND r.place IN here ORDER BY p.id LIMIT ?3)
     UNION ALL SELECT * FROM (
       SELECT f.id * 3 + 2 AS at, f.submission, 0 AS own FROM forgotten f WHERE f.id > (?2 - 2) / 3 AND f.place IN here ORDER BY f.id LIMIT ?3))
     ORDER BY at LIMIT ?3`,
    [place, page.after, page.limit],
  ).map(([at, id, own]) => ({ at, id, own: own === 1 }))

/** Ids that answered a batch of the place and belong to no row. */
export const looseIds = (db: Database, place: number): ReadonlyArray<string> =>
  db.all<readonly [string]>("SELECT loose FROM batch WHERE place = ? AND loose IS NOT NULL ORDER BY id", [place])
    .flatMap(([loose]) => JSON.parse(loose) as ReadonlyArray<string>)
