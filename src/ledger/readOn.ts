import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"

const digestLength = 16

/** Where a reading stands in the ledger, as long as its rows come in the order in which they were sent. */
export interface Cursor {
  /** Id of the row that was found last; undefined: there is no such order. */
  last: number | undefined
}

/** Keys beyond the next one among which a row that comes next is looked for. */
const near = 16

type Next = readonly [
  ids: ReadonlyArray<number>,
  keys: ReadonlyArray<string>,
  contents: string | null,
  plain: string | null,
  shapes: ReadonlyArray<number>,
]

/** The rows that were first sent after a row, as far as they are of this place, a list for each thing to know: lists of texts and numbers are read several times as fast as lists of rows. */
const nextRows = (plain: string) => `
  SELECT json_array(json_group_array(id), json_group_array(key), group_concat(hex(content), ''), group_concat(${plain}, ''), json_group_array(shape))
  FROM (SELECT * FROM row NOT INDEXED WHERE id > ?1 AND id <= ?1 + ?3 AND place = ?2 ORDER BY id) r`

const imported = nextRows(`state = ${stateCode.imported}`)

const importedNotLeftOut = nextRows(
  `state = ${stateCode.imported} AND NOT EXISTS (SELECT 1 FROM leftOut l WHERE l.place = ?2 AND l.keyed = 1 AND l.digest = r.digest)`,
)

/**
 * Which rows are imported with the very content that they have now, by their ids: found without looking any key up, for a source that is read again has its rows in the order in which
 * they were sent. Nothing is said of the others.
 *
 * @param keys of the source's rows; undefined: a row without one
 * @param content the digest of a row's content as it is now, over the columns of a shape; undefined: that shape is not known yet
 * @param leftOut whether a person left out rows of this place
 */
export const readOn = (
  db: Database,
  place: number,
  keys: ReadonlyArray<string | undefined>,
  content: (at: number, shape: number) => Buffer | undefined,
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
    const now = content(at, shapes[next] ?? 0)
    if (now !== undefined && isAt(before, next * digestLength, now)) same[at] = last
  }
  // Where less than half is met the source has another order, and looking up finds out where it goes on.
  cursor.last = met >= keys.length / 2 ? last : undefined
  return same
}

/** Cheaper than a view of 16 bytes. */
const isAt = (all: Buffer, offset: number, digest: Buffer): boolean => {
  for (let at = 0; at < digestLength; at++) if (all[offset + at] !== digest[at]) return false
  return true
}
