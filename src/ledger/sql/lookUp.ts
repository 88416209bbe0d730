import { eachAnswered, type Item } from "../../domain/item.ts"
import type { Json } from "../../domain/json.ts"
import { stateCode } from "../codes.ts"
import type { ChunkContents, FoundRow, KeylessRow, KnownRow } from "../rows.ts"
import { neverStored, stored } from "./row.ts"
import { all, exists, get, type Sql } from "./statement.ts"
import { isoOf, type Store } from "./Store.ts"
import { type Contents, contentsIn, listOf, noContents, noKey, supersededBy } from "./superseded.ts"
import type { Texts } from "./texts.ts"
import { ofUndoneRun } from "./undo.ts"
import { unpackAnswers } from "./verdicts.ts"

/** The length of a key digest, in bytes. */
export const digestLength = 16

type Found = readonly [at: number, id: number, ...stored: ReadonlyArray<unknown>]

/** Returns the rows with these keys, each with the index of its key. */
function* find(
  { dialect }: Store,
  place: number,
  keys: ReadonlyArray<Buffer>,
  cursor: Cursor | undefined,
): Sql<ReadonlyArray<Found>> {
  const text = yield* get<readonly [string]>(dialect.findRows, [Buffer.concat(keys), place, keys.length])
  const found = JSON.parse(text?.[0] ?? "[]") as ReadonlyArray<Found>
  // If the cursor has a position, these are only the rows that sequential reading did not find, so the position remains.
  if (cursor !== undefined && cursor.last === undefined) {
    const ids = found.map(([, id]) => id)
    const [first, last] = [Math.min(...ids), Math.max(...ids)]
    cursor.last = ids.length >= keys.length / 2 && last - first < 2 * ids.length ? last : undefined
  }
  return found
}

/**
 * Returns what the ledger knows about a chunk of a source's rows. Reads the ledger sequentially if possible. Otherwise, looks rows up by key. Rows that
 * have no key or an unknown one are looked up by their filled cells.
 */
export function* lookUpRows(
  store: Store,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  contents: ChunkContents,
  cursor: Cursor,
): Sql<ReadonlyArray<FoundRow | undefined>> {
  const same = yield* readOn(store, place, keys, contents.over, cursor)
  const asked: Array<number> = []
  const digests: Array<Buffer> = []
  keys.forEach((key, at) => {
    if (key === undefined || same[at] !== undefined) return
    asked.push(at)
    digests.push(store.digest.key(key))
  })
  const found = same.map((id): FoundRow | undefined => (id === undefined ? undefined : { state: "same", id }))
  const byKey = yield* lookUp(store, place, digests, cursor)
  const changed: Array<KnownRow> = []
  asked.forEach((at, nth) => {
    const row = byKey[nth]
    found[at] = row
    if (row?.state === "imported" && !row.leftOut) {
      if (row.content.equals(contents.over(at, row.columns))) found[at] = { state: "same", id: row.id }
      else changed.push(row)
    }
    // If rows of other pipelines are in between, sequential reading might not reach the end of a chunk.
    const { last } = cursor
    if (row !== undefined && last !== undefined && row.id > last && row.id <= last + keys.length + near) {
      cursor.last = row.id
    }
  })
  const sent = yield* sentAnswers(store, changed.map(({ id }) => id))
  for (const row of changed) Object.assign(row, { sent: sent.get(row.id) })
  const unknown = keys.flatMap((_, at) => (found[at] === undefined ? [at] : []))
  const byCells = yield* keylessRows(store, place, unknown, contents.filled)
  unknown.forEach((at, nth) => {
    const row = byCells[nth]
    const isKnown = row !== undefined && (row.replacedBy.length > 0 || row.leftOut)
    if (isKnown || keys[at] === undefined) found[at] = row
  })
  return found
}

/** Returns the digests of the answers that were sent for imported rows. The ledger has the answers themselves until the row is verified. */
function* sentAnswers(
  { digest, texts }: Store,
  rows: ReadonlyArray<number>,
): Sql<ReadonlyMap<number, NonNullable<KnownRow["sent"]>>> {
  if (rows.length === 0) return new Map()
  const found = yield* all<readonly [number, string | null, Buffer | null]>(
    `SELECT r.id, d.item, v.answers FROM row r LEFT JOIN detail d ON d.row = r.id LEFT JOIN verified v ON v.row = r.id
     WHERE r.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
    [JSON.stringify(rows)],
  )
  return yield* texts.read(() =>
    new Map(found.flatMap(([row, item, answers]) => {
      const sent = new Map<string, Buffer | undefined>()
      if (item !== null) {
        eachAnswered(JSON.parse(item) as Item, (id, value) => void sent.set(id, digest.value(value as Json)))
      } else if (answers !== null) {
        for (const [id, one] of unpackAnswers(answers, texts)) {
          // Only an answer that was returned without being sent has a digest of what was returned alone.
          if (one.sent !== undefined || one.returned === undefined) sent.set(id, one.sent)
        }
      } else return []
      return [[row, sent]]
    }))
  )
}

/**
 * Returns what the ledger knows under each key digest, in the same order.
 *
 * @param cursor the source's position in the ledger
 */
export function* lookUp(
  store: Store,
  place: number,
  keys: ReadonlyArray<Buffer>,
  cursor?: Cursor,
): Sql<ReadonlyArray<KnownRow | undefined>> {
  const known = new Array<KnownRow | undefined>(keys.length).fill(undefined)
  if (keys.length === 0) return known
  if (keys.some((key) => key.length !== digestLength)) throw new Error("A key digest is not 16 bytes long.")
  const leftOut = yield* leftOutOf(place, 1, keys)
  const superseded = yield* supersededBy(store, place, keys)
  const found = yield* find(store, place, keys, cursor)
  const rows = yield* store.texts.read(() => found.map((one) => stored.read(one, store.texts, 1)))
  const details = yield* detailsOf(store, rows)
  for (const [index, row] of rows.entries()) {
    const at = found[index]?.[0] ?? 0
    const keyDigest = keys[at]
    if (keyDigest === undefined) continue
    // Object.assign, because spreading `row` would take ten times as long.
    known[at] = Object.assign({
      keyDigest,
      superseded: contentsIn(superseded, keyDigest),
      earlier: details.earlier.get(row.id) ?? noContents,
      refusal: details.refusals.get(row.id),
      doubt: details.doubts.get(row.id),
      leftOut: isIn(leftOut, keyDigest),
    }, row)
  }
  if (leftOut.size > 0 || superseded.size > 0) {
    keys.forEach((keyDigest, at) => {
      if (known[at] !== undefined) return
      const out = isIn(leftOut, keyDigest)
      const contents = contentsIn(superseded, keyDigest)
      if (out || contents.length > 0) {
        // A person skipped the row, or it was fixed and imported under a different key.
        known[at] = {
          ...neverStored,
          keyDigest,
          superseded: contents,
          earlier: noContents,
          refusal: undefined,
          doubt: undefined,
          leftOut: out,
        }
      }
    })
  }
  return known
}

const isIn = (set: ReadonlySet<string>, digest: Buffer): boolean => set.size > 0 && set.has(digest.toString("latin1"))

/** Whether a person skipped rows of a place, by key (1) or by content (0). */
const isAnyLeftOut = (place: number, keyed: 0 | 1): Sql<boolean> =>
  exists("SELECT 1 FROM leftOut WHERE place = ? AND keyed = ? LIMIT 1", [place, keyed])

/** Returns which keys (1) or contents (0) a person skipped. In most ledgers none was skipped, and nothing more is looked up. */
function* leftOutOf(place: number, keyed: 0 | 1, digests: ReadonlyArray<Buffer>): Sql<ReadonlySet<string>> {
  if (!(yield* isAnyLeftOut(place, keyed))) return new Set()
  const found = yield* all<readonly [Buffer]>(
    "SELECT digest FROM leftOut WHERE place = ? AND keyed = ? AND digest IN (SELECT unhex(value) FROM json_each(?))",
    [place, keyed, listOf(digests)],
  )
  return new Set(found.map(([digest]) => digest.toString("latin1")))
}

/**
 * Returns what the ledger knows about rows that have no key or an unknown one. They are found by their filled cells in the columns that the source had
 * when the cells were recorded.
 */
function* keylessRows(
  store: Store,
  place: number,
  rows: ReadonlyArray<number>,
  filled: ChunkContents["filled"],
): Sql<ReadonlyArray<KeylessRow>> {
  if (rows.length === 0) return []
  const superseded = contentsIn(yield* supersededBy(store, place, [noKey]), noKey)
  const byList = new Map<ReadonlyArray<string>, Map<string, Contents>>()
  for (const one of superseded) {
    const contents = byList.get(one.columns) ?? new Map<string, Contents>()
    const name = one.content.toString("latin1")
    byList.set(one.columns, contents.set(name, [...(contents.get(name) ?? []), one]))
  }
  const replaced = (at: number): KeylessRow["replacedBy"] => {
    for (const [columns, contents] of byList) {
      const all = contents.get(filled(at, columns).toString("latin1"))
      if (all !== undefined) return all
    }
    return noContents
  }
  const whole = (yield* isAnyLeftOut(place, 0)) ? rows.map((at) => filled(at, undefined)) : []
  const leftOut = whole.length === 0 ? new Set<string>() : yield* leftOutOf(place, 0, whole)
  return rows.map((at, nth) => ({
    state: "keyless",
    replacedBy: replaced(at),
    leftOut: whole[nth] !== undefined && isIn(leftOut, whole[nth]),
  }))
}

interface Details {
  readonly earlier: ReadonlyMap<number, KnownRow["earlier"]>
  readonly refusals: ReadonlyMap<number, KnownRow["refusal"]>
  readonly doubts: ReadonlyMap<number, KnownRow["doubt"]>
}

/** Returns why rows were refused or are in doubt, and the earlier contents of undone rows, by their ids. */
function* detailsOf(store: Store, rows: ReadonlyArray<Pick<KnownRow, "id" | "state">>): Sql<Details> {
  const idsOf = (state: KnownRow["state"]) => rows.flatMap((row) => (row.state === state ? [row.id] : []))
  const refused = yield* refusalsOf(store, "refusal", idsOf("refused"))
  const refusedAgain = (yield* exists("SELECT 1 FROM refusedAgain LIMIT 1"))
    ? yield* refusalsOf(store, "refusedAgain", idsOf("imported"))
    : []
  return {
    earlier: yield* earlierOf(store, idsOf("undone")),
    refusals: new Map([...refused, ...refusedAgain]),
    doubts: new Map(yield* doubtsOf(store, idsOf("inDoubt"))),
  }
}

function* earlierOf({ texts }: Store, rows: ReadonlyArray<number>): Sql<Details["earlier"]> {
  const earlier = new Map<number, Array<KnownRow["earlier"][number]>>()
  if (rows.length === 0) return earlier
  const found = yield* all<readonly [number, Buffer, number]>(
    "SELECT row, content, shape FROM replaced WHERE row IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
    [JSON.stringify(rows)],
  )
  const lists = yield* texts.read(() => found.map(([, , shape]) => texts.listOf(shape)))
  for (const [at, [row, content]] of found.entries()) {
    earlier.set(row, [...(earlier.get(row) ?? []), { content, columns: lists[at] ?? [] }])
  }
  return earlier
}

function* refusalsOf(
  { texts }: Store,
  table: "refusal" | "refusedAgain",
  rows: ReadonlyArray<number>,
): Sql<ReadonlyArray<readonly [number, KnownRow["refusal"]]>> {
  if (rows.length === 0) return []
  const found = yield* all<readonly [number, Buffer, number, number, string]>(
    `SELECT row, item, mapping, form, message FROM ${table} WHERE row IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
    [JSON.stringify(rows)],
  )
  return yield* texts.read(() =>
    found.map(([row, item, mapping, form, message]) =>
      [row, { item, mapping: texts.textOf(mapping), form: texts.textOf(form), message }] as const
    )
  )
}

function* doubtsOf(
  { texts }: Store,
  rows: ReadonlyArray<number>,
): Sql<ReadonlyArray<readonly [number, KnownRow["doubt"]]>> {
  if (rows.length === 0) return []
  const found = yield* all<readonly [number, string, number, number, number]>(
    `SELECT d.row, d.reason, b.sent, b.mapping, ${ofUndoneRun} FROM doubt d JOIN batch b ON b.id = d.batch
     WHERE d.row IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
    [JSON.stringify(rows)],
  )
  return yield* texts.read(() =>
    found.map(([row, reason, sent, mapping, isUndone]) =>
      [row, { reason, sentAt: isoOf(sent), mapping: texts.textOf(mapping), isUndone: isUndone === 1 }] as const
    )
  )
}

/** A source's position in the ledger, while the source's rows are in the order in which they were sent. */
export interface Cursor {
  /** Id of the last row that was found. Undefined if the source's rows are in a different order. */
  last: number | undefined
  /** Rows that were read for later chunks. */
  ahead?: Ahead
}

/** The rows of a place with ids above `from`, up to `upTo`. */
interface Ahead {
  readonly from: number
  readonly upTo: number
  readonly next: Next
  readonly contents: Buffer
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
 * Returns the ids of rows that were imported with exactly their present content, without a look-up by key. This is possible because a source that is
 * read again has its rows in the order in which they were sent. An undefined id says nothing about its row.
 *
 * @param keys each row's key, or undefined for a row without one
 * @param content returns the digest of a row's present content over these columns
 */
function* readOn(
  store: Store,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, columns: ReadonlyArray<string>) => Buffer,
  cursor: Cursor,
): Sql<ReadonlyArray<number | undefined>> {
  if (cursor.last === undefined) return new Array<undefined>(keys.length).fill(undefined)
  const ahead = yield* readAhead(store, place, cursor, cursor.last, keys.length + near)
  const from = ahead.next[0].findIndex((id) => id > (cursor.last ?? 0))
  const { last, met, same } = yield* store.texts.read(() =>
    compare(ahead, from < 0 ? Infinity : from, keys, content, store.texts)
  )
  // If fewer than half of the keys are found, the source has a different order. A look-up by key then finds where to continue.
  cursor.last = met >= keys.length / 2 ? last : undefined
  return same
}

const isImported = `state = ${stateCode.imported}`

/** A row that was skipped permanently doesn't count as imported. */
const isImportedNotLeftOut =
  `${isImported} AND NOT EXISTS (SELECT 1 FROM leftOut l WHERE l.place = ?2 AND l.keyed = 1 AND l.digest = r.digest)`

/** Returns the rows with the next ids after a row. A remote database returns more of them at once, for later chunks. */
function* readAhead(
  { dialect }: Store,
  place: number,
  cursor: Cursor,
  last: number,
  count: number,
): Sql<Ahead> {
  const { ahead } = cursor
  if (ahead !== undefined && ahead.from <= last && last + count <= ahead.upTo) return ahead
  const sql = dialect.nextRows((yield* isAnyLeftOut(place, 1)) ? isImportedNotLeftOut : isImported)
  const atOnce = Math.max(count, dialect.rowsAtOnce)
  const text = yield* get<readonly [string]>(sql, [last, place, atOnce])
  const next = JSON.parse(text?.[0] ?? "[[],[],null,null,[]]") as Next
  const read = { from: last, upTo: last + atOnce, next, contents: Buffer.from(next[2] ?? "", "hex") }
  if (atOnce > count) cursor.ahead = read
  return read
}

/** Compares the ledger's next rows, beginning with one of them, with a chunk of a source. */
const compare = (
  { contents, next: [ids, names, , plain, shapes] }: Ahead,
  first: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, columns: ReadonlyArray<string>) => Buffer,
  texts: Texts,
): { readonly same: ReadonlyArray<number | undefined>; readonly met: number; readonly last: number | undefined } => {
  const same = new Array<number | undefined>(keys.length).fill(undefined)
  let from = 0
  let met = 0
  let last: number | undefined
  for (let next = first; next < ids.length && from < keys.length; next++) {
    const end = Math.min(from + near, keys.length)
    let at = from
    while (at < end && keys[at] !== names[next]) at++
    if (at === end) continue
    from = at + 1
    met++
    last = ids[next]
    if (plain?.[next] !== "1") continue
    if (isAt(contents, next * digestLength, content(at, texts.listOf(shapes[next] ?? 0)))) same[at] = last
  }
  return { same, met, last }
}

/** Compares bytes one by one, which is faster than making a view of 16 bytes. */
const isAt = (all: Buffer, offset: number, digest: Buffer): boolean => {
  for (let at = 0; at < digestLength; at++) if (all[offset + at] !== digest[at]) return false
  return true
}
