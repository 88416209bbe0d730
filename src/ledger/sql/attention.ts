import { fateCode, isTaken, stateCode, verdictCode } from "../codes.ts"
import type { AttentionRow } from "../facts.ts"
import type { Acknowledged, LedgerSession } from "../Ledger.ts"
import { all, each, numberIn, run, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { digestOf, inList, listOf } from "./superseded.ts"
import { driftedAs, drifting, reviewedAs } from "./verdicts.ts"

/** The columns that the content of a rejected row covers (place ?1, digest ?2, content ?3), if a run has recorded the row. */
export const columnsOf = "(SELECT columns FROM attention WHERE place = ?1 AND digest = ?2 AND content = ?3 LIMIT 1)"

/** Records, inside a transaction, that this run saw these rows with these fates. */
export function* recordAttention(
  store: Store,
  { place, run }: { readonly place: number; readonly run: number },
  rows: ReadonlyArray<AttentionRow>,
): Sql<void> {
  yield* write("UPDATE place SET latest = ? WHERE id = ?", [run, place])
  for (const row of rows) {
    yield* write(
      `INSERT INTO attention (place, digest, content, columns, what, row, seen, key) VALUES (?1, ?2, ?3, coalesce(${columnsOf}, CAST(?4 AS BIGINT)), ?5, ?6, ?7, ?8)
       ON CONFLICT (place, digest, content, what) DO UPDATE SET row = excluded.row, seen = excluded.seen`,
      [
        place,
        digestOf(store, row),
        row.content,
        yield* store.texts.idOfList(row.columns),
        fateCode[row.fate],
        row.row,
        run,
        row.key ?? null,
      ],
    )
  }
}

/**
 * Returns whether each row with this fate and content is new, was seen or was acknowledged. A row in doubt is acknowledged with the content that was
 * sent, because the doubt is about that, not about what the source contains now.
 */
export function* attended(
  store: Store,
  place: number,
  rows: ReadonlyArray<Pick<AttentionRow, "key" | "content" | "fate">>,
): Sql<ReadonlyArray<"new" | "seen" | "acknowledged">> {
  const states = yield* each<readonly [number]>(
    `SELECT CASE
       WHEN EXISTS (
         SELECT 1 FROM acknowledged WHERE place = ?1 AND digest = ?2 AND what = ?4 AND content = CASE
           WHEN ?4 = ${fateCode.inDoubt} THEN (SELECT content FROM row WHERE place = ?1 AND digest = ?2) ELSE ?3 END
       ) THEN 2
       WHEN EXISTS (SELECT 1 FROM attention WHERE place = ?1 AND digest = ?2 AND what = ?4 AND content = ?3) THEN 1
       ELSE 0 END`,
    rows.map((row) => [place, digestOf(store, row), row.content, fateCode[row.fate]]),
  )
  return states.map(([state]) => (["new", "seen", "acknowledged"] as const)[state?.[0] ?? 0] ?? "new")
}

/** See `PipelineLedger.skippedKeys`. */
export function* skippedKeys(place: number): Sql<ReadonlyArray<string>> {
  const found = yield* all<readonly [string]>(
    `SELECT l.key FROM leftOut l WHERE l.place = ? AND l.keyed = 1 AND l.key IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM row r WHERE r.place = l.place AND r.digest = l.digest AND ${isTaken("r")})`,
    [place],
  )
  return found.map(([key]) => key)
}

const found = "FROM attention t WHERE t.place = ?"

/** Rows of the ledger that need review. */
const standing = `FROM row t WHERE t.place = ? AND
  (t.state = ${stateCode.inDoubt} OR (t.state = ${stateCode.imported} AND t.verdict IN (${verdictCode.differing}, ${verdictCode.missing})))`

const standingCode = `CASE t.state WHEN ${stateCode.inDoubt} THEN ${fateCode.inDoubt} ELSE ${reviewedAs("t")} END`

/**
 * Records an acknowledgement inside a transaction, bound to each row's present content and fate. `all` means everything that needs review now: what
 * the last run that read the source found, and rows in doubt, differing, missing, or edited or deleted after they were verified.
 */
export function* acknowledge(
  store: Store,
  place: number,
  what: Parameters<LedgerSession["acknowledge"]>[0],
): Sql<Acknowledged> {
  const at = yield* store.now()
  const digests = what.keys === "all" ? [] : what.keys.map(store.digest.key)
  const latest = what.keys === "all" ? " AND t.seen = (SELECT latest FROM place WHERE id = t.place)" : ""
  const sources: ReadonlyArray<readonly [from: string, code: string, content: string]> = [
    [found + latest, "t.what", "t.content"],
    [standing, standingCode, "t.content"],
    [drifting, driftedAs, "d.seen"],
  ]
  const named = what.keys === "all" ? "" : ` AND t.digest ${inList()}`
  const names = what.keys === "all" ? [] : [listOf(digests)]
  // Rows that a person names count even if they were acknowledged before. With `all`, only rows that no person had acknowledged count.
  const conflict = what.keys === "all"
    ? "ON CONFLICT DO NOTHING"
    : "ON CONFLICT (place, digest, content, what) DO UPDATE SET at = excluded.at, by = excluded.by, because = excluded.because"
  let acknowledged = 0
  const duplicate = ` AND t.what = ${fateCode.duplicate}`
  const duplicates = what.leaveOut
    ? yield* numberIn(`SELECT count(*) ${found}${latest}${duplicate}${named}`, [place, ...names])
    : undefined
  for (const [from, code, content] of sources) {
    // A row that was imported and verified stays imported, even if it was edited later. To skip the key of a duplicate would skip the other row with it.
    if (what.leaveOut && from !== drifting) {
      const but = from === standing ? "" : ` AND t.what <> ${fateCode.duplicate}`
      yield* write(
        `INSERT INTO leftOut (place, keyed, digest, key, at, by, because)
         SELECT DISTINCT t.place, CASE WHEN length(t.digest) > 0 THEN 1 ELSE 0 END, CASE WHEN length(t.digest) > 0 THEN t.digest ELSE t.content END, t.key,
           CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT) ${from}${but}${named}
         ON CONFLICT DO NOTHING`,
        [at, what.by, what.because, place, ...names],
      )
    }
    acknowledged += yield* run(
      `INSERT INTO acknowledged (place, digest, content, what, at, by, because)
       SELECT t.place, t.digest, ${content}, ${code}, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT) ${from}${named} ${conflict}`,
      [at, what.by, what.because, place, ...names],
    )
  }
  if (what.keys === "all") return { acknowledged, duplicates, unknown: [] }
  const known = yield* each(
    `SELECT 1 FROM attention WHERE place = ?1 AND digest = ?2 UNION ALL SELECT 1 FROM row WHERE place = ?1 AND digest = ?2 LIMIT 1`,
    digests.map((digest) => [place, digest]),
  )
  return { acknowledged, duplicates, unknown: what.keys.filter((_, at) => known[at]?.length === 0) }
}
