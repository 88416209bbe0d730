import * as Effect from "effect/Effect"
import { listed } from "../../domain/words.ts"
import { stateCode } from "../codes.ts"
import { type Forgetting, type Forgotten, LedgerRefused } from "../Ledger.ts"
import { Refusal } from "../sql/Refusal.ts"
import type { Database } from "./database.ts"
import type { Store } from "./Store.ts"

type Place = readonly [id: number, form: string]
type Row = readonly [id: number, state: number, submission: string | null, batch: number]

/**
 * Forgets rows, inside a transaction, at every destination of the pipeline: their keys, contents, digests of answers, and people's decisions about
 * them. Two things remain: each key's keyed digest, so that the row is always skipped, and the ids of the submissions. A row that may have
 * been sent must be settled first, because it can't be settled without its content.
 */
export const forget = (store: Store, { because, by, keys, pipeline }: Forgetting): Forgotten => {
  const { db } = store
  const places = db.all<Place>("SELECT id, form FROM place WHERE pipeline = ?", [pipeline])
  const digests = keys.map((key) => ({ key, digest: store.digest.key(key) }))
  const rowOf = (place: number, digest: Buffer) =>
    db.get<Row>("SELECT id, state, submission, batch FROM row WHERE place = ? AND digest = ?", [place, digest])
  const doubtful = digests.filter(({ digest }) =>
    places.some(([place]) => {
      const state = rowOf(place, digest)?.[1]
      return state === stateCode.intended || state === stateCode.inDoubt
    })
  )
  if (doubtful.length > 0) {
    throw new Refusal(Effect.fail(
      new LedgerRefused({
        message: `${doubtful.length === 1 ? "Row" : "Rows"} ${
          listed(doubtful.map(({ key }) => key))
        } ${
          doubtful.length === 1
            ? "is"
            : "are"
        } in doubt and may have been sent. Without its content, a row in doubt can't be settled. Nothing was forgotten. `
          + `Settle first (formferry settle ${pipeline} --rows …), then forget.`,
      }),
    ))
  }
  const at = store.clock.unsafeCurrentTimeMillis()
  const submissions: Array<Forgotten["submissions"][number]> = []
  const held = new Set<string>()
  const known = digests.filter(({ digest, key }) =>
    places.filter(([place, form]) => {
      const row = rowOf(place, digest)
      const mention = mentionOf(db, place, digest)
      const met = row !== undefined || mention !== undefined
      if (row !== undefined || mention === "held") held.add(key)
      if (row !== undefined) {
        for (const submissionId of dropRow(db, place, row)) {
          const isDeleted = row[1] === stateCode.undone && submissionId === row[2]
          if (!isDeleted) submissions.push({ key, submissionId, form })
        }
      }
      if (!met) return false
      leaveOut(db, place, digest, { at, by, because })
      for (const table of ["attention", "acknowledged", "superseded"]) {
        db.run(`DELETE FROM ${table} WHERE place = ? AND digest = ?`, [place, digest])
      }
      return true
    }).length > 0
  )
  return {
    keys: known.map(({ key }) => key),
    already: known.flatMap(({ key }) => (held.has(key) ? [] : [key])),
    unknown: keys.filter((key) => !known.some((one) => one.key === key)),
    submissions,
  }

  /** Deletes a row, and returns the ids of its submissions. */
  function dropRow(db: Database, place: number, [row, state, submission, batch]: Row): ReadonlyArray<string> {
    // Skips the original rows that this fixed row replaced. Otherwise, the next run would send them.
    for (
      const [original] of db.all<readonly [Buffer]>(
        "SELECT digest FROM superseded WHERE mended = ? AND length(digest) > 0",
        [row],
      )
    ) leaveOut(db, place, original, { at, by, because })
    const replaced = db.all<readonly [string]>("SELECT submission FROM replaced WHERE row = ?", [row])
    const ids = [...replaced.map(([id]) => id), ...(submission === null ? [] : [submission])]
    for (const id of ids) db.run("INSERT INTO forgotten (place, submission) VALUES (?, ?)", [place, id])
    if (state === stateCode.imported) db.run("UPDATE batch SET imported = max(0, imported - 1) WHERE id = ?", [batch])
    // If an interrupted reconciliation would continue after this row, it now continues after the previous row.
    const before = db.get<readonly [number | null]>("SELECT max(id) FROM row WHERE id < ?", [row])?.[0] ?? null
    if (before === null) db.run("DELETE FROM reconciliation WHERE after = ?", [row])
    else db.run("UPDATE reconciliation SET after = ? WHERE after = ?", [before, row])
    for (
      const table of [
        "detail",
        "verified",
        "doubt",
        "refusal",
        "refusedAgain",
        "drift",
        "vanished",
        "replaced",
        "settled",
      ]
    ) {
      db.run(`DELETE FROM ${table} WHERE row = ?`, [row])
    }
    db.run("DELETE FROM superseded WHERE mended = ?", [row])
    db.run("DELETE FROM row WHERE id = ?", [row])
    return ids
  }
}

/** Returns "held" if something is known about a key apart from its row, or "left out" if the ledger only knows that the key is skipped. */
const mentionOf = (db: Database, place: number, digest: Buffer): "held" | "left out" | undefined => {
  const found = db.get<readonly [number, number]>(
    `SELECT EXISTS (SELECT 1 FROM attention WHERE place = ?1 AND digest = ?2)
       OR EXISTS (SELECT 1 FROM superseded WHERE place = ?1 AND digest = ?2)
       OR EXISTS (SELECT 1 FROM acknowledged WHERE place = ?1 AND digest = ?2),
     EXISTS (SELECT 1 FROM leftOut WHERE place = ?1 AND keyed = 1 AND digest = ?2)`,
    [place, digest],
  )
  return found?.[0] === 1 ? "held" : found?.[1] === 1 ? "left out" : undefined
}

const leaveOut = (
  db: Database,
  place: number,
  digest: Buffer,
  { at, because, by }: { readonly at: number; readonly by: string; readonly because: string },
): void => {
  db.run(
    "INSERT INTO leftOut (place, keyed, digest, at, by, because) VALUES (?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    [place, digest, at, by, because],
  )
}
