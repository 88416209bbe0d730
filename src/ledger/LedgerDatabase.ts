import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SharedAccount, SharedRate } from "../domain/sharedRate.ts"
import type { LedgerBusy, LedgerError, LedgerLocked, LedgerRefused } from "./errors.ts"
import type { Behind } from "./Ledger.ts"
import type { Store } from "./sql/Store.ts"

type Opened<A> = Effect.Effect<A, LedgerError | LedgerRefused, Scope.Scope>

/** A ledger that may not exist yet, in a database of one kind. `Options` say how to open it. */
export interface LedgerDatabase<Options> {
  /**
   * Opens the ledger's parts for the scope. If there is no ledger, creates it. Fails as `openLedger` does, but doesn't refuse a ledger that a move has
   * closed.
   */
  readonly open: Opened<Store>
  /** Whether there is a ledger. Creates none. */
  readonly exists: Effect.Effect<boolean, LedgerError | LedgerRefused>
  /** Returns what is wrong if the ledger is missing. Undefined if no mark shows that there was one. Creates none. */
  readonly missing: Effect.Effect<Omit<Behind, "states"> | undefined, LedgerError | LedgerRefused>
  /**
   * Prepares the tables of the ledger for this build. Returns whether it made them. Fails with `LedgerRefused` if they are those of a different build,
   * or with `LedgerLocked` if a run is in progress there.
   *
   * @param owner the user who will own new tables. Default: the user who opens the ledger
   */
  readonly migrate: (owner: string | undefined) => Effect.Effect<boolean, LedgerError | LedgerLocked | LedgerRefused>
  /**
   * Copies the ledger in its present state for the scope. A run may be in progress. The copy does not contain the run's lock. If the process is killed,
   * the next copy removes it. Returns how to open the copy.
   */
  readonly copy: Opened<Options>
  /** Backs the ledger up into a new file, and returns its size in bytes. A refusal if the database's own tools do that. */
  readonly backUp: ((file: string) => Effect.Effect<number, LedgerError | LedgerRefused>) | LedgerRefused
  /** Opens the rate of an account for the scope. All hosts with this ledger share it. Undefined if only one host can use the ledger. */
  readonly rate: (account: SharedAccount) => Opened<SharedRate | undefined>
  /** Opens the reports that are stored with the ledger, for the scope. Undefined if there is no ledger, or if the database stores none. */
  readonly reports: Opened<StoredReports | undefined>
  /** The ledger's secret: 64 hexadecimal digits. */
  readonly secret: Effect.Effect<string, LedgerRefused>
  /** Says how to use the secret as the `key` of a new ledger, as a sentence. */
  readonly keyAdvice: string
  /**
   * Gives this ledger, before it is created, the secret of the ledger that is moved here. Refuses if it has a different one.
   *
   * @param advice the `keyAdvice` of the ledger that is moved
   */
  readonly adopt: (secret: string, advice: string) => Effect.Effect<void, LedgerRefused>
  /** Says how to remove what a move to this place has copied, if the move was cancelled. */
  readonly removal: string
}

export interface RunName {
  readonly pipeline: string
  readonly run: string
}

export interface StoredFile {
  readonly name: string
  readonly pieces: number
}

/** The files of reports that are stored with a ledger. Only complete reports are visible. */
export interface StoredReports {
  /** Returns a pipeline's runs, newest first. Only the counts of emptied runs are stored. */
  readonly runs: (
    pipeline: string,
  ) => Effect.Effect<ReadonlyArray<{ readonly run: string; readonly isEmptied: boolean }>, LedgerError>
  readonly files: (of: RunName) => Effect.Effect<ReadonlyArray<StoredFile>, LedgerError>
  /** Writes a stored file to a new file, which only its owner can read. */
  readonly read: (of: RunName, file: StoredFile, to: string) => Effect.Effect<void, LedgerError>
  /** Stores the files of a run's folder, unless the run is stored already. */
  readonly store: (of: RunName, folder: string) => Effect.Effect<void, LedgerError>
  /** Replaces the files of stored runs with those that their emptied folders still have. Nothing of the other files remains in the database. */
  readonly empty: (
    emptied: ReadonlyArray<RunName & { readonly folder: string }>,
  ) => Effect.Effect<void, LedgerError | LedgerBusy>
  readonly remove: (pipeline: string, runs: ReadonlyArray<string>) => Effect.Effect<void, LedgerError>
}
