import { Effect } from "effect"
import type { Destination } from "../domain/destination.ts"
import { stateCode } from "./codes.ts"
import type { Database } from "./database.ts"
import { LedgerRefused } from "./Ledger.ts"
import { liveHolder } from "./lock.ts"
import { findPlace } from "./place.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"

export interface Newcomer {
  readonly pipeline: string
  readonly destination: Destination
  readonly renamedFrom: string | undefined
  readonly alongside: ReadonlyArray<string>
}

/** Pipelines, other than this one, of which something stands or may stand at the destination. */
const othersAt = (db: Database, { pipeline, destination }: Newcomer): ReadonlyArray<string> =>
  db.all<readonly [string]>(
    `SELECT p.pipeline FROM place p WHERE p.service = ? AND p.form = ? AND p.pipeline <> ? AND EXISTS
       (SELECT 1 FROM row r WHERE r.place = p.id AND r.state IN (${stateCode.intended}, ${stateCode.inDoubt}, ${stateCode.imported})) ORDER BY p.pipeline`,
    [destination.service, destination.form, pipeline],
  ).map(([name]) => name)

const isNew = (db: Database, place: number | undefined): boolean =>
  place === undefined || db.get("SELECT 1 FROM batch WHERE place = ? LIMIT 1", [place]) === undefined

/** Whether the pipeline takes over the rows of the one it was renamed from: it is new there, and that one is not. */
export const mustTakeOver = (db: Database, newcomer: Newcomer): boolean => {
  if (newcomer.renamedFrom === undefined || newcomer.renamedFrom === newcomer.pipeline) return false
  const old = findPlace(db, { pipeline: newcomer.renamedFrom, destination: newcomer.destination })
  return old !== undefined && isNew(db, findPlace(db, newcomer))
}

/** Gives the rows of the old name to the new one, inside a transaction; not while a run under either name is going on. */
export const takeOver = (store: Store, newcomer: Newcomer): void => {
  const { db } = store
  const { pipeline, destination, renamedFrom } = newcomer
  const old = renamedFrom === undefined ? undefined : findPlace(db, { pipeline: renamedFrom, destination })
  if (renamedFrom === undefined || old === undefined || !mustTakeOver(db, newcomer)) return
  for (const name of [renamedFrom, pipeline]) {
    const holder = liveHolder(store, name, store.holder, store.clock.unsafeCurrentTimeMillis())
    if (holder === undefined) continue
    throw new Refusal(Effect.fail(
      new LedgerRefused({
        message:
          `${pipeline} is renamed from ${renamedFrom}, but a run of ${name} is going on (process ${holder.pid}). Wait for it to end, then run this again.`,
      }),
    ))
  }
  const empty = findPlace(db, newcomer)
  if (empty !== undefined) {
    // Nothing was sent under the new name yet; what people said and runs met under it goes along.
    for (
      const table of ["run", "attention", "acknowledged", "accepted", "leftOut", "canary", "reconciliation", "told"]
    ) {
      db.run(`UPDATE OR REPLACE ${table} SET place = ? WHERE place = ?`, [old, empty])
    }
    db.run("UPDATE place SET latest = coalesce((SELECT latest FROM place WHERE id = ?), latest) WHERE id = ?", [
      empty,
      old,
    ])
    db.run("DELETE FROM place WHERE id = ?", [empty])
  }
  db.run("UPDATE place SET pipeline = ? WHERE id = ?", [pipeline, old])
}

/** Why a pipeline must not import there: it is new where others imported, and does not say how it relates to them. */
export const refusal = (db: Database, newcomer: Newcomer): LedgerRefused | undefined => {
  if (!isNew(db, findPlace(db, newcomer))) return undefined
  const { pipeline, destination, alongside } = newcomer
  const unnamed = othersAt(db, newcomer).filter((other) => !alongside.includes(other))
  const first = unnamed[0]
  if (first === undefined) return undefined
  return new LedgerRefused({
    message: `${pipeline} has sent nothing to form ${destination.form} yet, but ${
      unnamed.join(" and ")
    } has: its rows would go in a second time. If ${pipeline} is the same pipeline under a new name, write "renamedFrom: ${first}"; if both feed this form, write "alongside: [${
      unnamed.join(", ")
    }]" under sink.`,
  })
}
