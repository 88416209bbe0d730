import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { elapsed, type Moment, momentOf } from "../elapsed.ts"
import { LedgerOvertaken } from "../Ledger.ts"
import type { MarkWriter } from "../marks.ts"
import { Refusal } from "../sql/Refusal.ts"
import { get, type Sql, write } from "../sql/statement.ts"
import type { Lease } from "../sql/Store.ts"
import type { Connection } from "./connection.ts"
import { now, translated } from "./dialect.ts"
import type { Writer } from "./Writer.ts"

/** What a lease is for, and what it needs. */
export interface LeaseOptions {
  readonly pipeline: string
  readonly epoch: number
  readonly writer: Writer
  /** Its own connection, so that a heartbeat never waits for the writer, which may wait for other processes. */
  readonly heartbeats: Connection
  readonly clock: Clock.Clock
  readonly mark: Pick<MarkWriter, "write">
  /** Version of the tables that this process knows. */
  readonly version: string
  /** Milliseconds after which a holder without a heartbeat may be overtaken, and milliseconds between heartbeats. */
  readonly leaseTimeout: number
  readonly heartbeat: number
}

/** A lock that is held, as seen by its holder. Others judge its age by the database's clock. The holder itself uses only its own clock. */
export class PostgresLease implements Lease {
  private readonly options: LeaseOptions
  private readonly renewal: string
  /** The number of commits that the mark counts. */
  private upTo = 0
  private lost = false
  /** A moment before the last confirmed heartbeat was sent. The database received that heartbeat later. */
  private beat: Moment

  /** @param taken a moment before the transaction that took the lock */
  constructor(options: LeaseOptions, taken: Moment) {
    this.options = options
    this.beat = taken
    this.renewal = translated(
      `UPDATE lock SET beat = ${now} WHERE pipeline = ? AND epoch = ? AND held = 1`,
    )
  }

  /**
   * Fails, inside a transaction, if another run took the lock over. `FOR SHARE` makes the next holder wait until this transaction has ended. With a
   * plain SELECT, the next holder could miss its intents.
   */
  *confirm(): Sql<void> {
    const { epoch, pipeline, version } = this.options
    const found = yield* get<readonly [number, number, string]>(
      "SELECT epoch, held, (SELECT value FROM meta WHERE name = 'version') FROM lock WHERE pipeline = ? FOR SHARE",
      [pipeline],
    )
    if (this.lost || found === undefined || found[0] !== epoch || found[1] === 0) {
      this.lost = true
      throw new Refusal(Effect.fail(new LedgerOvertaken({ pipeline })))
    }
    if (found[2] !== version) throw new Error("its tables were replaced by a different build of formferry")
  }

  *count(): Sql<void> {
    this.upTo++
    yield* write("UPDATE holder SET upTo = ? WHERE epoch = ?", [this.upTo, this.options.epoch])
  }

  confirmed(isCounted: boolean): void {
    if (isCounted) this.options.mark.write(this.upTo)
  }

  /** Sends a heartbeat. Returns whether the lock was still ours. */
  async renew(): Promise<boolean> {
    const { clock, epoch, heartbeats, pipeline } = this.options
    const sent = momentOf(clock)
    const { changes } = await heartbeats.send(this.renewal, [pipeline, epoch])
    if (changes === 0) this.lost = true
    else this.beat = sent
    return changes > 0
  }

  /**
   * Sends heartbeats until the lock is lost. If the database does not answer, the ledger fails, and the run ends. Nothing is sent meanwhile, because
   * `held` doesn't depend on this.
   */
  get beating(): Effect.Effect<void, never, Scope.Scope> {
    const { heartbeat, heartbeats, leaseTimeout, writer } = this.options
    return Effect.tryPromise(() => this.renew()).pipe(
      Effect.timeoutFail({
        duration: Duration.millis(leaseTimeout),
        onTimeout: () => new Error("the database did not answer a heartbeat"),
      }),
      Effect.delay(Duration.millis(heartbeat)),
      Effect.repeat({ while: (isOurs) => isOurs }),
      Effect.catchAll((failure) =>
        Effect.sync(() => {
          const cause = "error" in failure ? failure.error : failure
          heartbeats.destroy(cause)
          writer.fail("renewing the lock", cause)
        })
      ),
      Effect.forkScoped,
      Effect.asVoid,
    )
  }

  /**
   * Whether the lock is certainly still ours. Another run may take it over once the heartbeat is `leaseTimeout` old, so we trust half of that time,
   * by the clocks of this host.
   */
  held(): boolean {
    const { clock, leaseTimeout, writer } = this.options
    return !this.lost && writer.failure === undefined && elapsed(this.beat, momentOf(clock)) * 2 < leaseTimeout
  }

  /** Releases the lock, inside a transaction, unless another run has taken it over. */
  *release(): Sql<void> {
    const { epoch, pipeline } = this.options
    this.lost = true
    yield* write("UPDATE lock SET held = 0 WHERE pipeline = ? AND epoch = ?", [pipeline, epoch])
  }
}
