import { describe, type Job, JobQueue, type Transacted } from "../JobQueue.ts"
import type { MarkedServer } from "../marks.ts"
import type { Hold } from "../sql/Store.ts"
import type { Answer, Connection } from "./connection.ts"
import { transact, type Wave } from "./driver.ts"
import { ledgerError } from "./failures.ts"
import { position } from "./identity.ts"
import { lockOf } from "./opening.ts"

/** How long a transaction may take, in milliseconds. Then the connection counts as lost. */
const patience = 30_000

/**
 * This process's only writer of a ledger. Jobs that arrive while a transaction is in progress wait for the next one. Each transaction takes the
 * ledger's advisory lock first. So it is the only one of all processes, as in SQLite, and the order of commits is the order of batch numbers.
 *
 * The next transaction is sent right after a commit, and is committed only if that commit succeeded. Each transaction's
 * jobs are reported once its mark is written, so marks are written while later transactions run.
 */
export class Writer extends JobQueue {
  private readonly connection: Connection
  private readonly begin: string
  private readonly onRollback: () => void
  /** Whether a transaction is in progress whose commit was not sent yet. */
  private isBusy = false
  /** Fulfilled when the last transaction has ended, and `failure` says so if it failed. */
  private ended: Promise<void> = Promise.resolve()
  /** The server, with the position in its log after the last commit that counted. Undefined if the user has no permission to know it. */
  server: MarkedServer | undefined

  constructor(connection: Connection, onRollback: () => void = () => undefined) {
    super()
    this.connection = connection
    this.begin =
      `BEGIN ISOLATION LEVEL READ COMMITTED; ${connection.inSchema}; SET LOCAL synchronous_commit = on; SELECT pg_advisory_xact_lock(${
        lockOf(connection.schema)
      })`
    this.onRollback = onRollback
  }

  /** Makes every later write fail with this reason. */
  fail(doing: string, cause: unknown): void {
    this.failWith(ledgerError(this.connection.label, doing)(cause))
  }

  private afterCommit(isCounted: boolean) {
    const { server } = this
    return server === undefined || !isCounted ? undefined : {
      sql: position,
      noteAnswer: ({ rows }: Answer) => {
        this.server = { ...server, position: String(rows[0]?.[0]) }
      },
    }
  }

  protected async flush(): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    while (!this.isEmpty) await new Promise<void>((sent) => void this.perform(sent))
    this.isBusy = false
  }

  /**
   * Does the queued jobs, and reports their results.
   *
   * @param sent called when the next jobs may be sent
   */
  private async perform(sent: () => void): Promise<void> {
    const transactions = this.transactions()
    for (let step = transactions.next(); step.done !== true;) {
      step = transactions.next(await this.transacted(step.value, sent))
    }
    sent()
  }

  private async transacted(jobs: ReadonlyArray<Job>, sent: () => void): Promise<Transacted> {
    const holds = holdsOf(jobs)
    const counted = holdsOf(jobs.filter(({ isCounted }) => isCounted))
    const before = this.ended
    let end = () => {}
    this.ended = new Promise((resolve) => {
      end = resolve
    })
    try {
      const ended = await this.connection.within(
        patience,
        () =>
          transact(this.connection, this.begin, waves(holds, jobs), {
            *last() {
              for (const hold of counted) yield* hold.count()
            },
            mayCommit: async () => {
              await before
              if (this.failure !== undefined) throw this.failure
            },
            sent,
            after: this.afterCommit(counted.size > 0),
          }),
        "the database is slow or does not answer: a transaction took longer than",
      )
      if (!(ended instanceof Map)) {
        this.onRollback()
        const { key, refusal } = ended
        return { refused: jobs.filter((job) => job === key || job.hold === key), failure: refusal.failure }
      }
      // The next transaction counts its own commit once this one has ended, so this mark doesn't count it yet.
      const marked = Promise.all(Array.from(holds, (hold) => hold.confirmed(counted.has(hold))))
      end()
      await marked
      return { done: jobs.map((job) => ended.get(job)) }
    } catch (cause) {
      this.onRollback()
      await before
      // If an earlier transaction failed, this one fails only because of it.
      const failed = this.failure ?? ledgerError(this.connection.label, describe(jobs))(cause)
      this.failWith(failed)
      return { failed }
    } finally {
      end()
    }
  }
}

/** Returns what the work returns. Ends the connection if the work takes too long. */
export const inTime = <A>(connection: Connection, work: () => Promise<A>): Promise<A> =>
  connection.within(patience, work)

const holdsOf = (jobs: ReadonlyArray<Job>): ReadonlySet<Hold> => new Set(jobs.flatMap(({ hold }) => hold ?? []))

/**
 * Divides jobs into waves, in their order. Only jobs that change nothing in common share a wave, because in lockstep, each would read before the
 * others have written. The holds are confirmed with the first wave.
 */
const waves = (
  holds: ReadonlySet<Hold>,
  jobs: ReadonlyArray<Job>,
): ReadonlyArray<Wave<Job | Hold>> => {
  const all: Array<{ readonly jobs: Array<Job>; readonly touched: Set<string>; readonly alone: boolean }> = []
  for (const job of jobs) {
    const last = all.at(-1)
    const { touches } = job
    if (
      last === undefined || last.alone || touches === undefined || touches.some((one) => last.touched.has(one))
    ) {
      all.push({ jobs: [job], touched: new Set(touches), alone: touches === undefined })
    } else {
      last.jobs.push(job)
      for (const one of touches) last.touched.add(one)
    }
  }
  return all.map(({ jobs }, at) => [
    ...(at === 0 ? [...holds].map((hold) => [hold, () => hold.confirm()] as const) : []),
    ...jobs.map((job) => [job, job.work] as const),
  ])
}
