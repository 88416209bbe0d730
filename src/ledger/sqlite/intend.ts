import * as Effect from "effect/Effect"
import { stateCode } from "../codes.ts"
import type { IntendedRow } from "../rows.ts"
import { Refusal } from "../sql/Refusal.ts"
import { type Database, inTens } from "./database.ts"
import { replace } from "./replace.ts"
import { type Intended, intendedColumns, intendedMarks, intendedValues, renewedColumns, renewedValues } from "./row.ts"
import type { Store } from "./Store.ts"

export interface Intent {
  readonly rows: ReadonlyArray<IntendedRow>
  readonly resend: boolean
  readonly columns: ReadonlyArray<string>
  readonly contentColumns: ReadonlyArray<string>
  readonly mapping: string
}

/** A session's open batch, with the ids of the batch's rows in the ledger. */
export interface OpenBatch {
  readonly batch: number
  readonly rows: ReadonlyArray<number>
  /** Whether the ledger already knew some of the rows. These may be in doubt, or replace an earlier submission. */
  readonly again: boolean
}

/** Records, inside a transaction, that rows are about to be sent. Throws without recording anything if a row may already exist at the destination. */
export const intend = (
  store: Store,
  at: { readonly place: number; readonly run: number; readonly epoch: number },
  intent: Intent,
): OpenBatch => {
  const { db, texts } = store
  const batch = db.run(
    "INSERT INTO batch (place, epoch, run, sent, mapping, columns, open, imported) VALUES (?, ?, ?, ?, ?, ?, 1, 0)",
    [
      at.place,
      at.epoch,
      at.run,
      store.clock.unsafeCurrentTimeMillis(),
      texts.idOf(intent.mapping),
      texts.idOfList(intent.columns),
    ],
  ).id
  const shape = texts.idOfList(intent.contentColumns.toSorted())
  const as = { place: at.place, batch, shape, resent: false }
  const added = addNew(db, intent.rows, as)
  const rows = intent.rows.map((row, index) => {
    const id = added[index] ?? sendAgain(db, row, as, { run: at.run, resend: intent.resend })
    if (row.supersedes !== undefined) {
      db.run("INSERT OR REPLACE INTO superseded (place, digest, content, mended) VALUES (?, ?, ?, ?)", [
        at.place,
        row.supersedes.keyDigest ?? Buffer.alloc(0),
        row.supersedes.content,
        id,
      ])
    }
    return id
  })
  for (const [some, values] of inTens(intent.rows.map((row, index) => ({ row, id: rows[index] ?? 0 })))) {
    db.run(
      `INSERT OR REPLACE INTO detail (row, item, cells) VALUES ${values("(?, ?, ?)")}`,
      some.flatMap(({ id, row }) => [id, JSON.stringify(row.item), JSON.stringify(row.cells)]),
    )
  }
  db.run("UPDATE place SET shape = ? WHERE id = ? AND shape IS NULL", [shape, at.place])
  return { batch, rows, again: added.includes(undefined) }
}

/** Adds the rows that the ledger does not know yet. Returns their ids, or undefined for each row that it already knows. */
const addNew = (
  db: Database,
  rows: ReadonlyArray<IntendedRow>,
  as: Intended,
): ReadonlyArray<number | undefined> =>
  inTens(rows).flatMap(([some, values]) => {
    const { changes, id } = db.run(
      `INSERT INTO row (${intendedColumns}) VALUES ${values(intendedMarks)} ON CONFLICT (place, digest) DO NOTHING`,
      some.flatMap((row) => intendedValues(row, as)),
    )
    // Ids are assigned in order.
    if (changes === some.length) return some.map((_, index) => id - some.length + 1 + index)
    const added = new Map(
      db.all<readonly [Buffer, number]>("SELECT digest, id FROM row WHERE batch = ? AND id > ?", [
        as.batch,
        id - changes,
      ])
        .map(([digest, one]) => [digest.toString("latin1"), one]),
    )
    return some.map(({ keyDigest }) => {
      const digest = keyDigest.toString("latin1")
      const one = added.get(digest)
      // If two rows have the same key, the second one is already known.
      added.delete(digest)
      return one
    })
  })

/**
 * Records that a row which the ledger already knows is about to be sent. A row in doubt may be resent only once. An imported row may be sent only
 * with different content, to replace its earlier submission.
 */
const sendAgain = (
  db: Database,
  row: IntendedRow,
  as: Intended,
  { resend, run }: { readonly resend: boolean; readonly run: number },
): number => {
  const { batch, place, shape } = as
  const known = db.get<readonly [number, number, number]>(
    "SELECT id, state, resent FROM row WHERE place = ? AND digest = ?",
    [place, row.keyDigest],
  )
  if (known === undefined) throw new Error("A row is neither new nor known.")
  const [id, state, resent] = known
  const isUndone = state === stateCode.undone
  const free = state === stateCode.notCreated || state === stateCode.refused || isUndone
  const again = resend && state === stateCode.inDoubt && resent === 0
  const replaced = row.replaces !== undefined && state === stateCode.imported
    && replace(db, id, { ...row, shape }, row.replaces, { batch, run })
  if (!free && !again && !replaced) {
    throw new Refusal(Effect.dieMessage(`Row ${row.row} was to be sent, but it may already exist at the destination.`))
  }
  // The deleted submission must never be matched to the row again, for example from an old export.
  if (isUndone) {
    db.run(
      "INSERT INTO forgotten (place, submission) SELECT place, submission FROM row WHERE id = ? AND submission IS NOT NULL",
      [id],
    )
  }
  // If a re-import is resent, it belongs to the new batch.
  if (again) db.run("UPDATE replaced SET by = ? WHERE row = ? AND at IS NULL", [batch, id])
  db.run(`UPDATE row SET ${renewedColumns} WHERE id = ?`, [...renewedValues(row, { ...as, resent: again }), id])
  db.run("DELETE FROM verified WHERE row = ?", [id])
  db.run("DELETE FROM refusal WHERE row = ?", [id])
  db.run("DELETE FROM refusedAgain WHERE row = ?", [id])
  return id
}

/** Returns the number of the last batch that was recorded, or 0 if there is none. */
export const lastIntent = (db: Database): number =>
  db.get<readonly [number | null]>("SELECT max(id) FROM batch")?.[0] ?? 0
