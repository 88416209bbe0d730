import * as Effect from "effect/Effect"
import type { Turns } from "../Ledger.ts"
import type { LastTurn, TurnChange } from "../turns.ts"
import { correctHeartbeats, leased, leaseOf, type LeaseRow, liveHolder, locked } from "./lock.ts"
import { all, get, insert, type Sql, write } from "./statement.ts"
import { keepSending, type Store } from "./Store.ts"

const states = ["done", "inProgress", "stopped"] as const
const codeOf = (state: LastTurn["state"]): number => states.indexOf(state)

export const makeTurns = (store: Store): Turns => ({
  last: (pipeline) => store.read("reading turns", () => lastTurn(store, pipeline)),
  seen: (pipeline, since) =>
    store.writer.write("recording a schedule", function*() {
      const elapsed = store.clock.unsafeCurrentTimeMillis() - since
      yield* write(
        `INSERT INTO turn (pipeline, at, state, tries, pid, born, boot, beat, lasts) VALUES (?, ?, ?, 0, 0, '', '', 0, 0)
         ON CONFLICT (pipeline) DO UPDATE SET at = excluded.at WHERE turn.tries = 0 AND turn.at > excluded.at`,
        [pipeline, (yield* turnTime(store)) - elapsed, codeOf("done")],
      )
      return yield* lastTurn(store, pipeline)
    }),
  record: (pipeline, decide) =>
    store.writer.write("recording a turn", function*() {
      yield* correctHeartbeats(store)
      const last = yield* lastTurn(store, pipeline)
      const change = decide(last)
      if (change !== undefined) yield* recordTurn(store, pipeline, last, change)
      return { last, change }
    }),
  keep: Effect.gen(function*() {
    // Opened once, like the heartbeats of a lock.
    const heartbeats = yield* store.heartbeats ?? Effect.succeed(undefined)
    const beat = heartbeats === undefined
      ? store.writer.write("renewing turns", () => {
        const { params, sql } = renewal(store)
        return write(sql, params)
      })
      : Effect.suspend(() => heartbeats(renewal(store)))
    // A turn without heartbeats expires, and its run is repeated.
    yield* keepSending(store, beat)
  }),
})

const renewal = ({ holder: { born, pid }, present }: Store) => {
  const now = present()
  return {
    sql: `UPDATE turn SET beat = ${now.sql} WHERE state = ? AND pid = ? AND born = ?`,
    params: [...now.params, codeOf("inProgress"), pid, born],
  }
}

function* recordTurn(store: Store, pipeline: string, last: LastTurn, change: TurnChange): Sql<void> {
  const { born, boot, pid } = store.holder
  switch (change) {
    case "taken":
    case "retaken": {
      const tries = change === "retaken" ? last.tries + 1 : 1
      const turn = { pipeline, at: yield* turnTime(store), state: codeOf("inProgress"), tries }
      const lease = { pid, born, boot, beat: yield* store.now(), lasts: store.staleAfter }
      return yield* insert("turn", { ...turn, ...lease }, ["pipeline"])
    }
    case "done":
    case "stopped":
      return yield* write("UPDATE turn SET state = ? WHERE pipeline = ? AND state = ? AND pid = ? AND born = ?", [
        codeOf(change),
        pipeline,
        codeOf("inProgress"),
        pid,
        born,
      ])
  }
}

/**
 * Returns the time of a turn. Whether a pipeline is due is decided by this host's clock. If the database's clock is slower, its time could be before
 * the time at which the pipeline was due, which would then be due again.
 */
function* turnTime({ clock, now }: Store): Sql<number> {
  return Math.max(clock.unsafeCurrentTimeMillis(), yield* now())
}

function* lastTurn(store: Store, pipeline: string): Sql<LastTurn> {
  const ran = yield* lastStart(pipeline)
  const turn = yield* get<readonly [at: number, state: number, tries: number, ...LeaseRow]>(
    `SELECT at, state, tries, ${leased} FROM turn WHERE pipeline = ?`,
    [pipeline],
  )
  if (turn === undefined) return { at: undefined, state: "done", lease: undefined, tries: 0, ran }
  const [at, code, tries, ...row] = turn
  const written = states[code] ?? "done"
  if (written !== "inProgress") return { at, state: written, lease: undefined, tries, ran }
  const own = leaseOf(store, row, yield* store.now())
  // The run's lock may have been renewed more recently than the turn.
  const lock = (yield* liveHolder(store, pipeline))?.lease
  const lease = own === undefined || lock === undefined || lock.expiresIn < own.expiresIn ? own ?? lock : lock
  return { at, state: lease === undefined ? "stopped" : written, lease, tries, ran }
}

/** Where leases are: the table, which of its rows are leased, and since when. */
const leases = [["lock", "held = 1", "since"], ["turn", `state = ${codeOf("inProgress")}`, "at"]] as const

/**
 * Takes every lease until the transaction ends: nothing is run, and no holder can renew its lease. Fails with `LedgerLocked` if a run or a turn is in
 * progress.
 */
export function* takeEveryLease(store: Pick<Store, "dialect" | "holder" | "now">): Sql<void> {
  for (const [table, isLeased, start] of leases) {
    const held = yield* all<readonly [pipeline: string, since: number, ...LeaseRow]>(
      `SELECT pipeline, ${start}, ${leased} FROM ${table} WHERE ${isLeased} ORDER BY 1${store.dialect.forUpdate}`,
    )
    const now = yield* store.now()
    for (const [pipeline, since, ...row] of held) {
      const lease = leaseOf(store, row, now)
      if (lease !== undefined) throw locked(pipeline, since, lease)
    }
  }
}

/**
 * Returns when the pipeline last started a run like a scheduled one. Milliseconds since 1970. That run is the newest, even if an earlier one has a later
 * time because the clock was wrong.
 */
function* lastStart(pipeline: string): Sql<number | undefined> {
  const started = (yield* get<readonly [string | null]>(
    `SELECT r.started FROM run r JOIN place p ON p.id = r.place WHERE p.pipeline = ? AND r.mode = 'run'
       AND (r.counts IS NULL OR r.counts NOT LIKE ?) ORDER BY r.id DESC LIMIT 1`,
    [pipeline, '%"isUnscheduled":true%'],
  ))?.[0]
  return started == null ? undefined : Date.parse(started)
}
