import type { Form } from "../domain/form.ts"
import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"
import type { RefusedState, Rekeyed, RowIdentity, UnmetRows } from "./records.ts"

const column = <A>(db: Database, place: number, name: "identity" | "recorded" | "refused"): A | undefined => {
  const text = db.get<readonly [string | null]>(`SELECT ${name} FROM place WHERE id = ?`, [place])?.[0] ?? null
  return text === null ? undefined : JSON.parse(text) as A
}

/** By what rows of a place are recognised; undefined: no run has read its source yet. */
export const rowIdentity = (db: Database, place: number): RowIdentity | undefined => column(db, place, "identity")

/** The form as the last run that may send met it. */
export const recordedForm = (db: Database, place: number): Form | undefined => column(db, place, "recorded")

/** What the last run was refused for. */
export const refusedState = (db: Database, place: number): RefusedState | undefined => column(db, place, "refused")

/** Inside a transaction. */
export const recordIdentity = (db: Database, place: number, identity: RowIdentity): void => {
  db.run("UPDATE place SET identity = ? WHERE id = ?", [JSON.stringify(identity), place])
}

/** Inside a transaction. */
export const recordForm = (db: Database, place: number, form: Form): void => {
  const text = JSON.stringify(form)
  db.run("UPDATE place SET recorded = ?1 WHERE id = ?2 AND recorded IS NOT ?1", [text, place])
}

/** Inside a transaction. */
export const recordRefused = (db: Database, place: number, refused: RefusedState | undefined): void => {
  db.run("UPDATE place SET refused = ? WHERE id = ?", [refused === undefined ? null : JSON.stringify(refused), place])
}

/**
 * Gives rows other keys, inside a transaction; and what people said of the old keys is said of the new ones, too. A key that another row has stays with that row.
 *
 * @returns how many rows have their new key
 */
export const rekey = (db: Database, place: number, rows: ReadonlyArray<Rekeyed>): number => {
  let moved = 0
  for (const { from, key, to } of rows) {
    if (key !== undefined) {
      moved += db.run("UPDATE OR IGNORE row SET digest = ?, key = ? WHERE place = ? AND digest = ?", [
        to,
        key,
        place,
        from,
      ]).changes
    }
    for (const [table, columns] of said) {
      db.run(
        `INSERT OR IGNORE INTO ${table} (place, digest, ${columns}) SELECT place, ?, ${columns} FROM ${table} WHERE place = ? AND digest = ?`,
        [to, place, from],
      )
    }
  }
  return moved
}

const said = [
  ["leftOut", "keyed, at, by, because"],
  ["superseded", "content, mended"],
  ["attention", "content, what, row, seen"],
  ["acknowledged", "content, what, at, by, because"],
] as const

/** Rows whose marks are handed over at a time: a byte each. */
const slice = 1 << 16

/** A page of the rows of a place that may stand at the destination and were not met, by their numbers from `first` on. */
export const unmetPage = (db: Database, place: number, met: Uint8Array, first: number): UnmetRows => {
  const marks = Buffer.alloc(slice)
  marks.set(met.subarray(first, first + slice))
  const [keys, rests] = db.get<readonly [string, string]>(
    `SELECT json_group_array(key), json_group_array(hex(rest)) FROM row r
     WHERE r.id >= ?1 AND r.id < ?1 + ${slice} AND +r.place = ?2
       AND r.state IN (${stateCode.intended}, ${stateCode.inDoubt}, ${stateCode.imported}) AND substr(?3, r.id - ?1 + 1, 1) = x'00'`,
    [first, place, marks],
  ) ?? ["[]", "[]"]
  const last = db.get<readonly [number | null]>("SELECT max(id) FROM row")?.[0] ?? 0
  return {
    keys: JSON.parse(keys) as ReadonlyArray<string>,
    rests: JSON.parse(rests) as ReadonlyArray<string>,
    next: first + slice <= last ? first + slice : undefined,
  }
}

/** How many rows stand at a place. */
export const rowCount = (db: Database, place: number): number =>
  db.get<readonly [number]>("SELECT count(*) FROM row INDEXED BY row_key WHERE place = ?", [place])?.[0] ?? 0
