import type { AcceptReason } from "../../domain/acceptance.ts"
import type { Form } from "../../domain/form.ts"
import type { Acceptance, CanaryRecord, Notified, RefusedState, Rekeyed, RowIdentity } from "../records.ts"
import type { Database } from "./database.ts"

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

/** Returns the names that are not among those that runs at this place have read. */
export const unreadFiles = (db: Database, place: number, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => db.get("SELECT 1 FROM readFile WHERE place = ? AND name = ?", [place, name]) === undefined)

/** Records that a run has read these files, inside a transaction. */
export const recordReadFiles = (db: Database, place: number, names: ReadonlyArray<string>, at: number): void => {
  for (const name of names) {
    db.run("INSERT OR IGNORE INTO readFile (place, name, at) VALUES (?, ?, ?)", [place, name, at])
  }
}

/** What a webhook was last notified of; undefined: of nothing. */
export const notified = (db: Database, place: number, webhook: string): Notified | undefined => {
  const found = db.get<readonly [string, string]>("SELECT codes, run FROM told WHERE place = ? AND webhook = ?", [
    place,
    webhook,
  ])
  return found && { codes: JSON.parse(found[0]) as ReadonlyArray<string>, run: found[1] }
}

/** Inside a transaction. */
export const recordNotified = (db: Database, place: number, webhook: string, { codes, run }: Notified): void => {
  db.run("INSERT OR REPLACE INTO told (place, webhook, codes, run) VALUES (?, ?, ?, ?)", [
    place,
    webhook,
    JSON.stringify(codes),
    run,
  ])
}

export const recordCanary = (db: Database, place: number, record: CanaryRecord): void => {
  db.run("INSERT OR REPLACE INTO canary (place, standing, state, because) VALUES (?, ?, ?, ?)", [
    place,
    record.standing,
    record.state,
    record.because,
  ])
}

export const canaryRecord = (db: Database, place: number): CanaryRecord | undefined => {
  const found = db.get<readonly [string, string, string]>(
    "SELECT standing, state, because FROM canary WHERE place = ?",
    [
      place,
    ],
  )
  if (found === undefined) return undefined
  const [standing, state, because] = found
  return { standing, state: state === "passed" ? "passed" : "failed", because }
}
