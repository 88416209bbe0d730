// Reading the ledger's rows in the order in which they were sent, which is mostly the order of the source's rows.
import { stateCode } from "../codes.ts"
import { digestLength } from "../secret.ts"
import { exists, get, type Sql } from "./statement.ts"
import type { Store } from "./Store.ts"
import type { Texts } from "./texts.ts"

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
export const near = 16

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
export function* readOn(
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

/** Whether a person skipped rows of a place, by key (1) or by content (0). */
export const isAnyLeftOut = (place: number, keyed: 0 | 1): Sql<boolean> =>
  exists("SELECT 1 FROM leftOut WHERE place = ? AND keyed = ? LIMIT 1", [place, keyed])

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
