// What stands in a ledger, as its readers and writers hand it over: rows, runs, counts.
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Fate, Verdict, VerdictCounts } from "../domain/fate.ts"
import type { Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Mode, Outcome } from "../domain/run.ts"

export type RowState = "intended" | "inDoubt" | "imported" | "refused" | "notCreated"

/**
 * What the ledger knows of a row. Under a key of which nothing was ever sent, but that a person left out, or whose row was mended and imported under another key, it is
 * `notCreated`, with an empty key, content and columns, and row 0.
 */
export interface KnownRow {
  /** Its number in the ledger, which never changes; 0 under a key of which nothing was ever sent. */
  readonly id: number
  readonly keyDigest: Buffer
  readonly key: string
  readonly state: RowState
  /** The row's number in the source of the run that sent it last. */
  readonly row: number
  readonly content: Buffer
  /** Names of the columns, sorted, that `content` was taken over: one array for all rows with the same ones. */
  readonly columns: ReadonlyArray<string>
  /** Contents that stood in the source before they were mended and imported: the same row, superseded; `mended`: the number of the row that it became. */
  readonly superseded: ReadonlyArray<{ readonly content: Buffer; readonly mended: number }>
  readonly batch: number | undefined
  readonly submissionId: string | undefined
  readonly verdict: Verdict | undefined
  /** For `refused`, and for `imported` when it changed and was refused then: digest of the item that was refused, the mapping's and the form's fingerprint then, and the service's words. */
  readonly refusal:
    | { readonly item: Buffer; readonly mapping: string; readonly form: string; readonly message: string }
    | undefined
  /** For `inDoubt`: why, and when it was sent (ISO 8601). */
  readonly doubt: { readonly reason: string; readonly sentAt: string } | undefined
  /** Whether it was sent once more already (`inDoubt: resend`). */
  readonly resent: boolean
  /** A person left it out for good (`acknowledge --leave-out`). */
  readonly leftOut: boolean
}

/** What the ledger knows of a row of a source. */
export type FoundRow = KnownRow | SameRow | KeylessRow

/** A row that the ledger has as imported, with the content that it has now. */
export interface SameRow {
  readonly state: "same"
  readonly id: number
}

/** A row without a key. */
export interface KeylessRow {
  readonly state: "keyless"
  /** The number in the ledger of the fixed row that was imported in its place. */
  readonly replacedBy: number | undefined
  /** Whether a person left it out for good. */
  readonly leftOut: boolean
}

/** A row about to be sent. */
export interface IntendedRow {
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly content: Buffer
  /** Digest of the cells besides the key's; undefined if there are none. */
  readonly rest?: Buffer | undefined
  /** The unmended row that this one replaces, when it comes from a mended rejected.csv: its content, and its key where it had one. */
  readonly supersedes: { readonly keyDigest: Buffer | undefined; readonly content: Buffer } | undefined
  /** It was imported with other content, and goes in again (`onChange: import-again`): the submission that stands for it until then. */
  readonly replaces?: string | undefined
  readonly item: Item
  /** The source's own cells by column, as text, for in-doubt.csv. */
  readonly cells: ReadonlyArray<string>
}

/** What became of one row of a batch. */
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
  /** Where the next page goes on. */
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
  /** What was sent; gone once verified. */
  readonly item: Item | undefined
  /** Keyed digests by answer id, of what was sent and of what was returned; there once read back. */
  readonly answers: AnswerDigests | undefined
  readonly cells: ReadonlyArray<string> | undefined
  /** The submission that stood for the row before it changed and went in again. */
  readonly replaces: string | undefined
  /** What the last reconciliation found of a verified submission, unless it was unchanged. */
  readonly drift: Drifted | undefined
}

/** What somebody did to a submission since it was verified: edited it, or deleted it. */
export type Drifted = "edited" | "gone"

/** A verified submission that was read again. */
export interface SeenAgain {
  readonly keyDigest: Buffer
  readonly standing: "unchanged" | Drifted
  /** Digest of how it was edited, so that an acknowledgement covers this edit and no later one. */
  readonly seen: Buffer
}

/** Verified submissions that were edited or deleted since, over all that the ledger holds here. */
export interface Drift {
  readonly edited: number
  readonly gone: number
  /** Of these, how many a person has acknowledged as they are now. */
  readonly acknowledged: { readonly edited: number; readonly gone: number }
}

/** A reconciliation that was begun and is not through yet. */
export interface Reconciliation {
  /** The run that began it. */
  readonly run: string
  /** When it last got on (ISO 8601). */
  readonly at: string
  /** The last row up to which all were read: where `sent` goes on. */
  readonly after: number
  /** What stands in the ledger of the rows up to there, drift counted as differing or missing. */
  readonly readBack: VerdictCounts
}

/** Digests of an answer as it was sent and as it was returned, as far as it was. */
export interface AnswerDigest {
  readonly sent: Buffer | undefined
  readonly returned: Buffer | undefined
}

/** By id of question or element. */
export type AnswerDigests = ReadonlyMap<string, AnswerDigest>

/** A row in doubt, with its content. */
export interface DoubtfulRow {
  /** Where the next page goes on. */
  readonly at: number
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly batch: number
  readonly run: string
  readonly sentAt: string
  /** The first batch that it was sent with: a lower number than `batch` if it was sent again. */
  readonly first: number
  /** The highest batch number when its request had ended; undefined: not known exactly. */
  readonly closed: number | undefined
  readonly reason: string
  /** Whether it was sent once more already (`inDoubt: resend`): then it may have landed twice. */
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

/** A row that needs a person: invalid, refused, changed, duplicate with other content. */
export interface AttentionRow {
  /** Absent for a row without a key. */
  readonly keyDigest: Buffer | undefined
  readonly key: string | undefined
  readonly row: number
  readonly content: Buffer
  readonly fate: Fate
  readonly problems: ReadonlyArray<Problem>
}

/** The canary's standing with a mapping, a form and the tolerated differences. */
export interface CanaryRecord {
  /** Digest over what the canary depends on: mapping, form, `tolerate`. */
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
  /** The report's `rows` and `readBack`, and whatever status shows. */
  readonly counts: Json
}

/** A run in progress: it holds the pipeline's lock, and is alive as far as is known. */
export interface RunInProgress {
  readonly run: string
  /** Since when it holds the lock, ISO 8601. */
  readonly since: string
}

/** Rows in doubt that were sent at one time. */
export interface DoubtsOf {
  /** Of intents that are open. */
  readonly open: boolean
  /** ISO 8601. */
  readonly sentAt: string
  readonly count: number
}

/** What is not proven or needs review, over all that the ledger holds for a pipeline at a destination. */
export interface Counts {
  /** Rows in doubt; those of open intents too. */
  readonly inDoubt: number
  readonly verdicts: { readonly [V in Exclude<Verdict, "verified">]: number }
  /** In-doubt, differing and missing rows that a person acknowledged; and rows that landed by a person's word, whose submission id is unknown: they can't be read back. */
  readonly acknowledged: {
    readonly inDoubt: number
    readonly differing: number
    readonly missing: number
    readonly unread: number
  }
  readonly drift: Drift
  /** Rows that need review, as the last run that read the source found them, and how many of them a person has acknowledged. */
  readonly attention: { readonly rows: number; readonly acknowledged: number }
  readonly leftOut: number
  readonly settlements: number
  /** Number of the last batch that any pipeline intended; 0 for none. */
  readonly lastIntent: number
}

/** All counts of a pipeline at a destination. */
export interface Standing extends Omit<Counts, "verdicts"> {
  readonly verdicts: VerdictCounts
  /** Rows in any state. */
  readonly rows: number
  readonly imported: number
  /** Of `inDoubt`, rows of intents that are open: in flight while their run is in progress. */
  readonly intended: number
  readonly refused: number
  /** Submissions whose row changed and was imported again: they stay in the form next to `imported`. */
  readonly replaced: number
  /** Rows in doubt by when they were sent, the oldest first. */
  readonly doubts: ReadonlyArray<DoubtsOf>
  readonly running: RunInProgress | undefined
}

/** What is recorded of a pipeline at a destination, besides its rows and runs. */
export interface Facts {
  /** Whether nothing was ever sent. */
  readonly isNew: boolean
  /** Whether nothing is known of any row: then no look-up can find anything. */
  readonly isBlank: boolean
  /** The columns' names, sorted, of the first content that was sent: what `rowKey: content` is taken over. */
  readonly firstColumns: ReadonlyArray<string> | undefined
  /** How rows are recognised; undefined: no run has read the source yet. */
  readonly identity: RowIdentity | undefined
  /** The form as the last run that may send read it, or as a person has accepted it since; undefined: no run has. */
  readonly form: Form | undefined
  readonly canary: CanaryRecord | undefined
  /** What the last run was refused for, if `accept` can settle it. */
  readonly refused: RefusedState | undefined
}

/** What may be recorded of a pipeline at a destination, besides its rows and runs. */
export interface Recorded extends Partial<Pick<Facts, "identity" | "form" | "canary">> {
  /** What this run is refused for; null: nothing that a person could accept. */
  readonly refused?: RefusedState | null
  /** Rows that this run found in need of review. */
  readonly attention?: ReadonlyArray<AttentionRow>
  /** Files that this run has read, so that nothing of them is left to do. */
  readonly filesRead?: ReadonlyArray<string>
  /** The imported rows that this run's source lacks; what it has again is not vanished any more. */
  readonly vanished?: Vanished
  /** The `at` of the last row up to which a reconciliation has read all; or that it has read all. */
  readonly reconciled?: number | "through"
  readonly acceptance?: Acceptance
  /** A text that a person is to enter in the form. */
  readonly testEntry?: string
}

/** What the ledger knows at a destination, besides rows and submissions, that settles rows in doubt. */
export interface SettlingFacts {
  /** The newest first. */
  readonly testEntries: ReadonlyArray<TestEntry>
  /** Ids of submissions that answered a batch of this pipeline and that no row could be matched to. */
  readonly looseIds: ReadonlyArray<string>
  /** Items of the rows that landed by a person's word: their submissions exist, and their ids are unknown. */
  readonly landedByWord: ReadonlyArray<Item>
}

/** What a row in doubt turned out to be. */
export interface SettledRow {
  readonly keyDigest: Buffer
  /** `Landed`: it is imported; without a submission id it can't be read back. `NotLanded`: the next run sends it. */
  readonly outcome:
    | { readonly _tag: "Landed"; readonly submissionId: string | undefined }
    | { readonly _tag: "NotLanded" }
  /** How that was found out, as a sentence. */
  readonly reason: string
  readonly proof: Proof
}

/** What showed whether a row landed: its submission, a witness (see `Evidence`), a test entry, a complete export on a person's word, or that word alone. */
export type Proof = "found" | "witness" | "test entry" | "complete" | "person"

/** How long to wait before the absence of a submission says anything, in milliseconds. */
export interface Waits {
  /** How long a created submission may stay invisible. */
  readonly visibleWithin: number
  /** How long a request of a process that has ended may still arrive. */
  readonly lateWithin: number
}

/** What the ledger knows about the requests with a row in doubt, and about what was created before and after them. */
export interface Evidence {
  /** When a submission of the row has to be visible, in milliseconds. Undefined: the process that sent it may be alive and still send. */
  readonly visibleFrom: number | undefined
  /** A batch that had ended before the row was first sent. */
  readonly before: BatchKnown | undefined
  /** The first batch whose sending began once the row's submission had to be visible. */
  readonly witness: BatchKnown | undefined
  /** A test entry that was handed out once the row's submission had to be visible. */
  readonly testEntry: TestEntry | undefined
  /** Whether a witness or test entry does not count, because the clock went back in between. */
  readonly hasClockGoneBack: boolean
}

/** A batch, and a submission that it became and that an export has to have. */
export interface BatchKnown {
  readonly batch: number
  readonly submissionId: string
}

/** A text that a person enters in the form: an export that has it was made after it was handed out. */
export interface TestEntry {
  readonly text: string
  /** Milliseconds. */
  readonly at: number
  /** The highest batch number then. */
  readonly after: number
}

/** A submission that the ledger knows at a destination. */
export interface KnownSubmission {
  /** Where the next page goes on. */
  readonly at: number
  readonly id: string
  /** Whether an export has to have it: nobody replaced, forgot or deleted it, as far as the ledger knows. */
  readonly isRequired: boolean
  readonly batch: number
  /** The highest batch number when that batch had ended; undefined: not known exactly. */
  readonly closed: number | undefined
  /** Its submission time as the service returned it, in milliseconds. */
  readonly time: number | undefined
}

/** A submission that was replaced, because its row changed and went in again. */
export interface ReplacedSubmission {
  /** Where the next page goes on. */
  readonly at: number
  readonly key: string
  readonly submissionId: string
  /** The submission that stands for the row since. Undefined: it landed by a person's word, and nobody knows its id. */
  readonly replacedBy: string | undefined
  /** ISO 8601. */
  readonly replacedAt: string
}

/** An imported row that the pipeline's source does not hold any more. */
export interface VanishedRow {
  /** Where the next page goes on. */
  readonly at: number
  readonly key: string
  /** Its number in the source of the run that sent it. */
  readonly row: number
  readonly submissionId: string | undefined
  /** The run that missed it first, and when that began (ISO 8601). */
  readonly since: { readonly run: string; readonly at: string } | undefined
}

/** A row that may be at the destination and that a source lacks. */
export interface UnseenRow {
  /** Where the next page goes on. */
  readonly at: number
  readonly key: string
  /** Digest of its cells besides the key's, in hexadecimal digits; empty: it has none. */
  readonly rest: string
}

/** Which rows of the ledger a source has: by a row's number in the ledger, not 0 if it has the row. May be shorter than the ledger. */
export type SeenRows = Uint8Array

/** The imported rows that a source lacks. */
export interface Vanished {
  readonly seen: SeenRows
  /** Rows beyond this number came later, and do not count. */
  readonly upTo: number
  readonly count: number
  /** How many of them are not recorded as vanished yet. */
  readonly fresh: number
}

/** What can be read in pages: what a row is, and which rows are chosen. */
export interface Pages {
  /** Imported rows with a submission, in the order in which they were first sent. */
  readonly sent: {
    readonly row: SentRow
    readonly choice: {
      /** Only these verdicts; default all. */
      readonly verdicts?: ReadonlyArray<Verdict>
      /** Only rows sent by this run. */
      readonly run?: string
      /** Whether items, answers and cells are read; default yes. Without them a page takes half the time. */
      readonly content?: boolean
    }
  }
  /** Rows in doubt, in the same order. */
  readonly doubtful: { readonly row: DoubtfulRow; readonly choice: object }
  /** All submissions that the ledger knows at this destination. */
  readonly submissions: { readonly row: KnownSubmission; readonly choice: object }
  /** Submissions that were replaced, the earliest first. */
  readonly replaced: { readonly row: ReplacedSubmission; readonly choice: object }
  /** The imported rows that a source lacks, in the order in which they were first sent. */
  readonly vanished: { readonly row: VanishedRow; readonly choice: { readonly vanished: Vanished } }
  /** The rows that may be at the destination and that a source lacks, in the same order. */
  readonly unseen: { readonly row: UnseenRow; readonly choice: { readonly seen: SeenRows } }
}

/** What a ledger lacks of what its marks say. */
export interface Behind {
  /** A sentence without its stop. */
  readonly wrong: string
  /** One for each mark: what a person overrules by accepting the ledger. */
  readonly states: ReadonlyArray<string>
}

/** What a webhook was last notified of, for a pipeline at a destination. */
export interface Notified {
  /** Codes of the anomalies then: they are not reported again while they last. */
  readonly codes: ReadonlyArray<string>
  /** The last run that it was notified of. */
  readonly run: string
}

/** How row keys are made of cells. */
export interface KeyRule {
  /** Names of the columns in their order; or `content`: the cells of the columns used first. */
  readonly columns: ReadonlyArray<string> | "content"
  /** Cells that count as empty, sorted. */
  readonly empty: ReadonlyArray<string>
}

/** By what rows are recognised at a place. */
export interface RowIdentity {
  /** The newest last. Rows that no run has met since stand under an earlier one. */
  readonly keys: ReadonlyArray<KeyRule>
  /** How the source was read, as far as that decides which cells its rows have. */
  readonly dialect: Json
  /** Lists of columns that `rest` was taken over, the newest last. */
  readonly rests: ReadonlyArray<ReadonlyArray<string>>
}

/** A row's key as another rule makes it. */
export interface Rekeyed {
  readonly from: Buffer
  readonly to: Buffer
  /** The new key; undefined: the row stays, and only what people said of the old key is said of the new one, too. */
  readonly key: string | undefined
}

/** What a run was refused for: `states` name it exactly, `what` says it. */
export interface RefusedState {
  readonly reason: AcceptReason
  readonly states: ReadonlyArray<string>
  readonly what: string
}

/** What the ledger holds of a row, or of a submission that another one replaced. */
export interface ExportedRow {
  readonly pipeline: string
  readonly service: string
  readonly form: string
  readonly key: string
  readonly state: RowState | "replaced"
  readonly row: number
  readonly submissionId: string | null
  readonly verdict: Verdict | null
  /** ISO 8601: when its request was recorded, right before it went out. */
  readonly sentAt: string
  readonly submissionTime: string | null
  readonly run: string
}

/** A person's acceptance of what is refused now. */
export interface Acceptance {
  readonly reason: AcceptReason
  /** What is refused, as texts or digests that name exactly this; several if each can occur without the others. */
  readonly states: ReadonlyArray<string>
  readonly by: string
  readonly because: string
}

/** The result of compacting. Sizes in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
  /** Records of old runs, and rejected rows that nobody met any more. */
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
  /** Keys that were forgotten: all that was known under them is gone. */
  readonly keys: ReadonlyArray<string>
  /** Of these, the ones of which nothing but the digest was left: they were forgotten already. */
  readonly already: ReadonlyArray<string>
  /** Keys of which the ledger knew nothing. */
  readonly unknown: ReadonlyArray<string>
  /** Submissions that stand in the form all the same: the service can't delete them. */
  readonly submissions: ReadonlyArray<{ readonly key: string; readonly submissionId: string; readonly form: string }>
}
