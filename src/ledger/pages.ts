// What can be read in pages, row by row.
import type { Verdict } from "../domain/fate.ts"
import type { Item } from "../domain/item.ts"
import type { AnswerDigests, Drifted, RowState } from "./rows.ts"

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
  /** What the last reconciliation found of a verified submission, unless it was unchanged. */
  readonly drift: Drifted | undefined
}

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
