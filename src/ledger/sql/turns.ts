import { isGone } from "../holder.ts"
import type { Turns } from "../Ledger.ts"
import type { LastTurn, TurnChange } from "../turns.ts"
import { liveHolder } from "./lock.ts"
import { get, type Sql, write } from "./statement.ts"
import type { Store } from "./Store.ts"

const states = ["done", "going", "brokenOff"] as const
const codeOf = (state: LastTurn["state"]): number => states.indexOf(state)

/** A process in a different container counts as ended after this many times `staleAfter`. It sends heartbeats only while it holds the lock. */
const silences = 5

export const makeTurns = (store: Store): Turns => ({
  last: (pipeline) => store.read("reading turns", () => lastTurn(store, pipeline)),
  record: (pipeline, decide) =>
    store.writer.write("recording a turn", function*() {
      const last = yield* lastTurn(store, pipeline)
      const change = decide(last)
      if (change !== undefined) yield* recordTurn(store, pipeline, last, change)
      return { last, change }
    }),
})

function* recordTurn(store: Store, pipeline: string, last: LastTurn, change: TurnChange): Sql<void> {
  const { born, boot, pid } = store.holder
  switch (change) {
    case "taken": {
      const tries = last.state === "brokenOff" ? last.tries + 1 : 1
      return yield* write(
        `INSERT INTO turn (pipeline, at, state, tries, pid, born, boot) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (pipeline) DO UPDATE SET at = excluded.at, state = excluded.state, tries = excluded.tries, pid = excluded.pid, born = excluded.born,
           boot = excluded.boot`,
        [pipeline, yield* turnTime(store), codeOf("going"), tries, pid, born, boot],
      )
    }
    case "seen":
      return yield* write(
        "INSERT INTO turn (pipeline, at, state, tries, pid, born, boot) VALUES (?, ?, ?, 0, 0, '', '') ON CONFLICT DO NOTHING",
        [pipeline, yield* turnTime(store), codeOf("done")],
      )
    case "done":
    case "brokenOff":
      return yield* write("UPDATE turn SET state = ? WHERE pipeline = ? AND state = ? AND pid = ? AND born = ?", [
        codeOf(change),
        pipeline,
        codeOf("going"),
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

type TurnRow = readonly [at: number, state: number, tries: number, pid: number, born: string, boot: string]

function* lastTurn(store: Store, pipeline: string): Sql<LastTurn> {
  const ran = yield* lastStart(pipeline)
  const row = yield* get<TurnRow>("SELECT at, state, tries, pid, born, boot FROM turn WHERE pipeline = ?", [pipeline])
  if (row === undefined) return { at: undefined, state: "done", tries: 0, ran }
  const [at, code, tries, pid, born, boot] = row
  const written = states[code] ?? "done"
  const state = written === "going" && (yield* hasDied(store, pipeline, { at, pid, born, boot }))
    ? "brokenOff"
    : written
  return { at, state, tries, ran }
}

function* hasDied(
  store: Store,
  pipeline: string,
  { at, ...holder }: { readonly at: number; readonly pid: number; readonly born: string; readonly boot: string },
): Sql<boolean> {
  if (isGone(holder, store.holder)) return true
  return (yield* store.now()) - at >= silences * store.staleAfter && (yield* liveHolder(store, pipeline)) === undefined
}

/** Returns when the pipeline last started a run that could send rows, at any destination. Milliseconds since 1970. */
function* lastStart(pipeline: string): Sql<number | undefined> {
  const started = (yield* get<readonly [string | null]>(
    "SELECT max(r.started) FROM run r JOIN place p ON p.id = r.place WHERE p.pipeline = ? AND r.mode = 'run'",
    [pipeline],
  ))?.[0]
  return started == null ? undefined : Date.parse(started)
}
