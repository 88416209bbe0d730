import { Effect, Option, Stream } from "effect"
import type { Verdict } from "../../domain/fate.ts"
import type { Item } from "../../domain/item.ts"
import { fateCode, stateCode, stateOf, verdictCode, verdictOf } from "../codes.ts"
import type { LedgerError } from "../Ledger.ts"
import type { DoubtfulRow, ExportedRow, Missed, SentRow, UnmetRows, VanishedRow } from "../records.ts"
import type { Database, Param } from "./database.ts"
import { lastReplaced } from "./replace.ts"
import { isoOf, reading, type Store } from "./Store.ts"
import { driftedOf, unpackAnswers } from "./verdicts.ts"

/** The number after which a page begins: that of the last row of the page before. */
const idOf = (db: Database, place: number, after: Buffer | undefined): number =>
  after === undefined
    ? 0
    : db.get<readonly [number]>("SELECT id FROM row WHERE place = ? AND digest = ?", [place, after])?.[0] ?? 0

interface SentPage {
  readonly after: Buffer | undefined
  readonly limit: number
  readonly verdicts?: ReadonlyArray<Verdict>
  readonly run?: string
  readonly content?: boolean
}

type SentColumns = readonly [
  digest: Buffer,
  key: string,
  row: number,
  batch: number,
  run: string,
  submission: string,
  time: string | null,
  verdict: number,
  item: string | null,
  answers: Buffer | null,
  cells: string | null,
  drift: number | null,
  replaces: string | null,
]

/**
 * A page of imported rows, in the order in which they were first sent: reading on is then reading forward in the file, and rows that a run sent lie together.
 */
export const sentPage = (store: Store, place: number, page: SentPage): ReadonlyArray<SentRow> => {
  const { db, texts } = store
  // A row that landed by a person's word has no submission that could be read.
  const where: Array<string> = [`r.state = ${stateCode.imported}`, "r.submission IS NOT NULL", "r.id > ?"]
  let after = idOf(db, place, page.after)
  // The partial index holds few rows, in order; else `+` keeps SQLite from sorting all rows of the place for every page.
  const rare = page.verdicts !== undefined && !page.verdicts.includes("verified")
  const runParams: Array<Param> = []
  if (page.run !== undefined) {
    const batches = db.get<readonly [number | null, number | null]>(
      "SELECT min(b.id), max(b.id) FROM batch b JOIN run u ON u.id = b.run WHERE u.place = ? AND u.name = ?",
      [place, page.run],
    )
    const [first, last] = batches ?? [null, null]
    if (first === null || last === null) return []
    if (page.after === undefined && !rare) {
      const start = db.get<readonly [number | null]>("SELECT min(id) FROM row WHERE batch BETWEEN ? AND ?", [
        first,
        last,
      ])
      after = (start?.[0] ?? 1) - 1
    }
    where.push("u.name = ?", "r.batch BETWEEN ? AND ?")
    runParams.push(page.run, first, last)
  }
  if (page.verdicts !== undefined) {
    where.push(`r.verdict IN (${page.verdicts.map((verdict) => verdictCode[verdict]).join(", ")})`)
  }
  where.push(rare ? "r.place = ? AND r.verdict > 0" : "+r.place = ?")
  const [content, join] = page.content === false
    ? ["NULL, NULL, NULL", ""]
    : [
      "d.item, coalesce(d.answers, v.answers), d.cells",
      "LEFT JOIN detail d ON d.row = r.id LEFT JOIN verified v ON v.row = r.id",
    ]
  return db.all<SentColumns>(
    `SELECT r.digest, r.key, r.row, r.batch, u.name, r.submission, r.time, r.verdict, ${content}, f.standing, ${lastReplaced}
     FROM row r ${
      rare ? "INDEXED BY row_unverified" : "NOT INDEXED"
    } CROSS JOIN batch b ON b.id = r.batch CROSS JOIN run u ON u.id = b.run ${join} LEFT JOIN drift f ON f.row = r.id
     WHERE ${where.join(" AND ")} ORDER BY r.id LIMIT ?`,
    [after, ...runParams, place, page.limit],
  ).map(([keyDigest, key, row, batch, run, submissionId, time, verdict, item, answers, cells, drift, replaces]) => ({
    keyDigest,
    key,
    row,
    batch,
    run,
    submissionId,
    submissionTime: time ?? undefined,
    verdict: verdictOf(verdict),
    item: itemOf(item),
    answers: answers === null ? undefined : unpackAnswers(answers, texts),
    cells: cellsOf(cells),
    replaces: replaces ?? undefined,
    drift: verdictOf(verdict) === "verified" ? driftedOf(drift) : undefined,
  }))
}

type DoubtColumns = readonly [
  digest: Buffer,
  key: string,
  row: number,
  batch: number,
  run: string,
  sent: number,
  first: number,
  closed: number | null,
  resent: number,
  reason: string,
  item: string | null,
  cells: string | null,
  columns: number,
  acknowledged: number,
]

/** A page of rows in doubt, in the same order. */
export const doubtfulPage = (
  store: Store,
  place: number,
  page: { readonly after: Buffer | undefined; readonly limit: number },
): ReadonlyArray<DoubtfulRow> =>
  store.db.all<DoubtColumns>(
    `SELECT r.digest, r.key, r.row, b.id, u.name, b.sent, x.first, CASE WHEN b.dead = 0 THEN b.closed END, r.resent, x.reason, d.item, d.cells, b.columns,
       EXISTS (SELECT 1 FROM acknowledged a WHERE a.place = r.place AND a.digest = r.digest AND a.content = r.content AND a.what = ${
      fateCode("inDoubt")
    })
     FROM row r INDEXED BY row_doubt JOIN doubt x ON x.row = r.id JOIN batch b ON b.id = x.batch JOIN run u ON u.id = b.run
     LEFT JOIN detail d ON d.row = r.id
     WHERE r.place = ? AND r.state = ${stateCode.inDoubt} AND r.id > ? ORDER BY r.id LIMIT ?`,
    [place, idOf(store.db, place, page.after), page.limit],
  ).map((
    [keyDigest, key, row, batch, run, sent, first, closed, resent, reason, item, cells, columns, acknowledged],
  ) => ({
    keyDigest,
    key,
    row,
    batch,
    run,
    sentAt: isoOf(sent),
    first,
    closed: closed ?? undefined,
    resent: resent === 1,
    reason,
    item: itemOf(item),
    cells: cellsOf(cells),
    columns: store.texts.listOf(columns),
    acknowledged: acknowledged === 1,
  }))

const itemOf = (text: string | null): Item | undefined => (text === null ? undefined : JSON.parse(text) as Item)

const cellsOf = (text: string | null): ReadonlyArray<string> | undefined =>
  text === null ? undefined : JSON.parse(text) as ReadonlyArray<string>

/** Rows whose marks are handed over at a time: a byte each. */
const slice = 1 << 16

/** Imported rows of a slice that were not met. `+`: the rows of a slice lie together, an index would scatter them. */
const missing = `r.id >= ?1 AND r.id < ?1 + ${slice} AND +r.place = ?2 AND r.state = ${stateCode.imported}
  AND substr(?3, r.id - ?1 + 1, 1) = x'00'`

/** The marks of the rows of the ledger from `from` on, slice by slice; what lies beyond `upTo` counts as met. */
const eachSlice = (
  { met, upTo }: Pick<Missed, "met" | "upTo">,
  from: number,
  use: (first: number, marks: Buffer) => boolean,
): void => {
  for (let first = from - (from % slice); first <= upTo; first += slice) {
    const marks = Buffer.alloc(slice)
    marks.set(met.subarray(first, first + slice))
    if (first + slice > upTo) marks.fill(1, upTo + 1 - first)
    if (!use(first, marks)) return
  }
}

/** Counts over the imported rows of a place. */
export const missed = (db: Database, place: number, met: Uint8Array): Missed => {
  const upTo = db.get<readonly [number | null]>("SELECT max(id) FROM row")?.[0] ?? 0
  const all = { met, upTo, count: 0, fresh: 0 }
  // The index alone tells whether there is any: nothing of the rows themselves is read then.
  const unmet = db.get<readonly [number | null]>(
    "SELECT sum(id >= length(?1) OR substr(?1, id + 1, 1) = x'00') FROM row INDEXED BY row_key WHERE place = ?2",
    [Buffer.from(met.buffer, met.byteOffset, met.byteLength), place],
  )?.[0] ?? 0
  if (unmet === 0) return all
  eachSlice(all, 0, (first, marks) => {
    const found = db.get<readonly [number, number | null]>(
      `SELECT count(*), sum(v.row IS NULL) FROM row r LEFT JOIN vanished v ON v.row = r.id WHERE ${missing}`,
      [first, place, marks],
    )
    all.count += found?.[0] ?? 0
    all.fresh += found?.[1] ?? 0
    return true
  })
  return all
}

/** Records, inside a transaction, which imported rows of a place a run did not meet. */
export const recordVanished = (db: Database, place: number, run: number, missed: Missed): void =>
  eachSlice(missed, 0, (first, marks) => {
    db.run(
      `INSERT INTO vanished (row, run) SELECT r.id, ?4 FROM row r WHERE ${missing} ON CONFLICT DO NOTHING`,
      [first, place, marks, run],
    )
    db.run(
      `DELETE FROM vanished WHERE row >= ?1 AND row < ?1 + ${slice} AND row IN
         (SELECT r.id FROM row r WHERE r.id >= ?1 AND r.id < ?1 + ${slice} AND +r.place = ?2 AND substr(?3, r.id - ?1 + 1, 1) <> x'00')`,
      [first, place, marks],
    )
    return true
  })

/** A page of the imported rows of a place that were not met, in the order in which they were first sent. */
export const vanishedPage = (
  db: Database,
  place: number,
  missed: Missed,
  page: { readonly after: number; readonly limit: number },
): ReadonlyArray<VanishedRow> => {
  const found: Array<VanishedRow> = []
  eachSlice(missed, page.after + 1, (first, marks) => {
    const rows = db.all<readonly [number, string, number, string | null, string | null, string | null]>(
      `SELECT r.id, r.key, r.row, r.submission, u.name, u.started FROM row r
       LEFT JOIN vanished v ON v.row = r.id LEFT JOIN run u ON u.id = v.run
       WHERE ${missing} AND r.id > ?4 ORDER BY r.id LIMIT ?5`,
      [first, place, marks, page.after, page.limit - found.length],
    )
    for (const [at, key, row, submission, run, started] of rows) {
      found.push({
        at,
        key,
        row,
        submissionId: submission ?? undefined,
        since: run === null ? undefined : { run, at: started ?? "" },
      })
    }
    return found.length < page.limit
  })
  return found
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

/** A page of the rows of a place that may stand at the destination and were not met, by their numbers from `first` on. */
export const unmetPage = (db: Database, place: number, met: Uint8Array, first: number): UnmetRows => {
  const marks = Buffer.alloc(slice)
  marks.set(met.subarray(first, first + slice))
  const [keys, rests] = db.get<readonly [string, string]>(
    `SELECT json_group_array(key), json_group_array(hex(rest)) FROM row r
     WHERE r.id >= ?1 AND r.id < ?1 + ${slice} AND +r.place = ?2
       AND r.state IN (${stateCode.intended}, ${stateCode.inDoubt}, ${stateCode.imported}) AND substr(?3, r.id - ?1 + 1, 1) = x'00'`,
    [first, place, marks],
  ) ?? ["[]", "[]"]
  const last = db.get<readonly [number | null]>("SELECT max(id) FROM row")?.[0] ?? 0
  return {
    keys: JSON.parse(keys) as ReadonlyArray<string>,
    rests: JSON.parse(rests) as ReadonlyArray<string>,
    next: first + slice <= last ? first + slice : undefined,
  }
}
