// What is recorded about a pipeline at a destination, apart from its rows and runs.
import type { AcceptReason } from "../domain/acceptance.ts"
import type { Fate } from "../domain/fate.ts"
import type { Form } from "../domain/form.ts"
import type { Json } from "../domain/json.ts"
import type { Vanished } from "./pages.ts"
import type { Rejection } from "./rows.ts"

export interface Facts {
  /** Whether nothing is known about any row, so that no look-up can find anything. */
  readonly isBlank: boolean
  /** Whether a person skipped a row permanently, so that the row may have no row in the ledger. */
  readonly isAnyLeftOut: boolean
  /** Whether runs rejected a row without a key. */
  readonly isAnyKeyless: boolean
  /** The number of the ledger's last row, of any pipeline. 0 if there is none. */
  readonly lastRow: number
  /** Sorted names of the columns that the pipeline mapped when it first sent a row. `rowKey: content` covers these columns. Undefined if it never sent any. */
  readonly firstColumns: ReadonlyArray<string> | undefined
  /** Keyed digests, as hexadecimal digits, of the keys of forgotten rows without their formatting (`looseKey`). */
  readonly forgotten: ReadonlyArray<string>
  /** How rows are recognised. Undefined if no run has read the source yet. */
  readonly identity: RowIdentity | undefined
  /** The form as it was read by the last run that could send rows, or as a person accepted it later. Undefined if no run has read it. */
  readonly form: Form | undefined
  readonly canary: CanaryRecord | undefined
  /** The runs that a person undid while rows of them were in doubt. If such a row has not landed, it is undone. */
  readonly undone: ReadonlyArray<string>
  /** Why the last run was refused, if `accept` can settle it. */
  readonly refused: RefusedState | undefined
  /** Up to when records were pulled. Undefined if all must be pulled. */
  readonly pulled: PulledUpTo | undefined
}

/** What may be recorded about a pipeline at a destination, apart from its rows and runs. */
export interface Recorded extends Partial<Pick<Facts, "identity" | "form" | "canary" | "undone">> {
  /** Why this run is refused. Null if it is not refused for a reason that a person could accept. */
  readonly refused?: RefusedState | null
  /** Up to when records were pulled. Null if the next run must pull all of them. */
  readonly pulled?: PulledUpTo | null | undefined
  /** Rows that this run found in need of review. From the first list on, even an empty one, only the rows that this run finds need review. */
  readonly attention?: ReadonlyArray<AttentionRow>
  /** The versions of files that this run has read completely, with no row left to send. */
  readonly filesRead?: ReadonlyArray<string>
  /** The imported rows that this run's source lacks. Rows that the source contains again no longer count as vanished. */
  readonly vanished?: Vanished
  /** The `at` of the last row up to which a reconciliation has read all rows, or "through" if it has read everything. */
  readonly reconciled?: number | "through"
  readonly acceptance?: Acceptance
  /** A text for a person to enter in the form. */
  readonly testEntry?: string
}

/** Up to when a pipeline's records were pulled. */
export interface PulledUpTo {
  /** Every record with an earlier time was pulled and needs nothing more. In milliseconds since 1970. */
  readonly mark: number
  /** Digest of everything that decided which records were pulled. */
  readonly selection: string
  /** When all records were last pulled, in milliseconds since 1970. */
  readonly allAt: number
  /** The number of the last batch at that time. */
  readonly allUpTo: number
  /** The members of the records, and the titles of the source's columns. */
  readonly members: ReadonlyArray<string>
  readonly columns: ReadonlyArray<string>
}

/** A row that needs review: invalid, refused, changed, or a duplicate with different content. */
export interface AttentionRow {
  /** Undefined for a row without a key. */
  readonly key: string | undefined
  readonly row: number
  readonly content: Buffer
  /** Sorted names of the columns that `content` covers. */
  readonly columns: ReadonlyArray<string>
  readonly fate: Fate
}

/** What is known about a canary that was sent with a certain mapping, form and tolerated differences. */
export type CanaryRecord =
  & {
    /** Digest of what the canary depends on: mapping, form, `tolerate`. */
    readonly standing: string
  }
  & (
    | { readonly state: "passed" }
    | { readonly state: "failed"; readonly because: string }
    /** A run sends it, and has not evaluated it yet. */
    | { readonly state: "sent"; readonly run: string }
  )

/** How row keys are made from cells. */
export interface KeyRule {
  /** Names of the columns in their order, or `content` for the cells of the columns that the first run used. */
  readonly columns: ReadonlyArray<string> | "content"
  /** Cells that count as empty, sorted. */
  readonly empty: ReadonlyArray<string>
}

/** How rows are recognised for a pipeline at a destination. */
export interface RowIdentity {
  /** The rules for keys, newest last. Rows that no run has seen since the rule changed are stored under an earlier rule. */
  readonly keys: ReadonlyArray<KeyRule>
  /** The settings for reading the source that decide which cells its rows have. */
  readonly dialect: Json
  /** Lists of answers that `rest` covered, newest last. */
  readonly rests: ReadonlyArray<ReadonlyArray<string>>
  /**
   * Digest of the conditions (`where`) of the last run. They decide which rows with the same content are numbered together.
   * Rows up to `sentBefore` may have been sent with different conditions. Undefined if an earlier version recorded the identity.
   */
  readonly where?: string
  readonly sentBefore?: number
}

/** A row's key under a different rule. */
export interface Rekeyed {
  readonly from: Buffer
  readonly to: Buffer
  readonly key: string
  /** Whether no row gets the new key: what is known about the old key is only copied to the new one. */
  readonly isCopied?: boolean
}

/** A row that has no key under a different rule. It keeps its old key (`from`), and is known by its filled cells. */
export interface Unkeyed extends Pick<Rejection, "content" | "columns"> {
  readonly from: Buffer
}

/** Why a run was refused. `states` identify the reason exactly, and `what` describes it. */
export interface RefusedState {
  readonly reason: AcceptReason
  readonly states: ReadonlyArray<string>
  readonly what: string
}

/** A person's acceptance of a refusal. */
export interface Acceptance {
  readonly reason: AcceptReason
  /** What is refused, as texts or digests that identify it exactly. Several if each can occur without the others. */
  readonly states: ReadonlyArray<string>
  readonly by: string
  readonly because: string
}

/** What a webhook was last notified of, for a pipeline at a destination. */
export interface Notified {
  /** Codes of the anomalies at that time. An anomaly is not reported again while it lasts. */
  readonly codes: ReadonlyArray<string>
  /** The last run that was reported to it. */
  readonly run: string
}
