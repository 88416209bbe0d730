import type { Json } from "../domain/json.ts"
import type { Mode, Outcome } from "../domain/run.ts"
import { modes, outcomes } from "../domain/run.ts"
import type { Database } from "./database.ts"
import type { CanaryRecord, RunRecord } from "./records.ts"

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

export const recordCanary = (db: Database, place: number, record: CanaryRecord): void => {
  db.run("INSERT OR REPLACE INTO canary (place, standing, state, because) VALUES (?, ?, ?, ?)", [
    place,
    record.standing,
    record.state,
    record.because,
  ])
}

export const canaryRecord = (db: Database, place: number): CanaryRecord | undefined => {
  const found = db.get<readonly [string, string, string]>(
    "SELECT standing, state, because FROM canary WHERE place = ?",
    [
      place,
    ],
  )
  if (found === undefined) return undefined
  const [standing, state, because] = found
  return { standing, state: state === "passed" ? "passed" : "failed", because }
}
