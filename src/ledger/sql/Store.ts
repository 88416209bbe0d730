import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerBusy, LedgerError, LedgerOvertaken, LedgerRefused } from "../errors.ts"
import type { Holder } from "../holder.ts"
import type { Asker, Digester, Ledger, LedgerOptions } from "../Ledger.ts"
import type { Marks } from "../marks.ts"
import type { Dialect } from "./Dialect.ts"
import type { Sql, Statement } from "./statement.ts"
import type { Texts } from "./texts.ts"

/** The parts of an open ledger that its rules use, whatever its database. */
export interface Store extends Pick<Ledger, "roomFor"> {
  /** The ledger's file, or its name in messages. */
  readonly file: string
  readonly id: string
  /** The version of the ledger's tables, if another process can change them while the ledger is open. */
  readonly version: string | undefined
  readonly marks: Marks
  readonly asker: Asker | undefined
  readonly dialect: Dialect
  readonly writer: Transactions
  readonly texts: Texts
  readonly digest: Digester
  readonly clock: Clock.Clock
  /** Milliseconds without a heartbeat after which this holder may be overtaken, and milliseconds between heartbeats. */
  readonly staleAfter: number
  readonly heartbeat: number
  /**
   * Opens what sends heartbeats, for the scope: it runs a statement at once, in no transaction of the writer. If a heartbeat fails, every later write fails,
   * too. Undefined: transactions of the writer renew locks.
   */
  readonly heartbeats: Effect.Effect<Heartbeats, LedgerError | LedgerRefused, Scope.Scope> | undefined
  /** The process that takes locks. */
  readonly holder: Holder
  /** Returns the present time of locks, batches and records, in milliseconds since 1970. */
  readonly now: () => Sql<number>
  /** The same time as a part of a statement, because each answer of a remote database takes time. */
  readonly present: () => Pick<Statement, "sql" | "params">
  /** Runs a program that reads, on one consistent state of the ledger. */
  readonly read: <A>(doing: string, program: () => Sql<A>) => Effect.Effect<A, LedgerError>
  /** Throws if the database was replaced after it was opened. */
  readonly mustBeSame: () => void
  /** Checks the database itself. Returns findings as sentences. */
  readonly damage: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Returns the size of the ledger in bytes. */
  readonly size: Effect.Effect<number, LedgerError>
  /** Fails if this user may not rewrite the ledger. Call this before anything is deleted. */
  readonly mayRewrite: Effect.Effect<void, LedgerError | LedgerRefused>
  /** Rewrites the ledger without deleted data. Call this between transactions, with all locks held. */
  readonly rewrite: Effect.Effect<void, LedgerError | LedgerBusy | LedgerRefused>
  /** Removes the copies that killed rehearsals left. Returns those that remain, because their rehearsals may still use them. */
  readonly removeCopies: Effect.Effect<ReadonlyArray<string>, LedgerError>
}

/**
 * Returns how many rows a heartbeat changed.
 *
 * @param after what must succeed after the statement, in the same time
 */
export type Heartbeats = (
  statement: Pick<Statement, "sql" | "params">,
  after?: () => Promise<void>,
) => Effect.Effect<number, LedgerError>

/** A session's hold on the lock, which is confirmed inside each transaction. */
export interface Hold {
  /** Throws a Refusal if the lock is no longer ours. May renew the heartbeat in the same transaction. */
  readonly confirm: () => Sql<void>
  /** Counts the present transaction for the hold's mark. Called inside a transaction with a program that the mark must cover. */
  readonly count: () => Sql<void>
  /**
   * Called once the transaction that confirmed the hold is durable. If that transaction was counted, makes the hold's mark durable. Returns a
   * promise if that takes time. Throws if the mark can't be written, if the database was replaced, or if a copy of it is in use.
   */
  readonly confirmed: (isCounted: boolean) => Promise<void> | undefined
}

/** Runs programs that write. Those that arrive at the same time share a transaction. Success is reported once it is durable. */
export interface Transactions {
  /** Why every later write fails: a transaction failed, so the content of the ledger is unknown. */
  readonly failure: LedgerError | undefined
  /**
   * Runs a program inside a transaction. The program may be repeated after a rollback, so it must change nothing but the database. Not interruptible:
   * the caller always gets the result.
   */
  readonly write: <A, E = never>(doing: string, program: () => Sql<A>) => Effect.Effect<A, LedgerError | E>
  /**
   * Runs a program under a hold. Fails if the hold is lost. `isCounted` says whether the hold's mark covers the program. `touches` lists what the
   * program changes: programs without a common text may run at the same time in one transaction. If undefined, the program runs alone.
   */
  readonly writeOn: <A, E = never>(
    hold: Hold,
    doing: string,
    program: () => Sql<A>,
    options: { readonly isCounted: boolean; readonly touches?: ReadonlyArray<string> | undefined },
  ) => Effect.Effect<A, LedgerError | LedgerOvertaken | E>
}

/** Returns how long locks last and how often heartbeats are sent, in milliseconds. */
export const lockTimes = (
  { heartbeat = "5 seconds", staleAfter = "1 minute" }: Pick<LedgerOptions, "heartbeat" | "staleAfter">,
): Pick<Store, "heartbeat" | "staleAfter"> => ({
  heartbeat: Duration.toMillis(heartbeat),
  staleAfter: Duration.toMillis(staleAfter),
})

/** Sends heartbeats until the scope closes or one fails, after which every later one would fail, too. */
export const keepSending = ({ heartbeat }: Pick<Store, "heartbeat">, beat: Effect.Effect<unknown, unknown>) =>
  beat.pipe(Effect.delay(Duration.millis(heartbeat)), Effect.forever, Effect.ignore, Effect.forkScoped)

/** Fails with the refusal that a program returns. */
export const refusedIf = (
  store: Pick<Store, "read">,
  doing: string,
  program: () => Sql<LedgerRefused | undefined>,
): Effect.Effect<void, LedgerError | LedgerRefused> =>
  Effect.flatMap(store.read(doing, program), (refused) => refused ?? Effect.void)
