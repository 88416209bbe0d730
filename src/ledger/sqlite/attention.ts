import { differingCode, fateCode, missingCode, rejectedCodes, stateCode, verdictCode } from "../codes.ts"
import type { AttentionRow } from "../facts.ts"
import type { Param } from "../sql/statement.ts"
import type { Database } from "./database.ts"
import type { Store } from "./Store.ts"
import { driftedAs, drifting } from "./verdicts.ts"

const keyless = Buffer.alloc(0)

/** Records, inside a transaction, that this run saw these rows with these fates. */
export const recordAttention = (db: Database, place: number, run: number, rows: ReadonlyArray<AttentionRow>): void => {
  db.run("UPDATE place SET latest = ? WHERE id = ?", [run, place])
  for (const row of rows) {
    db.run("INSERT OR REPLACE INTO attention (place, digest, content, what, row, seen) VALUES (?, ?, ?, ?, ?, ?)", [
      place,
      row.keyDigest ?? keyless,
      row.content,
      fateCode(row.fate),
      row.row,
      run,
    ])
  }
}

/** Returns the rejections of earlier runs under a key, or at a row number if the row has no key, newest first. */
export const rejectedRows = (
  db: Database,
  place: number,
  row: { readonly keyDigest: Buffer } | { readonly row: number },
): ReadonlyArray<{ readonly keyDigest: Buffer | undefined; readonly content: Buffer }> => {
  const keyed = "keyDigest" in row
  const found = db.all<readonly [Buffer]>(
    `SELECT content FROM attention WHERE place = ? AND ${keyed ? "digest = ?" : "row = ? AND length(digest) = 0"}
     AND what IN (${rejectedCodes.join(", ")}) ORDER BY seen DESC`,
    [place, keyed ? row.keyDigest : row.row],
  )
  return found.map(([content]) => ({ keyDigest: keyed ? row.keyDigest : undefined, content }))
}

/**
 * Returns whether each row with this fate and content is new, was seen or was acknowledged. A row in doubt is compared by its key alone, because the
 * doubt is about what was sent, not about what the source contains now.
 */
export const attended = (
  db: Database,
  place: number,
  rows: ReadonlyArray<Pick<AttentionRow, "keyDigest" | "content" | "fate">>,
): ReadonlyArray<"new" | "seen" | "acknowledged"> =>
  rows.map(({ keyDigest, content, fate }) => {
    const params = [place, keyDigest ?? keyless, content, fateCode(fate)]
    const acknowledged = fate === "inDoubt"
      ? db.get(
        `SELECT 1 FROM acknowledged a JOIN row r ON r.place = a.place AND r.digest = a.digest AND r.content = a.content
         WHERE a.place = ? AND a.digest = ? AND a.what = ? LIMIT 1`,
        [place, keyDigest ?? keyless, fateCode(fate)],
      )
      : db.get("SELECT 1 FROM acknowledged WHERE place = ? AND digest = ? AND content = ? AND what = ?", params)
    if (acknowledged !== undefined) return "acknowledged"
    const seen = db.get("SELECT 1 FROM attention WHERE place = ? AND digest = ? AND content = ? AND what = ?", params)
    return seen === undefined ? "new" : "seen"
  })

/** A person's decision about rows that need review. */
export interface Acknowledgement {
  readonly keys: ReadonlyArray<string> | "all"
  readonly because: string
  readonly by: string
  readonly leaveOut: boolean
}

const met = "FROM attention t WHERE t.place = ?"

/** Rows of the ledger that need review. */
const standing = `FROM row t WHERE t.place = ? AND
  (t.state = ${stateCode.inDoubt} OR (t.state = ${stateCode.imported} AND t.verdict IN (${verdictCode.differing}, ${verdictCode.missing})))`

const standingCode = `CASE WHEN t.state = ${stateCode.inDoubt} THEN ${fateCode("inDoubt")}
  WHEN t.verdict = ${verdictCode.differing} THEN ${differingCode} ELSE ${missingCode} END`

/**
 * Records an acknowledgement inside a transaction, bound to each row's present content and fate. `all` means everything that needs review now: what
 * the last run that read the source found, and rows in doubt, differing, missing, or edited or deleted after they were verified.
 */
export const acknowledge = (
  store: Store,
  place: number,
  what: Acknowledgement,
): { readonly acknowledged: number; readonly unknown: ReadonlyArray<string> } => {
  const { db } = store
  const at = store.clock.unsafeCurrentTimeMillis()
  const digests = what.keys === "all" ? [] : what.keys.map((key) => store.digest.key(key))
  const latest = what.keys === "all" ? " AND t.seen = (SELECT latest FROM place WHERE id = t.place)" : ""
  const sources: ReadonlyArray<readonly [from: string, code: string, content: string]> = [
    [met + latest, "t.what", "t.content"],
    [standing, standingCode, "t.content"],
    [drifting, driftedAs, "d.seen"],
  ]
  const named = what.keys === "all"
    ? ""
    : " AND t.digest IN (SELECT unhex(value) FROM json_each(?))"
  const names: Array<Param> = what.keys === "all"
    ? []
    : [JSON.stringify(digests.map((digest) => digest.toString("hex")))]
  // Rows that a person names count even if they were acknowledged before. With `all`, only rows that no person had acknowledged count.
  const conflict = what.keys === "all"
    ? "ON CONFLICT DO NOTHING"
    : "ON CONFLICT DO UPDATE SET at = excluded.at, by = excluded.by, because = excluded.because"
  let acknowledged = 0
  for (const [from, code, content] of sources) {
    // A row that was imported and verified stays imported, even if it was edited later.
    if (what.leaveOut && from !== drifting) {
      db.run(
        `INSERT INTO leftOut (place, keyed, digest, at, by, because)
         SELECT DISTINCT t.place, length(t.digest) > 0, CASE WHEN length(t.digest) > 0 THEN t.digest ELSE t.content END, ?, ?, ? ${from}${named}
         ON CONFLICT DO NOTHING`,
        [at, what.by, what.because, place, ...names],
      )
    }
    acknowledged += db.run(
      `INSERT INTO acknowledged (place, digest, content, what, at, by, because)
       SELECT t.place, t.digest, ${content}, ${code}, ?, ?, ? ${from}${named} ${conflict}`,
      [at, what.by, what.because, place, ...names],
    ).changes
  }
  return {
    acknowledged,
    unknown: what.keys === "all" ? [] : what.keys.filter((_, index) => !isKnown(db, place, digests[index])),
  }
}

const isKnown = (db: Database, place: number, digest: Buffer | undefined): boolean =>
  digest !== undefined
  && db.get(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM attention WHERE place = ?1 AND digest = ?2) OR EXISTS (SELECT 1 FROM row WHERE place = ?1 AND digest = ?2)`,
      [place, digest],
    ) !== undefined
