// The kinds of data that can be read in pages.
import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"
import type { AnswerDigests, Drifted, RowState } from "./rows.ts"

/** A row or a submission of a page. */
interface Placed {
  /** Its position. The next page starts after it. */
  readonly at: number
}

/** A row that was created. */
export interface ImportedRow extends Placed {
  readonly key: string
  /** Its number in the source of the run that sent it. */
  readonly row: number
  readonly submissionId: string
  readonly submissionTime: string | undefined
  readonly verdict: Verdict
  /** The row's submission before the row changed and was imported again. */
  readonly replaces: string | undefined
  /** What the last reconciliation found out about a verified submission, unless the submission was unchanged. */
  readonly drift: Drifted | undefined
}

/** A row that was created, with what was sent and returned. */
export interface SentRow extends ImportedRow {
  readonly keyDigest: Buffer
  readonly batch: number
  /** The run that sent it. */
  readonly run: string
  /** What was sent. Deleted once the submission is verified. */
  readonly item: Item | undefined
  /** Keyed digests of what was sent and of what was returned, by answer id. Present once the submission is read back. */
  readonly answers: AnswerDigests | undefined
  readonly cells: ReadonlyArray<string> | undefined
  /** Whether the row was in doubt, and only an export, a list or a person shows that this submission belongs to it. */
  readonly isFound: boolean
}

/** A row in doubt, with its content. */
export interface DoubtfulRow extends Placed, Pick<SentRow, "keyDigest" | "key" | "row" | "batch" | "run" | "cells"> {
  readonly sentAt: string
  /** The first batch that contained the row: a lower number than `batch` if the row was resent. */
  readonly first: number
  /** The highest batch number when the row's last request ended. Undefined if that is not known exactly. */
  readonly closed: number | undefined
  readonly reason: string
  /** Whether the row was already resent (`inDoubt: resend`). If so, it may have landed twice. */
  readonly resent: boolean
  readonly item: Item | undefined
  /** Names of the source's columns, in the order of `cells`. */
  readonly columns: ReadonlyArray<string>
  readonly acknowledged: boolean
  /** Whether a person undid the run that sent it. If the row has not landed, it is then undone. */
  readonly isUndone: boolean
}

/** A submission that the ledger knows at a destination. */
export interface KnownSubmission extends Placed {
  readonly id: string
  /** Whether an export must contain the submission: as far as the ledger knows, it was not replaced, forgotten or deleted. */
  readonly isRequired: boolean
  /** Whether the submission is not proven to be its row's: it was not read back yet, or came back different, or not at all. */
  readonly isUnproven: boolean
  readonly batch: number
  /** The highest batch number when the submission's batch ended. Undefined if that is not known exactly. */
  readonly closed: number | undefined
  /** The submission time as the service returned it, in milliseconds since 1970. */
  readonly time: number | undefined
}

/** A submission that was replaced because its row changed and was imported again. */
export interface ReplacedSubmission
  extends Placed, Pick<SentRow, "keyDigest" | "key" | "row" | "submissionId" | "verdict" | "answers" | "isFound">
{
  /** Whether the submission that replaced this one was deleted by `undo`, so that nothing replaces it any more. */
  readonly isUncovered: boolean
}

/** A row of a run that has no submission to delete: it is undone or in doubt, or a person said that it landed, so that its submission id is unknown. */
export interface UndeletableRow extends Placed {
  readonly key: string
  readonly row: number
  readonly state: RowState
  /** The submission that was deleted, if the row is undone. Undefined for an undone row that had not landed. */
  readonly submissionId: string | undefined
  /** The row's submission before the row changed and was imported again. It remains in the form. */
  readonly replaces: string | undefined
}

/** An imported row that the pipeline's source no longer contains. */
export interface VanishedRow extends Placed {
  readonly key: string
  /** The row's number in the source of the run that sent it. */
  readonly row: number
  readonly submissionId: string | undefined
  /** The first run that did not find the row, and when that run started (ISO 8601). */
  readonly since: { readonly run: string; readonly at: string } | undefined
}

/** A row that may be at the destination and that a source lacks. */
export interface UnseenRow extends Placed {
  readonly key: string
  /** `IntendedRow.rest` in hexadecimal digits. Empty if the row has none. */
  readonly rest: string
  /** The other keys of the rejected rows that this row replaced. */
  readonly originals: ReadonlyArray<string>
}

/**
 * Which rows of the ledger a source has, indexed by a row's number in the ledger. An element is not 0 if the source has the row. May be shorter than
 * the ledger.
 */
export type SeenRows = Uint8Array

/** The imported rows that a source lacks. */
export interface Vanished {
  readonly seen: SeenRows
  /** Rows beyond this number were added later and do not count. */
  readonly upTo: number
  readonly count: number
  /** How many of these rows are not yet recorded as vanished. */
  readonly fresh: number
}

/** Which imported rows are read. */
interface ImportedChoice {
  /** Only rows with these verdicts. Default: all. */
  readonly verdicts?: ReadonlyArray<Verdict>
  /** Only rows sent by this run. */
  readonly run?: string
}

/** The kinds of data that can be read in pages, with the type of their rows and the options for selecting rows. */
export interface Pages {
  /** Imported rows with a submission, in the order in which they were first sent. Reading a page takes half the time of `sent`. */
  readonly imported: { readonly row: ImportedRow; readonly choice: ImportedChoice }
  /** The same rows, with what was sent and returned. */
  readonly sent: { readonly row: SentRow; readonly choice: ImportedChoice }
  /** Rows in doubt, in the order in which they were first sent. With `withOpen`, also the rows of open intents, which a reader counts as in doubt. */
  readonly doubtful: { readonly row: DoubtfulRow; readonly choice: { readonly withOpen?: boolean } }
  /** All submissions that the ledger knows at this destination. */
  readonly submissions: { readonly row: KnownSubmission; readonly choice: object }
  /** Submissions that were replaced, earliest first. With `run`, only those that this run created. */
  readonly replaced: { readonly row: ReplacedSubmission; readonly choice: { readonly run?: string } }
  /** Rows of a run that have no submission to delete, in the order in which they were first sent. */
  readonly undeletable: { readonly row: UndeletableRow; readonly choice: { readonly run: string } }
  /** The imported rows that a source lacks, in the order in which they were first sent. */
  readonly vanished: { readonly row: VanishedRow; readonly choice: { readonly vanished: Vanished } }
  /** Rows that may be at the destination and that a source lacks, in the order in which they were first sent. */
  readonly unseen: { readonly row: UnseenRow; readonly choice: { readonly seen: SeenRows } }
}

/** The choice of a page: at most `limit` rows or submissions after the position `after`. */
export type Page<K extends keyof Pages> = Pages[K]["choice"] & { readonly after: number; readonly limit: number }

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
  /** When the row's request was recorded, right before it was sent (ISO 8601). */
  readonly sentAt: string
  readonly submissionTime: string | null
  readonly run: string
}
