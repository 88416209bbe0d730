// A row in the ledger: what is known about it, what is recorded before and after it is sent, and the result of reading it back.
import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"

/** `undone`: the row was imported, and its submission was deleted. The row keeps the id of that submission until it is sent again. */
export type RowState = "intended" | "inDoubt" | "imported" | "refused" | "notCreated" | "undone"

/**
 * What the ledger knows about a row. If nothing was ever sent under the key, the state is `notCreated`, with an empty content and empty columns. The
 * ledger knows such a key if a person skipped it, or if its row was fixed and imported under a different key.
 */
export interface KnownRow {
  /** The row's number in the ledger, which never changes. 0 if nothing was ever sent under the key. */
  readonly id: number
  readonly state: RowState
  readonly content: Buffer
  /** Sorted names of the columns that `content` covers. All rows with the same columns share one array. */
  readonly columns: ReadonlyArray<string>
  /** Contents that the row had in the source before it was fixed and imported. */
  readonly superseded: ReadonlyArray<Superseded>
  /** For a row that is undone, or that was undone and could not be sent again: the contents of its earlier submissions, which the deleted one had replaced. They are still in the form. */
  readonly earlier: ReadonlyArray<Pick<KnownRow, "content" | "columns" | "sent">>
  readonly batch: number | undefined
  readonly submissionId: string | undefined
  readonly verdict: Verdict | undefined
  /**
   * Digests of the answers that were sent, by the ids of their questions. Undefined for an answer that can't be compared. Present for a row of a source
   * that was imported with different content (`lookUpRows`), and for a verified earlier submission.
   */
  readonly sent?: ReadonlyMap<string, Buffer | undefined> | undefined
  /** Present for `refused`, and for `imported` if the row changed and the new content was refused. */
  readonly refusal: Refusal | undefined
  /** Present for `inDoubt`: with which mapping the row was sent, and whether a person undid the run that sent it. */
  readonly doubt: { readonly mapping: string; readonly isUndone: boolean } | undefined
  /** Whether the row was already resent (`inDoubt: resend`). */
  readonly resent: boolean
  /** Whether a person skipped the row permanently (`acknowledge --leave-out`). */
  readonly leftOut: boolean
}

/** Whether a row is sent like a new one: nothing was created when it was last sent, if ever, and no earlier submission remains. Its record may have been imported under a different key. */
export const isUnsent = (row: FoundRow): boolean =>
  (row.state === "notCreated" || row.state === "refused") && row.earlier.length === 0

/** Whether an earlier run imported a row. Its submission may have been deleted since. */
export const wasImported = ({ state }: Pick<KnownRow, "state">): boolean => state === "imported" || state === "undone"

/** What the ledger knows about a row of a rejected.csv: see `PipelineLedger.fixed`. */
export type FixedState = "sent" | "changed key" | "unsent"

/** A refusal: the digest of the refused item, the fingerprints of the mapping and the form at that time, and the service's message. */
interface Refusal {
  readonly item: Buffer
  readonly mapping: string
  readonly form: string
  readonly message: string
}

export interface Superseded {
  readonly content: Buffer
  /** Sorted names of the columns that `content` covers. */
  readonly columns: ReadonlyArray<string>
  readonly fixed: number
  readonly isInDoubt: boolean
  /** Whether the fixed row's submission was deleted by `undo`. */
  readonly isUndone: boolean
}

/** What the ledger knows about a row of a source. */
export type FoundRow = KnownRow | SameRow | KeylessRow

/** A row that was imported with its present content. */
export interface SameRow {
  readonly state: "same"
  readonly id: number
}

/** A row without a key, or with a key that is unknown. Only in the first case, nothing may be known. */
export interface KeylessRow {
  readonly state: "keyless"
  /** The rows that were sent in place of this one or of rows with identical cells, which had no key then, or before they lost it. */
  readonly replacedBy: ReadonlyArray<Superseded>
  /** The lists of columns that the sources of all such rows had. */
  readonly columns: ReadonlyArray<ReadonlyArray<string>>
  /** Whether a person skipped the row permanently. */
  readonly leftOut: boolean
}

/** A row that an earlier run rejected: its key, if it had one, and the digest of its content. Without a key, the content covers every filled cell. */
export interface Rejection {
  readonly key: string | undefined
  readonly content: Buffer
  /** Sorted names of the columns that `content` covers, if the ledger does not know them. */
  readonly columns: ReadonlyArray<string>
}

/** Computes the digests of a chunk's rows. */
export interface ChunkContents {
  /** Returns the digest of the cells of the row `at` in these columns. */
  readonly over: (at: number, columns: ReadonlyArray<string>) => Buffer
  /** Returns the digest of the filled cells of the row `at` in these columns. Default: all columns. */
  readonly filled: (at: number, columns: ReadonlyArray<string> | undefined) => Buffer
}

/** A rejected row of an earlier run that a person may have fixed. `isDuplicate`: whether it was rejected because another row had its key, and nobody has deleted its `_code`. */
export interface Rejected extends Rejection {
  readonly isDuplicate: boolean
}

export interface IntendedRow {
  readonly keyDigest: Buffer
  readonly key: string
  readonly row: number
  readonly content: Buffer
  /** Digest of the answers that don't depend on the row key, without their formatting. Undefined if there are none. */
  readonly rest?: Buffer | undefined
  /** The content of the original row that this row replaces, and the original key, if there was one. Present if the row comes from a corrected rejected.csv. */
  readonly supersedes: Rejection | undefined
  /** Digest of the row's filled cells without those of its key. A row with these cells may have been rejected because it had no key. Absent if no row was. */
  readonly keyless?: Buffer | undefined
  /** The row's current submission, if the row was imported with different content and is imported again (`onChange: import-again`). */
  readonly replaces?: string | undefined
  readonly item: Item
  /** The source's own cells in the order of the columns, as text, for in-doubt.csv. */
  readonly cells: ReadonlyArray<string>
}

export type RowOutcome =
  | { readonly _tag: "Imported"; readonly submissionId: string; readonly submissionTime: string | undefined }
  | { readonly _tag: "InDoubt"; readonly reason: string }
  | { readonly _tag: "NotCreated" }
  | ({ readonly _tag: "Refused" } & Refusal)

export interface Outcomes {
  /** One for each row, in the order of the batch. */
  readonly rows: ReadonlyArray<RowOutcome>
  /** Submission ids that match no row. */
  readonly loose: ReadonlyArray<string>
}

export interface ReadBack {
  readonly keyDigest: Buffer
  readonly verdict: Exclude<Verdict, "unread">
  readonly answers: AnswerDigests
}

/** Digests of an answer as it was sent and as it was returned. Undefined if it was not sent or not returned. */
export interface AnswerDigest {
  readonly sent: Buffer | undefined
  readonly returned: Buffer | undefined
}

/** Keyed by the id of a question or element. */
export type AnswerDigests = ReadonlyMap<string, AnswerDigest>

/** The result of reading a verified submission again. */
export interface SeenAgain {
  readonly keyDigest: Buffer
  readonly standing: "unchanged" | Drifted
  /** Digest of the edit, so that an acknowledgement covers this edit and not a later one. */
  readonly seen: Buffer
}

/** How a submission changed after it was verified: it was edited or deleted. */
export type Drifted = "edited" | "gone"
