import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { isoOf } from "../../domain/times.ts"
import type { Marked } from "../behind.ts"
import { LedgerError, LedgerLocked, LedgerOvertaken, type LedgerRefused } from "../errors.ts"
import { type Holder, hostOf, isGone, type Lease } from "../holder.ts"
import type { RunInProgress } from "../standing.ts"
import { isNewest, mustBeNewest, readMarked } from "./newest.ts"
import { all, get, insert, just, Refusal, type Sql, write } from "./statement.ts"
import { type Heartbeats, keepSending, type Store } from "./Store.ts"

/** The columns of `lock` and of `turn` that say who holds a lease, when its last heartbeat was, and for how many milliseconds it lasts without one. */
export const leased = "pid, born, boot, beat, lasts"
export type LeaseRow = readonly [pid: number, born: string, boot: string, beat: number, lasts: number]

/**
 * Returns the live run that holds the pipeline's lock. It is not known to have ended, and its last heartbeat is recent.
 *
 * @param ending `forUpdate` (Dialect), if the holder must not send a heartbeat before the transaction ends
 */
export function* liveHolder(
  store: Store,
  pipeline: string,
  ending = "",
): Sql<{ readonly since: number; readonly lease: Lease } | undefined> {
  const lock = yield* get<readonly [held: number, since: number, ...LeaseRow]>(
    `SELECT held, since, ${leased} FROM lock WHERE pipeline = ?${ending}`,
    [pipeline],
  )
  if (lock === undefined) return undefined
  const [held, since, ...row] = lock
  const lease = held === 0 ? undefined : leaseOf(store, row, yield* store.now())
  return lease && { since, lease }
}

/** Returns a holder's lease. Undefined if the holder has ended, or may be overtaken. Each host may have its own `leaseTimeout`. */
export const leaseOf = (
  store: Pick<Store, "holder">,
  [pid, born, boot, beat, lasts]: LeaseRow,
  now: number,
): Lease | undefined => {
  const silentFor = Math.max(0, now - beat)
  const expiresIn = lasts - silentFor
  return expiresIn <= 0 || isGone({ pid, born, boot }, store.holder)
    ? undefined
    : { host: hostOf({ boot }), pid, silentFor, expiresIn }
}

/**
 * Sets heartbeats that are in the future, because the clock was wrong, to the present. Otherwise a holder that ended at that time would keep its lease
 * until the clock has caught up, if only the age of its heartbeat can show that it ended.
 */
export function* correctHeartbeats({ now }: Pick<Store, "now">): Sql<void> {
  const at = yield* now()
  for (const table of ["lock", "turn"]) yield* write(`UPDATE ${table} SET beat = ? WHERE beat > ?`, [at, at])
}

/** Returns the refusal of an operation, because a run of the pipeline is in progress. */
export const locked = (pipeline: string, since: number, lease: Lease) => new Refusal(lockedBy(pipeline, since, lease))

/** Says that a run of the pipeline is in progress, and how long its lease lasts. */
export const lockedBy = (pipeline: string, since: number, { expiresIn, host, pid, silentFor }: Lease) =>
  new LedgerLocked({
    pipeline,
    pid,
    since: isoOf(since),
    other: host === undefined ? undefined : { host, silentFor, expiresIn },
  })

/** Returns, by epoch, the process that holds each lock, or held it last, or the holders that were overtaken. */
export function* holdersByEpoch(table: "lock" | "overtaken" = "lock"): Sql<ReadonlyMap<number, Holder>> {
  return new Map(
    (yield* all<readonly [number, number, string, string]>(`SELECT epoch, pid, born, boot FROM ${table}`))
      .map(([epoch, pid, born, boot]) => [epoch, { pid, born, boot }]),
  )
}

export interface TakenLock {
  readonly pipeline: string
  /** Higher than that of any earlier lock of any pipeline, so that renaming a pipeline can't revive an old epoch. */
  readonly epoch: number
  readonly word: string
  /** Whether the previous holder had not released the lock. */
  readonly isTakenOver: boolean
}

/** Returns the names of all pipelines in the ledger, in the order in which their locks are taken. */
export const pipelinesOf = () =>
  all<readonly [string]>("SELECT pipeline FROM place UNION SELECT pipeline FROM lock ORDER BY 1")

export function* takeLock(store: Store, pipeline: string): Sql<TakenLock> {
  const holder = yield* liveHolder(store, pipeline, store.dialect.forUpdate)
  if (holder !== undefined) throw locked(pipeline, holder.since, holder.lease)
  const [last, held] = (yield* get<readonly [number | null, number | null]>(
    "SELECT max(epoch), (SELECT held FROM lock WHERE pipeline = ?) FROM holder",
    [pipeline],
  )) ?? [null, null]
  const epoch = (last ?? 0) + 1
  const now = yield* store.now()
  const word = randomBytes(8).toString("hex")
  yield* insert("holder", { epoch, word, upTo: 0 })
  const { born, boot, pid } = store.holder
  const lease = { pid, born, boot, since: now, beat: now, lasts: store.staleAfter }
  yield* insert("lock", { pipeline, epoch, held: 1, ...lease }, ["pipeline"])
  return { pipeline, epoch, isTakenOver: held === 1, word }
}

/**
 * Returns a lock that is held, as seen by its holder.
 *
 * @param requested when the lock was requested. The last heartbeat is not more recent
 */
const makeHold = (store: Store, { epoch, pipeline, word }: TakenLock, requested: Instant) => {
  const mark = store.marks.of({ ledger: store.id, epoch, word }, store.holder)
  /** The number of commits that the mark counts. */
  let upTo = 0
  let isLost = false
  let beat = requested
  let pending: Instant | undefined
  /** Returns the milliseconds since the last heartbeat. */
  const silentFor = (): number => elapsed(beat, timeOf(store))

  const hold = {
    silentFor,
    /** Fails, inside a transaction, if another run took the lock over or migrated the ledger, or if the ledger is an older copy. Otherwise renews the lock if transactions do that, and it is due. */
    *confirm(): Sql<void> {
      const mine = store.version ?? null
      const [now, held, version, counted] = (yield* get<readonly [number, number, string | null, number | null]>(
        `SELECT epoch, held, (SELECT value FROM meta WHERE name = 'version'), (SELECT h.upTo FROM holder h WHERE h.epoch = lock.epoch)
         FROM lock WHERE pipeline = ?`,
        [pipeline],
      )) ?? [0, 0, mine, 0]
      const isMigrated = version !== mine
      if (isLost || now !== epoch || held === 0 || isMigrated) {
        isLost = true
        throw new Refusal(new LedgerOvertaken({ pipeline, isMigrated }))
      }
      // Otherwise, the next count would hide what the older copy lacks.
      if (counted !== upTo) {
        throw new Error(
          "it lacks commits of this run, so it was replaced by an older copy while the run was in progress. Restore the newest copy, as docs/maintain.md describes",
        )
      }
      if (store.heartbeats !== undefined) return
      const at = timeOf(store)
      // Renews at half the interval, so that writes alone keep the lock alive if the heartbeat's own fibre does not run.
      if (elapsed(beat, at) * 2 < store.heartbeat) return
      yield* write("UPDATE lock SET beat = ? WHERE pipeline = ?", [yield* store.now(), pipeline])
      pending = at
    },
    /** Sends a heartbeat. */
    renew: (heartbeats: Heartbeats | undefined): Effect.Effect<void, LedgerError | LedgerOvertaken> => {
      if (heartbeats === undefined) {
        return store.writer.writeOn(hold, "renewing the lock", () => just(undefined), { isCounted: false })
      }
      return Effect.suspend(() => {
        const sent = timeOf(store)
        const { params, sql } = store.present()
        const statement = {
          sql: `UPDATE lock SET beat = ${sql} WHERE pipeline = ? AND epoch = ? AND held = 1`,
          params: [...params, pipeline, epoch],
        }
        return Effect.flatMap(heartbeats(statement, mark.mustBeOnly), (changes) => {
          const isOurs = changes > 0
          if (isOurs) beat = sent
          else isLost = true
          return isOurs ? Effect.void : new LedgerOvertaken({ pipeline })
        })
      })
    },
    /**
     * Writes the mark of a shared ledger before it counts anything. So other hosts know that each holder with commits has a mark, and detect that they
     * look in the wrong place. Then compares all marks again: a holder on a copy of the ledger sees this mark, or had written its own one before.
     */
    marked: (about: Parameters<typeof isNewest>[1]): Effect.Effect<void, LedgerError | LedgerRefused> =>
      store.marks.shared === undefined ? Effect.void : Effect.andThen(
        Effect.tryPromise({
          try: async () => mark.write(0),
          catch: (cause) => new LedgerError({ file: store.file, doing: "taking the lock", cause }),
        }),
        isNewest(store, about),
      ),
    *count(): Sql<void> {
      upTo++
      yield* write("UPDATE holder SET upTo = ? WHERE epoch = ?", [upTo, epoch])
    },
    confirmed: (isCounted: boolean): Promise<void> | undefined => {
      store.mustBeSame()
      beat = pending ?? beat
      pending = undefined
      return isCounted ? mark.write(upTo) : undefined
    },
    /**
     * Whether the lock is certainly still ours. Another run may take it over once the heartbeat is `staleAfter` old, so we trust half of that time,
     * measured by two clocks. The steady clock includes time during which the process was stopped. The wall clock includes time during which the
     * machine was asleep.
     */
    isOurs: (): boolean => !isLost && store.writer.failure === undefined && silentFor() * 2 < store.staleAfter,
    /** Releases the lock, inside a transaction, unless another run has taken it over. */
    *release(): Sql<void> {
      yield* write("UPDATE lock SET held = 0 WHERE pipeline = ? AND epoch = ?", [pipeline, epoch])
    },
    end: (): void => {
      isLost = true
      mark.close()
    },
  }
  return hold
}

type LockHold = ReturnType<typeof makeHold>

/** A time by two clocks. */
interface Instant {
  readonly wall: number
  readonly steady: bigint
}

const timeOf = (store: Store): Instant => ({
  wall: store.clock.unsafeCurrentTimeMillis(),
  steady: store.clock.unsafeCurrentTimeNanos(),
})

const elapsed = (from: Instant, to: Instant): number =>
  Math.max(to.wall - from.wall, Number(to.steady - from.steady) / 1e6)

/**
 * Takes locks for the scope, and sends their heartbeats. Returns what `take` returned for each lock, with its hold.
 *
 * @param what `the lock` or `the locks`, for messages
 * @param take takes the locks inside a transaction, and fails if the ledger is not the newest copy according to the marks
 * @param about as in `isNewest`, for each lock
 */
export const holdLocks = <A extends TakenLock>(
  store: Store,
  what: string,
  take: (marks: Marked) => Sql<ReadonlyArray<A>>,
  about: (taken: A) => Parameters<typeof isNewest>[1],
): Effect.Effect<
  ReadonlyArray<A & { readonly hold: LockHold }>,
  LedgerLocked | LedgerRefused | LedgerError,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const marks = yield* readMarked(store)
    // Opened before a lock is taken, so that a database that can't be reached takes none.
    const heartbeats = yield* store.heartbeats ?? Effect.succeed(undefined)
    const held = yield* Effect.acquireRelease(
      Effect.suspend(() => {
        const requested = timeOf(store)
        const correct = store.writer.write("correcting heartbeats", () => correctHeartbeats(store))
        return store.writer.write<ReadonlyArray<A>, LedgerLocked | LedgerRefused>(`taking ${what}`, () => take(marks))
          .pipe(
            Effect.tapErrorTag("LedgerLocked", () => correct),
            Effect.map((taken) => taken.map((one) => ({ ...one, hold: makeHold(store, one, requested) }))),
          )
      }),
      (held) =>
        // A failed ledger can't release its locks. The next run detects that this process has ended.
        Effect.ignore(store.writer.write(`releasing ${what}`, function*() {
          for (const { hold } of held) yield* hold.release()
        })).pipe(Effect.andThen(Effect.sync(() => held.forEach(({ hold }) => hold.end())))),
    )
    // If the lock was lost or the ledger failed, `isOurs` and every write report it.
    const keep = (hold: LockHold) => keepSending(store, hold.renew(heartbeats))
    yield* Effect.forEach(held, (one) => Effect.andThen(keep(one.hold), one.hold.marked(about(one))), {
      concurrency: "unbounded",
      discard: true,
    })
    return held
  })

/**
 * Takes the locks of all pipelines for the scope, because an operation on the whole ledger (`rewrite`) must not overlap with a run. A run that starts
 * meanwhile reports that another run is in progress. Returns the holds: none if there is no pipeline.
 */
export const holdAll = (
  store: Store,
): Effect.Effect<ReadonlyArray<LockHold>, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope> => {
  const { asker } = store
  const take = function*(marks: Marked): Sql<ReadonlyArray<TakenLock>> {
    yield* mustBeNewest(store, marks, { asker, where: "anywhere" })
    const locks: Array<TakenLock> = []
    for (const [pipeline] of yield* pipelinesOf()) locks.push(yield* takeLock(store, pipeline))
    return locks
  }
  return Effect.map(
    holdLocks(store, "the locks", take, () => ({ asker, where: () => just("anywhere" as const) })),
    (held) => held.map(({ hold }) => hold),
  )
}

type Latest = readonly [name: string, place: number, mode: string | null, finished: string | null]

/**
 * Returns a pipeline's run in progress at a place. The lock's holder wrote the pipeline's latest record. A record without a mode belongs to no run
 * (for example, `settle` wrote it). A finished record is from an earlier run.
 */
export function* runInProgress(store: Store, pipeline: string, place: number): Sql<RunInProgress | undefined> {
  const holder = yield* liveHolder(store, pipeline)
  if (holder === undefined) return undefined
  const latest = yield* get<Latest>(
    "SELECT r.name, r.place, r.mode, r.finished FROM run r JOIN place p ON p.id = r.place WHERE p.pipeline = ? ORDER BY r.id DESC LIMIT 1",
    [pipeline],
  )
  if (latest === undefined) return undefined
  const [run, at, mode, finished] = latest
  return at === place && mode !== null && finished === null
    ? { run, since: isoOf(holder.since), lease: holder.lease }
    : undefined
}
