import * as Effect from "effect/Effect"
import { stateCode, verdictCode } from "../codes.ts"
import { type Holder, isGone } from "../holder.ts"
import type { Outcomes, RowOutcome } from "../rows.ts"
import type { OpenBatch } from "./intend.ts"
import { holdersByEpoch } from "./lock.ts"
import {
  completeReplacement,
  type OpenReplacement,
  openReplacements,
  recordRefusal,
  undoReplacement,
} from "./replace.ts"
import { all, get, insert, inTens, Refusal, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"

/** Records, inside a transaction, the outcomes of a batch. */
export function* recordOutcomes(
  store: Store,
  { again, batch, rows }: OpenBatch,
  { loose, rows: outcomes }: Outcomes,
): Sql<void> {
  if (outcomes.length !== rows.length) {
    throw new Refusal(Effect.dieMessage(`Batch ${batch} has ${rows.length} rows and ${outcomes.length} outcomes.`))
  }
  const created: Array<Created> = []
  const replacements = again ? (yield* openReplacements("by", [batch])) : undefined
  for (const [index, outcome] of outcomes.entries()) {
    const row = rows[index] ?? 0
    if (outcome._tag === "Imported") created.push({ row, ...outcome })
    else yield* recordOutcome(store, row, batch, outcome, replacements?.get(row))
  }
  yield* recordCreated(created)
  // An imported row no longer needs its doubt, or the content of the submission that it replaced.
  for (const { row } of again ? created : []) {
    yield* write("DELETE FROM doubt WHERE row = ?", [row])
    const replacement = replacements?.get(row)
    if (replacement !== undefined) yield* completeReplacement(store, replacement)
  }
  const ended = store.present()
  yield* write(
    `UPDATE batch SET open = 0, imported = ?, loose = ?, ended = ${ended.sql}, closed = (SELECT max(id) FROM batch) WHERE id = ?`,
    [created.length, loose.length === 0 ? null : JSON.stringify(loose), ...ended.params, batch],
  )
}

export interface Created {
  readonly row: number
  /** Undefined if only a person said that the row has landed. */
  readonly submissionId: string | undefined
  readonly submissionTime?: string | undefined
}

/** Records that rows were created. */
export function* recordCreated(created: ReadonlyArray<Created>): Sql<void> {
  for (const [some, values] of inTens(created)) {
    yield* write(
      `UPDATE row SET state = ${stateCode.imported}, verdict = ${verdictCode.unread}, submission = v.column2, time = v.column3
       FROM (VALUES ${values("(CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT))")}) AS v WHERE row.id = v.column1`,
      some.flatMap(({ row, submissionId, submissionTime }) => [row, submissionId ?? null, submissionTime ?? null]),
    )
  }
}

/** Records that no submission of rows exists, and deletes their content. */
export function* recordUnsent(state: number, rows: ReadonlyArray<number>): Sql<void> {
  for (const [some, values] of inTens(rows)) {
    yield* write(`UPDATE row SET state = ?, resent = 0, verdict = NULL WHERE id IN (${values("?")})`, [state, ...some])
    yield* write(`DELETE FROM detail WHERE row IN (${values("?")})`, some)
  }
}

function* recordOutcome(
  store: Store,
  row: number,
  batch: number,
  outcome: Exclude<RowOutcome, { readonly _tag: "Imported" }>,
  replacement: OpenReplacement | undefined,
): Sql<void> {
  switch (outcome._tag) {
    case "InDoubt":
      return yield* doubtRow(row, batch, outcome.reason)
    case "NotCreated": {
      // The first request may still have landed. The failed resend proves nothing about it.
      if (yield* backToDoubt(row, "", 0)) return
      if (replacement !== undefined) return yield* undoReplacement(replacement)
      return yield* recordUnsent(stateCode.notCreated, [row])
    }
    case "Refused": {
      if (yield* backToDoubt(row, `; resent and refused: ${outcome.message}`, 1)) return
      if (replacement !== undefined) {
        yield* undoReplacement(replacement)
        return yield* recordRefusal(store, "refusedAgain", row, outcome)
      }
      yield* recordUnsent(stateCode.refused, [row])
      yield* recordRefusal(store, "refusal", row, outcome)
    }
  }
}

function* doubtRow(row: number, batch: number, reason: string): Sql<void> {
  yield* write("UPDATE row SET state = ? WHERE id = ?", [stateCode.inDoubt, row])
  yield* write(
    `INSERT INTO doubt (row, batch, first, reason) VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT (row) DO UPDATE SET batch = excluded.batch, reason = excluded.reason`,
    [row, batch, reason],
  )
}

/** Puts a resent row back in doubt if it was in doubt before. Otherwise returns false. */
function* backToDoubt(row: number, more: string, resent: 0 | 1): Sql<boolean> {
  const before = (yield* get<readonly [number]>("SELECT batch FROM doubt WHERE row = ?", [row]))?.[0]
  if (before === undefined) return false
  yield* write("UPDATE row SET state = ?, batch = ?, resent = ? WHERE id = ?", [stateCode.inDoubt, before, resent, row])
  yield* write("UPDATE doubt SET reason = reason || ? WHERE row = ?", [more, row])
  return true
}

/**
 * Puts in doubt, inside a transaction, the rows whose intents earlier runs of the pipeline left open, at any destination. They may have been sent.
 *
 * @param holders the processes that held each lock before this run took it, by epoch
 */
export function* abandon(
  store: Store,
  pipeline: string,
  epoch: number,
  holders: ReadonlyMap<number, Holder>,
): Sql<void> {
  const batches = yield* all<readonly [number, number]>(
    `SELECT b.id, b.epoch FROM place p JOIN batch b INDEXED BY batch_open ON b.place = p.id AND b.open = 1 AND b.epoch < ?
     WHERE p.pipeline = ?`,
    [epoch, pipeline],
  )
  for (const [batch, of] of batches) {
    for (
      const [row] of yield* all<readonly [number]>(
        `SELECT id FROM row WHERE batch = ? AND state = ${stateCode.intended}`,
        [batch],
      )
    ) {
      yield* doubtRow(row, batch, "the run that sent it ended before it recorded the outcome")
    }
    yield* write("UPDATE batch SET open = 0 WHERE id = ?", [batch])
    const holder = holders.get(of)
    if (holder === undefined) continue
    yield* insert("overtaken", { epoch: of, ...holder }, [])
  }
  yield* endOvertaken(store)
}

/** Records which overtaken holders are known to have ended. Their requests have ended, too, except for data that the kernel is still sending. */
function* endOvertaken({ holder: me, now }: Store): Sql<void> {
  for (const [epoch, holder] of yield* holdersByEpoch("overtaken")) {
    if (!isGone(holder, me)) continue
    yield* write(
      `UPDATE batch SET ended = ?, closed = (SELECT max(id) FROM batch), dead = 1
       WHERE epoch = ? AND ended IS NULL AND open = 0`,
      [yield* now(), epoch],
    )
    yield* write("DELETE FROM overtaken WHERE epoch = ?", [epoch])
  }
}
