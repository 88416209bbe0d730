import type { VerdictCounts } from "../domain/fate.ts"
import { editedCode, goneCode, stateCode, verdictCode, verdictOf } from "./codes.ts"
import type { Database } from "./database.ts"
import type { Drift, Drifted, Reconciliation, SeenAgain } from "./records.ts"
import { isoOf } from "./Store.ts"

const driftCode: { readonly [D in Drifted]: number } = { edited: 0, gone: 1 }

export const driftedOf = (code: number | null): Drifted | undefined =>
  code === null ? undefined : code === driftCode.gone ? "gone" : "edited"

/** Drift is about verified submissions only: of others it is known what was sent. */
export const drifting = `FROM drift d JOIN row t ON t.id = d.row WHERE t.place = ?
  AND t.state = ${stateCode.imported} AND t.verdict = ${verdictCode.verified}`

/** As what a drifted row is acknowledged. */
export const driftedAs = `CASE d.standing WHEN ${driftCode.gone} THEN ${goneCode} ELSE ${editedCode} END`

/** Records, inside a transaction, what became of verified submissions. */
export const recordSeenAgain = (
  db: Database,
  place: number,
  run: number,
  rows: ReadonlyArray<SeenAgain>,
): void => {
  for (const { keyDigest, seen, standing } of rows) {
    if (standing === "unchanged") {
      db.run("DELETE FROM drift WHERE row = (SELECT id FROM row WHERE place = ? AND digest = ?)", [place, keyDigest])
    } else {
      db.run(
        `INSERT OR REPLACE INTO drift (row, standing, seen, run)
         SELECT id, ?, ?, ? FROM row WHERE place = ? AND digest = ? AND state = ${stateCode.imported}`,
        [driftCode[standing], seen, run, place, keyDigest],
      )
    }
  }
}

/** Counts over a place. */
export const drift = (db: Database, place: number): Drift => {
  const found = { edited: 0, gone: 0 }
  const acknowledged = { edited: 0, gone: 0 }
  const counts = db.all<readonly [number, number, number]>(
    `SELECT d.standing, count(*), sum(EXISTS (
       SELECT 1 FROM acknowledged a WHERE a.place = t.place AND a.digest = t.digest AND a.content = d.seen AND a.what = ${driftedAs}
     )) ${drifting} GROUP BY d.standing`,
    [place],
  )
  for (const [code, count, seen] of counts) {
    const what = driftedOf(code) ?? "edited"
    found[what] += count
    acknowledged[what] += seen
  }
  return { ...found, acknowledged }
}

/** Inside a transaction: the reconciliation has read all rows up to this one, or is through. The run that began it stays. */
export const recordReconciled = (
  db: Database,
  place: number,
  run: number,
  upTo: Buffer | "through",
  now: number,
): void => {
  if (upTo === "through") db.run("DELETE FROM reconciliation WHERE place = ?", [place])
  else {
    db.run(
      `INSERT INTO reconciliation (place, run, after, at) SELECT ?1, ?2, id, ?3 FROM row WHERE place = ?1 AND digest = ?4
       ON CONFLICT DO UPDATE SET after = excluded.after, at = excluded.at`,
      [place, run, now, upTo],
    )
  }
}

export const reconciliation = (db: Database, place: number): Reconciliation | undefined => {
  const found = db.get<readonly [string, number, number, Buffer]>(
    `SELECT u.name, c.at, c.after, r.digest FROM reconciliation c JOIN run u ON u.id = c.run JOIN row r ON r.id = c.after
     WHERE c.place = ?`,
    [place],
  )
  if (found === undefined) return undefined
  const [run, at, last, after] = found
  return { run, at: isoOf(at), after, readBack: countsUpTo(db, place, last) }
}

const countsUpTo = (db: Database, place: number, last: number): VerdictCounts => {
  const counts = { verified: 0, differing: 0, missing: 0, unread: 0 }
  const rows = db.all<readonly [number, number | null, number]>(
    `SELECT r.verdict, d.standing, count(*) FROM row r NOT INDEXED LEFT JOIN drift d ON d.row = r.id
     WHERE r.place = ? AND r.state = ${stateCode.imported} AND r.id <= ? GROUP BY r.verdict, d.standing`,
    [place, last],
  )
  for (const [code, standing, count] of rows) {
    const verdict = verdictOf(code)
    const drifted = verdict === "verified" ? driftedOf(standing) : undefined
    counts[drifted === undefined ? verdict : drifted === "gone" ? "missing" : "differing"] += count
  }
  return counts
}
