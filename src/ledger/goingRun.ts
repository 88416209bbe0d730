import { liveHolder } from "./lock.ts"
import type { Going } from "./records.ts"
import { isoOf } from "./Store.ts"
import type { Store } from "./Store.ts"

type Latest = readonly [name: string, place: number, mode: string | null, finished: string | null]

/**
 * The run of a pipeline that is going on at a place. Whoever holds the lock wrote the pipeline's latest record: one without a mode is of no run (`settle`, say), one that is finished was there before.
 */
export const goingRun = (store: Store, pipeline: string, place: number): Going | undefined => {
  const holder = liveHolder(store, pipeline, store.holder, store.clock.unsafeCurrentTimeMillis())
  if (holder === undefined) return undefined
  const latest = store.db.get<Latest>(
    "SELECT r.name, r.place, r.mode, r.finished FROM run r JOIN place p ON p.id = r.place WHERE p.pipeline = ? ORDER BY r.id DESC LIMIT 1",
    [pipeline],
  )
  if (latest === undefined) return undefined
  const [run, at, mode, finished] = latest
  return at === place && mode !== null && finished === null ? { run, since: isoOf(holder.since) } : undefined
}
