import type { Database } from "./database.ts"

/** Returns the names that are not among those that runs at this place have read. */
export const unreadFiles = (db: Database, place: number, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => db.get("SELECT 1 FROM readFile WHERE place = ? AND name = ?", [place, name]) === undefined)

/** Records that a run has read these files, inside a transaction. */
export const recordReadFiles = (db: Database, place: number, names: ReadonlyArray<string>, at: number): void => {
  for (const name of names) {
    db.run("INSERT OR IGNORE INTO readFile (place, name, at) VALUES (?, ?, ?)", [place, name, at])
  }
}
