import { groupBy } from "../../domain/groupBy.ts"
import { eachAnswered, type Item } from "../../domain/item.ts"
import type { Json } from "../../domain/json.ts"
import { type ChunkContents, type FoundRow, isUnsent, type KeylessRow, type KnownRow } from "../rows.ts"
import { digestLength } from "../secret.ts"
import { type Cursor, isAnyLeftOut, near, readOn } from "./readOn.ts"
import { neverStored, type Stored, stored } from "./row.ts"
import { all, exists, get, ofIds, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"
import { contentsIn, inList, listOf, noContents, noKey, supersededBy } from "./superseded.ts"
import { ofUndoneRun } from "./undo.ts"
import { unpackAnswers } from "./verdicts.ts"

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
  // A row that had no key may have the key of the fixed row that replaced it, if the source is read differently now.
  const differs = new Set<FoundRow | undefined>(changed)
  const isNew = (row: FoundRow | undefined) => row === undefined || isUnsent(row)
  const unknown = keys.flatMap((_, at) => (isNew(found[at]) || differs.has(found[at]) ? [at] : []))
  const byCells = yield* keylessRows(store, place, unknown, contents.filled)
  unknown.forEach((at, nth) => {
    const row = byCells[nth]
    const isKnown = row !== undefined && (row.replacedBy.length > 0 || (row.leftOut && isNew(found[at])))
    if (isKnown || keys[at] === undefined) found[at] = row
  })
  return found
}

/** Returns the digests of the answers that were sent for imported rows. The ledger has the answers themselves until the row is verified. */
function* sentAnswers(
  { digest, texts }: Store,
  rows: ReadonlyArray<number>,
): Sql<ReadonlyMap<number, NonNullable<KnownRow["sent"]>>> {
  const found = yield* ofIds<readonly [number, string | null, Buffer | null]>(
    "SELECT r.id, d.item, v.answers FROM row r LEFT JOIN detail d ON d.row = r.id LEFT JOIN verified v ON v.row = r.id",
    "r.id",
    rows,
  )
  return yield* texts.read(() =>
    new Map(found.flatMap(([row, item, answers]) => {
      if (item === null) return answers === null ? [] : [[row, sentIn(answers, texts)]]
      const sent = new Map<string, Buffer | undefined>()
      eachAnswered(JSON.parse(item) as Item, (id, value) => void sent.set(id, digest.value(value as Json)))
      return [[row, sent]]
    }))
  )
}

const sentIn = (answers: Buffer, texts: Store["texts"]): NonNullable<KnownRow["sent"]> =>
  new Map(
    Array.from(unpackAnswers(answers, texts)).flatMap(([id, { returned, sent }]) =>
      // Only an answer that was returned without being sent has a digest of what was returned alone.
      sent === undefined && returned !== undefined ? [] : [[id, sent]]
    ),
  )

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
  if (keys.some((key) => key.length !== digestLength)) {
    throw new Error(`A key digest is not ${digestLength} bytes long.`)
  }
  const leftOut = yield* leftOutOf(place, 1, keys)
  const superseded = yield* supersededBy(store, place, keys)
  const found = yield* find(store, place, keys, cursor)
  const rows = yield* store.texts.read(() => found.map((one) => stored.read(one, store.texts, 1)))
  const details = yield* detailsOf(store, rows)
  // Object.assign, because spreading `row` would take ten times as long.
  const knownAs = (keyDigest: Buffer, row: Stored): KnownRow =>
    Object.assign({
      superseded: contentsIn(superseded, keyDigest),
      earlier: details.earlier.get(row.id) ?? noContents,
      refusal: details.refusals.get(row.id),
      doubt: details.doubts.get(row.id),
      leftOut: isIn(leftOut, keyDigest),
    }, row)
  for (const [index, row] of rows.entries()) {
    const at = found[index]?.[0] ?? 0
    const keyDigest = keys[at]
    if (keyDigest !== undefined) known[at] = knownAs(keyDigest, row)
  }
  if (leftOut.size > 0 || superseded.size > 0) {
    keys.forEach((keyDigest, at) => {
      if (known[at] !== undefined) return
      // A person may have skipped the row, or it was fixed and imported under a different key.
      const one = knownAs(keyDigest, neverStored)
      if (one.leftOut || one.superseded.length > 0) known[at] = one
    })
  }
  return known
}

const isIn = (set: ReadonlySet<string>, digest: Buffer): boolean => set.size > 0 && set.has(digest.toString("latin1"))

/** Returns which keys (1) or contents (0) a person skipped. In most ledgers none was skipped, and nothing more is looked up. */
function* leftOutOf(place: number, keyed: 0 | 1, digests: ReadonlyArray<Buffer>): Sql<ReadonlySet<string>> {
  if (!(yield* isAnyLeftOut(place, keyed))) return new Set()
  const found = yield* all<readonly [Buffer]>(
    `SELECT digest FROM leftOut WHERE place = ? AND keyed = ? AND digest ${inList()}`,
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
  const byList = Array.from(
    groupBy(superseded, ({ columns }) => columns),
    ([columns, all]) => [columns, groupBy(all, ({ content }) => content.toString("latin1"))] as const,
  )
  const lists = byList.map(([columns]) => columns)
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
    columns: lists,
    leftOut: whole[nth] !== undefined && isIn(leftOut, whole[nth]),
  }))
}

/** Returns why rows were refused, how rows in doubt were sent, and the earlier contents of rows that are undone or were not sent again, by their ids. */
function* detailsOf(store: Store, rows: ReadonlyArray<Pick<KnownRow, "id" | "state">>) {
  const idsOf = (...states: ReadonlyArray<KnownRow["state"]>) =>
    rows.flatMap((row) => (states.includes(row.state) ? [row.id] : []))
  const refused = yield* refusalsOf(store, "refusal", idsOf("refused"))
  const refusedAgain = (yield* exists("SELECT 1 FROM refusedAgain LIMIT 1"))
    ? yield* refusalsOf(store, "refusedAgain", idsOf("imported"))
    : []
  return {
    earlier: yield* earlierOf(store, idsOf("undone", "refused", "notCreated")),
    refusals: new Map([...refused, ...refusedAgain]),
    doubts: new Map(yield* doubtsOf(store, idsOf("inDoubt"))),
  }
}

function* earlierOf({ texts }: Store, rows: ReadonlyArray<number>): Sql<ReadonlyMap<number, KnownRow["earlier"]>> {
  const found = yield* ofIds<readonly [number, Buffer, number, Buffer | null]>(
    "SELECT row, content, shape, answers FROM replaced",
    "row",
    rows,
  )
  const all = yield* texts.read(() =>
    found.map(([row, content, shape, answers]) => ({
      row,
      content,
      columns: texts.listOf(shape),
      sent: answers === null ? undefined : sentIn(answers, texts),
    }))
  )
  return groupBy(all, ({ row }) => row)
}

function* refusalsOf(
  { texts }: Store,
  table: "refusal" | "refusedAgain",
  rows: ReadonlyArray<number>,
): Sql<ReadonlyArray<readonly [number, KnownRow["refusal"]]>> {
  const found = yield* ofIds<readonly [number, Buffer, number, number, string]>(
    `SELECT row, item, mapping, form, message FROM ${table}`,
    "row",
    rows,
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
  const found = yield* ofIds<readonly [number, number, number]>(
    `SELECT d.row, b.mapping, ${ofUndoneRun} FROM doubt d JOIN batch b ON b.id = d.batch`,
    "d.row",
    rows,
  )
  return yield* texts.read(() =>
    found.map(([row, mapping, isUndone]) =>
      [row, { mapping: texts.textOf(mapping), isUndone: isUndone === 1 }] as const
    )
  )
}
