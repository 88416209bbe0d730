import { isPractice } from "../../domain/destination.ts"
import { takenStates } from "../codes.ts"
import { LedgerRefused } from "../errors.ts"
import type { RequestedPlace } from "../Ledger.ts"
import { liveHolder, lockedBy } from "./lock.ts"
import { all, exists, get, Refusal, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { tables } from "./tables.ts"

export type Place = Pick<RequestedPlace, "pipeline" | "destination" | "typed" | "separate">

/** Returns the place's number. Undefined until something is written for the place. */
export function* findPlace({ pipeline, destination }: Place): Sql<number | undefined> {
  return (yield* get<readonly [number]>("SELECT id FROM place WHERE pipeline = ? AND service = ? AND form = ?", [
    pipeline,
    destination.service,
    destination.form,
  ]))?.[0]
}

/** Returns the place's number. Adds the place if it is new, and updates the form's name, so call this function inside a transaction. */
export function* placeOf({ destination, pipeline, separate, typed = destination.form }: Place): Sql<number> {
  const { form, service } = destination
  yield* write(
    `INSERT INTO place (pipeline, service, form, typed, separate) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (pipeline, service, form) DO UPDATE SET typed = excluded.typed, separate = excluded.separate
       WHERE place.typed <> excluded.typed OR place.separate <> excluded.separate`,
    [pipeline, service, form, typed, separate?.get(service) ?? ""],
  )
  const place = yield* findPlace({ pipeline, destination })
  if (place === undefined) throw new Error("A place was not added.")
  return place
}

/** Returns the number of a run. Adds the run if it is new, so call this function inside a transaction. */
export function* runOf(place: number, run: string): Sql<number> {
  const found = (yield* get<readonly [number]>("SELECT id FROM run WHERE place = ? AND name = ?", [place, run]))
    ?? (yield* get<readonly [number]>("INSERT INTO run (place, name) VALUES (?, ?) RETURNING id", [place, run]))
  if (found === undefined) throw new Error("A run was not added.")
  return found[0]
}

/** Whether rows of a place `p` exist or may exist at its destination, or were deleted there and must not be sent again as new ones. */
const hasRowsThere = `EXISTS (SELECT 1 FROM row r WHERE r.place = p.id AND r.state IN (${takenStates}))`

/** Returns other pipelines whose rows exist, or may exist, at the destination. */
function* othersAt({ pipeline, destination }: RequestedPlace): Sql<ReadonlyArray<string>> {
  return (yield* all<readonly [string]>(
    `SELECT p.pipeline FROM place p WHERE p.service = ? AND p.form = ? AND p.pipeline <> ? AND ${hasRowsThere} ORDER BY p.pipeline`,
    [destination.service, destination.form, pipeline],
  )).map(([name]) => name)
}

/** Whether the destination has, or may have, rows of a place, or had rows that were deleted. */
function* hasRows(place: number | undefined): Sql<boolean> {
  return place !== undefined && (yield* exists(`SELECT 1 FROM place p WHERE p.id = ? AND ${hasRowsThere}`, [place]))
}

/** Whether a place never tried to send a row. */
function* isNew(place: number | undefined): Sql<boolean> {
  return place === undefined || !(yield* exists("SELECT 1 FROM batch WHERE place = ? LIMIT 1", [place]))
}

/** Returns the places of the form at the service's earlier addresses. */
function* formerPlaces(
  { destination, previous = [] }: RequestedPlace,
): Sql<ReadonlyArray<readonly [id: number, pipeline: string]>> {
  const places: Array<readonly [number, string]> = []
  for (const address of previous) {
    if (address === destination.service) continue
    places.push(
      ...yield* all<readonly [number, string]>("SELECT id, pipeline FROM place WHERE service = ? AND form = ?", [
        address,
        destination.form,
      ]),
    )
  }
  return places
}

/** Returns the place of the pipeline's old name, if its rows are to be taken over because this pipeline is new here. */
function* renamedPlace(requested: RequestedPlace): Sql<number | undefined> {
  if (requested.renamedFrom === undefined || requested.renamedFrom === requested.pipeline) return undefined
  const old = yield* findPlace({ pipeline: requested.renamedFrom, destination: requested.destination })
  return old !== undefined && (yield* isNew(yield* findPlace(requested))) ? old : undefined
}

/** Whether a place at an earlier address remains there: nothing was sent from it, and the present address has a place of its own. */
function* isLeft(old: number, present: number | undefined): Sql<boolean> {
  return present !== undefined && (yield* isNew(old))
}

/** Whether rows under an earlier name or address belong to the pipeline. */
export function* mustTakeOver(requested: RequestedPlace): Sql<boolean> {
  for (const [old, pipeline] of yield* formerPlaces(requested)) {
    if (!(yield* isLeft(old, yield* findPlace({ pipeline, destination: requested.destination })))) return true
  }
  return (yield* renamedPlace(requested)) !== undefined
}

/**
 * Moves, inside a transaction, the rows of the old name to the pipeline, and the rows of the old addresses to the service. Fails if a run is in
 * progress under either name, or if there are rows under two addresses.
 */
export function* takeOver(store: Store, requested: RequestedPlace): Sql<void> {
  const { destination, pipeline, renamedFrom } = requested
  for (const [old, of] of yield* formerPlaces(requested)) {
    const empty = yield* findPlace({ pipeline: of, destination })
    if (yield* isLeft(old, empty)) continue
    if (empty !== undefined) {
      if (!(yield* isNew(empty))) throw new Refusal(underBoth(requested, of))
      yield* notWhileRunning(store, `The rows of ${of} move to ${destination.service}`, [of])
      yield* join(empty, old)
    }
    yield* write("UPDATE place SET service = ? WHERE id = ?", [destination.service, old])
  }
  const old = yield* renamedPlace(requested)
  if (renamedFrom === undefined || old === undefined) return
  yield* notWhileRunning(store, `${pipeline} is renamed from ${renamedFrom}`, [renamedFrom, pipeline])
  const empty = yield* findPlace(requested)
  if (empty !== undefined) yield* join(empty, old)
  yield* write("UPDATE place SET pipeline = ? WHERE id = ?", [pipeline, old])
}

/** Fails if a run of one of the pipelines is in progress. A suspended run that may be overtaken loses its lock, so it writes nothing when it continues. */
function* notWhileRunning(store: Store, what: string, pipelines: ReadonlyArray<string>): Sql<void> {
  for (const name of pipelines) {
    const holder = yield* liveHolder(store, name, store.dialect.forUpdate)
    if (holder === undefined) {
      yield* write("UPDATE lock SET held = 0 WHERE pipeline = ?", [name])
      continue
    }
    throw new Refusal(
      new LedgerRefused({
        next: ["status", name],
        message: `${what}, which has to wait. ${lockedBy(name, holder.since, holder.lease).message}`,
      }),
    )
  }
}

/** Merges a place from which nothing was sent yet into the place that replaces it. People's decisions, and what runs found at the old place, are kept. */
function* join(empty: number, place: number): Sql<void> {
  yield* write("DELETE FROM fact WHERE place = ? AND name <> 'canary'", [empty])
  for (const { keyInPlace, name } of tables.filter(({ belongsTo }) => belongsTo.includes("place"))) {
    if (keyInPlace !== undefined) {
      const same = keyInPlace.map((key) => ` AND moved.${key} = ${name}.${key}`).join("")
      yield* write(
        `DELETE FROM ${name} WHERE place = ? AND EXISTS (SELECT 1 FROM ${name} moved WHERE moved.place = ?${same})`,
        [place, empty],
      )
    }
    yield* write(`UPDATE ${name} SET place = ? WHERE place = ?`, [place, empty])
  }
  yield* write(
    "UPDATE place SET latest = coalesce((SELECT p.latest FROM place p WHERE p.id = ?), latest) WHERE id = ?",
    [empty, place],
  )
  yield* write("DELETE FROM place WHERE id = ?", [empty])
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
function* refusalOfAddress(requested: RequestedPlace): Sql<LedgerRefused | undefined> {
  const { destination, pipeline, separate, serviceName = destination.service } = requested
  if (isPractice(destination.service)) return undefined
  // A service that was separate under its earlier address says nothing about its present one.
  const isSeparate = separate?.has(destination.service) === true
  const others = (yield* all<readonly [string, string]>(
    `SELECT p.service, p.pipeline FROM place p WHERE p.form = ? AND p.service <> ? AND p.separate IN (?, ?) AND ${hasRowsThere} ORDER BY p.service, p.pipeline`,
    [destination.form, destination.service, serviceName, isSeparate ? serviceName : ""],
  )).filter(([service]) => !isPractice(service) && separate?.has(service) !== true)
  const addresses = [...new Set(others.map(([service]) => service))]
  if (addresses.length === 0) return undefined
  const names = [...new Set(others.map(([, name]) => name))]
  const different = isSeparate
    ? "give it a different name, because its rows were imported under this one"
    : 'write "separate: true" there'
  return new LedgerRefused({
    next: ["check", pipeline],
    message:
      `${pipeline} would import into form ${destination.form} at ${destination.service}, but ${
        names.join(" and ")
      } imported into a form with the same id at ${
        addresses.join(" and ")
      }. If both are the same form, the rows imported before would be sent a second time. Nothing was sent. If ${serviceName} is the same service under a new address, write `
      + `"previousBaseUrls: [${
        addresses.join(", ")
      }]" under services.${serviceName} in config/formferry.yaml. If it is a different service, ${different}.`,
  })
}

/** Returns why a pipeline must not import into a form: its rows may already exist there under a different address or pipeline name. */
export function* refusal(requested: RequestedPlace): Sql<LedgerRefused | undefined> {
  return (yield* refusalOfAddress(requested)) ?? (yield* refusalOfRename(requested))
    ?? (yield* refusalOfNeighbour(requested))
}

/** Returns why a pipeline can't have been renamed: it has imported rows itself, and so has the pipeline of its old name. */
function* refusalOfRename(requested: RequestedPlace): Sql<LedgerRefused | undefined> {
  const { destination, pipeline, renamedFrom } = requested
  if (renamedFrom === undefined || renamedFrom === pipeline) return undefined
  if (!(yield* hasRows(yield* findPlace({ pipeline: renamedFrom, destination })))) return undefined
  if (!(yield* hasRows(yield* findPlace(requested)))) return undefined
  return new LedgerRefused({
    next: ["check", pipeline],
    message:
      `${pipeline} and ${renamedFrom} have both imported into form ${destination.form}, so ${pipeline} can't be ${renamedFrom} under a new name: its rows could be imported a second time. Nothing was sent. `
      + `If they are two pipelines, remove "renamedFrom" from ${pipeline}. If you swap their names, first give one of them a third name, and run both.`,
  })
}

/** Returns why a pipeline must not import into a form: it imported nothing, other pipelines did, and its file does not say how it is related to them. */
function* refusalOfNeighbour(requested: RequestedPlace): Sql<LedgerRefused | undefined> {
  const place = yield* findPlace(requested)
  if (yield* hasRows(place)) return undefined
  const { pipeline, destination, alongside } = requested
  const unnamed = (yield* othersAt(requested)).filter((other) => !alongside.includes(other))
  const first = unnamed[0]
  if (first === undefined) return undefined
  // A name under which rows were refused, or not created, can't get the rows of another name.
  const rename = (yield* isNew(place)) ? "" : "give it a name that it never had, and "
  return new LedgerRefused({
    next: ["check", pipeline],
    message: `${pipeline} has imported nothing into form ${destination.form} yet, but ${
      unnamed.join(" and ")
    } has: the same rows would be imported a second time. Nothing was sent. If ${pipeline} is the same pipeline under a new name, ${rename}write "renamedFrom: ${first}"; if both import different rows into this form, write "alongside: [${
      unnamed.join(", ")
    }]" under sink.`,
  })
}
