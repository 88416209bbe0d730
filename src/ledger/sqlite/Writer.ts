import { describe, type Job, JobQueue, type Transacted } from "../JobQueue.ts"
import { Refusal } from "../sql/statement.ts"
import type { Hold } from "../sql/Store.ts"
import { type Database, ledgerError } from "./database.ts"

/** The log is moved into the file after this many milliseconds without a commit, if there were at least this many commits. */
export const millisOfRest = 50
export const commitsOfRest = 32

/** The ledger's only writer. Because jobs share commits, `synchronous=FULL` is affordable. */
export class Writer extends JobQueue {
  private readonly db: Database
  private readonly onRollback: () => void
  /** Commits that may still be in the log only. */
  private logged = 0
  private resting: NodeJS.Timeout | undefined

  constructor(db: Database, onRollback: () => void) {
    super()
    this.db = db
    this.onRollback = onRollback
  }

  /** Call this method when no more jobs will be written. */
  close(): void {
    clearTimeout(this.resting)
  }

  protected flush(): void {
    const transactions = this.transactions()
    for (let step = transactions.next(); step.done !== true;) step = transactions.next(this.transacted(step.value))
  }

  private transacted(jobs: ReadonlyArray<Job>): Transacted {
    try {
      return this.transact(jobs)
    } catch (cause) {
      this.rollBack()
      return { failed: ledgerError(this.db.file, describe(jobs))(cause) }
    }
  }

  /** Does the jobs in one transaction, or rolls back if a job throws a Refusal. */
  private transact(jobs: ReadonlyArray<Job>): Transacted {
    const holds = new Set<Hold>()
    const counted = new Set<Hold>()
    const done: Array<unknown> = []
    this.db.exec("BEGIN IMMEDIATE")
    for (const job of jobs) {
      try {
        if (job.hold !== undefined && !holds.has(job.hold)) {
          this.db.perform(job.hold.confirm())
          holds.add(job.hold)
        }
        done.push(this.db.perform(job.work()))
        if (job.hold !== undefined && job.isCounted) counted.add(job.hold)
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause
        this.rollBack()
        return { refused: [job], failure: cause.failure }
      }
    }
    for (const hold of counted) this.db.perform(hold.count())
    this.db.exec("COMMIT")
    this.noteLogged()
    // Marks in folders are written at once.
    for (const hold of holds) void hold.confirmed(counted.has(hold))
    return { done }
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
      if (this.failure === undefined) this.db.set("wal_checkpoint(PASSIVE)")
    } catch {
      // The data stays in the log, where it is just as durable. A damaged disk shows at the next write, or at the end.
    }
  }

  private rollBack(): void {
    this.onRollback()
    try {
      if (this.db.inTransaction) this.db.exec("ROLLBACK")
    } catch (cause) {
      this.failWith(ledgerError(this.db.file, "rolling back")(cause))
    }
  }
}
