import { isGone } from "../holder.ts"
import type { Turns } from "../Ledger.ts"
import type { LastTurn, TurnChange } from "../turns.ts"
import type { Database } from "./database.ts"
import { liveHolder } from "./lock.ts"
import { reading, type Store } from "./Store.ts"

const states = ["done", "going", "brokenOff"] as const
const codeOf = (state: LastTurn["state"]): number => states.indexOf(state)

/** A process in a different container counts as ended after this many times `staleAfter`. It sends heartbeats only while it holds the lock. */
const silences = 5

export const makeTurns = (store: Store): Turns => {
  const { db, clock, holder, writer } = store
  const now = () => clock.unsafeCurrentTimeMillis()
  const write = (pipeline: string, last: LastTurn, change: TurnChange): void => {
    switch (change) {
      case "taken":
        db.run(
          "INSERT OR REPLACE INTO turn (pipeline, at, state, tries, pid, born, boot) VALUES (?, ?, ?, ?, ?, ?, ?)",
          [
            pipeline,
            now(),
            codeOf("going"),
            last.state === "brokenOff" ? last.tries + 1 : 1,
            holder.pid,
            holder.born,
            holder.boot,
          ],
        )
        return
      case "seen":
        db.run(
          "INSERT OR IGNORE INTO turn (pipeline, at, state, tries, pid, born, boot) VALUES (?, ?, ?, 0, 0, '', '')",
          [pipeline, now(), codeOf("done")],
        )
        return
      case "done":
      case "brokenOff":
        db.run("UPDATE turn SET state = ? WHERE pipeline = ? AND state = ? AND pid = ? AND born = ?", [
          codeOf(change),
          pipeline,
          codeOf("going"),
          holder.pid,
          holder.born,
        ])
    }
  }
  return {
    last: (pipeline) => reading(store, "reading turns", () => lastTurn(store, pipeline)),
    record: (pipeline, decide) =>
      writer.write("recording a turn", () => {
        const last = lastTurn(store, pipeline)
        const change = decide(last)
        if (change !== undefined) write(pipeline, last, change)
        return { last, change }
      }),
  }
}

type TurnRow = readonly [at: number, state: number, tries: number, pid: number, born: string, boot: string]

const lastTurn = (store: Store, pipeline: string): LastTurn => {
  const ran = lastStart(store.db, pipeline)
  const row = store.db.get<TurnRow>("SELECT at, state, tries, pid, born, boot FROM turn WHERE pipeline = ?", [pipeline])
  if (row === undefined) return { at: undefined, state: "done", tries: 0, ran }
  const [at, code, tries, pid, born, boot] = row
  const written = states[code] ?? "done"
  const state = written === "going" && hasDied(store, pipeline, { at, pid, born, boot }) ? "brokenOff" : written
  return { at, state, tries, ran }
}

const hasDied = (
  store: Store,
  pipeline: string,
  { at, ...holder }: { readonly at: number; readonly pid: number; readonly born: string; readonly boot: string },
): boolean => {
  if (isGone(holder, store.holder)) return true
  const now = store.clock.unsafeCurrentTimeMillis()
  return now - at >= silences * store.staleAfter && liveHolder(store, pipeline, store.holder, now) === undefined
}

/** Returns when the pipeline last started a run that could send rows, at any destination. Milliseconds since 1970. */
const lastStart = (db: Database, pipeline: string): number | undefined => {
  const started = db.get<readonly [string | null]>(
    "SELECT max(r.started) FROM run r JOIN place p ON p.id = r.place WHERE p.pipeline = ? AND r.mode = 'run'",
    [pipeline],
  )?.[0]
  return started == null ? undefined : Date.parse(started)
}
