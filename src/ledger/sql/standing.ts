import { goodCodes } from "../../domain/exit.ts"
import type { Json } from "../../domain/json.ts"
import { type Outcome, outcomes, type RecordedMode, recordedModes } from "../../domain/run.ts"
import { isoOf } from "../../domain/times.ts"
import { fateCode, stateCode, stateOf, verdictCode, verdictOf } from "../codes.ts"
import type { Counts, DoubtsOf, RunRecord, Standing } from "../standing.ts"
import { intendedRows, lastIntent } from "./intend.ts"
import { runInProgress } from "./lock.ts"
import { optional, selected, selection } from "./selection.ts"
import { all, get, numberIn, run, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { drift, isAcknowledged, reviewedAs } from "./verdicts.ts"

const count = (place: number, sql: string) => numberIn(sql, [place])

export function* counts(place: number): Sql<Counts> {
  const verdicts = { differing: 0, missing: 0, unread: 0 }
  const acknowledged = { ...verdicts }
  const byVerdict = yield* all<readonly [number, number, number]>(
    `SELECT r.verdict, count(*), count(*) FILTER (WHERE CASE WHEN r.verdict = ${verdictCode.unread} THEN r.submission IS NULL
       ELSE ${isAcknowledged("r", "r.content", reviewedAs("r"))} END)
     FROM row r INDEXED BY row_unverified WHERE r.place = ? AND r.verdict > 0 AND r.state = ${stateCode.imported} GROUP BY r.verdict`,
    [place],
  )
  for (const [code, rows, seen] of byVerdict) {
    const verdict = verdictOf(code)
    if (verdict === "verified") continue
    verdicts[verdict] = rows
    acknowledged[verdict] = seen
  }
  const [inDoubt, seen] = (yield* get<readonly [number, number]>(
    `SELECT count(*), count(*) FILTER (WHERE ${isAcknowledged("r", "r.content", fateCode.inDoubt)})
     FROM row r INDEXED BY row_doubt WHERE r.place = ? AND r.state = ${stateCode.inDoubt}`,
    [place],
  )) ?? [0, 0]
  return {
    inDoubt: inDoubt + (yield* intended(place)),
    verdicts,
    acknowledged: { inDoubt: seen, ...acknowledged },
    drift: yield* drift(place),
    attention: yield* attentionOf(place),
    leftOut: yield* count(place, "SELECT count(*) FROM leftOut WHERE place = ? AND keyed < 2"),
    settlements: yield* count(place, "SELECT count(*) FROM settlement WHERE place = ?"),
    lastIntent: yield* lastIntent(),
  }
}

/** Counts the rows of open intents, which a reader counts as in doubt. */
function* intended(place: number): Sql<number> {
  return yield* count(place, `SELECT count(*) FROM (${intendedRows}) AS open`)
}

export function* standing(store: Store, pipeline: string, place: number): Sql<Standing> {
  const states = { intended: 0, inDoubt: 0, imported: 0, refused: 0, notCreated: 0, undone: 0 }
  const verdicts = { verified: 0, differing: 0, missing: 0, unread: 0 }
  const byState = yield* all<readonly [number, number | null, number]>(
    "SELECT state, verdict, count(*) FROM row NOT INDEXED WHERE place = ? GROUP BY state, verdict",
    [place],
  )
  for (const [state, verdict, rows] of byState) {
    const name = stateOf(state)
    states[name] += rows
    if (name === "imported" && verdict !== null) verdicts[verdictOf(verdict)] += rows
  }
  return {
    ...(yield* counts(place)),
    verdicts,
    rows: byState.reduce((sum, [, , rows]) => sum + rows, 0),
    imported: states.imported,
    intended: states.intended,
    refused: states.refused,
    undone: states.undone,
    replaced: yield* count(
      place,
      "SELECT count(*) FROM replaced p JOIN row r ON r.id = p.row WHERE r.place = ? AND p.at IS NOT NULL",
    ),
    doubts: yield* doubtsBySending(place),
    running: yield* runInProgress(store, pipeline, place),
  }
}

/** Counts the rows that needed review when a run last read the source. */
function* attentionOf(place: number): Sql<Counts["attention"]> {
  const acknowledged = isAcknowledged("t", "t.content", "t.what")
  const found = yield* get<readonly [number, number, number]>(
    `SELECT count(*), count(*) FILTER (WHERE ${acknowledged}),
       count(*) FILTER (WHERE t.what <> ${fateCode.changed} AND NOT ${acknowledged})
     FROM attention t WHERE t.place = ?1 AND t.seen = (SELECT latest FROM place WHERE id = ?1)`,
    [place],
  )
  return { rows: found?.[0] ?? 0, acknowledged: found?.[1] ?? 0, fixable: found?.[2] ?? 0 }
}

export function* importedUnderOther(place: number, mapping: string): Sql<number> {
  return yield* numberIn(
    "SELECT sum(imported) FROM batch WHERE place = ?1 AND mapping NOT IN (SELECT id FROM text WHERE text = ?2)",
    [place, mapping],
  )
}

/** Returns rows in doubt, grouped by when their batch was sent, oldest first. Includes rows of open intents, which may have arrived, too. */
function* doubtsBySending(place: number): Sql<ReadonlyArray<DoubtsOf>> {
  return (yield* all<readonly [number, number, number]>(
    `SELECT b.sent, count(*), 0 FROM row r INDEXED BY row_doubt JOIN doubt x ON x.row = r.id JOIN batch b ON b.id = x.batch
       WHERE r.place = ?1 AND r.state = ${stateCode.inDoubt} GROUP BY b.sent
     UNION ALL
     SELECT b.sent, count(*), 1 FROM batch b JOIN row r ON r.batch = b.id WHERE b.place = ?1 AND b.open = 1 AND r.state = ${stateCode.intended} GROUP BY b.sent
     ORDER BY 1`,
    [place],
  )).map(([sent, count, open]) => ({ sentAt: isoOf(sent), count, open: open === 1 }))
}

export function* startRun(
  run: number,
  { counts, mode, startedAt }: Pick<RunRecord, "mode" | "startedAt"> & Partial<Pick<RunRecord, "counts">>,
): Sql<void> {
  yield* write("UPDATE run SET mode = ?, started = ?, counts = ? WHERE id = ?", [
    mode,
    startedAt,
    counts === undefined ? null : JSON.stringify(counts),
    run,
  ])
}

export function* finishRun(
  run: number,
  record: Required<Pick<RunRecord, "finishedAt" | "outcome" | "exitCode" | "counts">>,
): Sql<void> {
  yield* write("UPDATE run SET finished = ?, outcome = ?, exit = ?, counts = ? WHERE id = ?", [
    record.finishedAt ?? null,
    record.outcome ?? null,
    record.exitCode ?? null,
    JSON.stringify(record.counts),
    run,
  ])
}

/** How many run records of a pipeline are kept at each destination, in addition to those that are still referred to. */
export const keptRuns = 100

/**
 * Deletes old runs, inside a transaction. Keeps the newest ones of each pipeline and destination, the last complete one, and those that rows, batches
 * or a reconciliation refer to. Returns how many were deleted.
 */
export function* dropOldRuns(): Sql<number> {
  return yield* run(
    `DELETE FROM run WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY place, mode IS NULL ORDER BY id DESC) AS nth FROM run) AS runs WHERE nth > ?)
     AND id NOT IN (SELECT max(id) FROM run WHERE outcome = 'complete' GROUP BY place)
     AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run = run.id)
     AND id NOT IN (SELECT run FROM drift UNION SELECT run FROM reconciliation UNION SELECT run FROM vanished
       UNION SELECT latest FROM place WHERE latest IS NOT NULL)`,
    [keptRuns],
  )
}

const runRecord = selection<RunRecord>({
  run: selected<string>("name"),
  mode: selected("mode", (name: string) => recordedModes.find((one): one is RecordedMode => one === name) ?? "run"),
  startedAt: selected<string>("coalesce(started, '')"),
  finishedAt: optional<string>("finished"),
  outcome: selected("outcome", (name: string | null) => outcomes.find((one): one is Outcome => one === name)),
  exitCode: optional<number>("exit"),
  counts: selected("counts", (text: string | null): Json => (text === null ? null : JSON.parse(text) as Json)),
})

export const runRecords = (
  store: Store,
  place: number,
  { done = false, limit }: { readonly limit: number; readonly done?: boolean },
): Sql<ReadonlyArray<RunRecord>> =>
  runRecord.all(
    store,
    `FROM run WHERE place = ? AND ${
      done ? `mode = 'run' AND exit IN (${goodCodes.join(", ")})` : "mode IS NOT NULL"
    } ORDER BY id DESC LIMIT ?`,
    [place, limit],
  )
