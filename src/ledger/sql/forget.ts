import { looseKey } from "../../domain/looseKey.ts"
import { listed } from "../../domain/words.ts"
import { fateCode, openStates, stateCode } from "../codes.ts"
import { LedgerRefused } from "../errors.ts"
import type { Forgetting, Forgotten } from "../Ledger.ts"
import { all, each, get, insert, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { inList, listOf } from "./superseded.ts"
import { tables } from "./tables.ts"
import { removeImported } from "./undo.ts"

/** Whether a place `p` belongs to the pipeline ?1, or its next run will take the place over from its earlier name ?2. */
const isOwn = `(p.pipeline = ?1 OR p.pipeline = ?2 AND NOT EXISTS (
  SELECT 1 FROM place n JOIN batch b ON b.place = n.id WHERE n.pipeline = ?1 AND n.service = p.service AND n.form = p.form))`

type Place = readonly [id: number, form: string]
type Row = readonly [id: number, state: number, submission: string | null, batch: number]

/** Returns the refusal if one of the rows may have been sent: it must be settled first, because it can't be settled without its content. */
export function* refusalIfInDoubt(
  store: Store,
  { keys, pipeline, renamedFrom = "" }: Forgetting,
): Sql<LedgerRefused | undefined> {
  const found = yield* each(
    `SELECT 1 FROM place p JOIN row r ON r.place = p.id
     WHERE ${isOwn} AND r.digest = ?3 AND r.state IN (${openStates}) LIMIT 1`,
    keys.map((key) => [pipeline, renamedFrom, store.digest.key(key)]),
  )
  const open = keys.filter((_, at) => found[at]?.length === 1)
  return open.length === 0 ? undefined : new LedgerRefused({
    next: ["settle", pipeline],
    message: `${open.length === 1 ? "Row" : "Rows"} ${listed(open)} ${
      open.length === 1
        ? "is"
        : "are"
    } in doubt and may have been sent. Without its content, a row in doubt can't be settled. Nothing was forgotten. `
      + `Settle first (formferry settle ${pipeline} --rows …), then forget.`,
  })
}

/**
 * Forgets a row, inside a transaction, at every destination of the pipeline: its key, contents, digests of answers, and people's decisions about it.
 * Two things remain: the key's keyed digest, so that the row is always skipped, and the ids of the submissions. The row must not be in doubt. Returns
 * what the ledger had, and the submissions that remain in the form. Rows may be forgotten at the same time in one transaction.
 */
export function* forget(
  store: Store,
  key: string,
  { because, by, pipeline, renamedFrom = "" }: Forgetting,
): Sql<{ readonly had: "row" | "digest" | undefined; readonly submissions: Forgotten["submissions"] }> {
  const places = yield* all<Place>(`SELECT id, form FROM place p WHERE ${isOwn}`, [pipeline, renamedFrom])
  const digest = store.digest.key(key)
  const at = yield* store.now()
  const leaveOut = function*(place: number, keyed: 0 | 1 | 2, digest: Buffer): Sql<void> {
    yield* insert("leftOut", { place, keyed, digest, at, by, because }, [])
    yield* write("UPDATE leftOut SET key = NULL WHERE place = ? AND keyed = ? AND digest = ?", [place, keyed, digest])
  }
  const submissions: Array<Forgotten["submissions"][number]> = []
  const had = new Set<"row" | "digest">()
  for (const [place, form] of places) {
    const row = yield* get<Row>("SELECT id, state, submission, batch FROM row WHERE place = ? AND digest = ?", [
      place,
      digest,
    ])
    const mention = yield* mentionOf(place, digest, looseKey(key).sought.map(store.digest.key))
    if (row === undefined && mention === undefined) continue
    had.add(row !== undefined || mention === "held" ? "row" : "digest")
    if (row !== undefined) {
      for (const submissionId of yield* dropRow(place, row)) {
        const isDeleted = row[1] === stateCode.undone && submissionId === row[2]
        if (!isDeleted) submissions.push({ key, submissionId, form })
      }
    }
    yield* leaveOut(place, 1, digest)
    for (const text of looseKey(key).stored) yield* leaveOut(place, 2, store.digest.key(text))
    for (const table of ["attention", "acknowledged", "superseded"]) {
      yield* write(`DELETE FROM ${table} WHERE place = ? AND digest = ?`, [place, digest])
    }
    // Its sentence may contain the key. The next run records it again if it is still refused.
    yield* write("DELETE FROM fact WHERE place = ? AND name = 'refused'", [place])
  }
  return { had: had.has("row") ? "row" : had.has("digest") ? "digest" : undefined, submissions }

  function* dropRow(place: number, [row, state, submission, batch]: Row): Sql<ReadonlyArray<string>> {
    // Skips the original rows that this fixed row replaced. Otherwise, the next run would send them. The key of a duplicate is that of another row, which must not be skipped.
    for (
      const [original, content] of yield* all<readonly [Buffer, Buffer]>(
        `SELECT s.digest, s.content FROM superseded s WHERE s.fixed = ?1 AND (length(s.digest) = 0 OR NOT EXISTS (
           SELECT 1 FROM row r WHERE r.place = s.place AND r.digest = s.digest AND r.id <> ?1
           UNION ALL SELECT 1 FROM attention t WHERE t.place = s.place AND t.digest = s.digest AND t.content = s.content AND t.what = ${fateCode.duplicate}))`,
        [row],
      )
    ) {
      const isKeyed = original.length > 0
      yield* leaveOut(place, isKeyed ? 1 : 0, isKeyed ? original : content)
    }
    if (state === stateCode.imported) yield* removeImported(batch)
    return yield* deleteRow(place, row, submission)
  }
}

/** Deletes a row, inside a transaction. Only the ids of its submissions remain, which are returned. */
export function* deleteRow(place: number, row: number, submission: string | null): Sql<ReadonlyArray<string>> {
  const replaced = yield* all<readonly [string]>("SELECT submission FROM replaced WHERE row = ?", [row])
  const ids = [...replaced.map(([id]) => id), ...(submission === null ? [] : [submission])]
  for (const id of ids) yield* insert("forgotten", { place, submission: id })
  // If an interrupted reconciliation would continue after this row, it now continues after the previous row.
  yield* write("DELETE FROM reconciliation WHERE after = ?1 AND NOT EXISTS (SELECT 1 FROM row WHERE id < ?1)", [row])
  yield* write("UPDATE reconciliation SET after = (SELECT max(id) FROM row WHERE id < ?1) WHERE after = ?1", [row])
  for (const { name } of tables.filter(({ belongsTo }) => belongsTo.includes("row"))) {
    yield* write(`DELETE FROM ${name} WHERE row = ?`, [row])
  }
  yield* write("DELETE FROM superseded WHERE fixed = ?", [row])
  yield* write("DELETE FROM row WHERE id = ?", [row])
  return ids
}

/**
 * Returns "held" if something is known about a key apart from its row, or "left out" if the ledger only knows that the key is skipped.
 *
 * @param like digests of the key without its formatting. If a forgotten key has one of them, this key is "held", so that it is skipped from now on
 */
function* mentionOf(
  place: number,
  digest: Buffer,
  like: ReadonlyArray<Buffer>,
): Sql<"held" | "left out" | undefined> {
  const found = yield* get<readonly [string]>(
    `SELECT 'held' FROM attention WHERE place = ?1 AND digest = ?2
     UNION ALL SELECT 'held' FROM superseded WHERE place = ?1 AND digest = ?2
     UNION ALL SELECT 'held' FROM acknowledged WHERE place = ?1 AND digest = ?2
     UNION ALL SELECT CASE WHEN key IS NULL THEN 'left out' ELSE 'held' END FROM leftOut WHERE place = ?1 AND keyed = 1 AND digest = ?2
     UNION ALL SELECT 'resembles' FROM leftOut WHERE place = ?1 AND keyed = 2 AND digest ${inList("?3")}
     ORDER BY 1 LIMIT 1`,
    [place, digest, listOf(like)],
  )
  return found === undefined ? undefined : found[0] === "left out" ? "left out" : "held"
}
