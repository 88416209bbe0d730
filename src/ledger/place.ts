import type { Destination } from "../domain/destination.ts"
import type { Database } from "./database.ts"

/** A pipeline at a destination. */
export interface Place {
  readonly pipeline: string
  readonly destination: Destination
  /** The form's id as the pipeline names it; default as in `destination`. */
  readonly typed?: string
  /** Addresses of services whose forms are their own. */
  readonly separate?: ReadonlyArray<string>
}

/** Its number; undefined while nothing was written for it. */
export const findPlace = (db: Database, { pipeline, destination }: Place): number | undefined =>
  db.get<readonly [number]>("SELECT id FROM place WHERE pipeline = ? AND service = ? AND form = ?", [
    pipeline,
    destination.service,
    destination.form,
  ])?.[0]

/** Its number; adds it, and records what it is called now, so only inside a transaction. */
export const placeOf = (
  db: Database,
  { destination, pipeline, separate = [], typed = destination.form }: Place,
): number => {
  const { form, service } = destination
  const isSeparate = separate.includes(service) ? 1 : 0
  db.run(
    `INSERT INTO place (pipeline, service, form, typed, separate) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (pipeline, service, form) DO UPDATE SET typed = ?4, separate = ?5 WHERE typed IS NOT ?4 OR separate <> ?5`,
    [pipeline, service, form, typed, isSeparate],
  )
  const place = findPlace(db, { pipeline, destination })
  if (place === undefined) throw new Error("A place was not added.")
  return place
}

/** The number of a run; adds it, so only inside a transaction. */
export const runOf = (db: Database, place: number, run: string): number =>
  db.get<readonly [number]>("SELECT id FROM run WHERE place = ? AND name = ?", [place, run])?.[0]
    ?? db.run("INSERT INTO run (place, name) VALUES (?, ?)", [place, run]).id
