import type { Destination } from "../domain/destination.ts"
import type { Database } from "./database.ts"

/** A pipeline at a destination. */
export interface Place {
  readonly pipeline: string
  readonly destination: Destination
}

/** Its number; undefined while nothing was written for it. */
export const findPlace = (db: Database, { pipeline, destination }: Place): number | undefined =>
  db.get<readonly [number]>("SELECT id FROM place WHERE pipeline = ? AND service = ? AND form = ?", [
    pipeline,
    destination.service,
    destination.form,
  ])?.[0]

/** Its number; adds it, so only inside a transaction. */
export const placeOf = (db: Database, place: Place): number =>
  findPlace(db, place)
    ?? db.run("INSERT INTO place (pipeline, service, form) VALUES (?, ?, ?)", [
      place.pipeline,
      place.destination.service,
      place.destination.form,
    ]).id

/** The number of a run; adds it, so only inside a transaction. */
export const runOf = (db: Database, place: number, run: string): number =>
  db.get<readonly [number]>("SELECT id FROM run WHERE place = ? AND name = ?", [place, run])?.[0]
    ?? db.run("INSERT INTO run (place, name) VALUES (?, ?)", [place, run]).id
