import type { Form } from "../domain/form.ts"
import type { Column } from "../domain/row.ts"
import type { MappingConfig } from "../project/Pipeline.ts"
import type { CellUses } from "./CellUses.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import type { Findings } from "./Findings.ts"
import type { Read } from "./readers.ts"
import type { Spills } from "./Spills.ts"

/**
 * The source is a mended rejected.csv, whose cells may also be written as JSON and ISO 8601 write them. `typed`: the source that it stems from has
 * typed cells (a workbook), which stand there as such texts; `text`: it has texts only, which say what they always said.
 */
export type Mended = "text" | "typed" | undefined

/** What all entries of a pipeline are compiled with. */
export interface Workshop {
  readonly findings: Findings
  readonly columns: ColumnBook
  /** Cells that mean "no answer", without the empty text. */
  readonly empty: ReadonlySet<string>
  readonly defaults: MappingConfig["defaults"]
  readonly form: Pick<Form, "questions">
  /** Texts that one question's entry hands to another question. */
  readonly spills: Spills
  readonly mended: Mended
  /** Takes what answers make of a row's cells. */
  readonly uses: CellUses
}

/** An entry, ready to read rows; its columns are those that it reads. */
export interface CompiledEntry {
  readonly read: Read
  readonly columns: ReadonlyArray<Column>
  /** Whether a value may stem from a cell: not from constants alone. */
  readonly fromCells: boolean
}
