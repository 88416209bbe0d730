import { type Duration, type Effect, Schema, type Scope, type Stream } from "effect"
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Destination } from "../domain/destination.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Settlement } from "../domain/report.ts"
import type { Holder } from "./holder.ts"
import type {
  AttentionRow,
  Behind,
  Compacted,
  Counts,
  Evidence,
  ExportedRow,
  Facts,
  Forgetting,
  Forgotten,
  FoundRow,
  IntendedRow,
  KnownRow,
  Notified,
  Pages,
  ReadBack,
  Reconciliation,
  Recorded,
  Rekeyed,
  RowOutcome,
  RunRecord,
  SeenAgain,
  SeenRows,
  SettledRow,
  SettlingFacts,
  Standing,
  TestEntry,
  Vanished,
  Waits,
} from "./records.ts"

/** The ledger can't be written or read, or is damaged: fatal at once (exit 70), for without it the next send could be a duplicate. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  file: Schema.String,
  /** What was being done, as "recording an intent". */
  doing: Schema.String,
  cause: Schema.Defect,
}) {
  override get message() {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The ledger ${this.file} failed while ${this.doing}: ${reason}. Nothing more is sent without it.`
  }
}

/** The ledger must not be used as it stands (exit 2): it vanished, is older than the reports, lies on a network file system, or the pipeline is new where another one imported. */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", {
  message: Schema.String,
}) {}

/** Another run of this pipeline holds the lock (exit 6). */
export class LedgerLocked extends Schema.TaggedError<LedgerLocked>()("LedgerLocked", {
  pipeline: Schema.String,
  /** Process id of the holder, and since when it holds the lock (ISO 8601). */
  pid: Schema.Number,
  since: Schema.String,
}) {
  override get message() {
    return `Another run of ${this.pipeline} is going on since ${this.since} (process ${this.pid}). Wait for it, or end it first.`
  }
}

/** Another process reads the ledger's file, so that no rewrite of it can end (exit 6). */
export class LedgerBusy extends Schema.TaggedError<LedgerBusy>()("LedgerBusy", {
  file: Schema.String,
}) {
  override get message() {
    return `Another process reads the ledger ${this.file}, so that its log can't be emptied and deleted data may still be in it. `
      + "Nothing is damaged. Wait for the other process, then run the command again."
  }
}

/** This run lost its lock: it stood still for so long that another run took over. It must not send anything more. */
export class LedgerOvertaken extends Schema.TaggedError<LedgerOvertaken>()("LedgerOvertaken", {
  pipeline: Schema.String,
}) {
  override get message() {
    return `This run of ${this.pipeline} stood still for too long and another run took over. It sends nothing more.`
  }
}

/** Keyed digests (HMAC with the ledger's secret): birthdays and addresses can be guessed. Synchronous: they are row work. Not to be written into: one may be given out several times. */
export interface Digester {
  /** Of a row key: 16 bytes. */
  readonly key: (key: string) => Buffer
  /** Of a row's content, its mapped cells as text in the order of their columns' names: 16 bytes. */
  readonly content: (cells: ReadonlyArray<string>) => Buffer
  /** Of an item, an answer or a settings text, by its canonical JSON (members sorted): 16 bytes. */
  readonly value: (value: Json | Item) => Buffer
}

/** What the ledger holds for one pipeline at one destination. Only reads. */
export interface PipelineLedger {
  readonly pipeline: string
  readonly destination: Destination
  readonly facts: Effect.Effect<Facts, LedgerError>
  /** What is known under each key digest, in the same order. */
  readonly lookUp: (keys: ReadonlyArray<Buffer>) => Effect.Effect<ReadonlyArray<KnownRow | undefined>, LedgerError>
  /**
   * What is known of a chunk of a source's rows, in the same order: by their keys, or by their content if they have none. Call it for one chunk after the other: rows that come in the order in which they were
   * sent are found several times as fast.
   *
   * @param keys undefined: a row without one
   * @param content digests the content of a row of the chunk over these columns; undefined: over the columns that are mapped now
   */
  readonly lookUpRows: (
    keys: ReadonlyArray<string | undefined>,
    content: (at: number, columns: ReadonlyArray<string> | undefined) => Buffer,
  ) => Effect.Effect<ReadonlyArray<FoundRow | undefined>, LedgerError>
  /** Rejections of earlier runs, to know what a mended row replaces: by key digest, or by row number when it had no key. The newest first. */
  readonly rejected: (
    row: { readonly keyDigest: Buffer } | { readonly row: number },
  ) => Effect.Effect<ReadonlyArray<{ readonly keyDigest: Buffer | undefined; readonly content: Buffer }>, LedgerError>
  /**
   * For each of these rows that need a person, in the same order: `new`, or `seen` when an earlier run recorded it (`attention`) with this fate and content,
   * or `acknowledged` when a person has acknowledged it so.
   */
  readonly attended: (
    rows: ReadonlyArray<Pick<AttentionRow, "keyDigest" | "content" | "fate">>,
  ) => Effect.Effect<ReadonlyArray<"new" | "seen" | "acknowledged">, LedgerError>
  /** How many rows were imported under another mapping fingerprint than this. */
  readonly importedUnderOtherMapping: (mapping: string) => Effect.Effect<number, LedgerError>
  /** Reads rows in pages. A page holds `size` rows, or 1,000; `after`: only rows after the one with this `at`. */
  readonly pages: <K extends keyof Pages>(
    of: K,
    choice: Pages[K]["choice"] & { readonly after?: number | undefined; readonly size?: number },
  ) => Stream.Stream<ReadonlyArray<Pages[K]["row"]>, LedgerError>
  /** Counts of what is not proven or needs review: cheap, however many rows there are. */
  readonly counts: Effect.Effect<Counts, LedgerError>
  /** Counts over all rows, and the run in progress, all of one moment. */
  readonly standing: Effect.Effect<Standing, LedgerError>
  /** The reconciliation that was interrupted, or is in progress. */
  readonly reconciliation: Effect.Effect<Reconciliation | undefined, LedgerError>
  /**
   * What the ledger knows about the requests with a row in doubt.
   *
   * @param batches the first and the last batch that the row was sent with
   * @param entries test entries that an export has
   */
  readonly evidence: (
    batches: { readonly first: number; readonly last: number },
    within: Waits,
    entries: ReadonlyArray<TestEntry>,
  ) => Effect.Effect<Evidence, LedgerError>
  readonly settlingFacts: Effect.Effect<SettlingFacts, LedgerError>
  /** How rows in doubt were settled, the newest first. */
  readonly settlements: (limit: number) => Effect.Effect<ReadonlyArray<Settlement>, LedgerError>
  /** Counts the imported rows that a source lacks. Cheap if there are none. */
  readonly vanished: (seen: SeenRows) => Effect.Effect<Vanished, LedgerError>
  /** Whether a person has accepted all of these refused states (`Recorded.acceptance`). */
  readonly accepted: (reason: AcceptReason, states: ReadonlyArray<string>) => Effect.Effect<boolean, LedgerError>
  /** Those of these files (names below a pattern's folder) that no run has read. */
  readonly unreadFiles: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** The newest first. `done`: only those that did their work, whether or not rows need review (exit codes 0 and 1), the last finished first. */
  readonly runs: (
    which: { readonly limit: number; readonly done?: boolean },
  ) => Effect.Effect<ReadonlyArray<RunRecord>, LedgerError>
  /** What a webhook was last notified of. */
  readonly notified: (webhook: string) => Effect.Effect<Notified | undefined, LedgerError>
  /** Records what a webhook was notified of. Needs no lock. */
  readonly recordNotified: (webhook: string, notified: Notified) => Effect.Effect<void, LedgerError>
  /**
   * Fails if the ledger is not the newest, and nobody has accepted that here. `hold` does so by itself.
   */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Takes the lock, turns open intents of older epochs into rows in doubt, keeps a heartbeat; released with the scope.
   *
   * @param overruling states of a ledger that is not the newest (`Ledger.behind`): a person accepts them now
   */
  readonly hold: (
    run: string,
    overruling?: ReadonlyArray<string>,
  ) => Effect.Effect<LedgerSession, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope>
}

type Written<A> = Effect.Effect<A, LedgerError | LedgerOvertaken>

/** The lock's holder writes. Every method returns once what it wrote is durable; concurrent calls share a commit. */
export interface LedgerSession {
  readonly epoch: number
  /**
   * Whether the lock is certainly still ours, by the clock alone: false when the last heartbeat is too long ago. Looked at right before
   * the first byte of a create, so that a run that was suspended and overtaken can't send.
   */
  readonly held: () => boolean
  /** How many rows the lock's taking put in doubt: intents that an earlier run left open. */
  readonly abandoned: number
  /** Records that these rows are about to be sent; durable before it returns. Gives the batch's number, which only grows. */
  readonly intend: (batch: {
    readonly rows: ReadonlyArray<IntendedRow>
    /** Whether rows in doubt may be sent once more (`inDoubt: resend`); a row that was already sent twice is a defect. */
    readonly resend: boolean
    /** Names of the source's columns, in the order of `cells`. */
    readonly columns: ReadonlyArray<string>
    /** Names of the columns that each row's `content` was taken over. */
    readonly contentColumns: ReadonlyArray<string>
    readonly mapping: string
  }) => Written<number>
  /** Returns those of the submission ids that the ledger already has at this destination. */
  readonly knownSubmissions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, LedgerError>
  /** Records what became of a batch, one outcome a row in the order of `intend`; `loose`: submission ids that no row could be matched to. */
  readonly settle: (
    batch: number,
    outcomes: ReadonlyArray<RowOutcome>,
    loose?: ReadonlyArray<string>,
  ) => Written<void>
  /** Records verdicts of imported rows, and how verified submissions were found again; each row once. */
  readonly verdicts: (rows: ReadonlyArray<ReadBack | SeenAgain>) => Written<void>
  /** Records these facts, all or none. */
  readonly record: (facts: Recorded) => Written<void>
  /** Gives rows other keys, with what people said of the old ones; a key that another row has stays with it. Gives how many have their new key. */
  readonly rekey: (rows: ReadonlyArray<Rekeyed>) => Written<number>
  /** A person has seen these rows; `leaveOut`: they are never imported. Gives how many. */
  readonly acknowledge: (
    what: {
      readonly keys: ReadonlyArray<string> | "all"
      readonly because: string
      readonly by: string
      readonly leaveOut: boolean
    },
  ) => Written<{ readonly acknowledged: number; readonly unknown: ReadonlyArray<string> }>
  /** Records what rows in doubt turned out to be: who says so, why, and from which file. A row that is not in doubt is a defect. */
  readonly settleDoubts: (
    what: {
      readonly rows: ReadonlyArray<SettledRow>
      readonly by: string
      readonly because: string | undefined
      readonly file: Settlement["file"]
    },
  ) => Written<void>
  /** @param run.repeats it only repeats the run before, of an unchanged source: what that one met is still what needs a person */
  readonly startRun: (
    run: Pick<RunRecord, "run" | "mode" | "startedAt"> & { readonly repeats?: boolean },
  ) => Written<void>
  /** Also deletes the records of old runs. */
  readonly finishRun: (
    run: Required<Pick<RunRecord, "run" | "finishedAt" | "outcome" | "exitCode" | "counts">>,
  ) => Written<void>
}

/** When a pipeline last had its turn by schedule, and when it last ran, by schedule or manually. Times are in milliseconds since 1970. */
export interface LastTurn {
  /** When the last turn was taken. If there was none, when a schedule first saw the pipeline; undefined if none did. */
  readonly at: number | undefined
  /** `going`: the process that took it may still be running. `brokenOff`: that process ended before the run did. */
  readonly state: "done" | "going" | "brokenOff"
  /** How often a run was started for it. */
  readonly tries: number
  /** When the last run that may send started. */
  readonly ran: number | undefined
}

/**
 * What is recorded of a pipeline's turn. `taken`: this process runs it now. `seen`: if it never had a turn, missed times count from now on. `done`, `brokenOff`: the turn that this process took has ended; if broken
 * off, it may be taken again.
 */
export type TurnChange = "taken" | "seen" | "done" | "brokenOff"

/** Turns by schedule, among all processes that schedule on this ledger. */
export interface Turns {
  readonly last: (pipeline: string) => Effect.Effect<LastTurn, LedgerError>
  /** Records what `change` returns for the turn as it is at that moment: of several processes one takes it. Returns the turn as it was before. */
  readonly record: (
    pipeline: string,
    change: (last: LastTurn) => TurnChange | undefined,
  ) => Effect.Effect<{ readonly last: LastTurn; readonly change: TurnChange | undefined }, LedgerError>
}

/** A pipeline that is about to work at a destination. */
export interface RequestedPlace {
  readonly pipeline: string
  readonly destination: Destination
  readonly renamedFrom: string | undefined
  readonly alongside: ReadonlyArray<string>
  /** The form's id as the pipeline names it; default as in `destination`. */
  readonly typed?: string
  /** The service's name in the project, for people. */
  readonly serviceName?: string
  /** Addresses that the service had before. */
  readonly previous?: ReadonlyArray<string>
  /** Addresses of services whose forms are their own, whatever their ids. */
  readonly separate?: ReadonlyArray<string>
}

/** Where the marks of a ledger are (docs/decisions/0017-marks.md). */
export interface MarkPlaces {
  /** The ledger they are about, for messages: a rehearsal works on a copy of it. */
  readonly ledger: string
  readonly folders: ReadonlyArray<string>
  /** Whether holders of the lock write marks. A rehearsal's ledger is temporary and writes none. */
  readonly write: boolean
}

/** The pipeline that a command is about, and its `--to`: a refusal names them in the command that resolves it. */
export interface Asker {
  readonly pipeline: string
  readonly target: string | undefined
}

/** How a ledger is opened. */
export interface LedgerOptions {
  /** Path of the ledger; its secret is next to it, with `.key` at the end. */
  readonly file: string
  /** Where its marks are; default: next to it only. */
  readonly marks?: MarkPlaces
  readonly asker?: Asker
  /** Whether to create a ledger although marks say that there was one: for a person who accepts that. */
  readonly overruling?: boolean
  /** How old a live holder's heartbeat must be before its lock is taken over; default one minute. */
  readonly staleAfter?: Duration.DurationInput
  /** Between heartbeats; default five seconds. */
  readonly heartbeat?: Duration.DurationInput
  /** The process that takes locks; default this process. */
  readonly holder?: Holder
}

/** The durable record of every row. One for all pipelines of a project. */
export interface Ledger {
  readonly file: string
  /** Random, made with the ledger: distinguishes it from a new one under the same name. */
  readonly id: string
  readonly digest: Digester
  /** What it lacks of what its marks say; undefined if it is the newest. */
  readonly behind: Effect.Effect<Behind | undefined, LedgerError>
  /** Fails if it is not the newest, and nobody has accepted that for any pipeline. */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Opens what the ledger has of a pipeline at a destination. A pipeline that is new to a destination where another one imported is refused unless it is `renamedFrom` it (then its rows are taken over) or runs
   * `alongside` it. A form that was imported into under another address is refused unless that is a `previous` one (then its rows are taken over) or `separate`.
   */
  readonly pipeline: (which: RequestedPlace) => Effect.Effect<PipelineLedger, LedgerRefused | LedgerError>
  /** The same to only read: nothing is taken over or refused. */
  readonly view: (which: Pick<PipelineLedger, "pipeline" | "destination">) => PipelineLedger
  /** Every pipeline and destination that it knows, the newest last; `typed`: the form's id as the pipeline names it. */
  readonly places: Effect.Effect<
    ReadonlyArray<{ readonly pipeline: string; readonly destination: Destination; readonly typed: string }>,
    LedgerError
  >
  readonly turns: Turns
  /**
   * Fails if there is no room for rows that are about to be sent.
   *
   * @param bytes of their cells in the source
   */
  readonly roomFor: (rows: number, bytes: number) => Effect.Effect<void, LedgerError>
  /** Checks the database and what must hold in any ledger. Returns findings as sentences. */
  readonly verify: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Deletes what is old and rewrites the file. No run may be in progress. */
  readonly compact: Effect.Effect<Compacted, LedgerError | LedgerLocked | LedgerBusy | LedgerRefused>
  /** Deletes all that is known of rows, so that not a byte of them is left. No run may be in progress. */
  readonly forget: (
    what: Forgetting,
  ) => Effect.Effect<Forgotten, LedgerError | LedgerLocked | LedgerBusy | LedgerOvertaken | LedgerRefused>
  /** All rows of these pipelines, or of all, in pages, then what was replaced; a run may be in progress. */
  readonly exported: (pipelines: ReadonlyArray<string>) => Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError>
}
