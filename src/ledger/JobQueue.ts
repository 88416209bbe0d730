import * as Effect from "effect/Effect"
import type { LedgerError, LedgerOvertaken } from "./errors.ts"
import type { Sql } from "./sql/statement.ts"
import type { Hold, Transactions } from "./sql/Store.ts"

/** A write that shares a transaction with others. */
export interface Job {
  readonly doing: string
  readonly hold: Hold | undefined
  /** Whether the ledger must never lose this write. If so, the hold's mark is durable before success is reported. */
  readonly isCounted: boolean
  /** What the job changes. Jobs that have no common text may run at the same time in one transaction. If undefined, the job runs alone. */
  readonly touches: ReadonlyArray<string> | undefined
  readonly work: () => Sql<unknown>
  readonly resume: (result: Effect.Effect<unknown, unknown>) => void
}

/** How a transaction ended. `done`: the result of each job, in order. `refused`: jobs that must not be done. The others must be done again without them. */
export type Transacted =
  | { readonly done: ReadonlyArray<unknown> }
  | { readonly refused: ReadonlyArray<Job>; readonly failure: Effect.Effect<never, unknown> }
  | { readonly failed: LedgerError }

/** The number of turns of the event loop whose jobs share one commit. */
export const turnsOfCommit = 8

/**
 * The jobs of a ledger's only writer. Jobs that arrive within a few turns of the event loop share one transaction, and success is reported once it is
 * durable. If a transaction fails, every later write fails, because the content of the database is then unknown.
 */
export abstract class JobQueue implements Transactions {
  private queue: Array<Job> = []
  private failed: LedgerError | undefined

  /** Does the queued jobs, by the steps of `transactions`. */
  protected abstract flush(): void

  get failure(): LedgerError | undefined {
    return this.failed
  }

  write<A, E = never>(doing: string, work: () => Sql<A>): Effect.Effect<A, LedgerError | E> {
    return this.submit({ doing, hold: undefined, isCounted: false, touches: undefined, work })
  }

  writeOn<A, E = never>(
    hold: Hold,
    doing: string,
    work: () => Sql<A>,
    { isCounted, touches }: { readonly isCounted: boolean; readonly touches?: ReadonlyArray<string> | undefined },
  ): Effect.Effect<A, LedgerError | LedgerOvertaken | E> {
    return this.submit({ doing, hold, isCounted, touches, work })
  }

  protected get isEmpty(): boolean {
    return this.queue.length === 0
  }

  /** Makes every later write fail with this reason. */
  protected failWith(reason: LedgerError): void {
    this.failed ??= reason
  }

  /** Adds a job, and returns its result. */
  private submit<A, E>(job: Omit<Job, "resume">): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.async<A, E>((resume) => {
      this.queue.push({ ...job, resume: (result) => resume(result as Effect.Effect<A, E>) })
      if (this.queue.length === 1) this.flushIn(turnsOfCommit)
    }))
  }

  /**
   * Takes the queued jobs, yields the jobs of each transaction, and continues with how it ended. At the end, reports every job's result. A database
   * does these steps within one turn of the event loop, or waits at each of them.
   */
  protected *transactions(): Generator<ReadonlyArray<Job>, void, Transacted> {
    let jobs: ReadonlyArray<Job> = this.queue
    this.queue = []
    const results = new Map<Job, Effect.Effect<unknown, unknown>>()
    while (jobs.length > 0) {
      const ended: Transacted = this.failed === undefined ? yield jobs : { failed: this.failed }
      if ("refused" in ended) {
        for (const job of ended.refused) results.set(job, ended.failure)
        jobs = jobs.filter((job) => !ended.refused.includes(job))
        continue
      }
      if ("failed" in ended) this.failWith(ended.failed)
      jobs.forEach((job, at) => {
        results.set(job, "failed" in ended ? Effect.fail(ended.failed) : Effect.succeed(ended.done[at]))
      })
      jobs = []
    }
    for (const [job, result] of results) job.resume(result)
  }

  /** setImmediate runs after all responses that arrived in a turn were handled. If nothing else happens, all turns together take a few microseconds. */
  private flushIn(turns: number): void {
    setImmediate(() => turns > 1 ? this.flushIn(turns - 1) : this.flush())
  }
}

/** What the jobs of a transaction do, for messages. */
export const describe = (jobs: ReadonlyArray<Pick<Job, "doing">>): string =>
  [...new Set(jobs.map((job) => job.doing))].join(", ")
