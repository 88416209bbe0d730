import type { Json } from "./json.ts"
import type { Problem } from "./problem.ts"
import type { ChangedAnswer } from "./report.ts"

/** One answer of a row as it would be sent. */
export interface PreviewedAnswer {
  readonly name: string
  readonly kind: string
  /** The cells that the answer is made of. Empty for a constant. */
  readonly cells: ReadonlyArray<{ readonly column: string; readonly text: string }>
  /** The answer's value. Undefined if no answer is sent. */
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** One row as it would be sent, and its problems. */
export interface PreviewedRow {
  readonly row: number
  readonly key: string | undefined
  /** Whether the pipeline's `where` skips the row. */
  readonly filtered: boolean
  readonly valid: boolean
  readonly answers: ReadonlyArray<PreviewedAnswer>
  /** Problems that concern the row as a whole. */
  readonly problems: ReadonlyArray<Problem>
  /** Present if the row was imported with different content. */
  readonly change?: RowChange | undefined
}

/** Rows as they would be sent, and the number of the source's rows if it has none of the wanted ones. */
export interface PreviewedRows {
  readonly rows: ReadonlyArray<PreviewedRow>
  readonly read: number
}

/** How a row differs from its submission. The ledger has only digests of what was imported, so the earlier values are those in the form. */
export interface RowChange {
  readonly submissionId: string
  readonly answers: ReadonlyArray<AnswerChange>
  /** Why no answer is shown, as a sentence. */
  readonly note?: string | undefined
}

/** An answer of a row that differs from the row's submission. */
export type AnswerChange = Pick<ChangedAnswer, "columns" | "inForm" | "name" | "now" | "question">
