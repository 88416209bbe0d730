import type { Cells, Column } from "../../domain/row.ts"
import type { FormToolName } from "../../project/formTools.ts"
import type { Evidence, Layout } from "./FormTool.ts"

/** What a tool makes of records: the columns, and their cells. Of `Layout` all that is not about header rows. */
export interface RecordLayout extends Omit<Layout, "headerRows"> {
  /** A record's cells as the source has them → its cells by the layout's columns, as they stand. */
  readonly cells: (row: Cells) => Cells
}

/** Learns what questions there are: every record may hold one that no other has. */
export interface RecordLearner {
  readonly add: (row: Cells) => void
  readonly layout: () => RecordLayout
}

/** A form tool's interface for programs, whose answers came as JSON. */
export interface RecordTool {
  readonly name: FormToolName
  readonly title: string
  /** What speaks for records with these members; undefined: nothing does. */
  readonly recognise: (members: ReadonlyArray<string>) => Evidence | undefined
  readonly learn: (columns: ReadonlyArray<Column>) => RecordLearner
}
