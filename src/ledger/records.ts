// What the ledger's readers return and its writers take: rows, runs, counts.
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Fate, Verdict, VerdictCounts } from "../domain/fate.ts"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Mode, Outcome } from "../domain/run.ts"

export type RowState = "intended" | "inDoubt" | "imported" | "refused" | "notCreated"

/**
 * What the ledger knows about a row. If nothing was ever sent under the key, but a person skipped it, or its row was fixed and imported under another
 * key, the state is `notCreated`, with an empty key, content and columns, and row 0.
 */
export interface KnownRow {
  /** Its number in the ledger, which never changes; 0 if nothing was ever sent under the key. */
  readonly id: number
  readonly keyDigest: Buffer
  readonly key: string
  readonly state: RowState
  /** The row's number in the source of the last run that sent it. */
  readonly row: number
  readonly content: Buffer
  /** Sorted names of the columns that `content` covers: one array is shared by all rows with the same columns. */
  readonly columns: ReadonlyArray<string>
  /** Contents that the source had before they were fixed and imported: earlier versions of the row. `mended`: the number of the fixed row. */
  readonly superseded: ReadonlyArray<{ readonly content: Buffer; readonly mended: number }>
  readonly batch: number | undefined
  readonly submissionId: string | undefined
  readonly verdict: Verdict | undefined
  /**
   * For `refused`, and for `imported` if the row changed and the new content was refused: the digest of the refused item, the fingerprints of the
   * mapping and the form at that time, and the service's words.
   */
  readonly refusal:
    | { readonly item: Buffer; readonly mapping: string; readonly form: string; readonly message: string }
    | undefined
  /** For `inDoubt`: why, and when it was sent (ISO 8601). */
  readonly doubt: { readonly reason: string; readonly sentAt: string } | undefined
  /** Whether it was already resent (`inDoubt: resend`). */
  readonly resent: boolean
  /** A person skipped it permanently (`acknowledge --leave-out`). */
  readonly leftOut: boolean
}

/** What the ledger knows about a row of a source. */
export type FoundRow = KnownRow | SameRow | KeylessRow

/** A row that was imported with the content that it has now. */
export interface SameRow {
  readonly state: "same"
  readonly id: number
}

/** A row without a key. */
export interface KeylessRow {
  readonly state: "keyless"
  /** The number in the ledger of the fixed row that was imported in its place. */
  readonly replacedBy: number | undefined
  /** Whether a person skipped it permanently. */
  readonly leftOut: boolean
}

/** A row about to be sent. */
export interface IntendedRow {
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly content: Buffer
  /** Digest of the cells except the key's; undefined if there are none. */
  readonly rest?: Buffer | undefined
  /** If the row comes from a fixed rejected.csv, the original row that it replaces: its content, and its key if it had one. */
  readonly supersedes: { readonly keyDigest: Buffer | undefined; readonly content: Buffer } | undefined
  /** If the row was imported with different content and is imported again (`onChange: import-again`), its current submission. */
  readonly replaces?: string | undefined
  readonly item: Item
  /** The source's own cells by column, as text, for in-doubt.csv. */
  readonly cells: ReadonlyArray<string>
}

/** The outcome of one row of a batch. */
export type RowOutcome =
  | { readonly _tag: "Imported"; readonly submissionId: string; readonly submissionTime: string | undefined }
  | { readonly _tag: "InDoubt"; readonly reason: string }
  | { readonly _tag: "NotCreated" }
  | {
    readonly _tag: "Refused"
    readonly message: string
    readonly item: Buffer
    readonly mapping: string
    readonly form: string
  }

/** A row that was created and whose content is still kept. */
export interface SentRow {
  /** Where the next page starts. */
  readonly at: number
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly batch: number
  /** The run that sent it. */
  readonly run: string
  readonly submissionId: string
  readonly submissionTime: string | undefined
  readonly verdict: Verdict
  /** What was sent; deleted once verified. */
  readonly item: Item | undefined
  /** Keyed digests by answer id, of what was sent and of what was returned; present once read back. */
  readonly answers: AnswerDigests | undefined
  readonly cells: ReadonlyArray<string> | undefined
  /** The row's submission before it changed and was imported again. */
  readonly replaces: string | undefined
  /** What the last reconciliation found about a verified submission, unless it was unchanged. */
  readonly drift: Drifted | undefined
}

/** How a submission changed since it was verified: it was edited or deleted. */
export type Drifted = "edited" | "gone"

/** The result of reading a verified submission again. */
export interface SeenAgain {
  readonly keyDigest: Buffer
  readonly standing: "unchanged" | Drifted
  /** Digest of the edit, so that an acknowledgement covers this edit and no later one. */
  readonly seen: Buffer
}

/** Counts of verified submissions that were edited or deleted later, over everything in the ledger here. */
export interface Drift {
  readonly edited: number
  readonly gone: number
  /** How many of these a person has acknowledged in their present state. */
  readonly acknowledged: { readonly edited: number; readonly gone: number }
}

/** A reconciliation that was started and has not finished. */
export interface Reconciliation {
  /** The run that started it. */
  readonly run: string
  /** When it last made progress (ISO 8601). */
  readonly at: string
  /** The last row up to which all rows were read: `sent` continues from here. */
  readonly after: number
  /** Verdicts of the rows up to there. Drift counts as differing or missing. */
  readonly readBack: VerdictCounts
}

/** Digests of an answer as it was sent and as it was returned, if it was. */
export interface AnswerDigest {
  readonly sent: Buffer | undefined
  readonly returned: Buffer | undefined
}

/** By id of question or element. */
export type AnswerDigests = ReadonlyMap<string, AnswerDigest>

/** A row in doubt, with its content. */
export interface DoubtfulRow {
  /** Where the next page starts. */
  readonly at: number
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly batch: number
  readonly run: string
  readonly sentAt: string
  /** The first batch that it was sent with: a lower number than `batch` if it was sent again. */
  readonly first: number
  /** The highest batch number when its request ended; undefined: not known exactly. */
  readonly closed: number | undefined
  readonly reason: string
  /** Whether it was already resent (`inDoubt: resend`): if so, it may have landed twice. */
  readonly resent: boolean
  readonly item: Item | undefined
  readonly cells: ReadonlyArray<string> | undefined
  /** Names of the source's columns, in the order of `cells`. */
  readonly columns: ReadonlyArray<string>
  readonly acknowledged: boolean
}

export interface ReadBack {
  readonly keyDigest: Buffer
  readonly verdict: Exclude<Verdict, "unread">
  readonly answers: AnswerDigests
}

/** A row that needs review: invalid, refused, changed, or a duplicate with different content. */
export interface AttentionRow {
  /** Absent for a row without a key. */
  readonly keyDigest: Buffer | undefined
  readonly key: string | undefined
  readonly row: number
  readonly content: Buffer
  readonly fate: Fate
  readonly problems: ReadonlyArray<Problem>
}

/** The canary's result with a mapping, a form and the tolerated differences. */
export interface CanaryRecord {
  /** Digest of what the canary depends on: mapping, form, `tolerate`. */
  readonly standing: string
  readonly state: "passed" | "failed"
  readonly because: string
}

export interface RunRecord {
  readonly run: string
  readonly mode: Mode
  readonly startedAt: string
  readonly finishedAt: string | undefined
  readonly outcome: Outcome | undefined
  readonly exitCode: number | undefined
  /** The report's `rows` and `readBack`, and what `status` shows. */
  readonly counts: Json
}

/** A run in progress: it holds the pipeline's lock, and is not known to have ended. */
export interface RunInProgress {
  readonly run: string
  /** When it took the lock, ISO 8601. */
  readonly since: string
}

/** Rows in doubt that were sent at the same time. */
export interface DoubtsOf {
  /** How many of them belong to open intents. */
  readonly open: boolean
  /** ISO 8601. */
  readonly sentAt: string
  readonly count: number
}

/** Counts of what is not proven or needs review, over everything that the ledger has for a pipeline at a destination. */
export interface Counts {
  /** Rows in doubt, including those of open intents. */
  readonly inDoubt: number
  readonly verdicts: { readonly [V in Exclude<Verdict, "verified">]: number }
  /**
   * In-doubt, differing and missing rows that a person acknowledged, and rows that a person said had landed: their submission ids are unknown, so
   * they can't be read back.
   */
  readonly acknowledged: {
    readonly inDoubt: number
    readonly differing: number
    readonly missing: number
    readonly unread: number
  }
  readonly drift: Drift
  /** Rows that needed review when a run last read the source, and how many of them a person has acknowledged. */
  readonly attention: { readonly rows: number; readonly acknowledged: number }
  readonly leftOut: number
  readonly settlements: number
  /** Number of the last batch that any pipeline intended; 0 if there is none. */
  readonly lastIntent: number
}

/** All counts of a pipeline at a destination. */
export interface Standing extends Omit<Counts, "verdicts"> {
  readonly verdicts: VerdictCounts
  /** Rows in any state. */
  readonly rows: number
  readonly imported: number
  /** Those rows in `inDoubt` whose intents are open: in flight while their run is in progress. */
  readonly intended: number
  readonly refused: number
  /** Submissions whose row changed and was imported again. They stay in the form, in addition to `imported`. */
  readonly replaced: number
  /** Rows in doubt by when they were sent, oldest first. */
  readonly doubts: ReadonlyArray<DoubtsOf>
  readonly running: RunInProgress | undefined
}

/** The facts recorded about a pipeline at a destination, apart from its rows and runs. */
export interface Facts {
  /** Whether nothing was ever sent. */
  readonly isNew: boolean
  /** Whether nothing is known about any row, so that no look-up can find anything. */
  readonly isBlank: boolean
  /** Sorted names of the columns of the first content that was sent: `rowKey: content` covers these. */
  readonly firstColumns: ReadonlyArray<string> | undefined
  /** How rows are recognised; undefined: no run has read the source yet. */
  readonly identity: RowIdentity | undefined
  /** The form as the last run that may send read it, or as a person accepted it later; undefined: no run has read it. */
  readonly form: Form | undefined
  readonly canary: CanaryRecord | undefined
  /** What the last run was refused for, if `accept` can settle it. */
  readonly refused: RefusedState | undefined
}

/** What may be recorded about a pipeline at a destination, apart from its rows and runs. */
export interface Recorded extends Partial<Pick<Facts, "identity" | "form" | "canary">> {
  /** Why this run is refused; null: for nothing that a person could accept. */
  readonly refused?: RefusedState | null
  /** Rows that this run found in need of review. */
  readonly attention?: ReadonlyArray<AttentionRow>
  /** Files that this run has read completely, with no row left to send. */
  readonly filesRead?: ReadonlyArray<string>
  /** The imported rows that this run's source lacks. Rows that it has again are no longer vanished. */
  readonly vanished?: Vanished
  /** The `at` of the last row up to which a reconciliation has read all rows, or that it has read everything. */
  readonly reconciled?: number | "through"
  readonly acceptance?: Acceptance
  /** A text for a person to enter in the form. */
  readonly testEntry?: string
}

/** What else the ledger knows at a destination that settles rows in doubt. */
export interface SettlingFacts {
  /** The newest first. */
  readonly testEntries: ReadonlyArray<TestEntry>
  /** Ids of submissions that answered a batch of this pipeline and match no row. */
  readonly looseIds: ReadonlyArray<string>
  /** Items of the rows that a person said had landed: their submissions exist, but their ids are unknown. */
  readonly landedByWord: ReadonlyArray<Item>
}

/** How a row in doubt is settled. */
export interface SettledRow {
  readonly keyDigest: Buffer
  /** `Landed`: it is imported; without a submission id it can't be read back. `NotLanded`: the next run sends it. */
  readonly outcome:
    | { readonly _tag: "Landed"; readonly submissionId: string | undefined }
    | { readonly _tag: "NotLanded" }
  /** The evidence, as a sentence. */
  readonly reason: string
  readonly proof: Proof
}

/**
 * What showed whether a row landed: its submission, a witness (see `Evidence`), a test entry, an export that a person said was complete, or a
 * person's statement alone.
 */
export type Proof = "found" | "witness" | "test entry" | "complete" | "person"

/** How long to wait before the absence of a submission proves anything, in milliseconds. */
export interface Waits {
  /** How long a created submission may stay invisible. */
  readonly visibleWithin: number
  /** How long a request of a process that has ended may still arrive. */
  readonly lateWithin: number
}

/** What the ledger knows about the requests with a row in doubt, and about what was created before and after them. */
export interface Evidence {
  /** When a submission of the row must be visible, in milliseconds. Undefined: the process that sent it may still be running and sending. */
  readonly visibleFrom: number | undefined
  /** A batch that had ended before the row was first sent. */
  readonly before: BatchKnown | undefined
  /** The first batch that was sent after the row's submission had to be visible. */
  readonly witness: BatchKnown | undefined
  /** A test entry that was issued after the row's submission had to be visible. */
  readonly testEntry: TestEntry | undefined
  /** Whether a witness or test entry does not count, because the clock was set back in between. */
  readonly hasClockGoneBack: boolean
}

/** A batch, and one of its submissions that an export must contain. */
export interface BatchKnown {
  readonly batch: number
  readonly submissionId: string
}

/** A text that a person enters in the form: an export that contains it was made after the text was issued. */
export interface TestEntry {
  readonly text: string
  /** Milliseconds. */
  readonly at: number
  /** The highest batch number then. */
  readonly after: number
}

/** A submission that the ledger knows at a destination. */
export interface KnownSubmission {
  /** Where the next page starts. */
  readonly at: number
  readonly id: string
  /** Whether an export must contain it: as far as the ledger knows, it was not replaced, forgotten or deleted. */
  readonly isRequired: boolean
  readonly batch: number
  /** The highest batch number when that batch ended; undefined: not known exactly. */
  readonly closed: number | undefined
  /** Its submission time as the service returned it, in milliseconds. */
  readonly time: number | undefined
}

/** A submission that was replaced because its row changed and was imported again. */
export interface ReplacedSubmission {
  /** Where the next page starts. */
  readonly at: number
  readonly key: string
  readonly submissionId: string
  /** The submission that replaced it. Undefined: a person said that it landed, and its id is unknown. */
  readonly replacedBy: string | undefined
  /** ISO 8601. */
  readonly replacedAt: string
}

/** An imported row that the pipeline's source no longer contains. */
export interface VanishedRow {
  /** Where the next page starts. */
  readonly at: number
  readonly key: string
  /** Its number in the source of the run that sent it. */
  readonly row: number
  readonly submissionId: string | undefined
  /** The first run that did not find it, and when that run started (ISO 8601). */
  readonly since: { readonly run: string; readonly at: string } | undefined
}

/** A row that may be at the destination and that a source lacks. */
export interface UnseenRow {
  /** Where the next page starts. */
  readonly at: number
  readonly key: string
  /** Digest of its cells except the key's, in hexadecimal digits; empty: it has none. */
  readonly rest: string
}

/** Which rows of the ledger a source has, indexed by a row's number in the ledger: not 0 if the source has the row. May be shorter than the ledger. */
export type SeenRows = Uint8Array

/** The imported rows that a source lacks. */
export interface Vanished {
  readonly seen: SeenRows
  /** Rows beyond this number came later, and do not count. */
  readonly upTo: number
  readonly count: number
  /** How many of them are not yet recorded as vanished. */
  readonly fresh: number
}

/** What can be read in pages: the type of a row, and which rows are chosen. */
export interface Pages {
  /** Imported rows with a submission, in the order in which they were first sent. */
  readonly sent: {
    readonly row: SentRow
    readonly choice: {
      /** Only these verdicts; default all. */
      readonly verdicts?: ReadonlyArray<Verdict>
      /** Only rows sent by this run. */
      readonly run?: string
      /** Whether items, answers and cells are read. Default: yes. Without them a page takes half the time. */
      readonly content?: boolean
    }
  }
  /** Rows in doubt, in the same order. */
  readonly doubtful: { readonly row: DoubtfulRow; readonly choice: object }
  /** All submissions that the ledger knows at this destination. */
  readonly submissions: { readonly row: KnownSubmission; readonly choice: object }
  /** Submissions that were replaced, earliest first. */
  readonly replaced: { readonly row: ReplacedSubmission; readonly choice: object }
  /** The imported rows that a source lacks, in the order in which they were first sent. */
  readonly vanished: { readonly row: VanishedRow; readonly choice: { readonly vanished: Vanished } }
  /** The rows that may be at the destination and that a source lacks, in the same order. */
  readonly unseen: { readonly row: UnseenRow; readonly choice: { readonly seen: SeenRows } }
}

/** What a ledger lacks, according to its marks. */
export interface Behind {
  /** A sentence without its full stop. */
  readonly wrong: string
  /** One state for each mark: a person who accepts the ledger accepts these. */
  readonly states: ReadonlyArray<string>
}

/** What a webhook was last notified of, for a pipeline at a destination. */
export interface Notified {
  /** Codes of the anomalies at that time: they are not reported again while they last. */
  readonly codes: ReadonlyArray<string>
  /** The last run that was reported to it. */
  readonly run: string
}

/** How row keys are made from cells. */
export interface KeyRule {
  /** Names of the columns in their order, or `content`: the cells of the columns that the first run used. */
  readonly columns: ReadonlyArray<string> | "content"
  /** Cells that count as empty, sorted. */
  readonly empty: ReadonlyArray<string>
}

/** How rows are recognised for a pipeline at a destination. */
export interface RowIdentity {
  /** Newest last. Rows that no run has seen since are stored under an earlier rule. */
  readonly keys: ReadonlyArray<KeyRule>
  /** The settings with which the source was read that decide which cells its rows have. */
  readonly dialect: Json
  /** Lists of columns that `rest` covered, newest last. */
  readonly rests: ReadonlyArray<ReadonlyArray<string>>
}

/** A row's key under a different rule. */
export interface Rekeyed {
  readonly from: Buffer
  readonly to: Buffer
  /** The new key. Undefined: the row keeps its key, and only people's decisions about the old key are copied to the new one. */
  readonly key: string | undefined
}

/** Why a run was refused: `states` identify it exactly, `what` describes it. */
export interface RefusedState {
  readonly reason: AcceptReason
  readonly states: ReadonlyArray<string>
  readonly what: string
}

/** What the ledger contains about a row, or about a submission that was replaced. */
export interface ExportedRow {
  readonly pipeline: string
  readonly service: string
  readonly form: string
  readonly key: string
  readonly state: RowState | "replaced"
  readonly row: number
  readonly submissionId: string | null
  readonly verdict: Verdict | null
  /** ISO 8601: when its request was recorded, right before it was sent. */
  readonly sentAt: string
  readonly submissionTime: string | null
  readonly run: string
}

/** A person's acceptance of a present refusal. */
export interface Acceptance {
  readonly reason: AcceptReason
  /** What is refused, as texts or digests that identify exactly this; several if each can occur without the others. */
  readonly states: ReadonlyArray<string>
  readonly by: string
  readonly because: string
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
