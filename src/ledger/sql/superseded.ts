// Rejected rows of earlier runs that were fixed and imported, or sent as they were.
import { fateCode, sentStates, stateCode } from "../codes.ts"
import type { FixedState, KnownRow, Rejected, Rejection } from "../rows.ts"
import { all, exists, ofIds, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"

/** Returns digests as one parameter, for `inList`. */
export const listOf = (digests: ReadonlyArray<Buffer>): string =>
  JSON.stringify(digests.map((one) => one.toString("hex")))

/** Returns the condition of a statement that a column has one of the digests in a parameter that `listOf` returned. */
export const inList = (parameter = "?"): string => `IN (SELECT unhex(value) FROM json_each(${parameter}))`

type Contents = Array<KnownRow["superseded"][number]>

export const noContents: KnownRow["superseded"] = []

export const contentsIn = (superseded: ReadonlyMap<string, Contents>, key: Buffer): KnownRow["superseded"] =>
  superseded.size === 0 ? noContents : superseded.get(key.toString("latin1")) ?? noContents

/** Whether a fixed row of a place replaced another one. In most ledgers none did, and nothing more is looked up. */
const isAnySuperseded = (place: number): Sql<boolean> =>
  exists("SELECT 1 FROM superseded WHERE place = ? LIMIT 1", [place])

/**
 * Returns the contents superseded under each key. A content is superseded once the fixed row that replaced it may be in the form, even if that row was
 * undone later.
 */
export function* supersededBy(
  { texts }: Store,
  place: number,
  keys: ReadonlyArray<Buffer>,
): Sql<ReadonlyMap<string, Contents>> {
  const byKey = new Map<string, Contents>()
  if (!(yield* isAnySuperseded(place))) return byKey
  const found = yield* all<readonly [Buffer, Buffer, number, number, number]>(
    `SELECT s.digest, s.content, s.columns, s.fixed, r.state FROM superseded s
     JOIN row r ON r.id = s.fixed AND r.state IN (${sentStates}, ${stateCode.undone})
     WHERE s.place = ? AND s.digest ${inList()} ORDER BY r.state = ${stateCode.undone}, s.fixed`,
    [place, listOf(keys)],
  )
  const lists = yield* texts.read(() => found.map(([, , columns]) => texts.listOf(columns)))
  for (const [at, [digest, content, , fixed, state]] of found.entries()) {
    const key = digest.toString("latin1")
    const contents = byKey.get(key) ?? []
    byKey.set(key, contents)
    const isUndone = state === stateCode.undone
    contents.push({
      content,
      columns: lists[at] ?? [],
      fixed,
      isInDoubt: !isUndone && state !== stateCode.imported,
      isUndone,
    })
  }
  return byKey
}

/** Returns the keys of the rejected rows that these rows of the ledger replaced, by the row's id. */
export function* originalsOf(
  place: number,
  rows: ReadonlyArray<number>,
): Sql<ReadonlyMap<number, ReadonlyArray<string>>> {
  const originals = new Map<number, Array<string>>()
  if (!(yield* isAnySuperseded(place))) return originals
  const found = yield* ofIds<readonly [number, string | null]>("SELECT fixed, key FROM superseded", "fixed", rows)
  for (const [fixed, key] of found) {
    if (key !== null) originals.set(fixed, [...(originals.get(fixed) ?? []), key])
  }
  return originals
}

/** See `PipelineLedger.fixed`. A duplicate was rejected because another row has its key, so only its own content counts. */
export function* fixedRows(
  store: Store,
  place: number,
  rows: ReadonlyArray<Omit<Rejected, "columns"> | undefined>,
): Sql<ReadonlyArray<FixedState>> {
  const keys = rows.map((row) => (row === undefined ? noKey : digestOf(store, row)))
  const states = `r.state IN (${sentStates})`
  const contents = listOf(rows.flatMap((row) => row?.content ?? []))
  const keyed = listOf(keys.filter((key) => key.length > 0))
  const replaced = yield* all<readonly [Buffer, Buffer, number]>(
    `SELECT s.digest, s.content, CASE WHEN length(s.digest) > 0 AND s.key IS NULL THEN 1 ELSE 0 END FROM superseded s JOIN row r ON r.id = s.fixed AND ${states}
     WHERE s.place = ? AND s.content ${inList()}`,
    [place, contents],
  )
  const sent = yield* all<readonly [Buffer, Buffer]>(
    `SELECT r.digest, r.content FROM row r WHERE r.place = ? AND r.digest ${inList()} AND ${states}`,
    [place, keyed],
  )
  // If a row was imported again with other content, the submission with the earlier content stays in the form.
  const before = yield* all<readonly [Buffer, Buffer]>(
    `SELECT r.digest, p.content FROM row r JOIN replaced p ON p.row = r.id WHERE r.place = ? AND r.digest ${inList()}`,
    [place, keyed],
  )
  // The rejected row may have got another key since, because the row key was edited.
  const rekeyed = yield* all<readonly [Buffer]>(
    `SELECT r.content FROM attention t JOIN row r ON r.place = t.place AND r.digest = t.digest AND r.content = t.content AND ${states}
     WHERE t.place = ? AND t.content ${inList()}`,
    [place, contents],
  )
  const rejected = yield* all<readonly [Buffer, Buffer, number]>(
    `SELECT digest, content, what FROM attention WHERE place = ? AND content ${inList()}`,
    [place, contents],
  )
  const nameOf = (content: Buffer, key: Buffer) => Buffer.concat([content, key]).toString("latin1")
  const named = (found: ReadonlyArray<readonly [Buffer, Buffer, ...rest: ReadonlyArray<number>]>) =>
    new Set(found.map(([key, content]) => nameOf(content, key)))
  const [asItWas, asFixed, asRejected] = [named([...sent, ...before]), named(replaced), named(rejected)]
  const asDuplicate = named(rejected.filter(([, , what]) => what === fateCode.duplicate))
  const gotKey = new Set(
    replaced.flatMap(([, content, isKeyless]) => (isKeyless === 1 ? [content.toString("latin1")] : [])),
  )
  const known = new Set(rejected.map(([, content]) => content.toString("latin1")))
  const sentContents = new Set(rekeyed.map(([content]) => content.toString("latin1")))
  const sentKeys = new Set(sent.map(([key]) => key.toString("latin1")))
  return rows.map((row, at) => {
    if (row === undefined) return "unsent"
    const key = keys[at] ?? noKey
    const name = nameOf(row.content, key)
    const content = row.content.toString("latin1")
    if (asFixed.has(name) || asItWas.has(name) || sentContents.has(content)) return "sent"
    if (key === noKey && gotKey.has(content)) return "sent"
    if (!asRejected.has(name) && known.has(content)) return "changed key"
    return !row.isDuplicate && !asDuplicate.has(name) && sentKeys.has(key.toString("latin1")) ? "sent" : "unsent"
  })
}

export const noKey = Buffer.alloc(0)

/** Returns the digest of a rejected row's key. Empty if it had none. */
export const digestOf = ({ digest }: Store, { key }: Pick<Rejection, "key">): Buffer =>
  key === undefined ? noKey : digest.key(key)
