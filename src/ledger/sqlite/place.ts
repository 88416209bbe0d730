import * as Effect from "effect/Effect"
import { type Destination, isPractice } from "../../domain/destination.ts"
import { stateCode } from "../codes.ts"
import { LedgerRefused, type RequestedPlace } from "../Ledger.ts"
import { Refusal } from "../sql/Refusal.ts"
import type { Database } from "./database.ts"
import { liveHolder } from "./lock.ts"
import type { Store } from "./Store.ts"

/** A pipeline at a destination. */
export interface Place {
  readonly pipeline: string
  readonly destination: Destination
  /** The form's id as the pipeline names it. Default: the id in `destination`. */
  readonly typed?: string
  /** Addresses of other services. Their forms are not the same, even if the ids are. */
  readonly separate?: ReadonlyArray<string>
}

/** Returns the place's number. Undefined until something is written for the place. */
export const findPlace = (db: Database, { pipeline, destination }: Place): number | undefined =>
  db.get<readonly [number]>("SELECT id FROM place WHERE pipeline = ? AND service = ? AND form = ?", [
    pipeline,
    destination.service,
    destination.form,
  ])?.[0]

/** Returns the place's number. Adds the place if it is new, and updates the form's name, so call this function inside a transaction. */
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

/** Returns the number of a run. Adds the run if it is new, so call this function inside a transaction. */
export const runOf = (db: Database, place: number, run: string): number =>
  db.get<readonly [number]>("SELECT id FROM run WHERE place = ? AND name = ?", [place, run])?.[0]
    ?? db.run("INSERT INTO run (place, name) VALUES (?, ?)", [place, run]).id

/** Whether rows of a place `p` exist or may exist at its destination, or were deleted there and must not be sent again as new ones. */
const stands =
  `EXISTS (SELECT 1 FROM row r WHERE r.place = p.id AND r.state IN (${stateCode.intended}, ${stateCode.inDoubt}, ${stateCode.imported}, ${stateCode.undone}))`

/** Returns other pipelines whose rows exist, or may exist, at the destination. */
const othersAt = (db: Database, { pipeline, destination }: RequestedPlace): ReadonlyArray<string> =>
  db.all<readonly [string]>(
    `SELECT p.pipeline FROM place p WHERE p.service = ? AND p.form = ? AND p.pipeline <> ? AND ${stands} ORDER BY p.pipeline`,
    [destination.service, destination.form, pipeline],
  ).map(([name]) => name)

const isNew = (db: Database, place: number | undefined): boolean =>
  place === undefined || db.get("SELECT 1 FROM batch WHERE place = ? LIMIT 1", [place]) === undefined

/** Returns the places of the form at the service's earlier addresses. */
const formerPlaces = (
  db: Database,
  { destination, previous = [] }: RequestedPlace,
): ReadonlyArray<readonly [id: number, pipeline: string]> =>
  previous.filter((address) => address !== destination.service).flatMap((address) =>
    db.all<readonly [number, string]>("SELECT id, pipeline FROM place WHERE service = ? AND form = ?", [
      address,
      destination.form,
    ])
  )

/** Returns the place of the pipeline's old name, if its rows are to be taken over because this pipeline is new here. */
const renamedPlace = (db: Database, requested: RequestedPlace): number | undefined => {
  if (requested.renamedFrom === undefined || requested.renamedFrom === requested.pipeline) return undefined
  const old = findPlace(db, { pipeline: requested.renamedFrom, destination: requested.destination })
  return old !== undefined && isNew(db, findPlace(db, requested)) ? old : undefined
}

/** Whether rows under an earlier name or address belong to the pipeline. */
export const mustTakeOver = (db: Database, requested: RequestedPlace): boolean =>
  formerPlaces(db, requested).length > 0 || renamedPlace(db, requested) !== undefined

/**
 * Moves, inside a transaction, the rows of the old name to the pipeline, and the rows of the old addresses to the service. Fails if a run is in
 * progress under either name, or if there are rows under two addresses.
 */
export const takeOver = (store: Store, requested: RequestedPlace): void => {
  const { db } = store
  const { destination, pipeline, renamedFrom } = requested
  for (const [old, of] of formerPlaces(db, requested)) {
    const empty = findPlace(db, { pipeline: of, destination })
    if (empty !== undefined) {
      if (isNew(db, old)) continue
      if (!isNew(db, empty)) throw new Refusal(Effect.fail(underBoth(requested, of)))
      notWhileRunning(store, `The rows of ${of} move to ${destination.service}`, [of])
      join(db, empty, old)
    }
    db.run("UPDATE place SET service = ? WHERE id = ?", [destination.service, old])
  }
  const old = renamedPlace(db, requested)
  if (renamedFrom === undefined || old === undefined) return
  notWhileRunning(store, `${pipeline} is renamed from ${renamedFrom}`, [renamedFrom, pipeline])
  const empty = findPlace(db, requested)
  if (empty !== undefined) join(db, empty, old)
  db.run("UPDATE place SET pipeline = ? WHERE id = ?", [pipeline, old])
}

const notWhileRunning = (store: Store, what: string, pipelines: ReadonlyArray<string>): void => {
  for (const name of pipelines) {
    const holder = liveHolder(store, name, store.holder, store.clock.unsafeCurrentTimeMillis())
    if (holder === undefined) continue
    throw new Refusal(Effect.fail(
      new LedgerRefused({
        message:
          `${what}, but a run of ${name} is in progress (process ${holder.pid}). Wait for it to end, then run this again.`,
      }),
    ))
  }
}

/**
 * Merges a place from which nothing was sent yet into the place that replaces it. People's decisions, and what runs found at the old place, are kept.
 */
const join = (db: Database, empty: number, place: number): void => {
  for (const table of ["run", "attention", "acknowledged", "accepted", "leftOut", "reconciliation", "told"]) {
    db.run(`UPDATE OR REPLACE ${table} SET place = ? WHERE place = ?`, [place, empty])
  }
  db.run("UPDATE place SET latest = coalesce((SELECT latest FROM place WHERE id = ?), latest) WHERE id = ?", [
    empty,
    place,
  ])
  db.run("UPDATE OR REPLACE fact SET place = ? WHERE place = ? AND name = 'canary'", [place, empty])
  db.run("DELETE FROM fact WHERE place = ?", [empty])
  db.run("DELETE FROM place WHERE id = ?", [empty])
}

const underBoth = (
  { destination, serviceName = destination.service }: RequestedPlace,
  pipeline: string,
): LedgerRefused =>
  new LedgerRefused({
    message:
      `${pipeline} imported into form ${destination.form} under ${destination.service} and under an earlier address, so the two can't be the same service. Nothing was sent. `
      + `Remove that address from "previousBaseUrls" of services.${serviceName} in config/formferry.yaml and write "separate: true" there.`,
  })

/**
 * Returns why a pipeline must not import into a form: rows were imported into the same form under a different address, and the project does not say
 * how the two addresses are related.
 */
const elsewhere = (db: Database, requested: RequestedPlace): LedgerRefused | undefined => {
  const { destination, pipeline, separate = [], serviceName = destination.service } = requested
  const isSeparate = (address: string) => isPractice(address) || separate.includes(address)
  if (isSeparate(destination.service)) return undefined
  const others = db.all<readonly [string, string]>(
    `SELECT p.service, p.pipeline FROM place p WHERE p.form = ? AND p.service <> ? AND p.separate = 0 AND ${stands} ORDER BY p.service, p.pipeline`,
    [destination.form, destination.service],
  ).filter(([service]) => !isSeparate(service))
  const addresses = [...new Set(others.map(([service]) => service))]
  if (addresses.length === 0) return undefined
  const names = [...new Set(others.map(([, name]) => name))]
  return new LedgerRefused({
    message:
      `${pipeline} would import into form ${destination.form} at ${destination.service}, but ${
        names.join(" and ")
      } imported into a form with the same id at ${
        addresses.join(" and ")
      }. If both are the same form, the rows imported before would be sent a second time. Nothing was sent. If ${serviceName} is the same service under a new address, write `
      + `"previousBaseUrls: [${
        addresses.join(", ")
      }]" under services.${serviceName} in config/formferry.yaml. If it is a different service, write "separate: true" there.`,
  })
}

/** Returns why a pipeline must not import into a form: its rows may already exist there under a different address or pipeline name. */
export const refusal = (db: Database, requested: RequestedPlace): LedgerRefused | undefined =>
  elsewhere(db, requested) ?? beside(db, requested)

/** Returns why a pipeline must not import into a form: it is new, other pipelines imported there, and its file does not say how it is related to them. */
const beside = (db: Database, requested: RequestedPlace): LedgerRefused | undefined => {
  if (!isNew(db, findPlace(db, requested))) return undefined
  const { pipeline, destination, alongside } = requested
  const unnamed = othersAt(db, requested).filter((other) => !alongside.includes(other))
  const first = unnamed[0]
  if (first === undefined) return undefined
  return new LedgerRefused({
    message: `${pipeline} has sent nothing to form ${destination.form} yet, but ${
      unnamed.join(" and ")
    } has: the same rows would be imported a second time. Nothing was sent. If ${pipeline} is the same pipeline under a new name, write "renamedFrom: ${first}"; if both import into this form, write "alongside: [${
      unnamed.join(", ")
    }]" under sink.`,
  })
}
