import { stateCode, stateOf, verdictOf } from "./codes.ts"
import type { Database } from "./database.ts"
import { type Cursor, readOn } from "./readOn.ts"
import type { KnownRow } from "./records.ts"
import { isoOf } from "./Store.ts"
import type { Store } from "./Store.ts"

const digestLength = 16

type Found = readonly [at: number, ...Row]

type Row = readonly [
  id: number,
  key: string,
  state: number,
  row: number,
  content: string,
  shape: number,
  batch: number,
  resent: number,
  verdict: number | null,
  submission: string | null,
]

/**
 * All rows of a chunk in one statement, keys in as one blob and rows out as one JSON text: one call of libsql costs more than a row. `CROSS JOIN` keeps SQLite from scanning the
 * table instead.
 */
const findRows = `
  WITH RECURSIVE asked (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM asked WHERE at < ?3 - 1)
  SELECT json_group_array(json_array(at, id, key, state, row, hex(content), shape, batch, resent, verdict, submission))
  FROM asked CROSS JOIN row INDEXED BY row_key ON place = ?2 AND digest = substr(?1, at * ${digestLength} + 1, ${digestLength})`

/** The rows of these keys, each with its key's index. */
const find = (db: Database, place: number, keys: ReadonlyArray<Buffer>, cursor: Cursor): ReadonlyArray<Found> => {
  const text = db.get<readonly [string]>(findRows, [Buffer.concat(keys), place, keys.length])?.[0] ?? "[]"
  const found = JSON.parse(text) as ReadonlyArray<Found>
  // Else these are the rows that were not found by reading on, which goes on where it stands.
  if (cursor.last === undefined) {
    const ids = found.map(([, id]) => id)
    const [first, last] = [Math.min(...ids), Math.max(...ids)]
    cursor.last = ids.length >= keys.length / 2 && last - first < 2 * ids.length ? last : undefined
  }
  return found
}

/** Whether no row was ever intended, left out or superseded here: then no look-up can find anything. */
export const isBlank = (db: Database, place: number): boolean =>
  ["row", "leftOut", "superseded"].every((table) =>
    db.get(`SELECT 1 FROM ${table} WHERE place = ? LIMIT 1`, [place]) === undefined
  )

/** Which rows are known and the same, as far as reading on tells: see `readOn`. */
export const unchanged = (
  { db }: Store,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, shape: number) => Buffer | undefined,
  cursor: Cursor,
): ReadonlyArray<number | undefined> => readOn(db, place, keys, content, leftOutIn(db, place) !== never, cursor)

/**
 * What the ledger knows of each key digest, in their order.
 *
 * @param cursor of the reading whose rows these are
 */
export const lookUp = (
  store: Store,
  place: number | undefined,
  keys: ReadonlyArray<Buffer>,
  cursor: Cursor,
): ReadonlyArray<KnownRow | undefined> => {
  const known = new Array<KnownRow | undefined>(keys.length).fill(undefined)
  if (place === undefined || keys.length === 0) return known
  if (keys.some((key) => key.length !== digestLength)) throw new Error("A key digest is not 16 bytes long.")
  const { db } = store
  const leftOut = leftOutIn(db, place)
  const superseded = supersededIn(db, place)
  const refusedAgain = db.get("SELECT 1 FROM refusedAgain LIMIT 1") !== undefined
  for (const one of find(db, place, keys, cursor)) {
    const [at, id, key, state, row, content, shape, batch, resent, verdict, submission] = one
    const keyDigest = keys[at]
    if (keyDigest === undefined) continue
    const name = stateOf(state)
    known[at] = {
      id,
      keyDigest,
      key,
      state: name,
      row,
      content: Buffer.from(content, "hex"),
      shape,
      superseded: superseded(keyDigest),
      batch,
      submissionId: submission ?? undefined,
      verdict: verdict === null ? undefined : verdictOf(verdict),
      refusal: name === "refused"
        ? refusalOf(store, "refusal", id)
        : name === "imported" && refusedAgain
        ? refusalOf(store, "refusedAgain", id)
        : undefined,
      doubt: name === "inDoubt" ? doubtOf(db, id) : undefined,
      resent: resent === 1,
      leftOut: leftOut(keyDigest),
    }
  }
  if (leftOut !== never || superseded !== none) {
    keys.forEach((keyDigest, at) => {
      if (known[at] !== undefined) return
      const out = leftOut(keyDigest)
      const contents = superseded(keyDigest)
      if (out || contents.length > 0) known[at] = unsent(keyDigest, out, contents)
    })
  }
  return known
}

/** A key under which nothing was sent, but that a person left out, or whose row was mended and went in under another key. */
const unsent = (keyDigest: Buffer, leftOut: boolean, superseded: KnownRow["superseded"]): KnownRow => ({
  id: 0,
  keyDigest,
  key: "",
  state: "notCreated",
  row: 0,
  content: Buffer.alloc(0),
  shape: 0,
  superseded,
  batch: undefined,
  submissionId: undefined,
  verdict: undefined,
  refusal: undefined,
  doubt: undefined,
  resent: false,
  leftOut,
})

const never = (): boolean => false

/** Tells whether a key was left out; most ledgers hold none of these, and then no row pays for the question. */
const leftOutIn = (db: Database, place: number): (key: Buffer) => boolean => {
  const any = db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 1 LIMIT 1", [place])
  if (any === undefined) return never
  return (key) =>
    db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 1 AND digest = ?", [place, key]) !== undefined
}

const noContents: KnownRow["superseded"] = []

const none = (): KnownRow["superseded"] => noContents

/** The contents superseded under a key: they count once the row that replaced them is imported. */
const supersededIn = (db: Database, place: number): (key: Buffer) => KnownRow["superseded"] => {
  const any = db.get("SELECT 1 FROM superseded WHERE place = ? LIMIT 1", [place])
  if (any === undefined) return none
  return (key) =>
    db.all<readonly [Buffer, number]>(
      `SELECT s.content, s.mended FROM superseded s JOIN row r ON r.id = s.mended AND r.state = ${stateCode.imported} WHERE s.place = ? AND s.digest = ?`,
      [place, key],
    ).map(([content, mended]) => ({ content, mended }))
}

/** The mended row, by its number, that superseded each of these keyless contents. */
export const supersededKeyless = (
  db: Database,
  place: number,
  contents: ReadonlyArray<Buffer>,
): ReadonlyArray<number | undefined> => {
  const superseded = supersededIn(db, place)(Buffer.alloc(0))
  const all = new Map(superseded.map(({ content, mended }) => [content.toString("latin1"), mended]))
  return contents.map((content) => all.get(content.toString("latin1")))
}

/** Whether each of these keyless contents was left out for good. */
export const leftOutKeyless = (
  db: Database,
  place: number,
  contents: ReadonlyArray<Buffer>,
): ReadonlyArray<boolean> => {
  const any = db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 0 LIMIT 1", [place])
  return contents.map((content) =>
    any !== undefined
    && db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 0 AND digest = ?", [place, content]) !== undefined
  )
}

const refusalOf = (store: Store, table: "refusal" | "refusedAgain", row: number): KnownRow["refusal"] => {
  const refusal = store.db.get<readonly [Buffer, number, number, string]>(
    `SELECT item, mapping, form, message FROM ${table} WHERE row = ?`,
    [row],
  )
  if (refusal === undefined) return undefined
  const [item, mapping, form, message] = refusal
  return { item, mapping: store.texts.textOf(mapping) ?? "", form: store.texts.textOf(form) ?? "", message }
}

const doubtOf = (db: Database, row: number): KnownRow["doubt"] => {
  const doubt = db.get<readonly [string, number]>(
    "SELECT d.reason, b.sent FROM doubt d JOIN batch b ON b.id = d.batch WHERE d.row = ?",
    [row],
  )
  return doubt === undefined ? undefined : { reason: doubt[0], sentAt: isoOf(doubt[1]) }
}
