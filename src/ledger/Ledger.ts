import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Destination } from "../domain/destination.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Settlement } from "../domain/report.ts"
import type { LedgerBusy, LedgerError, LedgerLocked, LedgerOvertaken, LedgerRefused, RowShared } from "./errors.ts"
import type { Evidence, SettledRow, SettlingFacts, TestEntry, Waits } from "./evidence.ts"
import type { AttentionRow, Facts, Notified, Recorded, Rekeyed, Unkeyed } from "./facts.ts"
import type { ExportedRow, Pages, SeenRows, Vanished } from "./pages.ts"
import type {
  ChunkContents,
  FixedState,
  FoundRow,
  IntendedRow,
  KnownRow,
  Outcomes,
  ReadBack,
  Rejected,
  RowOutcome,
  SeenAgain,
} from "./rows.ts"
import type { Counts, Reconciliation, RunRecord, Standing } from "./standing.ts"
import type { LastTurn, TurnChange } from "./turns.ts"

/**
 * Computes keyed digests (HMAC with the ledger's secret), because plain digests of birthdays and addresses can be reversed by guessing. The functions
 * are synchronous, because they are called for every row. Never modify a digest: the same buffer may be returned several times.
 */
export interface Digester {
  /** Returns the digest of a row key: 16 bytes. */
  readonly key: (key: string) => Buffer
  /** Returns the digest of a row's content: 16 bytes. The content is its mapped cells as text, in the order of their columns' names. */
  readonly content: (cells: ReadonlyArray<string>) => Buffer
  /** Returns the digest of an item, an answer or a settings text: 16 bytes. It covers the canonical JSON, whose members are sorted. */
  readonly value: (value: Json | Item) => Buffer
}

/** What a person acknowledged: how many rows, and the keys that match no row. */
export interface Acknowledged {
  readonly acknowledged: number
  /** How many of the rows are duplicates, whose keys are not skipped. Undefined without `leaveOut`. */
  readonly duplicates: number | undefined
  readonly unknown: ReadonlyArray<string>
}

/** What the ledger contains for one pipeline at one destination. Read-only. */
export interface PipelineLedger {
  readonly pipeline: string
  readonly destination: Destination
  readonly facts: Effect.Effect<Facts, LedgerError>
  /** Returns what is known about each key digest, in the same order. */
  readonly lookUp: (keys: ReadonlyArray<Buffer>) => Effect.Effect<ReadonlyArray<KnownRow | undefined>, LedgerError>
  /**
   * Returns what is known about a chunk of a source's rows, in the same order. Rows are found by key, or by their filled cells if their key is unknown or they have none. Call it for
   * one chunk at a time: rows are found several times as fast if they are in the order in which they were sent. They may have been read with an earlier
   * chunk, so record nothing about rows between two chunks.
   *
   * @param keys each row's key, or undefined for a row without one
   */
  readonly lookUpRows: (
    keys: ReadonlyArray<string | undefined>,
    contents: ChunkContents,
  ) => Effect.Effect<ReadonlyArray<FoundRow | undefined>, LedgerError>
  /**
   * Returns what is known about each row of a rejected.csv. `sent`: it is in the form, or may be: as it was, fixed, or differently under its key.
   * `changed key`: rows with its content were rejected, but none of them had its key. `unsent`: none of this.
   */
  readonly fixed: (
    rows: ReadonlyArray<Omit<Rejected, "columns"> | undefined>,
  ) => Effect.Effect<ReadonlyArray<FixedState>, LedgerError>
  /**
   * Returns what is known about each of these rows that need review, in the same order. `new`: nothing. `seen`: an earlier run recorded the row
   * (`attention`) with this fate and content. `acknowledged`: a person has acknowledged the row with this fate and content.
   */
  readonly attended: (
    rows: ReadonlyArray<Pick<AttentionRow, "key" | "content" | "fate">>,
  ) => Effect.Effect<ReadonlyArray<"new" | "seen" | "acknowledged">, LedgerError>
  /** Returns the keys of rows that a person skipped permanently and that are not at the destination. */
  readonly skippedKeys: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Returns how many rows were imported under a mapping fingerprint other than this one. */
  readonly importedUnderOtherMapping: (mapping: string) => Effect.Effect<number, LedgerError>
  /** Reads rows in pages of `size` rows (default: 1,000). If `after` is given, reads only rows after the one with this `at`. */
  readonly pages: <K extends keyof Pages>(
    of: K,
    choice: Pages[K]["choice"] & { readonly after?: number | undefined; readonly size?: number },
  ) => Stream.Stream<ReadonlyArray<Pages[K]["row"]>, LedgerError>
  /** Counts what is not proven or needs review. Fast, however many rows exist. */
  readonly counts: Effect.Effect<Counts, LedgerError>
  /** Returns counts over all rows, and the run in progress, as one consistent snapshot. */
  readonly standing: Effect.Effect<Standing, LedgerError>
  /** The reconciliation that was interrupted or is in progress, if any. */
  readonly reconciliation: Effect.Effect<Reconciliation | undefined, LedgerError>
  /**
   * Returns what the ledger knows about the requests that sent a row in doubt.
   *
   * @param batches the first and the last batch that contained the row
   * @param entries test entries that an export contains
   */
  readonly evidence: (
    batches: { readonly first: number; readonly last: number },
    within: Waits,
    entries: ReadonlyArray<TestEntry>,
  ) => Effect.Effect<Evidence, LedgerError>
  readonly settlingFacts: Effect.Effect<SettlingFacts, LedgerError>
  /** Returns how rows in doubt were settled, newest first. */
  readonly settlements: (limit: number) => Effect.Effect<ReadonlyArray<Settlement>, LedgerError>
  /** Counts the imported rows that a source lacks. Fast if there are none. */
  readonly vanished: (seen: SeenRows) => Effect.Effect<Vanished, LedgerError>
  /** Returns the numbers of the rows whose last batch is after one batch and not after another, and which are neither imported nor refused. */
  readonly unfinished: (
    batches: { readonly after: number; readonly upTo: number },
  ) => Effect.Effect<ReadonlyArray<number>, LedgerError>
  /** Whether a person has accepted all of these refused states (`Recorded.acceptance`). */
  readonly accepted: (reason: AcceptReason, states: ReadonlyArray<string>) => Effect.Effect<boolean, LedgerError>
  /** Returns which of these versions of files no run has read. */
  readonly unreadFiles: (versions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Returns runs, most recently recorded first, regardless of their clocks. With `done`, returns only runs that did their work (exit codes 0 and 1). */
  readonly runs: (
    which: { readonly limit: number; readonly done?: boolean },
  ) => Effect.Effect<ReadonlyArray<RunRecord>, LedgerError>
  readonly notified: (webhook: string) => Effect.Effect<Notified | undefined, LedgerError>
  /** Records what a webhook was notified of. Needs no lock. */
  readonly recordNotified: (webhook: string, notified: Notified) => Effect.Effect<void, LedgerError | LedgerRefused>
  /** Fails if the ledger is not the newest copy, unless a person has accepted this copy. `hold` also checks this. */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Takes the lock, puts in doubt the rows whose intents earlier runs left open, and sends heartbeats. The lock is released when the scope closes.
   *
   * @param overruling states that a person accepts now, of a ledger that is not the newest copy (`Ledger.behind`)
   */
  readonly hold: (
    run: string,
    overruling?: ReadonlyArray<string>,
  ) => Effect.Effect<LedgerSession, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope>
}

type Written<A> = Effect.Effect<A, LedgerError | LedgerOvertaken>

/** Writes to the ledger as the lock's holder. Every method returns once its write is durable. Concurrent calls share a commit. */
export interface LedgerSession {
  readonly epoch: number
  /**
   * Whether the lock is certainly still ours, judged by the clock alone: false if the last heartbeat is too long ago. Checked right before the first
   * byte of a create request, so that a run that was suspended and overtaken can't send.
   */
  readonly holdsLock: () => boolean
  /** What monitoring shows about the lock. Nothing else may depend on it. */
  readonly lease: {
    /** This host. Undefined if the ledger is a file. */
    readonly host: string | undefined
    /** Whether the previous holder had not released the lock. */
    readonly isTakenOver: boolean
    /** Returns the milliseconds since the last heartbeat, by this host's clock. */
    readonly silentFor: () => number
  }
  /**
   * Records durably that these rows are about to be sent. Returns the batch's number, which is higher than that of every earlier batch. Fails with
   * `RowShared` if a different pipeline has sent one of them to the form since the lock was taken, because the survey may have looked it up before.
   * Only finds rows of pipelines whose `contentColumns` are the same.
   */
  readonly intend: (batch: {
    readonly rows: ReadonlyArray<IntendedRow>
    /** Whether rows in doubt may be resent (`inDoubt: resend`). It is a defect if a row was already sent twice. */
    readonly resend: boolean
    /** Names of the source's columns, in the order of `cells`. */
    readonly columns: ReadonlyArray<string>
    /** Names of the columns that each row's `content` covers. */
    readonly contentColumns: ReadonlyArray<string>
    readonly mapping: string
  }) => Effect.Effect<number, LedgerError | LedgerOvertaken | RowShared>
  /** Records a batch's outcomes, one for each row in the order of `intend`. */
  readonly recordOutcomes: (batch: number, outcomes: ReadonlyArray<RowOutcome>) => Written<void>
  /**
   * Records the outcomes of a batch for which the service returned submission ids, and returns them.
   *
   * @param decide gets those of the ids that the ledger already has at this destination. It must only compute, because it may be called again
   */
  readonly recordReturned: (
    batch: number,
    ids: ReadonlyArray<string>,
    decide: (known: ReadonlySet<string>) => Outcomes,
  ) => Written<Outcomes>
  /** Records verdicts of imported rows, and the results of reading verified submissions again. A row may occur only once. */
  readonly recordVerdicts: (rows: ReadonlyArray<ReadBack | SeenAgain>) => Written<void>
  /** Records these facts, all or none. */
  readonly recordFacts: (facts: Recorded) => Written<void>
  /**
   * Gives rows new keys, and copies people's decisions about the old keys to the new ones. A key that another row has stays with that row, unless
   * nothing of it is in the form: then a row that may be, or that was, replaces it. Returns how many rows got their new key. Records some rows at a time, so that others can write meanwhile. If it ends early, it can be repeated.
   */
  readonly rekey: (rows: ReadonlyArray<Rekeyed>) => Written<number>
  /** Records rows that have no key any more. They are then found by their filled cells. */
  readonly unkey: (rows: ReadonlyArray<Unkeyed>) => Written<void>
  /** Records that a person has seen these rows, and returns how many there are. With `leaveOut`, no row with their keys is imported later. This doesn't apply to duplicates, because another row has their key. */
  readonly acknowledge: (
    what: {
      readonly keys: ReadonlyArray<string> | "all"
      readonly because: string
      readonly by: string
      readonly leaveOut: boolean
    },
  ) => Written<Acknowledged>
  /**
   * Records how rows in doubt are settled: by which person, why, and from which file. It is a defect if a row is not in doubt. Returns the submissions
   * that already belong to other rows, because another pipeline recorded them meanwhile. Their rows stay in doubt. Records some rows at a time, so that
   * others can write meanwhile. If it ends early, the other rows stay in doubt.
   */
  readonly settleDoubts: (
    what: {
      readonly rows: ReadonlyArray<SettledRow>
      readonly by: string
      readonly because: string | undefined
      readonly file: Settlement["file"]
    },
  ) => Written<ReadonlySet<string>>
  /**
   * Records that submissions of these rows were deleted. A row that was imported with its submission is then undone. It is a defect if a submission is
   * neither that of an imported row, nor one that an undone row had replaced.
   */
  readonly undo: (
    rows: ReadonlyArray<{ readonly keyDigest: Buffer; readonly submissionId: string }>,
  ) => Written<void>
  /** `counts`: those that are known before the run's end. */
  readonly startRun: (
    run: Pick<RunRecord, "run" | "mode" | "startedAt"> & Partial<Pick<RunRecord, "counts">>,
  ) => Written<void>
  /** Records the end of a run, and deletes records of old runs. */
  readonly finishRun: (
    run: Required<Pick<RunRecord, "run" | "finishedAt" | "outcome" | "exitCode" | "counts">>,
  ) => Written<void>
}

/** Scheduled turns, shared by all processes that use this ledger. */
export interface Turns {
  readonly last: (pipeline: string) => Effect.Effect<LastTurn, LedgerError>
  /**
   * Records that a pipeline is scheduled. If it never had a turn, missed times count from the earliest such instant of all processes. Returns the last
   * turn.
   *
   * @param since when this process found the schedule, in milliseconds since 1970
   */
  readonly seen: (pipeline: string, since: number) => Effect.Effect<LastTurn, LedgerError | LedgerRefused>
  /** Records what `change` returns for the present turn. Atomic, so that only one of several processes takes a turn. Returns the previous turn. */
  readonly record: (
    pipeline: string,
    change: (last: LastTurn) => TurnChange | undefined,
  ) => Effect.Effect<{ readonly last: LastTurn; readonly change: TurnChange | undefined }, LedgerError | LedgerRefused>
  /** Sends heartbeats for the turns that this process has taken, until the scope closes. */
  readonly keep: Effect.Effect<void, LedgerError | LedgerRefused, Scope.Scope>
}

/** A pipeline, and the destination that a command uses. */
export interface RequestedPlace {
  readonly pipeline: string
  readonly destination: Destination
  readonly renamedFrom: string | undefined
  readonly alongside: ReadonlyArray<string>
  /** The form's id as the pipeline names it. Default: the id in `destination`. */
  readonly typed?: string
  /** The service's name in the project, for messages. */
  readonly serviceName?: string
  readonly previous?: ReadonlyArray<string>
  /** The names of separate services by their addresses. Their forms are not the same, even if the ids are. */
  readonly separate?: ReadonlyMap<string, string>
}

/** Where the marks of a ledger are (docs/decisions/0017-marks.md). */
export interface MarkPlaces {
  /** Path of the ledger that the marks describe, for messages. A rehearsal works on a copy of that ledger. */
  readonly ledger: string
  /** Every host uses the first one, unless there is a `server`. */
  readonly folders: ReadonlyArray<string>
  /** A second PostgreSQL that contains marks. Only a ledger in PostgreSQL may have one, and its server must be a different one. */
  readonly server?: { readonly url: string } | undefined
  /** Whether holders of the lock write marks. False for a rehearsal, whose ledger is temporary. */
  readonly write: boolean
}

/** The pipeline and the `--to` of the present command. A refusal repeats them in the command that it suggests. */
export interface Asker {
  readonly pipeline: string
  readonly target: string | undefined
}

export interface LedgerOptions {
  /** Path of the ledger. Its secret is in the same folder, with `.key` appended to the name. */
  readonly file: string
  /** Where the ledger's marks are. Default: only next to the ledger. */
  readonly marks?: MarkPlaces
  readonly asker?: Asker | undefined
  /** Whether to create a ledger even if marks show that there was one. Set if a person accepts that. */
  readonly overruling?: boolean
  /** Whether rows are moved to this ledger. If it is new, it can't be used before the move has finished. */
  readonly isMoved?: boolean | undefined
  /** How long this holder's lock lasts without a heartbeat. It may be taken over after that time. Default: see `lockTimes`. */
  readonly staleAfter?: Duration.DurationInput
  /** Time between heartbeats. Default: see `lockTimes`. */
  readonly heartbeat?: Duration.DurationInput
}

/** The durable record of every row. All pipelines of a project share one ledger. */
export interface Ledger {
  /** A random id, created with the ledger. It distinguishes the ledger from a new one under the same name. */
  readonly id: string
  readonly digest: Digester
  /** What the ledger lacks according to its marks. Undefined if it is the newest copy. */
  readonly behind: Effect.Effect<Behind | undefined, LedgerError>
  /** Fails if the ledger is not the newest copy, and no person has accepted that for any pipeline. */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Opens the ledger for a pipeline at a destination. Refuses a new pipeline if a different one has imported there, unless the new one was renamed
   * from it (`renamedFrom`) or runs `alongside` it. Refuses a form into which rows were imported under a different address, unless that address is a
   * `previous` or a `separate` one. Takes over the rows of a renamed pipeline's old name, and the rows under previous addresses.
   */
  readonly pipeline: (which: RequestedPlace) => Effect.Effect<PipelineLedger, LedgerRefused | LedgerError>
  /** Returns why `pipeline` would refuse. Takes nothing over. */
  readonly refusalOf: (which: RequestedPlace) => Effect.Effect<LedgerRefused | undefined, LedgerError>
  /** Opens the ledger for reading only. Nothing is taken over or refused. */
  readonly view: (which: Pick<PipelineLedger, "pipeline" | "destination">) => PipelineLedger
  /** Every pipeline and destination that the ledger knows, newest last. `typed` is the form's id as the pipeline names it. */
  readonly places: Effect.Effect<
    ReadonlyArray<{ readonly pipeline: string; readonly destination: Destination; readonly typed: string }>,
    LedgerError
  >
  readonly turns: Turns
  /**
   * Fails if the disk has no room for rows that are about to be sent.
   *
   * @param bytes size of the rows' cells in the source
   */
  readonly roomFor: (rows: number, bytes: number) => Effect.Effect<void, LedgerError>
  /** Checks the database and the invariants of every ledger. Returns findings as sentences. */
  readonly verify: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Deletes old records and rewrites the file. No run may be in progress. */
  readonly compact: Effect.Effect<Compacted, LedgerError | LedgerLocked | LedgerBusy | LedgerRefused>
  /** Deletes everything known about rows, so that no byte of it remains. No run may be in progress. */
  readonly forget: (
    what: Forgetting,
  ) => Effect.Effect<Forgotten, LedgerError | LedgerLocked | LedgerOvertaken | LedgerRefused>
  /** Reads all rows of these pipelines in pages, then replaced submissions. An empty list means all pipelines. A run may be in progress. */
  readonly exported: (pipelines: ReadonlyArray<string>) => Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError>
}

/** What a ledger lacks, according to its marks. */
export interface Behind {
  /** What is missing, as a sentence without its full stop. */
  readonly wrong: string
  /** What it means, and what to do, as sentences. */
  readonly advice: string
  /** One state for each mark. A person who accepts the ledger accepts these states. */
  readonly states: ReadonlyArray<string>
}

/** The result of compacting. Sizes in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
  /** How many records were deleted: of old runs, and of rejected rows that no later run saw. */
  readonly runs: number
  readonly rejected: number
}

/** A person's request that rows be forgotten. */
export interface Forgetting {
  readonly pipeline: string
  /** The pipeline's earlier name, from which its next run takes rows over. */
  readonly renamedFrom?: string | undefined
  readonly keys: ReadonlyArray<string>
  readonly by: string
  readonly because: string
}

export interface Forgotten {
  /** Keys that were forgotten: everything known about them was deleted. */
  readonly keys: ReadonlyArray<string>
  /** Keys among `keys` that had already been forgotten: only their digests were left. */
  readonly already: ReadonlyArray<string>
  /** Keys that the ledger did not know. */
  readonly unknown: ReadonlyArray<string>
  readonly submissions: ReadonlyArray<{ readonly key: string; readonly submissionId: string; readonly form: string }>
  /** Why deleted data remains on the disk, if it does. The rows are forgotten nevertheless. */
  readonly busy?: LedgerBusy | undefined
}
