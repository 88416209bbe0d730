import { differingCode, fateCode, missingCode, stateCode, stateOf, verdictOf } from "./codes.ts"
import type { Database } from "./database.ts"
import type { LedgerMarks, Standing, Unverified } from "./records.ts"

/** What is not proven, found by the indexes that hold nothing else. */
export const unverified = (db: Database, place: number): Unverified => {
  const verdicts = { differing: 0, missing: 0, unread: 0 }
  const counts = db.all<readonly [number, number]>(
    `SELECT verdict, count(*) FROM row INDEXED BY row_unverified WHERE place = ? AND verdict > 0 AND state = ${stateCode.imported} GROUP BY verdict`,
    [place],
  )
  for (const [code, count] of counts) {
    const verdict = verdictOf(code)
    if (verdict !== "verified") verdicts[verdict] = count
  }
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    inDoubt: count(`SELECT count(*) FROM row INDEXED BY row_doubt WHERE place = ? AND state = ${stateCode.inDoubt}`)
      // An open intent is as good as in doubt to whoever only reads.
      + count(
        `SELECT count(*) FROM batch b INDEXED BY batch_open CROSS JOIN row r INDEXED BY row_batch ON r.batch = b.id AND r.state = ${stateCode.intended}
         WHERE b.place = ? AND b.open = 1`,
      ),
    verdicts,
    acknowledged: acknowledgedOf(db, place),
  }
}

/** Counts over all rows of a place. */
export const standing = (db: Database, place: number): Standing => {
  const states = { intended: 0, inDoubt: 0, imported: 0, refused: 0, notCreated: 0 }
  const verdicts = { verified: 0, differing: 0, missing: 0, unread: 0 }
  const counts = db.all<readonly [number, number | null, number]>(
    "SELECT state, verdict, count(*) FROM row NOT INDEXED WHERE place = ? GROUP BY state, verdict",
    [place],
  )
  for (const [state, verdict, count] of counts) {
    const name = stateOf(state)
    states[name] += count
    if (name === "imported" && verdict !== null) verdicts[verdictOf(verdict)] += count
  }
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    imported: states.imported,
    // An open intent is as good as in doubt to whoever only reads.
    inDoubt: states.inDoubt + states.intended,
    intended: states.intended,
    refused: states.refused,
    leftOut: count("SELECT count(*) FROM leftOut WHERE place = ?"),
    replaced: count(
      "SELECT count(*) FROM replaced p JOIN row r ON r.id = p.row WHERE r.place = ? AND p.at IS NOT NULL",
    ),
    verdicts,
    acknowledged: acknowledgedOf(db, place),
  }
}

const acknowledgedOf = (db: Database, place: number): Standing["acknowledged"] => {
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  const acknowledged = (rows: string, what: number): number =>
    count(
      `SELECT count(*) FROM row r WHERE r.place = ? AND ${rows} AND EXISTS
        (SELECT 1 FROM acknowledged a WHERE a.place = r.place AND a.digest = r.digest AND a.content = r.content AND a.what = ${what})`,
    )
  return {
    inDoubt: acknowledged("r.state = 1", fateCode("inDoubt")),
    differing: acknowledged("r.state = 2 AND r.verdict = 2 AND r.verdict > 0", differingCode),
    missing: acknowledged("r.state = 2 AND r.verdict = 3 AND r.verdict > 0", missingCode),
    unread: count(
      "SELECT count(*) FROM row r WHERE r.place = ? AND r.state = 2 AND r.verdict = 1 AND r.verdict > 0 AND r.submission IS NULL",
    ),
  }
}

/** What tells whether anything happened in the ledger since a run. */
export const marks = (db: Database, place: number): LedgerMarks => {
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    leftOut: count("SELECT count(*) FROM leftOut WHERE place = ?"),
    settlements: count("SELECT count(*) FROM settlement WHERE place = ?"),
    inDoubt: count(`SELECT count(*) FROM row INDEXED BY row_doubt WHERE place = ? AND state = ${stateCode.inDoubt}`)
      + count("SELECT count(*) FROM batch INDEXED BY batch_open WHERE place = ? AND open = 1"),
  }
}

/** Rows that need a person, as the last run that read the source met them. */
export const attentionOf = (db: Database, place: number): { readonly rows: number; readonly acknowledged: number } => {
  const found = db.get<readonly [number, number | null]>(
    `SELECT count(*), sum(EXISTS (SELECT 1 FROM acknowledged a
       WHERE a.place = t.place AND a.digest = t.digest AND a.content = t.content AND a.what = t.what))
     FROM attention t WHERE t.place = ?1 AND t.seen = (SELECT latest FROM place WHERE id = ?1)`,
    [place],
  )
  return { rows: found?.[0] ?? 0, acknowledged: found?.[1] ?? 0 }
}

/** Imported rows whose mapping was another one. */
export const importedUnderOther = (db: Database, place: number, mapping: string): number =>
  db.get<readonly [number | null]>(
    `SELECT sum(imported) FROM batch WHERE place = ?1 AND mapping NOT IN (SELECT id FROM text WHERE text = ?2)`,
    [place, mapping],
  )?.[0] ?? 0

/** Whether anything was ever sent from there. */
export const isNew = (db: Database, place: number): boolean =>
  db.get("SELECT 1 FROM batch WHERE place = ? LIMIT 1", [place]) === undefined
