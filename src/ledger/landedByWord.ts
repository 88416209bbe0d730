import type { Item } from "../domain/item.ts"
import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"

/** The items of rows that landed by a person's word at the place's destination, of whatever pipeline: their submissions are there, and nobody knows their ids. */
export const landedByWord = (db: Database, place: number): ReadonlyArray<Item> =>
  db.all<readonly [string]>(
    `SELECT d.item FROM place o JOIN place p ON p.service = o.service AND p.form = o.form
     JOIN row r INDEXED BY row_unverified ON r.place = p.id AND r.verdict > 0 JOIN detail d ON d.row = r.id
     WHERE o.id = ? AND r.state = ${stateCode.imported} AND r.submission IS NULL AND d.item IS NOT NULL ORDER BY r.id`,
    [place],
  ).map(([item]) => JSON.parse(item) as Item)
