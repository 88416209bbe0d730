import { stateCode } from "../codes.ts"
import type { FoundRow, KeylessRow, KnownRow } from "../rows.ts"
import { ofUndoneRun } from "../sql/undo.ts"
import type { Database } from "./database.ts"
import { neverStored, stored } from "./row.ts"
import { isoOf, type Store } from "./Store.ts"

const digestLength = 16

type Found = readonly [at: number, id: number, ...stored: ReadonlyArray<unknown>]

/**
 * Finds all rows of a chunk in one statement, which takes the keys as one blob and returns the rows as one JSON text. A call to libsql costs more
 * than an additional row. `CROSS JOIN` prevents SQLite from scanning the table.
 */
const findRows = `
  WITH RECURSIVE asked (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM asked WHERE at < ?3 - 1)
  SELECT json_group_array(json_array(at, ${stored.sql}))
  FROM asked CROSS JOIN row r INDEXED BY row_key ON r.place = ?2 AND r.digest = substr(?1, at * ${digestLength} + 1, ${digestLength})`

/** Returns the rows with these keys, each with the index of its key. */
const find = (
  db: Database,
  place: number,
  keys: ReadonlyArray<Buffer>,
  cursor: Cursor | undefined,
): ReadonlyArray<Found> => {
  const text = db.get<readonly [string]>(findRows, [Buffer.concat(keys), place, keys.length])?.[0] ?? "[]"
  const found = JSON.parse(text) as ReadonlyArray<Found>
  // If the cursor has a position, these are only the rows that sequential reading did not find, so the position remains.
  if (cursor !== undefined && cursor.last === undefined) {
    const ids = found.map(([, id]) => id)
    const [first, last] = [Math.min(...ids), Math.max(...ids)]
    cursor.last = ids.length >= keys.length / 2 && last - first < 2 * ids.length ? last : undefined
  }
  return found
}

/**
 * Returns what the ledger knows about a chunk of a source's rows. Reads the ledger sequentially if possible. Otherwise, looks rows up by key, or by
 * content if they have no key.
 */
export const lookUpRows = (
  store: Store,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, columns: ReadonlyArray<string> | undefined) => Buffer,
  cursor: Cursor,
): ReadonlyArray<FoundRow | undefined> => {
  const same = readOn(store, place, keys, content, leftOutIn(store.db, place) !== never, cursor)
  const asked: Array<number> = []
  const digests: Array<Buffer> = []
  const keyless: Array<number> = []
  keys.forEach((key, at) => {
    if (key === undefined) keyless.push(at)
    else if (same[at] === undefined) {
      asked.push(at)
      digests.push(store.digest.key(key))
    }
  })
  const found = same.map((id): FoundRow | undefined => (id === undefined ? undefined : { state: "same", id }))
  const byKey = lookUp(store, place, digests, cursor)
  asked.forEach((at, nth) => {
    const row = byKey[nth]
    found[at] = row
    // If rows of other pipelines are in between, sequential reading might not reach the end of a chunk.
    const { last } = cursor
    if (row !== undefined && last !== undefined && row.id > last && row.id <= last + keys.length + near) {
      cursor.last = row.id
    }
  })
  const byContent = keylessRows(store.db, place, keyless.map((at) => content(at, undefined)))
  keyless.forEach((at, nth) => {
    found[at] = byContent[nth]
  })
  return found
}

/**
 * Returns what the ledger knows under each key digest, in the same order.
 *
 * @param cursor the source's position in the ledger
 */
export const lookUp = (
  store: Store,
  place: number | undefined,
  keys: ReadonlyArray<Buffer>,
  cursor?: Cursor,
): ReadonlyArray<KnownRow | undefined> => {
  const known = new Array<KnownRow | undefined>(keys.length).fill(undefined)
  if (place === undefined || keys.length === 0) return known
  if (keys.some((key) => key.length !== digestLength)) throw new Error("A key digest is not 16 bytes long.")
  const { db } = store
  const leftOut = leftOutIn(db, place)
  const superseded = supersededIn(db, place)
  const refusedAgain = db.get("SELECT 1 FROM refusedAgain LIMIT 1") !== undefined
  for (const one of find(db, place, keys, cursor)) {
    const [at, id] = one
    const keyDigest = keys[at]
    if (keyDigest === undefined) continue
    const row = stored.read(one, store.texts, 1)
    // Object.assign, because spreading `row` would take ten times as long.
    known[at] = Object.assign({
      keyDigest,
      superseded: superseded(keyDigest),
      refusal: row.state === "refused"
        ? refusalOf(store, "refusal", id)
        : row.state === "imported" && refusedAgain
        ? refusalOf(store, "refusedAgain", id)
        : undefined,
      doubt: row.state === "inDoubt" ? doubtOf(db, id) : undefined,
      leftOut: leftOut(keyDigest),
    }, row)
  }
  if (leftOut !== never || superseded !== none) {
    keys.forEach((keyDigest, at) => {
      if (known[at] !== undefined) return
      const out = leftOut(keyDigest)
      const contents = superseded(keyDigest)
      if (out || contents.length > 0) {
        // A person skipped the row, or it was fixed and imported under a different key.
        known[at] = {
          ...neverStored,
          keyDigest,
          superseded: contents,
          refusal: undefined,
          doubt: undefined,
          leftOut: out,
        }
      }
    })
  }
  return known
}

const never = (): boolean => false

/** Returns a function that checks whether a key was skipped. In most ledgers no key was skipped, and the function then looks nothing up. */
const leftOutIn = (db: Database, place: number): (key: Buffer) => boolean => {
  const any = db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 1 LIMIT 1", [place])
  if (any === undefined) return never
  return (key) =>
    db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 1 AND digest = ?", [place, key]) !== undefined
}

const noContents: KnownRow["superseded"] = []

const none = (): KnownRow["superseded"] => noContents

/**
 * Returns a function that finds the superseded contents of a key. A content is superseded once the fixed row that replaced it is imported, even
 * if that row was undone later. But if the undone row has the same key as the content, the content is not superseded, because the row may be resent.
 */
const supersededIn = (db: Database, place: number): (key: Buffer) => KnownRow["superseded"] => {
  const any = db.get("SELECT 1 FROM superseded WHERE place = ? LIMIT 1", [place])
  if (any === undefined) return none
  return (key) =>
    db.all<readonly [Buffer, number, number]>(
      `SELECT s.content, s.mended, r.state FROM superseded s
       JOIN row r ON r.id = s.mended AND (r.state = ${stateCode.imported} OR r.state = ${stateCode.undone} AND r.digest <> s.digest)
       WHERE s.place = ? AND s.digest = ?`,
      [place, key],
    ).map(([content, mended, state]) => ({ content, mended, isUndone: state === stateCode.undone }))
}

/** Returns what the ledger knows about rows without a key. The rows are found by their contents. */
const keylessRows = (db: Database, place: number, contents: ReadonlyArray<Buffer>): ReadonlyArray<KeylessRow> => {
  if (contents.length === 0) return []
  const superseded = supersededIn(db, place)(Buffer.alloc(0))
  const replacedBy = new Map(superseded.map((one) => [one.content.toString("latin1"), one]))
  const any = db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 0 LIMIT 1", [place]) !== undefined
  return contents.map((content) => ({
    state: "keyless",
    replacedBy: replacedBy.get(content.toString("latin1")),
    leftOut: any
      && db.get("SELECT 1 FROM leftOut WHERE place = ? AND keyed = 0 AND digest = ?", [place, content]) !== undefined,
  }))
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
  const doubt = db.get<readonly [string, number, number]>(
    `SELECT d.reason, b.sent, ${ofUndoneRun} FROM doubt d JOIN batch b ON b.id = d.batch WHERE d.row = ?`,
    [row],
  )
  return doubt === undefined ? undefined : { reason: doubt[0], sentAt: isoOf(doubt[1]), isUndone: doubt[2] === 1 }
}

/** A source's position in the ledger, while the source's rows are in the order in which they were sent. */
export interface Cursor {
  /** Id of the last row that was found. Undefined if the source's rows are in a different order. */
  last: number | undefined
}

/** How many of the next keys are compared with a row. */
const near = 16

type Next = readonly [
  ids: ReadonlyArray<number>,
  keys: ReadonlyArray<string>,
  contents: string | null,
  plain: string | null,
  shapes: ReadonlyArray<number>,
]

/**
 * Selects the rows of a place that were first sent after a row, as one list for each column. Lists of texts and numbers are read several times as
 * fast as lists of rows.
 */
const nextRows = (plain: string) => `
  SELECT json_array(json_group_array(id), json_group_array(key), group_concat(hex(content), ''), group_concat(${plain}, ''), json_group_array(shape))
  FROM (SELECT * FROM row NOT INDEXED WHERE id > ?1 AND id <= ?1 + ?3 AND place = ?2 ORDER BY id) r`

const imported = nextRows(`state = ${stateCode.imported}`)

const importedNotLeftOut = nextRows(
  `state = ${stateCode.imported} AND NOT EXISTS (SELECT 1 FROM leftOut l WHERE l.place = ?2 AND l.keyed = 1 AND l.digest = r.digest)`,
)

/**
 * Returns the ids of rows that were imported with exactly their present content, without a look-up by key. This is possible because a source that is
 * read again has its rows in the order in which they were sent. An undefined id says nothing about its row.
 *
 * @param keys each row's key, or undefined for a row without one
 * @param content returns the digest of a row's present content over these columns
 * @param leftOut whether a person skipped rows of this place
 */
const readOn = (
  { db, texts }: Store,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, columns: ReadonlyArray<string>) => Buffer,
  leftOut: boolean,
  cursor: Cursor,
): ReadonlyArray<number | undefined> => {
  const same = new Array<number | undefined>(keys.length).fill(undefined)
  if (cursor.last === undefined) return same
  const sql = leftOut ? importedNotLeftOut : imported
  const text = db.get<readonly [string]>(sql, [cursor.last, place, keys.length + near])?.[0] ?? "[[],[],null,null,[]]"
  const [ids, names, contents, plain, shapes] = JSON.parse(text) as Next
  const before = Buffer.from(contents ?? "", "hex")
  let from = 0
  let met = 0
  let last: number | undefined
  for (let next = 0; next < ids.length && from < keys.length; next++) {
    const end = Math.min(from + near, keys.length)
    let at = from
    while (at < end && keys[at] !== names[next]) at++
    if (at === end) continue
    from = at + 1
    met++
    last = ids[next]
    if (plain?.[next] !== "1") continue
    if (isAt(before, next * digestLength, content(at, texts.listOf(shapes[next] ?? 0)))) same[at] = last
  }
  // If fewer than half of the keys are found, the source has a different order. A look-up by key then finds where to continue.
  cursor.last = met >= keys.length / 2 ? last : undefined
  return same
}

/** Compares bytes one by one, which is faster than making a view of 16 bytes. */
const isAt = (all: Buffer, offset: number, digest: Buffer): boolean => {
  for (let at = 0; at < digestLength; at++) if (all[offset + at] !== digest[at]) return false
  return true
}
