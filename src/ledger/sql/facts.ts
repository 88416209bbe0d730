import type { AcceptReason } from "../../domain/acceptance.ts"
import { isTaken, sentStates } from "../codes.ts"
import type { Facts, Notified, Recorded, Rekeyed, Unkeyed } from "../facts.ts"
import { recordAttention } from "./attention.ts"
import { deleteRow } from "./forget.ts"
import { lastIntent } from "./intend.ts"
import { all, each, exists, get, insert, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"
import { noKey } from "./superseded.ts"
import { lastRow, recordVanished } from "./vanished.ts"
import { recordReconciled } from "./verdicts.ts"

/** Facts that are stored as JSON under their names. */
const kept = ["identity", "form", "canary", "undone", "refused", "pulled"] as const

export function* facts({ texts }: Store, place: number): Sql<Facts> {
  const has = (table: string) => exists(`SELECT 1 FROM ${table} WHERE place = ? LIMIT 1`, [place])
  const isAnyLeftOut = yield* has("leftOut")
  const first = (yield* get<readonly [number | null]>("SELECT shape FROM place WHERE id = ?", [place]))?.[0] ?? null
  const forgotten = yield* all<readonly [Buffer]>("SELECT digest FROM leftOut WHERE place = ? AND keyed = 2", [place])
  const values = yield* all<readonly [string, string]>("SELECT name, value FROM fact WHERE place = ?", [place])
  return {
    identity: undefined,
    form: undefined,
    canary: undefined,
    undone: [],
    refused: undefined,
    pulled: undefined,
    isBlank: !((yield* has("row")) || isAnyLeftOut || (yield* has("superseded"))),
    isAnyLeftOut,
    isAnyKeyless: yield* exists("SELECT 1 FROM attention WHERE place = ? AND digest = ? LIMIT 1", [place, noKey]),
    forgotten: forgotten.map(([digest]) => digest.toString("hex")),
    lastRow: yield* lastRow(),
    firstColumns: first === null ? undefined : yield* texts.read(() => texts.listOf(first)),
    ...Object.fromEntries(values.map(([name, value]) => [name, JSON.parse(value) as unknown])),
  }
}

export function* recordFacts(
  store: Store,
  { place, run }: { readonly place: number; readonly run: number },
  recorded: Recorded,
): Sql<void> {
  const now = yield* store.now()
  for (const name of kept) {
    const value = recorded[name]
    if (value === null) yield* write("DELETE FROM fact WHERE place = ? AND name = ?", [place, name])
    else if (value !== undefined) {
      yield* write(
        `INSERT INTO fact (place, name, value) VALUES (?, ?, ?)
         ON CONFLICT (place, name) DO UPDATE SET value = excluded.value WHERE fact.value <> excluded.value`,
        [place, name, JSON.stringify(value)],
      )
    }
  }
  const { acceptance, attention, filesRead = [], reconciled, testEntry, vanished } = recorded
  if (attention !== undefined) yield* recordAttention(store, { place, run }, attention)
  for (const name of filesRead) yield* insert("readFile", { place, name, at: now }, [])
  if (vanished !== undefined) yield* recordVanished(place, run, vanished)
  if (reconciled !== undefined) yield* recordReconciled(place, run, reconciled, now)
  if (testEntry !== undefined) {
    yield* insert("testEntry", { place, text: testEntry, at: now, after: yield* lastIntent() })
  }
  if (acceptance !== undefined) {
    // If a state was already accepted, its first record is kept.
    const { because, by, reason, states } = acceptance
    for (const state of states) yield* insert("accepted", { place, reason, state, at: now, by, because }, [])
  }
}

/** Records, inside a transaction, rows that have no key any more, so that they are found by their filled cells. */
export function* unkey({ texts }: Store, place: number, rows: ReadonlyArray<Unkeyed>): Sql<void> {
  for (const { columns, content, from } of rows) {
    yield* write(
      `INSERT INTO superseded (place, digest, content, columns, fixed)
       SELECT ?1, ?2, ?3, CAST(?4 AS BIGINT), id FROM row WHERE place = ?1 AND digest = ?5 ON CONFLICT DO NOTHING`,
      [place, noKey, content, yield* texts.idOfList(columns), from],
    )
  }
}

/** See `LedgerSession.rekey`. Call it inside a transaction. */
export function* rekey(place: number, rows: ReadonlyArray<Rekeyed>): Sql<number> {
  const moves = rows.filter(({ isCopied }) => isCopied !== true)
  yield* mergeAbsent(place, moves)
  const moved = yield* each(
    `UPDATE row SET digest = ?1, key = ?2 WHERE place = ?3 AND digest = ?4
       AND NOT EXISTS (SELECT 1 FROM row other WHERE other.place = ?3 AND other.digest = ?1 AND other.id <> row.id) RETURNING id`,
    moves.map(({ from, key, to }) => [to, key, place, from]),
  )
  for (const { from, key, to } of rows) {
    for (const [table, columns] of decisions) {
      yield* write(
        `INSERT INTO ${table} (place, digest, ${columns}) SELECT place, ?, ${columns} FROM ${table} WHERE place = ? AND digest = ?
         ON CONFLICT DO NOTHING`,
        [to, place, from],
      )
      if (!columns.split(", ").includes("key")) continue
      yield* write(`UPDATE ${table} SET key = ? WHERE place = ? AND digest = ? AND key IS NOT NULL`, [key, place, to])
    }
  }
  return moved.flat().length
}

/**
 * Deletes each row whose key another row gets, if nothing of it is in the form, and the other row is, may be, or was there. Rejected rows that the
 * deleted row had fixed then count as fixed by the other row.
 */
function* mergeAbsent(place: number, rows: ReadonlyArray<Rekeyed>): Sql<void> {
  const found = yield* each<readonly [number, string | null, number]>(
    `SELECT absent.id, absent.submission, taken.id FROM row absent JOIN row taken ON taken.place = absent.place AND taken.digest = ?3
     WHERE absent.place = ?1 AND absent.digest = ?2 AND NOT ${isTaken("absent", sentStates)} AND ${isTaken("taken")}`,
    rows.map(({ from, to }) => [place, to, from]),
  )
  for (const [absent, submission, taken] of found.flat()) {
    yield* write(
      `INSERT INTO superseded (place, digest, key, content, columns, fixed)
       SELECT place, digest, key, content, columns, CAST(? AS BIGINT) FROM superseded WHERE fixed = ? ON CONFLICT DO NOTHING`,
      [taken, absent],
    )
    yield* deleteRow(place, absent, submission)
  }
}

const decisions = [
  ["leftOut", "keyed, key, at, by, because"],
  ["superseded", "key, content, columns, fixed"],
  ["attention", "key, content, columns, what, row, seen"],
  ["acknowledged", "content, what, at, by, because"],
] as const

export function* isAccepted(
  where: number | "anywhere",
  reason: AcceptReason,
  states: ReadonlyArray<string>,
): Sql<boolean> {
  for (const state of states) {
    const isOne = yield* exists(
      "SELECT 1 FROM accepted WHERE reason = ? AND state = ? AND place = coalesce(?, place) LIMIT 1",
      [reason, state, where === "anywhere" ? null : where],
    )
    if (!isOne) return false
  }
  return true
}

export function* unreadFiles(place: number, versions: ReadonlyArray<string>): Sql<ReadonlyArray<string>> {
  const found = yield* all<readonly [string]>(
    "SELECT name FROM readFile WHERE place = ? AND name IN (SELECT value FROM json_each(?))",
    [place, JSON.stringify(versions)],
  )
  const read = new Set(found.map(([version]) => version))
  return versions.filter((version) => !read.has(version))
}

export function* notified(place: number, webhook: string): Sql<Notified | undefined> {
  const found = yield* get<readonly [string, string]>(
    "SELECT codes, run FROM told WHERE place = ? AND webhook = ?",
    [
      place,
      webhook,
    ],
  )
  return found && { codes: JSON.parse(found[0]) as ReadonlyArray<string>, run: found[1] }
}

/** Records what a webhook was last notified of, inside a transaction. */
export function* recordNotified(place: number, webhook: string, { codes, run }: Notified): Sql<void> {
  yield* insert("told", { place, webhook, codes: JSON.stringify(codes), run }, ["place", "webhook"])
}
