import { type Duration, type Effect, Schema, type Scope, type Stream } from "effect"
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Destination } from "../domain/destination.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Settlement } from "../domain/report.ts"
import { reasonOf } from "../domain/words.ts"
import type { Evidence, SettledRow, SettlingFacts, TestEntry, Waits } from "./evidence.ts"
import type { AttentionRow, Facts, Notified, Recorded, Rekeyed } from "./facts.ts"
import type { Holder } from "./holder.ts"
import type { ExportedRow, Pages, SeenRows, Vanished } from "./pages.ts"
import type { FoundRow, IntendedRow, KnownRow, ReadBack, RowOutcome, SeenAgain } from "./rows.ts"
import type { Counts, Reconciliation, RunRecord, Standing } from "./standing.ts"

/** The ledger can't be written or read, or is damaged: fatal at once (exit 70), because without it the next send could be a duplicate. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  file: Schema.String,
  /** What was being done, as "recording an intent". */
  doing: Schema.String,
  cause: Schema.Defect,
}) {
  override get message() {
    return `The ledger ${this.file} failed while ${this.doing}: ${
      reasonOf(this.cause)
    }. Nothing more is sent without it.`
  }
}

/**
 * The ledger must not be used as it is (exit 2): it vanished, is older than the reports, is on a network file system, or the pipeline is new to a
 * form into which another pipeline imported.
 */
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
    return `Another run of ${this.pipeline} has been in progress since ${this.since} (process ${this.pid}). Wait for it to end, or stop it first.`
  }
}

/** Another process is reading the ledger's file, so it can't be rewritten (exit 6). */
export class LedgerBusy extends Schema.TaggedError<LedgerBusy>()("LedgerBusy", {
  file: Schema.String,
}) {
  override get message() {
    return `Another process is reading the ledger ${this.file}, so its log can't be emptied and may still contain deleted data. `
      + "Nothing is damaged. Wait for the other process, then run the command again."
  }
}

/** This run lost its lock: it was suspended for so long that another run took over. It must not send anything more. */
export class LedgerOvertaken extends Schema.TaggedError<LedgerOvertaken>()("LedgerOvertaken", {
  pipeline: Schema.String,
}) {
  override get message() {
    return `This run of ${this.pipeline} was suspended for too long, and another run took over. It sends nothing more.`
  }
}

/**
 * Keyed digests (HMAC with the ledger's secret): birthdays and addresses can be guessed. Synchronous, because they are computed for every row. Never
 * modify one: the same buffer may be returned several times.
 */
export interface Digester {
  /** Of a row key: 16 bytes. */
  readonly key: (key: string) => Buffer
  /** Of a row's content (its mapped cells as text, in the order of their columns' names): 16 bytes. */
  readonly content: (cells: ReadonlyArray<string>) => Buffer
  /** Of an item, an answer or a settings text, by its canonical JSON (members sorted): 16 bytes. */
  readonly value: (value: Json | Item) => Buffer
}

/** What the ledger contains for one pipeline at one destination. Read-only. */
export interface PipelineLedger {
  readonly pipeline: string
  readonly destination: Destination
  readonly facts: Effect.Effect<Facts, LedgerError>
  /** Returns what is known about each key digest, in the same order. */
  readonly lookUp: (keys: ReadonlyArray<Buffer>) => Effect.Effect<ReadonlyArray<KnownRow | undefined>, LedgerError>
  /**
   * Returns what is known about a chunk of a source's rows, in the same order: by their keys, or by their content if they have none. Call it for one
   * chunk at a time: rows in the order in which they were sent are found several times as fast.
   *
   * @param keys undefined: a row without one
   * @param content digests the content of a row of the chunk over these columns; undefined: over the columns that are mapped now
   */
  readonly lookUpRows: (
    keys: ReadonlyArray<string | undefined>,
    content: (at: number, columns: ReadonlyArray<string> | undefined) => Buffer,
  ) => Effect.Effect<ReadonlyArray<FoundRow | undefined>, LedgerError>
  /** Returns the rejections of earlier runs that a fixed row may replace, by key digest, or by row number if it had no key. The newest comes first. */
  readonly rejected: (
    row: { readonly keyDigest: Buffer } | { readonly row: number },
  ) => Effect.Effect<ReadonlyArray<{ readonly keyDigest: Buffer | undefined; readonly content: Buffer }>, LedgerError>
  /**
   * Returns for each of these rows that need a review, in the same order: `new`; `seen` if an earlier run recorded it (`attention`) with this fate
   * and content; or `acknowledged` if a person has acknowledged it with these.
   */
  readonly attended: (
    rows: ReadonlyArray<Pick<AttentionRow, "keyDigest" | "content" | "fate">>,
  ) => Effect.Effect<ReadonlyArray<"new" | "seen" | "acknowledged">, LedgerError>
  /** Returns how many rows were imported under a mapping fingerprint other than this. */
  readonly importedUnderOtherMapping: (mapping: string) => Effect.Effect<number, LedgerError>
  /** Reads rows in pages. A page holds `size` rows, or 1,000; `after`: only rows after the one with this `at`. */
  readonly pages: <K extends keyof Pages>(
    of: K,
    choice: Pages[K]["choice"] & { readonly after?: number | undefined; readonly size?: number },
  ) => Stream.Stream<ReadonlyArray<Pages[K]["row"]>, LedgerError>
  /** Counts what is not proven or needs review. Cheap, however many rows there are. */
  readonly counts: Effect.Effect<Counts, LedgerError>
  /** Returns counts over all rows, and the run in progress, as of one moment. */
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
  /** How rows in doubt were settled, newest first. */
  readonly settlements: (limit: number) => Effect.Effect<ReadonlyArray<Settlement>, LedgerError>
  /** Counts the imported rows that a source lacks. Cheap if there are none. */
  readonly vanished: (seen: SeenRows) => Effect.Effect<Vanished, LedgerError>
  /** Whether a person has accepted all of these refused states (`Recorded.acceptance`). */
  readonly accepted: (reason: AcceptReason, states: ReadonlyArray<string>) => Effect.Effect<boolean, LedgerError>
  /** Returns those of these files (names below a pattern's folder) that no run has read. */
  readonly unreadFiles: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Returns runs, newest first. `done`: only those that did their work, whether or not rows need review (exit codes 0 and 1), last finished first. */
  readonly runs: (
    which: { readonly limit: number; readonly done?: boolean },
  ) => Effect.Effect<ReadonlyArray<RunRecord>, LedgerError>
  /** What a webhook was last notified of. */
  readonly notified: (webhook: string) => Effect.Effect<Notified | undefined, LedgerError>
  /** Records what a webhook was notified of. Needs no lock. */
  readonly recordNotified: (webhook: string, notified: Notified) => Effect.Effect<void, LedgerError>
  /**
   * Fails if the ledger is not the newest and no person has accepted that here. `hold` also checks this.
   */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Takes the lock, puts the rows of older epochs' open intents in doubt, and keeps a heartbeat. Released with the scope.
   *
   * @param overruling states of a ledger that is not the newest (`Ledger.behind`) that a person accepts now
   */
  readonly hold: (
    run: string,
    overruling?: ReadonlyArray<string>,
  ) => Effect.Effect<LedgerSession, LedgerLocked | LedgerRefused | LedgerError, Scope.Scope>
}

type Written<A> = Effect.Effect<A, LedgerError | LedgerOvertaken>

/** Writes as the lock's holder. Every method returns once what it wrote is durable; concurrent calls share a commit. */
export interface LedgerSession {
  readonly epoch: number
  /**
   * Whether the lock is certainly still ours, by the clock alone: false if the last heartbeat is too long ago. Checked right before the first byte of
   * a create, so that a run that was suspended and overtaken can't send.
   */
  readonly held: () => boolean
  /** How many rows were put in doubt when the lock was taken: those of intents that an earlier run left open. */
  readonly abandoned: number
  /** Records durably that these rows are about to be sent. Returns the batch's number; numbers only increase. */
  readonly intend: (batch: {
    readonly rows: ReadonlyArray<IntendedRow>
    /** Whether rows in doubt may be resent (`inDoubt: resend`). Dies if a row was already sent twice. */
    readonly resend: boolean
    /** Names of the source's columns, in the order of `cells`. */
    readonly columns: ReadonlyArray<string>
    /** Names of the columns that each row's `content` covers. */
    readonly contentColumns: ReadonlyArray<string>
    readonly mapping: string
  }) => Written<number>
  /** Returns those of the submission ids that the ledger already has at this destination. */
  readonly knownSubmissions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, LedgerError>
  /** Records a batch's outcomes, one for each row in the order of `intend`. `loose`: submission ids that match no row. */
  readonly settle: (
    batch: number,
    outcomes: ReadonlyArray<RowOutcome>,
    loose?: ReadonlyArray<string>,
  ) => Written<void>
  /** Records verdicts of imported rows, and what a later reading of verified submissions showed; each row once. */
  readonly verdicts: (rows: ReadonlyArray<ReadBack | SeenAgain>) => Written<void>
  /** Records these facts, all or none. */
  readonly record: (facts: Recorded) => Written<void>
  /**
   * Gives rows new keys, and moves what people decided about the old ones. A key that another row has stays with that row. Returns how many rows got
   * their new key.
   */
  readonly rekey: (rows: ReadonlyArray<Rekeyed>) => Written<number>
  /** Records that a person has seen these rows. `leaveOut`: they are never imported. Returns how many there are. */
  readonly acknowledge: (
    what: {
      readonly keys: ReadonlyArray<string> | "all"
      readonly because: string
      readonly by: string
      readonly leaveOut: boolean
    },
  ) => Written<{ readonly acknowledged: number; readonly unknown: ReadonlyArray<string> }>
  /** Records how rows in doubt are settled: by which person, why, and from which file. Dies if a row is not in doubt. */
  readonly settleDoubts: (
    what: {
      readonly rows: ReadonlyArray<SettledRow>
      readonly by: string
      readonly because: string | undefined
      readonly file: Settlement["file"]
    },
  ) => Written<void>
  /** @param run.repeats whether it only repeats the previous run, since the source is unchanged: rows that needed a review then still do */
  readonly startRun: (
    run: Pick<RunRecord, "run" | "mode" | "startedAt"> & { readonly repeats?: boolean },
  ) => Written<void>
  /** Also deletes the records of old runs. */
  readonly finishRun: (
    run: Required<Pick<RunRecord, "run" | "finishedAt" | "outcome" | "exitCode" | "counts">>,
  ) => Written<void>
}

/** When a pipeline's last scheduled turn was, and when it last ran, by schedule or manually. Times are in milliseconds since 1970. */
export interface LastTurn {
  /** When the last turn was taken. If there was none, when a schedule first saw the pipeline; undefined if no schedule did. */
  readonly at: number | undefined
  /** `going`: the process that took the turn may still be running. `brokenOff`: that process ended before the run did. */
  readonly state: "done" | "going" | "brokenOff"
  /** How often a run was started for it. */
  readonly tries: number
  /** When the last run that may send started. */
  readonly ran: number | undefined
}

/**
 * What is recorded about a pipeline's turn. `taken`: this process runs it now. `seen`: if it never had a turn, missed times count from now on.
 * `done`, `brokenOff`: the turn that this process took has ended; after `brokenOff` it may be taken again.
 */
export type TurnChange = "taken" | "seen" | "done" | "brokenOff"

/** Scheduled turns, shared by all processes that schedule on this ledger. */
export interface Turns {
  readonly last: (pipeline: string) => Effect.Effect<LastTurn, LedgerError>
  /** Records what `change` returns for the present turn, atomically: only one of several processes takes it. Returns the previous turn. */
  readonly record: (
    pipeline: string,
    change: (last: LastTurn) => TurnChange | undefined,
  ) => Effect.Effect<{ readonly last: LastTurn; readonly change: TurnChange | undefined }, LedgerError>
}

/** A pipeline and the destination that it is about to work at. */
export interface RequestedPlace {
  readonly pipeline: string
  readonly destination: Destination
  readonly renamedFrom: string | undefined
  readonly alongside: ReadonlyArray<string>
  /** The form's id as the pipeline names it. Default: the id in `destination`. */
  readonly typed?: string
  /** The service's name in the project, for messages. */
  readonly serviceName?: string
  /** Addresses that the service had before. */
  readonly previous?: ReadonlyArray<string>
  /** Addresses of services whose forms are separate, whatever their ids. */
  readonly separate?: ReadonlyArray<string>
}

/** Where the marks of a ledger are (docs/decisions/0017-marks.md). */
export interface MarkPlaces {
  /** The ledger that they describe, for messages: a rehearsal works on a copy of it. */
  readonly ledger: string
  readonly folders: ReadonlyArray<string>
  /** Whether holders of the lock write marks. A rehearsal's ledger is temporary and writes none. */
  readonly write: boolean
}

/** The pipeline that a command names, and its `--to`: a refusal repeats them in the command that resolves it. */
export interface Asker {
  readonly pipeline: string
  readonly target: string | undefined
}

/** How a ledger is opened. */
export interface LedgerOptions {
  /** Path of the ledger. Its secret is next to it, with `.key` appended. */
  readonly file: string
  /** Where its marks are. Default: only next to it. */
  readonly marks?: MarkPlaces
  readonly asker?: Asker
  /** Whether to create a ledger although marks show that there was one: set if a person accepts that. */
  readonly overruling?: boolean
  /** How old a live holder's heartbeat must be before its lock is taken over. Default: one minute. */
  readonly staleAfter?: Duration.DurationInput
  /** Time between heartbeats. Default: five seconds. */
  readonly heartbeat?: Duration.DurationInput
  /** The process that takes locks. Default: this process. */
  readonly holder?: Holder
}

/** The durable record of every row. One for all pipelines of a project. */
export interface Ledger {
  readonly file: string
  /** Random, created with the ledger: distinguishes it from a new one under the same name. */
  readonly id: string
  readonly digest: Digester
  /** What it lacks according to its marks; undefined if it is the newest. */
  readonly behind: Effect.Effect<Behind | undefined, LedgerError>
  /** Fails if it is not the newest and no person has accepted that for any pipeline. */
  readonly isNewest: Effect.Effect<void, LedgerRefused | LedgerError>
  /**
   * Opens the ledger for a pipeline at a destination. If the pipeline is new there and another one imported there, it is refused, unless it is
   * `renamedFrom` that one (it takes over its rows) or runs `alongside` it. If the form was imported into under another address, the pipeline is
   * refused, unless that address is a `previous` one (it takes over its rows) or `separate`.
   */
  readonly pipeline: (which: RequestedPlace) => Effect.Effect<PipelineLedger, LedgerRefused | LedgerError>
  /** Opens the same for reading only: nothing is taken over or refused. */
  readonly view: (which: Pick<PipelineLedger, "pipeline" | "destination">) => PipelineLedger
  /** Every pipeline and destination that it knows, newest last. `typed`: the form's id as the pipeline names it. */
  readonly places: Effect.Effect<
    ReadonlyArray<{ readonly pipeline: string; readonly destination: Destination; readonly typed: string }>,
    LedgerError
  >
  readonly turns: Turns
  /**
   * Fails if there is no room for rows that are about to be sent.
   *
   * @param bytes size of their cells in the source
   */
  readonly roomFor: (rows: number, bytes: number) => Effect.Effect<void, LedgerError>
  /** Checks the database, and what must hold in any ledger. Returns findings as sentences. */
  readonly verify: Effect.Effect<ReadonlyArray<string>, LedgerError>
  /** Deletes old records and rewrites the file. No run may be in progress. */
  readonly compact: Effect.Effect<Compacted, LedgerError | LedgerLocked | LedgerBusy | LedgerRefused>
  /** Deletes everything known about rows, so that no byte of them remains. No run may be in progress. */
  readonly forget: (
    what: Forgetting,
  ) => Effect.Effect<Forgotten, LedgerError | LedgerLocked | LedgerBusy | LedgerOvertaken | LedgerRefused>
  /** Reads all rows of these pipelines, or of all, in pages, then replaced submissions. A run may be in progress. */
  readonly exported: (pipelines: ReadonlyArray<string>) => Stream.Stream<ReadonlyArray<ExportedRow>, LedgerError>
}

/** What a ledger lacks, according to its marks. */
export interface Behind {
  /** A sentence without its full stop. */
  readonly wrong: string
  /** One state for each mark: a person who accepts the ledger accepts these. */
  readonly states: ReadonlyArray<string>
}

/** The result of compacting. Sizes in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
  /** Records of old runs, and of rejected rows that no later run saw. */
  readonly runs: number
  readonly rejected: number
}

/** A person's request that rows be forgotten. */
export interface Forgetting {
  readonly pipeline: string
  readonly keys: ReadonlyArray<string>
  readonly by: string
  readonly because: string
}

export interface Forgotten {
  /** Keys that were forgotten: everything known about them was deleted. */
  readonly keys: ReadonlyArray<string>
  /** Those of them of which only the digest was left, because they had been forgotten before. */
  readonly already: ReadonlyArray<string>
  /** Keys that the ledger did not know. */
  readonly unknown: ReadonlyArray<string>
  /** Submissions that remain in the form: the service can't delete them. */
  readonly submissions: ReadonlyArray<{ readonly key: string; readonly submissionId: string; readonly form: string }>
}
