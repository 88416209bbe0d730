import * as Effect from "effect/Effect"
import type { Settlement } from "../../domain/report.ts"
import { fateCode, stateCode, verdictCode } from "../codes.ts"
import type { SettledRow } from "../evidence.ts"
import { type Holder, isGone } from "../holder.ts"
import type { LedgerSession } from "../Ledger.ts"
import type { Outcomes, RowOutcome } from "../rows.ts"
import { takenSubmissions } from "./evidence.ts"
import type { OpenBatch } from "./intend.ts"
import {
  completeReplacement,
  openOfBatch,
  openOfRows,
  type OpenReplacement,
  recordRefusal,
  undoReplacement,
} from "./replace.ts"
import { all, each, get, insert, inTens, Refusal, type Sql, write } from "./statement.ts"
import { isoOf, type Store } from "./Store.ts"
import { ofUndoneRun } from "./undo.ts"

export function* settle(
  store: Store,
  { again, batch, rows }: OpenBatch,
  { loose, rows: outcomes }: Outcomes,
): Sql<void> {
  if (outcomes.length !== rows.length) {
    throw new Refusal(Effect.dieMessage(`Batch ${batch} has ${rows.length} rows and ${outcomes.length} outcomes.`))
  }
  const created: Array<Created> = []
  const replacements = again ? (yield* openOfBatch(batch)) : undefined
  for (const [index, outcome] of outcomes.entries()) {
    const row = rows[index] ?? 0
    if (outcome._tag === "Imported") created.push({ row, ...outcome })
    else yield* settleRow(store, row, batch, outcome, replacements?.get(row))
  }
  yield* recordCreated(created)
  if (again) { for (const { row } of created) yield* forgetBefore(store, row, replacements?.get(row)) }
  const ended = store.present()
  yield* write(
    `UPDATE batch SET open = 0, imported = ?, loose = ?, ended = ${ended.sql}, closed = (SELECT max(id) FROM batch) WHERE id = ?`,
    [created.length, loose.length === 0 ? null : JSON.stringify(loose), ...ended.params, batch],
  )
}

interface Created {
  readonly row: number
  /** Undefined if only a person said that the row has landed. */
  readonly submissionId: string | undefined
  readonly submissionTime?: string | undefined
}

function* recordCreated(created: ReadonlyArray<Created>): Sql<void> {
  for (const [some, values] of inTens(created)) {
    yield* write(
      `UPDATE row SET state = ${stateCode.imported}, verdict = ${verdictCode.unread}, submission = v.column2, time = v.column3
       FROM (VALUES ${values("(CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT))")}) AS v WHERE row.id = v.column1`,
      some.flatMap(({ row, submissionId, submissionTime }) => [row, submissionId ?? null, submissionTime ?? null]),
    )
  }
}

/** Deletes what an imported row no longer needs: its doubt, and the content of the submission that it replaced. */
function* forgetBefore(store: Store, row: number, replacement: OpenReplacement | undefined): Sql<void> {
  yield* write("DELETE FROM doubt WHERE row = ?", [row])
  if (replacement !== undefined) yield* completeReplacement(store, replacement)
}

function* settleRow(
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
      yield* write("UPDATE row SET state = ? WHERE id = ?", [stateCode.notCreated, row])
      yield* write("DELETE FROM detail WHERE row = ?", [row])
      return
    }
    case "Refused": {
      if (yield* backToDoubt(row, `; resent and refused: ${outcome.message}`, 1)) return
      if (replacement !== undefined) {
        yield* undoReplacement(replacement)
        return yield* recordRefusal(store, "refusedAgain", row, outcome)
      }
      yield* write("UPDATE row SET state = ? WHERE id = ?", [stateCode.refused, row])
      yield* write("DELETE FROM detail WHERE row = ?", [row])
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
 * Returns their number.
 *
 * @param holders the processes that held each lock before this run took it, by epoch
 */
export function* abandon(
  store: Store,
  pipeline: string,
  epoch: number,
  holders: ReadonlyMap<number, Holder>,
): Sql<number> {
  const batches = yield* all<readonly [number, number]>(
    `SELECT b.id, b.epoch FROM place p JOIN batch b INDEXED BY batch_open ON b.place = p.id AND b.open = 1 AND b.epoch < ?
     WHERE p.pipeline = ?`,
    [epoch, pipeline],
  )
  let abandoned = 0
  for (const [batch, of] of batches) {
    for (
      const [row] of yield* all<readonly [number]>(
        `SELECT id FROM row WHERE batch = ? AND state = ${stateCode.intended}`,
        [batch],
      )
    ) {
      yield* doubtRow(row, batch, "the run that sent it ended before it recorded the outcome")
      abandoned++
    }
    yield* write("UPDATE batch SET open = 0 WHERE id = ?", [batch])
    const holder = holders.get(of)
    if (holder === undefined) continue
    yield* insert("overtaken", { epoch: of, ...holder }, [])
  }
  yield* endOvertaken(store)
  return abandoned
}

/** Records which overtaken holders are known to have ended. Their requests have ended, too, except for data that the kernel is still sending. */
function* endOvertaken({ holder: me, now }: Store): Sql<void> {
  const overtaken = yield* all<readonly [number, number, string, string]>(
    "SELECT epoch, pid, born, boot FROM overtaken",
  )
  for (const [epoch, pid, born, boot] of overtaken) {
    if (!isGone({ pid, born, boot }, me)) continue
    yield* write(
      `UPDATE batch SET ended = ?, closed = (SELECT max(id) FROM batch), dead = 1
       WHERE epoch = ? AND ended IS NULL AND open = 0`,
      [yield* now(), epoch],
    )
    yield* write("DELETE FROM overtaken WHERE epoch = ?", [epoch])
  }
}

/**
 * Records, inside a transaction, how rows in doubt are settled. Rows that landed become imported and unread. The other rows become not created,
 * or undone if a person undid the run that sent them. A row stays in doubt if a different row got its submission meanwhile, since several pipelines may import into one form. Returns these submissions.
 * Throws without recording anything if a row is not in doubt.
 *
 * @param settlement the settlement to which earlier transactions have added rows. Undefined: these are its first rows
 */
export function* settleDoubts(
  store: Store,
  place: number,
  { because, by, file, rows: all }: Parameters<LedgerSession["settleDoubts"]>[0],
  settlement: number | undefined,
): Sql<{ readonly taken: ReadonlySet<string>; readonly settlement: number | undefined }> {
  const taken = yield* takenSubmissions(
    place,
    all.flatMap(({ outcome }) => outcome._tag === "Landed" ? outcome.submissionId ?? [] : []),
  )
  const rows = all.filter(({ outcome }) =>
    outcome._tag === "NotLanded" || outcome.submissionId === undefined || !taken.has(outcome.submissionId)
  )
  if (rows.length === 0) return { taken, settlement }
  const [id = 0] = settlement === undefined
    ? (yield* get<readonly [number]>(
      "INSERT INTO settlement (place, at, by, because, file, sha256, complete) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
      [
        place,
        yield* store.now(),
        by,
        because ?? null,
        file?.name ?? null,
        file?.sha256 ?? null,
        file?.isComplete === true ? 1 : 0,
      ],
    )) ?? []
    : [settlement]
  const found = (yield* each<readonly [number, number, number, number | null]>(
    `SELECT r.id, d.batch, ${ofUndoneRun}, (SELECT 1 FROM replaced p WHERE p.row = r.id AND p.at IS NULL LIMIT 1)
     FROM row r JOIN doubt d ON d.row = r.id JOIN batch b ON b.id = d.batch
     WHERE r.place = ? AND r.digest = ? AND r.state = ${stateCode.inDoubt}`,
    rows.map(({ keyDigest }) => [place, keyDigest]),
  )).flat()
  if (found.length < rows.length) {
    throw new Refusal(Effect.dieMessage("A row that is not in doubt was to be settled."))
  }
  const replacements = yield* openOfRows(found.flatMap(([row, , , isReplaced]) => (isReplaced === 1 ? [row] : [])))
  const created: Array<Created> = []
  const notCreated: Array<number> = []
  const undone: Array<number> = []
  for (const [at, { outcome }] of rows.entries()) {
    const [row = 0, batch = 0, isUndone] = found[at] ?? []
    const replacement = replacements.get(row)
    if (outcome._tag === "Landed") {
      created.push({ row, submissionId: outcome.submissionId })
      yield* write("UPDATE batch SET imported = imported + 1 WHERE id = ?", [batch])
    } else if (replacement === undefined || isUndone === 1) {
      ;(isUndone === 1 ? undone : notCreated).push(row)
    }
    if (replacement === undefined) continue
    // If the row's run was undone, the earlier submission remains, but the changed row must not be imported again.
    const isCompleted = outcome._tag === "Landed" || isUndone === 1
    yield* isCompleted ? completeReplacement(store, replacement) : undoReplacement(replacement)
  }
  yield* recordCreated(created)
  yield* recordUnsent(stateCode.notCreated, notCreated)
  yield* recordUnsent(stateCode.undone, undone)
  yield* endDoubts(place, id, rows.map((row, at) => ({ ...row, found: found[at] ?? [0, 0] })))
  return { taken, settlement: id }
}

function* recordUnsent(state: number, rows: ReadonlyArray<number>): Sql<void> {
  for (const [some, values] of inTens(rows)) {
    yield* write(`UPDATE row SET state = ?, resent = 0, verdict = NULL WHERE id IN (${values("?")})`, [state, ...some])
    yield* write(`DELETE FROM detail WHERE row IN (${values("?")})`, some)
  }
}

/** @param rows the rows, each with its number and its batch in the ledger */
function* endDoubts(
  place: number,
  settlement: number,
  rows: ReadonlyArray<
    SettledRow & { readonly found: readonly [row: number, batch: number, ...unknown: ReadonlyArray<unknown>] }
  >,
): Sql<void> {
  for (const [some, values] of inTens(rows)) {
    yield* write(`DELETE FROM doubt WHERE row IN (${values("?")})`, some.map(({ found: [row] }) => row))
    // The acknowledgement covered this doubt only. If the row is ever in doubt again, a person must review it again.
    yield* write(`DELETE FROM acknowledged WHERE place = ? AND what = ? AND digest IN (${values("?")})`, [
      place,
      fateCode("inDoubt"),
      ...some.map(({ keyDigest }) => keyDigest),
    ])
    yield* write(
      `INSERT INTO settled (settlement, row, batch, landed, submission, reason, proof) VALUES ${
        values("(?, ?, ?, ?, ?, ?, ?)")
      }`,
      some.flatMap(({ found: [row, batch], outcome, proof, reason }) => {
        const [landed, submission] = outcome._tag === "Landed" ? [1, outcome.submissionId ?? null] : [0, null]
        return [settlement, row, batch, landed, submission, reason, proof]
      }),
    )
  }
}

type SettlementColumns = readonly [
  at: number,
  by: string,
  because: string | null,
  file: string | null,
  sha256: string | null,
  complete: number,
  landed: number,
  notLanded: number,
]

export function* settlements(place: number, limit: number): Sql<ReadonlyArray<Settlement>> {
  return (yield* all<SettlementColumns>(
    `SELECT t.at, t.by, t.because, t.file, t.sha256, t.complete, coalesce(sum(s.landed), 0), coalesce(sum(1 - s.landed), 0)
     FROM settlement t JOIN settled s ON s.settlement = t.id WHERE t.place = ? GROUP BY t.id ORDER BY t.id DESC LIMIT ?`,
    [place, limit],
  )).map(([at, by, because, file, sha256, complete, landed, notLanded]) => ({
    at: isoOf(at),
    by,
    because: because ?? undefined,
    file: file === null ? undefined : { name: file, sha256: sha256 ?? "", isComplete: complete === 1 },
    landed,
    notLanded,
  }))
}
