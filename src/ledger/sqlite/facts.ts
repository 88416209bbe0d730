import type { AcceptReason } from "../../domain/acceptance.ts"
import type { Facts, Notified, Recorded, Rekeyed } from "../facts.ts"
import { recordAttention } from "./attention.ts"
import type { Database } from "./database.ts"
import { lastIntent } from "./intend.ts"
import { recordVanished } from "./pages.ts"
import type { Store } from "./Store.ts"
import { recordReconciled } from "./verdicts.ts"

/** Facts that are stored as JSON under their names. */
const kept = ["identity", "form", "canary", "undone", "refused", "pulled"] as const

/** Returns what is recorded about a place, apart from its rows and runs. */
export const facts = ({ db, texts }: Store, place: number): Facts => {
  const has = (table: string) => db.get(`SELECT 1 FROM ${table} WHERE place = ? LIMIT 1`, [place]) !== undefined
  const first = db.get<readonly [number | null]>("SELECT shape FROM place WHERE id = ?", [place])?.[0] ?? null
  const values = db.all<readonly [string, string]>("SELECT name, value FROM fact WHERE place = ?", [place])
  return {
    ...noFacts,
    isNew: !has("batch"),
    isBlank: !["row", "leftOut", "superseded"].some(has),
    firstColumns: first === null ? undefined : texts.listOf(first),
    ...Object.fromEntries(values.map(([name, value]) => [name, JSON.parse(value) as unknown])),
  }
}

/** The facts about a place that the ledger does not know yet. */
export const noFacts: Facts = {
  isNew: true,
  isBlank: true,
  firstColumns: undefined,
  identity: undefined,
  form: undefined,
  canary: undefined,
  undone: [],
  refused: undefined,
  pulled: undefined,
}

/** Records facts, inside a transaction. */
export const recordFacts = (
  store: Store,
  { place, run }: { readonly place: number; readonly run: number },
  recorded: Recorded,
): void => {
  const { db } = store
  const now = store.clock.unsafeCurrentTimeMillis()
  for (const name of kept) {
    const value = recorded[name]
    if (value === null) db.run("DELETE FROM fact WHERE place = ? AND name = ?", [place, name])
    else if (value !== undefined) {
      db.run(
        `INSERT INTO fact (place, name, value) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
        [place, name, JSON.stringify(value)],
      )
    }
  }
  const { acceptance, attention, filesRead = [], reconciled, testEntry, vanished } = recorded
  if (attention !== undefined) recordAttention(db, place, run, attention)
  for (const name of filesRead) {
    db.run("INSERT OR IGNORE INTO readFile (place, name, at) VALUES (?, ?, ?)", [place, name, now])
  }
  if (vanished !== undefined) recordVanished(db, place, run, vanished)
  if (reconciled !== undefined) recordReconciled(db, place, run, reconciled, now)
  if (testEntry !== undefined) {
    db.run("INSERT INTO testEntry (place, text, at, after) VALUES (?, ?, ?, ?)", [
      place,
      testEntry,
      now,
      lastIntent(db),
    ])
  }
  if (acceptance !== undefined) {
    // If a state was already accepted, its first record is kept.
    const { because, by, reason, states } = acceptance
    for (const state of states) {
      db.run("INSERT OR IGNORE INTO accepted (place, reason, state, at, by, because) VALUES (?, ?, ?, ?, ?, ?)", [
        place,
        reason,
        state,
        now,
        by,
        because,
      ])
    }
  }
}

/**
 * Gives rows new keys, inside a transaction, and copies people's decisions about the old keys to the new ones. A key that another row has stays with
 * that row.
 *
 * @returns how many rows got their new key
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

/** Whether a person has accepted all of these states, at one place or at any. */
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

/** Returns which of these files no run at this place has read. */
export const unreadFiles = (db: Database, place: number, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => db.get("SELECT 1 FROM readFile WHERE place = ? AND name = ?", [place, name]) === undefined)

/** Returns what a webhook was last notified of, or undefined if it was never notified. */
export const notified = (db: Database, place: number, webhook: string): Notified | undefined => {
  const found = db.get<readonly [string, string]>("SELECT codes, run FROM told WHERE place = ? AND webhook = ?", [
    place,
    webhook,
  ])
  return found && { codes: JSON.parse(found[0]) as ReadonlyArray<string>, run: found[1] }
}

/** Records what a webhook was last notified of, inside a transaction. */
export const recordNotified = (db: Database, place: number, webhook: string, { codes, run }: Notified): void => {
  db.run("INSERT OR REPLACE INTO told (place, webhook, codes, run) VALUES (?, ?, ?, ?)", [
    place,
    webhook,
    JSON.stringify(codes),
    run,
  ])
}
