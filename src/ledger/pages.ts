import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"
import { unpackAnswers } from "./answersCode.ts"
import { fateCode, stateCode, verdictCode, verdictOf } from "./codes.ts"
import type { Database, Param } from "./database.ts"
import { driftedOf } from "./drift.ts"
import type { DoubtfulRow, SentRow } from "./records.ts"
import { lastReplaced } from "./replace.ts"
import { isoOf } from "./Store.ts"
import type { Store } from "./Store.ts"

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
    columns: JSON.parse(store.texts.textOf(columns) ?? "[]") as ReadonlyArray<string>,
    acknowledged: acknowledged === 1,
  }))

const itemOf = (text: string | null): Item | undefined => (text === null ? undefined : JSON.parse(text) as Item)

const cellsOf = (text: string | null): ReadonlyArray<string> | undefined =>
  text === null ? undefined : JSON.parse(text) as ReadonlyArray<string>
