import * as Effect from "effect/Effect"
import type { LedgerError, LedgerOvertaken } from "../Ledger.ts"
import { Refusal } from "../sql/Refusal.ts"
import { type Database, ledgerError } from "./database.ts"

/** A session's hold on the lock, which is confirmed inside each transaction. */
export interface Lease {
  /** Throws a Refusal if the lock is no longer ours. May renew the heartbeat in the same transaction. */
  readonly confirm: () => void
  /** Counts the present transaction for the lease's mark. Called inside a transaction with a job that the mark must cover. */
  readonly count: () => void
  /**
   * Called once the transaction that confirmed the lease is durable. If that transaction was counted, makes the lease's mark durable. Throws if the
   * mark can't be written, or if the ledger's files were replaced.
   */
  readonly confirmed: (isCounted: boolean) => void
}

interface Job {
  readonly doing: string
  readonly lease: Lease | undefined
  /** Whether the ledger must never lose this write. If so, the lease's mark is durable before success is reported. */
  readonly counts: boolean
  readonly work: () => unknown
  readonly resume: (result: Effect.Effect<unknown, unknown>) => void
}

/** The number of turns of the event loop whose jobs share one commit. */
export const turnsOfCommit = 8

/** The log is moved into the file after this many milliseconds without a commit, if there were at least this many commits. */
export const millisOfRest = 50
export const commitsOfRest = 32

/**
 * The ledger's only writer. Jobs that arrive within a few turns of the event loop share one transaction, and success is reported once it is durable.
 * This makes `synchronous=FULL` affordable. If a transaction fails, every later write fails, because the content of the file is then unknown.
 */
export class Writer {
  private readonly db: Database
  private readonly onRollback: () => void
  private queue: Array<Job> = []
  /** Commits that may still be in the log only. */
  private logged = 0
  private resting: NodeJS.Timeout | undefined
  private failed: LedgerError | undefined

  constructor(db: Database, onRollback: () => void) {
    this.db = db
    this.onRollback = onRollback
  }

  get failure(): LedgerError | undefined {
    return this.failed
  }

  /**
   * Does a job inside a transaction. The job may be repeated after a rollback, so it must change nothing but the database. Not interruptible: the
   * caller always gets the result.
   */
  write<A, E = never>(doing: string, work: () => A): Effect.Effect<A, LedgerError | E> {
    return this.submit<A, LedgerError | E>(doing, undefined, false, work)
  }

  /** Does a job under a lease. Fails if the lease is lost. `counts` says whether the lease's mark covers the job. */
  writeOn<A, E = never>(
    lease: Lease,
    doing: string,
    work: () => A,
    { counts }: { readonly counts: boolean },
  ): Effect.Effect<A, LedgerError | LedgerOvertaken | E> {
    return this.submit<A, LedgerError | LedgerOvertaken | E>(doing, lease, counts, work)
  }

  /** Call this method when no more jobs will be written. */
  close(): void {
    clearTimeout(this.resting)
  }

  /** Makes every later write fail with this reason. */
  fail(doing: string, cause: unknown): void {
    this.failed ??= ledgerError(this.db.file, doing)(cause)
  }

  private submit<A, E>(doing: string, lease: Lease | undefined, counts: boolean, work: () => A): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.async<A, E>((resume) => {
      this.queue.push({ doing, lease, counts, work, resume: (result) => resume(result as Effect.Effect<A, E>) })
      if (this.queue.length === 1) this.flushIn(turnsOfCommit)
    }))
  }

  /**
   * setImmediate runs after all responses that arrived in a turn were handled. If nothing else happens, all turns together take a few microseconds.
   */
  private flushIn(turns: number): void {
    setImmediate(() => turns > 1 ? this.flushIn(turns - 1) : this.flush())
  }

  private flush(): void {
    let jobs = this.queue
    this.queue = []
    const results = new Map<Job, Effect.Effect<unknown, unknown>>()
    for (let refused = true; refused && jobs.length > 0;) {
      const doing = describe(jobs)
      refused = false
      try {
        if (this.failed !== undefined) throw this.failed
        jobs = this.transact(jobs, results)
        refused = jobs.length > 0
      } catch (cause) {
        this.rollBack()
        const failure = ledgerError(this.db.file, doing)(cause)
        this.failed ??= failure
        for (const job of jobs) results.set(job, Effect.fail(failure))
      }
    }
    for (const [job, result] of results) job.resume(result)
  }

  /** Does the jobs in one transaction. If a job throws a Refusal, rolls back and returns the other jobs, which must be done again without it. */
  private transact(jobs: ReadonlyArray<Job>, results: Map<Job, Effect.Effect<unknown, unknown>>): Array<Job> {
    const leases = new Set<Lease>()
    const counted = new Set<Lease>()
    const done: Array<readonly [Job, unknown]> = []
    this.db.exec("BEGIN IMMEDIATE")
    for (const job of jobs) {
      try {
        if (job.lease !== undefined && !leases.has(job.lease)) {
          job.lease.confirm()
          leases.add(job.lease)
        }
        done.push([job, job.work()])
        if (job.lease !== undefined && job.counts) counted.add(job.lease)
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause
        this.rollBack()
        results.set(job, cause.failure)
        return jobs.filter((one) => one !== job)
      }
    }
    for (const lease of counted) lease.count()
    this.db.exec("COMMIT")
    this.noteLogged()
    for (const lease of leases) lease.confirmed(counted.has(lease))
    for (const [job, value] of done) results.set(job, Effect.succeed(value))
    return []
  }

  /**
   * Schedules a checkpoint for a pause between requests. Then moving the log into the file delays nothing, and deleted content does not stay in the
   * log for long. This also keeps the log short, so little is left to move when a run ends or the ledger is opened after a crash.
   */
  private noteLogged(): void {
    this.logged += 1
    if (this.logged === commitsOfRest) this.resting ??= setTimeout(() => this.atRest(), millisOfRest).unref()
    else this.resting?.refresh()
  }

  private atRest(): void {
    this.resting = undefined
    this.logged = 0
    try {
      if (this.failed === undefined) this.db.set("wal_checkpoint(PASSIVE)")
    } catch {
      // The data stays in the log, where it is just as durable. A damaged disk shows at the next write, or at the end.
    }
  }

  private rollBack(): void {
    this.onRollback()
    try {
      if (this.db.inTransaction) this.db.exec("ROLLBACK")
    } catch (cause) {
      this.fail("rolling back", cause)
    }
  }
}

const describe = (jobs: ReadonlyArray<Job>): string => [...new Set(jobs.map((job) => job.doing))].join(", ")
