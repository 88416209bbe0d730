import { Effect, Option, Stream } from "effect"
import type { Verdict } from "../domain/fate.ts"
import { stateOf, verdictOf } from "./codes.ts"
import type { Database } from "./database.ts"
import type { LedgerError } from "./Ledger.ts"
import type { RowState } from "./records.ts"
import { isoOf, reading } from "./Store.ts"
import type { Store } from "./Store.ts"

/** What the ledger holds of a row, or of a submission that another one replaced. */
export interface ExportedRow {
  readonly pipeline: string
  readonly service: string
  readonly form: string
  readonly key: string
  readonly state: RowState | "replaced"
  readonly row: number
  readonly submissionId: string | null
  readonly verdict: Verdict | null
  /** ISO 8601: when its request was recorded, right before it went out. */
  readonly sentAt: string
  readonly submissionTime: string | null
  readonly run: string
}

/** Rows that are read at a time. */
const pageRows = 1_000

type Columns = readonly [
  id: number,
  pipeline: string,
  service: string,
  form: string,
  key: string,
  state: number,
  row: number,
  submission: string | null,
  verdict: number | null,
  sent: number,
  time: string | null,
  run: string,
]

/** First the rows as they stand, then what was replaced. */
const tables = {
  row:
    `SELECT r.id, p.pipeline, p.service, p.form, r.key, r.state, r.row, r.submission, r.verdict, b.sent, r.time, u.name
    FROM row r NOT INDEXED JOIN place p ON p.id = r.place JOIN batch b ON b.id = r.batch JOIN run u ON u.id = b.run`,
  replaced:
    `SELECT x.id, p.pipeline, p.service, p.form, r.key, -1, x.number, x.submission, x.verdict, b.sent, x.time, u.name
    FROM replaced x JOIN row r ON r.id = x.row JOIN place p ON p.id = r.place JOIN batch b ON b.id = x.batch JOIN run u ON u.id = b.run`,
} as const

const page = (db: Database, table: keyof typeof tables, pipelines: string, after: number): ReadonlyArray<Columns> =>
  db.all<Columns>(
    `${tables[table]} WHERE ${table === "row" ? "r" : "x"}.id > ?1
     AND (?2 = '[]' OR p.pipeline IN (SELECT value FROM json_each(?2))) ORDER BY 1 LIMIT ${pageRows}`,
    [after, pipelines],
  )

const exported = (
  [, pipeline, service, form, key, state, row, submission, verdict, sent, time, run]: Columns,
): ExportedRow => ({
  pipeline,
  service,
  form,
  key,
  state: state === -1 ? "replaced" : stateOf(state),
  row,
  submissionId: submission,
  verdict: verdict === null ? null : verdictOf(verdict),
  sentAt: isoOf(sent),
  submissionTime: time,
  run,
})

/** All rows of these pipelines, or of all, in pages; a run may go on meanwhile. */
export const exportRows = (
  store: Store,
  pipelines: ReadonlyArray<string>,
): Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError> => {
  const names = JSON.stringify(pipelines)
  const all = (table: keyof typeof tables) =>
    Stream.paginateEffect(
      0,
      (after) =>
        Effect.map(reading(store, "exporting rows", () => page(store.db, table, names, after)), (rows) => [
          rows.map(exported),
          rows.length < pageRows ? Option.none() : Option.fromNullable(rows.at(-1)?.[0]),
        ]),
    )
  return Stream.concat(all("row"), all("replaced"))
}
