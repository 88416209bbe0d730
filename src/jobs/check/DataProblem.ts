import type { Diagnostic } from "../../domain/diagnostic.ts"
import type { ProblemCode } from "../../domain/problem.ts"

/** Problems of one kind in one column, over all rows. */
export interface DataProblem {
  readonly code: ProblemCode
  readonly column: string | undefined
  readonly question: string | undefined
  readonly rows: number
  readonly examples: ReadonlyArray<
    { readonly row: number; readonly value: string | undefined; readonly message: string }
  >
}

/** A question's choices that are no option of it, each with the number of cells that hold it. */
export interface UnknownChoices {
  readonly question: string
  readonly column: string
  readonly choices: ReadonlyArray<{ readonly choice: string; readonly count: number }>
  /** Whether there are more than are listed. */
  readonly more: boolean
}

/** What reading all of a source through its mapping showed. Nothing is sent. */
export interface CheckedData {
  readonly rows: number
  /** Rows that the pipeline's `where` leaves out. */
  readonly filtered: number
  /** Rows that can't be sent as they are. */
  readonly invalid: number
  /** Where the lines of each file went, what was read with quotes as characters, and the longest cell, as sentences. */
  readonly accounts: ReadonlyArray<string>
  readonly problems: ReadonlyArray<DataProblem>
  readonly choices: ReadonlyArray<UnknownChoices>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}
