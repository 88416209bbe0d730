import type { Diagnostic } from "./diagnostic.ts"
import type { ProblemCode } from "./problem.ts"

/** Problems with the same code and column, over all rows. */
export interface DataProblem {
  readonly code: ProblemCode
  readonly column: string | undefined
  readonly question: string | undefined
  readonly rows: number
  readonly examples: ReadonlyArray<
    { readonly row: number; readonly value: string | undefined; readonly message: string }
  >
}

/** The choices in a column that are not options of its question, each with the number of cells that contain it. */
export interface UnknownChoices {
  /** The question's id. */
  readonly id: string
  readonly question: string
  readonly column: string
  readonly choices: ReadonlyArray<{ readonly choice: string; readonly count: number }>
  /** Whether the column has more such choices than are listed. */
  readonly more: boolean
}

/** The result of reading a whole source through its mapping. */
export interface CheckedData {
  readonly rows: number
  /** The number of rows that the pipeline's `where` or a person skips. */
  readonly filtered: number
  /** The number of rows that can't be sent unchanged, also because the service refused them. */
  readonly invalid: number
  /** The number of rows whose key an earlier row has. */
  readonly duplicate: number
  /** The number of rows that were sent by earlier runs, as they are or before they were fixed. Undefined if no row was looked up. */
  readonly known?: number | undefined
  /** The number of rows that changed since they were imported, and are not sent. */
  readonly changed?: number
  /** The number of rows that changed since they were imported, and are imported again. */
  readonly again?: number
  /** The number of rows that can't be sent or changed, and that a person acknowledged. */
  readonly acknowledged?: number
  /** Sentences that say how the lines of each file were read, and which parts of the files are not read. */
  readonly accounts: ReadonlyArray<string>
  readonly problems: ReadonlyArray<DataProblem>
  readonly choices: ReadonlyArray<UnknownChoices>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}
