import type { Json } from "../../domain/json.ts"
import { type Mode, modes, type Outcome, outcomes } from "../../domain/run.ts"
import { differingCode, fateCode, missingCode, stateCode, stateOf, verdictOf } from "../codes.ts"
import type { DoubtsOf, LedgerMarks, RunRecord, Standing, Unverified } from "../records.ts"
import type { Database } from "./database.ts"
import { isoOf } from "./Store.ts"

/** What is not proven, found by the indexes that hold nothing else. */
export const unverified = (db: Database, place: number): Unverified => {
  const verdicts = { differing: 0, missing: 0, unread: 0 }
  const counts = db.all<readonly [number, number]>(
    `SELECT verdict, count(*) FROM row INDEXED BY row_unverified WHERE place = ? AND verdict > 0 AND state = ${stateCode.imported} GROUP BY verdict`,
    [place],
  )
  for (const [code, count] of counts) {
    const verdict = verdictOf(code)
    if (verdict !== "verified") verdicts[verdict] = count
  }
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    inDoubt: count(`SELECT count(*) FROM row INDEXED BY row_doubt WHERE place = ? AND state = ${stateCode.inDoubt}`)
      // An open intent is as good as in doubt to whoever only reads.
      + count(
        `SELECT count(*) FROM batch b INDEXED BY batch_open CROSS JOIN row r INDEXED BY row_batch ON r.batch = b.id AND r.state = ${stateCode.intended}
         WHERE b.place = ? AND b.open = 1`,
      ),
    verdicts,
    acknowledged: acknowledgedOf(db, place),
  }
}

/** Counts over all rows of a place. */
export const standing = (db: Database, place: number): Standing => {
  const states = { intended: 0, inDoubt: 0, imported: 0, refused: 0, notCreated: 0 }
  const verdicts = { verified: 0, differing: 0, missing: 0, unread: 0 }
  const counts = db.all<readonly [number, number | null, number]>(
    "SELECT state, verdict, count(*) FROM row NOT INDEXED WHERE place = ? GROUP BY state, verdict",
    [place],
  )
  for (const [state, verdict, count] of counts) {
    const name = stateOf(state)
    states[name] += count
    if (name === "imported" && verdict !== null) verdicts[verdictOf(verdict)] += count
  }
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    imported: states.imported,
    // An open intent is as good as in doubt to whoever only reads.
    inDoubt: states.inDoubt + states.intended,
    intended: states.intended,
    refused: states.refused,
    leftOut: count("SELECT count(*) FROM leftOut WHERE place = ?"),
    replaced: count(
      "SELECT count(*) FROM replaced p JOIN row r ON r.id = p.row WHERE r.place = ? AND p.at IS NOT NULL",
    ),
    verdicts,
    acknowledged: acknowledgedOf(db, place),
  }
}

const acknowledgedOf = (db: Database, place: number): Standing["acknowledged"] => {
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  const acknowledged = (rows: string, what: number): number =>
    count(
      `SELECT count(*) FROM row r WHERE r.place = ? AND ${rows} AND EXISTS
        (SELECT 1 FROM acknowledged a WHERE a.place = r.place AND a.digest = r.digest AND a.content = r.content AND a.what = ${what})`,
    )
  return {
    inDoubt: acknowledged("r.state = 1", fateCode("inDoubt")),
    differing: acknowledged("r.state = 2 AND r.verdict = 2 AND r.verdict > 0", differingCode),
    missing: acknowledged("r.state = 2 AND r.verdict = 3 AND r.verdict > 0", missingCode),
    unread: count(
      "SELECT count(*) FROM row r WHERE r.place = ? AND r.state = 2 AND r.verdict = 1 AND r.verdict > 0 AND r.submission IS NULL",
    ),
  }
}

/** What tells whether anything happened in the ledger since a run. */
export const marks = (db: Database, place: number): LedgerMarks => {
  const count = (sql: string): number => db.get<readonly [number]>(sql, [place])?.[0] ?? 0
  return {
    leftOut: count("SELECT count(*) FROM leftOut WHERE place = ?"),
    settlements: count("SELECT count(*) FROM settlement WHERE place = ?"),
    inDoubt: count(`SELECT count(*) FROM row INDEXED BY row_doubt WHERE place = ? AND state = ${stateCode.inDoubt}`)
      + count("SELECT count(*) FROM batch INDEXED BY batch_open WHERE place = ? AND open = 1"),
  }
}

/** Rows that need a person, as the last run that read the source met them. */
export const attentionOf = (db: Database, place: number): { readonly rows: number; readonly acknowledged: number } => {
  const found = db.get<readonly [number, number | null]>(
    `SELECT count(*), sum(EXISTS (SELECT 1 FROM acknowledged a
       WHERE a.place = t.place AND a.digest = t.digest AND a.content = t.content AND a.what = t.what))
     FROM attention t WHERE t.place = ?1 AND t.seen = (SELECT latest FROM place WHERE id = ?1)`,
    [place],
  )
  return { rows: found?.[0] ?? 0, acknowledged: found?.[1] ?? 0 }
}

/** Imported rows whose mapping was another one. */
export const importedUnderOther = (db: Database, place: number, mapping: string): number =>
  db.get<readonly [number | null]>(
    `SELECT sum(imported) FROM batch WHERE place = ?1 AND mapping NOT IN (SELECT id FROM text WHERE text = ?2)`,
    [place, mapping],
  )?.[0] ?? 0

/** Whether anything was ever sent from there. */
export const isNew = (db: Database, place: number): boolean =>
  db.get("SELECT 1 FROM batch WHERE place = ? LIMIT 1", [place]) === undefined

/** Rows in doubt by when their batch was sent; intents that are open may have arrived too. The oldest first. */
export const doubtsBySending = (db: Database, place: number): ReadonlyArray<DoubtsOf> =>
  db.all<readonly [number, number, number]>(
    `SELECT b.sent, count(*), 0 FROM row r INDEXED BY row_doubt JOIN doubt x ON x.row = r.id JOIN batch b ON b.id = x.batch
       WHERE r.place = ?1 AND r.state = ${stateCode.inDoubt} GROUP BY b.sent
     UNION ALL
     SELECT b.sent, count(*), 1 FROM batch b JOIN row r ON r.batch = b.id WHERE b.place = ?1 AND b.open = 1 AND r.state = ${stateCode.intended} GROUP BY b.sent
     ORDER BY 1`,
    [place],
  ).map(([sent, count, open]) => ({ sentAt: isoOf(sent), count, open: open === 1 }))

/** Inside a transaction. A run that reads the source becomes the latest one: what it met is what needs a person. */
export const startRun = (
  db: Database,
  place: number,
  run: number,
  record: Pick<RunRecord, "mode" | "startedAt"> & { readonly repeats?: boolean },
): void => {
  db.run("UPDATE run SET mode = ?, started = ? WHERE id = ?", [record.mode, record.startedAt, run])
  if (record.mode !== "reconcile" && record.repeats !== true) {
    db.run("UPDATE place SET latest = ? WHERE id = ?", [run, place])
  }
}

export const finishRun = (
  db: Database,
  run: number,
  record: Required<Pick<RunRecord, "finishedAt" | "outcome" | "exitCode" | "counts">>,
): void => {
  db.run("UPDATE run SET finished = ?, outcome = ?, exit = ?, counts = ? WHERE id = ?", [
    record.finishedAt ?? null,
    record.outcome ?? null,
    record.exitCode ?? null,
    JSON.stringify(record.counts),
    run,
  ])
}

/** Run records of a pipeline that are kept at each destination, besides those that something else refers to. */
export const keptRuns = 100

/**
 * Forgets old runs, inside a transaction: all but the newest of each pipeline and destination, the last one that was complete, and those that rows, batches or a reconciliation refer to. Gives
 * how many went.
 */
export const dropOldRuns = (db: Database, keep = keptRuns): number =>
  db.run(
    `DELETE FROM run WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY place, mode IS NULL ORDER BY id DESC) AS nth FROM run) WHERE nth > ?)
     AND id NOT IN (SELECT max(id) FROM run WHERE outcome = 'complete' GROUP BY place)
     AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run = run.id)
     AND id NOT IN (SELECT run FROM drift UNION SELECT run FROM reconciliation UNION SELECT run FROM vanished
       UNION SELECT latest FROM place WHERE latest IS NOT NULL)`,
    [keep],
  ).changes

type RunColumns = readonly [
  name: string,
  mode: string,
  started: string | null,
  finished: string | null,
  outcome: string | null,
  exit: number | null,
  counts: string | null,
]

const columns = "name, mode, started, finished, outcome, exit, counts"

const recordOf = ([run, mode, started, finished, outcome, exit, counts]: RunColumns): RunRecord => ({
  run,
  mode: modes.find((one): one is Mode => one === mode) ?? "run",
  startedAt: started ?? "",
  finishedAt: finished ?? undefined,
  outcome: outcomes.find((one): one is Outcome => one === outcome),
  exitCode: exit ?? undefined,
  counts: counts === null ? null : JSON.parse(counts) as Json,
})

/** The newest first. */
export const runRecords = (db: Database, place: number, limit: number): ReadonlyArray<RunRecord> =>
  db.all<RunColumns>(
    `SELECT ${columns} FROM run WHERE place = ? AND mode IS NOT NULL ORDER BY started DESC, id DESC LIMIT ?`,
    [place, limit],
  ).map(recordOf)

/** The last run that did its work: exit status 0, or 1 for rows that need a person. */
export const lastDone = (db: Database, place: number): RunRecord | undefined => {
  const found = db.get<RunColumns>(
    `SELECT ${columns} FROM run WHERE place = ? AND mode = 'run' AND exit IN (0, 1) ORDER BY finished DESC, id DESC LIMIT 1`,
    [place],
  )
  return found === undefined ? undefined : recordOf(found)
}

/** How many rows stand at a place. */
export const rowCount = (db: Database, place: number): number =>
  db.get<readonly [number]>("SELECT count(*) FROM row INDEXED BY row_key WHERE place = ?", [place])?.[0] ?? 0
