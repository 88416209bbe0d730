import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"
import type { Missed, VanishedRow } from "./records.ts"

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
