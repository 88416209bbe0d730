import { isTaken, stateCode } from "../codes.ts"
import type { Page, SeenRows, UnseenRow, Vanished, VanishedRow } from "../pages.ts"
import { row } from "./row.ts"
import { optional, selected, type Selection, selection } from "./selection.ts"
import { get, numberIn, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { originalsOf } from "./superseded.ts"

/** How many rows' marks are passed to the database at a time. Each mark is one byte. */
const slice = 1 << 16

const imported = `r.state = ${stateCode.imported}`

/** The mark of a row that a source lacks. */
const lacks = Buffer.alloc(1)

/**
 * Selects the rows of a slice by their marks. The `+` prevents SQLite from using an index: the rows of a slice are next to each other, and an index
 * would scatter them.
 */
const marked = (by: "=" | "<>") =>
  `r.id >= ?1 AND r.id < ?1 + ${slice} AND +r.place = ?2 AND substr(CAST(?3 AS BLOB), CAST(r.id - ?1 + 1 AS INTEGER), 1) ${by} ?4`

/** Selects the rows of a slice that a source lacks. */
const unseen = (condition: string) => `${marked("=")} AND ${condition}`

/** Returns the marks of the ledger's rows from `from` on, slice by slice, with each slice's first row. Rows beyond `upTo` count as seen. */
function* slices(
  { seen, upTo }: Pick<Vanished, "seen" | "upTo">,
  from: number,
): Iterable<readonly [first: number, marks: Buffer]> {
  for (let first = from - (from % slice); first <= upTo; first += slice) {
    const marks = Buffer.alloc(slice)
    marks.set(seen.subarray(first, first + slice))
    if (first + slice > upTo) marks.fill(1, upTo + 1 - first)
    yield [first, marks]
  }
}

/** Returns the number of the last row, or 0 if there is none. */
export const lastRow = (): Sql<number> => numberIn("SELECT max(id) FROM row")

export function* vanished(place: number, seen: SeenRows): Sql<Vanished> {
  const upTo = yield* lastRow()
  // The index alone shows whether rows are missing. If none are, the rows themselves are not read.
  const missing = yield* numberIn(
    `SELECT count(*) FILTER (WHERE id >= ?3 OR substr(CAST(?1 AS BLOB), CAST(id + 1 AS INTEGER), 1) = ?4) FROM row INDEXED BY row_key WHERE place = ?2`,
    [Buffer.from(seen.buffer, seen.byteOffset, seen.byteLength), place, seen.byteLength, lacks],
  )
  let [count, fresh] = [0, 0]
  if (missing > 0) {
    for (const [first, marks] of slices({ seen, upTo }, 0)) {
      const [all, unrecorded] = (yield* get<readonly [number, number]>(
        `SELECT count(*), count(*) FILTER (WHERE v.row IS NULL) FROM row r LEFT JOIN vanished v ON v.row = r.id WHERE ${
          unseen(imported)
        }`,
        [first, place, marks, lacks],
      )) ?? [0, 0]
      count += all
      fresh += unrecorded
    }
  }
  return { seen, upTo, count, fresh }
}

/** Records, inside a transaction, which imported rows of a place are missing from a run's source. */
export function* recordVanished(place: number, run: number, vanished: Vanished): Sql<void> {
  for (const [first, marks] of slices(vanished, 0)) {
    yield* write(
      `INSERT INTO vanished (row, run) SELECT r.id, CAST(?5 AS BIGINT) FROM row r WHERE ${
        unseen(imported)
      } ON CONFLICT DO NOTHING`,
      [first, place, marks, lacks, run],
    )
    yield* write(
      `DELETE FROM vanished WHERE row >= ?1 AND row < ?1 + ${slice} AND row IN (SELECT r.id FROM row r WHERE ${
        marked("<>")
      })`,
      [first, place, marks, lacks],
    )
  }
}

const vanishedRow = selection<Omit<VanishedRow, "since"> & { readonly run?: string; readonly started?: string }>({
  at: row.id,
  key: row.key,
  row: row.row,
  submissionId: row.submission,
  run: optional("u.name"),
  started: optional("u.started"),
})

const unseenRow = selection<Omit<UnseenRow, "originals">>({
  at: row.id,
  key: row.key,
  rest: selected<string>("coalesce(hex(r.rest), '')"),
})

/** Returns a page of rows that a source lacks, in the order in which they were first sent. */
function* lackedPage<A>(
  store: Store,
  { all }: Pick<Selection<A>, "all">,
  place: number,
  of: Pick<Vanished, "seen" | "upTo">,
  condition: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Sql<ReadonlyArray<A>> {
  const found: Array<A> = []
  for (const [first, marks] of slices(of, after + 1)) {
    found.push(
      ...yield* all(
        store,
        `FROM row r LEFT JOIN vanished v ON v.row = r.id LEFT JOIN run u ON u.id = v.run
         WHERE ${unseen(condition)} AND r.id > ?5 ORDER BY r.id LIMIT ?6`,
        [first, place, marks, lacks, after, limit - found.length],
      ),
    )
    if (found.length >= limit) break
  }
  return found
}

export function* vanishedPage(store: Store, place: number, page: Page<"vanished">): Sql<ReadonlyArray<VanishedRow>> {
  const rows = yield* lackedPage(store, vanishedRow, place, page.vanished, imported, page)
  return rows.map(({ run, started = "", ...row }) => ({
    ...row,
    since: run === undefined ? undefined : { run, at: started },
  }))
}

export function* unseenPage(store: Store, place: number, page: Page<"unseen">): Sql<ReadonlyArray<UnseenRow>> {
  const of = { seen: page.seen, upTo: yield* lastRow() }
  const rows = yield* lackedPage(store, unseenRow, place, of, isTaken("r"), page)
  const originals = yield* originalsOf(place, rows.map(({ at }) => at))
  return rows.map((row) => ({ ...row, originals: (originals.get(row.at) ?? []).filter((key) => key !== row.key) }))
}
