import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { Database } from "./database.ts"
import { isGone } from "./holder.ts"
import type { Holder } from "./holder.ts"
import { LedgerLocked, LedgerOvertaken } from "./Ledger.ts"
import { MarkWriter } from "./marks.ts"
import { isoOf } from "./Store.ts"
import type { Store } from "./Store.ts"
import { Refusal } from "./Writer.ts"
import type { Lease } from "./Writer.ts"

type LockRow = readonly [
  epoch: number,
  held: number,
  pid: number,
  born: string,
  boot: string,
  since: number,
  beat: number,
]

const lockOf = (db: Database, pipeline: string): LockRow | undefined =>
  db.get<LockRow>("SELECT epoch, held, pid, born, boot, since, beat FROM lock WHERE pipeline = ?", [pipeline])

/** Whether a run that still counts holds the pipeline's lock: alive as far as can be told, and with a fresh heartbeat. */
export const liveHolder = (
  store: Store,
  pipeline: string,
  me: Holder,
  now: number,
): { readonly pid: number; readonly since: number } | undefined => {
  const lock = lockOf(store.db, pipeline)
  if (lock === undefined) return undefined
  const [, held, pid, born, boot, since, beat] = lock
  if (held === 0 || now - beat >= store.staleAfter || isGone({ pid, born, boot }, me)) return undefined
  return { pid, since }
}

/** Returns who holds, or last held, each lock, by epoch. */
export const holdersByEpoch = (db: Database): ReadonlyMap<number, Holder> =>
  new Map(
    db.all<readonly [number, number, string, string]>("SELECT epoch, pid, born, boot FROM lock")
      .map(([epoch, pid, born, boot]) => [epoch, { pid, born, boot }]),
  )

/** Takes the lock inside a transaction and gives its epoch: one more than any that any pipeline ever had, so that renaming a pipeline can't revive an old one. */
export const takeLock = (
  store: Store,
  pipeline: string,
  me: Holder,
): { readonly epoch: number; readonly word: string } => {
  const { db, clock } = store
  const now = clock.unsafeCurrentTimeMillis()
  const holder = liveHolder(store, pipeline, me, now)
  if (holder !== undefined) {
    throw new Refusal(Effect.fail(new LedgerLocked({ pipeline, pid: holder.pid, since: isoOf(holder.since) })))
  }
  const epoch = (db.get<readonly [number | null]>("SELECT max(epoch) FROM holder")?.[0] ?? 0) + 1
  const word = randomBytes(8).toString("hex")
  db.run("INSERT INTO holder (epoch, word, upTo) VALUES (?, ?, 0)", [epoch, word])
  db.run(
    "INSERT OR REPLACE INTO lock (pipeline, epoch, held, pid, born, boot, since, beat) VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
    [pipeline, epoch, me.pid, me.born, me.boot, now, now],
  )
  return { epoch, word }
}

/** A hold of the lock, as its holder knows it. */
export class LockLease implements Lease {
  readonly pipeline: string
  readonly epoch: number
  private readonly store: Store
  private readonly mark: MarkWriter
  /** Commits that its mark counts. */
  private upTo = 0
  private lost = false
  private beat: { readonly wall: number; readonly steady: bigint }
  private pending: { readonly wall: number; readonly steady: bigint } | undefined

  /** @param taken when the lock was asked for: the heartbeat can't be younger */
  constructor(
    store: Store,
    pipeline: string,
    { epoch, word }: { readonly epoch: number; readonly word: string },
    taken: { readonly wall: number; readonly steady: bigint },
  ) {
    this.store = store
    this.pipeline = pipeline
    this.epoch = epoch
    this.mark = new MarkWriter(store.marks, { ledger: store.id, epoch, word }, store.holder)
    this.beat = taken
  }

  /** Inside a transaction: fails when another run took over, else renews the heartbeat when it is due. */
  confirm(): void {
    const lock = lockOf(this.store.db, this.pipeline)
    if (this.lost || lock === undefined || lock[0] !== this.epoch || lock[1] === 0) {
      this.lost = true
      throw new Refusal(Effect.fail(new LedgerOvertaken({ pipeline: this.pipeline })))
    }
    const now = timeOf(this.store)
    // Half the interval: writes keep the lock alive even when the heartbeat's own fibre gets no turn.
    if (elapsed(this.beat, now) * 2 < this.store.heartbeat) return
    this.store.db.run("UPDATE lock SET beat = ? WHERE pipeline = ?", [now.wall, this.pipeline])
    this.pending = now
  }

  count(): void {
    this.upTo++
    this.store.db.run("UPDATE holder SET upTo = ? WHERE epoch = ?", [this.upTo, this.epoch])
  }

  confirmed(isCounted: boolean): void {
    this.store.files.check()
    if (isCounted) this.mark.write(this.upTo)
    this.beat = this.pending ?? this.beat
    this.pending = undefined
  }

  /**
   * Certainly still ours. Others may take over once the heartbeat is `staleAfter` old, so half of that is what we trust ourselves, by the clock that knows of time stood still: the steady
   * one goes on while the process is stopped, the wall clock while the machine sleeps.
   */
  held(): boolean {
    return !this.lost && this.store.writer.failure === undefined
      && elapsed(this.beat, timeOf(this.store)) * 2 < this.store.staleAfter
  }

  /** Gives the lock back, inside a transaction; what another run has taken over stays with it. */
  release(): void {
    this.store.db.run("UPDATE lock SET held = 0 WHERE pipeline = ? AND epoch = ?", [this.pipeline, this.epoch])
  }

  end(): void {
    this.lost = true
    this.mark.close()
  }
}

export const timeOf = (store: Store): { readonly wall: number; readonly steady: bigint } => ({
  wall: store.clock.unsafeCurrentTimeMillis(),
  steady: store.clock.unsafeCurrentTimeNanos(),
})

const elapsed = (
  from: { readonly wall: number; readonly steady: bigint },
  to: { readonly wall: number; readonly steady: bigint },
): number => Math.max(to.wall - from.wall, Number(to.steady - from.steady) / 1e6)
