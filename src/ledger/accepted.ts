import type { AcceptReason } from "../domain/acceptance.ts"
import type { Database } from "./database.ts"

/** A person's acceptance of what is refused now. */
export interface Acceptance {
  readonly reason: AcceptReason
  /** What is refused, as texts or digests that name exactly this; several if each can occur without the others. */
  readonly states: ReadonlyArray<string>
  readonly by: string
  readonly because: string
}

/** Whether a person has accepted all of these states, at a place or anywhere. */
export const isAccepted = (
  db: Database,
  where: number | "anywhere",
  reason: AcceptReason,
  states: ReadonlyArray<string>,
): boolean =>
  states.every((state) =>
    db.get("SELECT 1 FROM accepted WHERE reason = ? AND state = ? AND place = coalesce(?, place) LIMIT 1", [
      reason,
      state,
      where === "anywhere" ? null : where,
    ]) !== undefined
  )

/** Records an acceptance, inside a transaction. A state that was accepted before keeps its first record. */
export const accept = (db: Database, place: number, acceptance: Acceptance, at: number): void => {
  for (const state of acceptance.states) {
    db.run("INSERT OR IGNORE INTO accepted (place, reason, state, at, by, because) VALUES (?, ?, ?, ?, ?, ?)", [
      place,
      acceptance.reason,
      state,
      at,
      acceptance.by,
      acceptance.because,
    ])
  }
}
