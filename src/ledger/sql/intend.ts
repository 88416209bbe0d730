import * as Effect from "effect/Effect"
import { sentStates, stateCode } from "../codes.ts"
import { RowShared } from "../errors.ts"
import type { LedgerSession } from "../Ledger.ts"
import type { IntendedRow } from "../rows.ts"
import { columnsOf } from "./attention.ts"
import { replace } from "./replace.ts"
import {
  type Intended,
  intendedColumns,
  intendedMarks,
  intendedValues,
  newestMarks,
  renewedColumns,
  renewedValues,
} from "./row.ts"
import { all, both, get, inTens, numberIn, Refusal, type Sql, type Statement, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { digestOf, noKey } from "./superseded.ts"

/** A session's open batch, with the ids of the batch's rows in the ledger. */
export interface OpenBatch {
  readonly batch: number
  readonly rows: ReadonlyArray<number>
  /** Whether the ledger already knew some of the rows. These may be in doubt, or replace an earlier submission. */
  readonly again: boolean
}

/** Throws if a different pipeline has sent one of these rows to the form after batch `since`. */
function* refuseShared(
  rows: ReadonlyArray<IntendedRow>,
  { place, shape, since }: { readonly place: number; readonly shape: number; readonly since: number },
): Sql<void> {
  const sent = yield* all<readonly [pipeline: string, digest: Buffer, content: Buffer]>(
    `SELECT p.pipeline, r.digest, r.content FROM place o CROSS JOIN place p ON p.service = o.service AND p.form = o.form AND p.id <> o.id
     CROSS JOIN row r ON r.place = p.id AND r.digest IN (${rows.map(() => "?").join(", ")})
     WHERE o.id = ? AND r.batch > ? AND r.shape = ? AND r.state IN (${sentStates})`,
    [...rows.map(({ keyDigest }) => keyDigest), place, since, shape],
  )
  for (const [pipeline, digest, content] of sent) {
    const shared = rows.find((row) => row.keyDigest.equals(digest) && row.content.equals(content))
    if (shared !== undefined) throw new Refusal(Effect.fail(new RowShared({ pipeline, row: shared.row })))
  }
}

/** Records, inside a transaction, that rows are about to be sent. Throws without recording anything if a row may already exist at the destination. */
export function* intend(
  store: Store,
  at: { readonly place: number; readonly run: number; readonly epoch: number; readonly since: number },
  intent: Parameters<LedgerSession["intend"]>[0],
): Sql<OpenBatch> {
  const { texts } = store
  const sent = store.present()
  const shape = yield* texts.idOfList(intent.contentColumns.toSorted())
  yield* refuseShared(intent.rows, { ...at, shape })
  const started = {
    sql:
      `INSERT INTO batch (place, epoch, run, sent, mapping, columns, open, imported) VALUES (?, ?, ?, ${sent.sql}, ?, ?, 1, 0) RETURNING id`,
    params: [
      at.place,
      at.epoch,
      at.run,
      ...sent.params,
      yield* texts.idOf(intent.mapping),
      yield* texts.idOfList(intent.columns),
    ],
  }
  const { added, batch } = yield* addNew(started, intent.rows, { place: at.place, shape })
  const as = { place: at.place, batch, shape, resent: false }
  const rows: Array<number> = []
  for (const [index, row] of intent.rows.entries()) {
    const id = added[index] ?? (yield* sendAgain(store, row, as, { run: at.run, resend: intent.resend }))
    rows.push(id)
    if (row.keyless !== undefined) {
      // A row that this run rejected still has no key, so it is a different one.
      yield* write(
        `INSERT INTO superseded (place, digest, content, columns, fixed)
         SELECT ?1, ?2, content, columns, CAST(?3 AS BIGINT) FROM attention
         WHERE place = ?1 AND digest = ?4 AND content = ?5 AND seen <> ?6 LIMIT 1 ON CONFLICT DO NOTHING`,
        [at.place, row.keyDigest, id, noKey, row.keyless, at.run],
      )
    }
    if (row.supersedes === undefined) continue
    const { columns, content, key } = row.supersedes
    // The original may have the key of the fixed row by now, because the row key was edited after it was rejected.
    for (const one of new Set(key === undefined ? [key] : [key, row.key])) {
      yield* write(
        `INSERT INTO superseded (place, digest, content, columns, fixed, key) VALUES (?1, ?2, ?3, coalesce(${columnsOf}, CAST(?4 AS BIGINT)), ?5, ?6)
         ON CONFLICT DO NOTHING`,
        [at.place, digestOf(store, { key: one }), content, yield* texts.idOfList(columns), id, one ?? null],
      )
    }
  }
  for (const [some, values] of inTens(intent.rows.map((row, index) => ({ row, id: rows[index] ?? 0 })))) {
    yield* write(
      `INSERT INTO detail (row, item, cells) VALUES ${values("(?, ?, ?)")}
       ON CONFLICT (row) DO UPDATE SET item = excluded.item, cells = excluded.cells, answers = NULL`,
      some.flatMap(({ id, row }) => [id, JSON.stringify(row.item), JSON.stringify(row.cells)]),
    )
  }
  yield* write("UPDATE place SET shape = ? WHERE id = ? AND shape IS NULL", [shape, at.place])
  return { batch, rows, again: added.includes(undefined) }
}

/**
 * Adds a batch, and those of its rows that the ledger does not know yet. Returns the batch's number, and the ids of the rows, or undefined for each row
 * that the ledger already knows.
 */
function* addNew(
  started: Pick<Statement, "sql" | "params">,
  rows: ReadonlyArray<IntendedRow>,
  at: Pick<Intended, "place" | "shape">,
): Sql<{ readonly batch: number; readonly added: ReadonlyArray<number | undefined> }> {
  const insert = (some: ReadonlyArray<IntendedRow>, values: (one: string) => string, batch: number | undefined) => ({
    sql: `INSERT INTO row (${intendedColumns}) VALUES ${
      values(batch === undefined ? newestMarks : intendedMarks)
    } ON CONFLICT (place, digest) DO NOTHING RETURNING id, digest`,
    params: some.flatMap((row) => intendedValues(row, { ...at, batch, resent: false })),
  })
  const [first, ...others] = inTens(rows)
  if (first === undefined) throw new Error("A batch has no rows.")
  const [[batch], found] = yield* both<readonly [number], Added>(started, (rows) => insert(...first, rows?.[0]?.[0]))
  const id = batch?.[0] ?? 0
  const added = idsOf(first[0], found)
  for (const [some, values] of others) {
    const { params, sql } = insert(some, values, id)
    added.push(...idsOf(some, yield* all<Added>(sql, params)))
  }
  return { batch: id, added }
}

type Added = readonly [id: number, digest: Buffer]

const idsOf = (rows: ReadonlyArray<IntendedRow>, found: ReadonlyArray<Added>): Array<number | undefined> => {
  const added = new Map(found.map(([id, digest]) => [digest.toString("latin1"), id]))
  return rows.map(({ keyDigest }) => {
    const digest = keyDigest.toString("latin1")
    const id = added.get(digest)
    // If two rows have the same key, the second one is already known.
    added.delete(digest)
    return id
  })
}

/**
 * Records that a row which the ledger already knows is about to be sent. A row in doubt may be resent only once. An imported row may be sent only
 * with different content, to replace its earlier submission.
 */
function* sendAgain(
  store: Store,
  row: IntendedRow,
  as: Intended & { readonly batch: number },
  { resend, run }: { readonly resend: boolean; readonly run: number },
): Sql<number> {
  const { batch, place, shape } = as
  const known = yield* get<readonly [number, number, number]>(
    "SELECT id, state, resent FROM row WHERE place = ? AND digest = ?",
    [place, row.keyDigest],
  )
  if (known === undefined) throw new Error("A row is neither new nor known.")
  const [id, state, resent] = known
  const isUndone = state === stateCode.undone
  const free = state === stateCode.notCreated || state === stateCode.refused || isUndone
  const again = resend && state === stateCode.inDoubt && resent === 0
  const replaced = row.replaces !== undefined && state === stateCode.imported
    && (yield* replace(id, { ...row, shape }, row.replaces, { batch, run }))
  if (!free && !again && !replaced) {
    throw new Refusal(Effect.dieMessage(`Row ${row.row} was to be sent, but it may already exist at the destination.`))
  }
  // The deleted submission must never be matched to the row again, for example from an old export.
  if (isUndone) {
    yield* write(
      "INSERT INTO forgotten (place, submission) SELECT place, submission FROM row WHERE id = ? AND submission IS NOT NULL",
      [id],
    )
  }
  // If a re-import is resent, it belongs to the new batch.
  if (again) yield* write("UPDATE replaced SET by = ? WHERE row = ? AND at IS NULL", [batch, id])
  yield* write(`UPDATE row SET ${renewedColumns} WHERE id = ?`, [...renewedValues(row, { ...as, resent: again }), id])
  yield* write("DELETE FROM verified WHERE row = ?", [id])
  yield* write("DELETE FROM refusal WHERE row = ?", [id])
  yield* write("DELETE FROM refusedAgain WHERE row = ?", [id])
  return id
}

/** Selects the numbers of the rows of a place (?1) whose intents are open. */
export const intendedRows =
  `SELECT r.id FROM batch b INDEXED BY batch_open CROSS JOIN row r INDEXED BY row_batch ON r.batch = b.id AND r.state = ${stateCode.intended}
   WHERE b.place = ?1 AND b.open = 1`

/** Returns the number of the last batch that was recorded, or 0 if there is none. */
export const lastIntent = (): Sql<number> => numberIn("SELECT max(id) FROM batch")
