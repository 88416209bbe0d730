import type { Cell } from "../domain/cell.ts"
import type { Cells, Column, ColumnBlock } from "../domain/row.ts"

/** The beginning of a file from the record on that may be a tool's (first) header. */
export interface Sample {
  /** The file's name without folders. */
  readonly file: string
  readonly sheet: string | undefined
  readonly delimiter: string | undefined
  /** Whether it is the mended rejected.csv of a run, which has one header row whatever the tool writes. */
  readonly mended: boolean
  /** Records as text: the supposed header first, then what stands below it. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  /** Titles of the first record: trimmed, white space collapsed. */
  readonly titles: ReadonlyArray<string>
  /** The same in lower case, to compare. */
  readonly plain: ReadonlyArray<string>
}

/** What speaks for a file being a tool's export. */
export interface Evidence {
  /** 0 to 1. */
  readonly score: number
  /** For people, without a full stop: `the first column is "#"`. */
  readonly reasons: ReadonlyArray<string>
}

/** What a column of a tool's own means. */
export type Role =
  | "id"
  | "respondent"
  | "submitted"
  | "started"
  | "lastUpdated"
  | "email"
  | "name"
  | "status"
  | "progress"
  | "language"
  | "ip"
  | "device"
  | "score"
  | "payment"
  /** A URL parameter or hidden field, or the address of the form. */
  | "url"
  | "timing"
  | "location"
  /** Anything else that is no answer. */
  | "note"

export interface MetaColumn {
  readonly position: number
  readonly role: Role
  /** Of a time: how it is written, in luxon's letters, `iso`, or a list. */
  readonly format?: string | ReadonlyArray<string>
  /** Of a time: its zone, where the file or the tool tells; absent also where the cell holds an offset. */
  readonly zone?: string
}

/** How a tool writes answers, for people and for suggestions. */
export interface AnswerStyle {
  /** Several choices: a column for each option, or one cell with this between them; both in some tools. */
  readonly several: { readonly columns: boolean; readonly separator?: string }
  /** Texts of a ticked and of an unticked option, besides the option's own label and an empty cell. */
  readonly checked?: ReadonlyArray<string>
  readonly unchecked?: ReadonlyArray<string>
  /** Where the text of "Other" stands. */
  readonly other?: "in the cell" | "in a column of its own"
  /** A ranking: a rank in the column of each item, an item in the column of each rank, or all items in one cell, best first, with this between them. */
  readonly ranking?: "ranks" | "items" | { readonly separator: string }
  readonly grid?: "a column a row"
  readonly yesNo?: { readonly true: ReadonlyArray<string>; readonly false: ReadonlyArray<string> }
  /** Several addresses of uploaded files stand in one cell with this between them. */
  readonly uploads?: string
}

/** Turns the cell of a column into what was answered. */
export type Clean = (cell: Cell) => Cell

/** What a tool says of a file: which records are headers, what the columns are, how cells are to be read. */
export interface Layout {
  /** Which of the tool's layouts it is, in a few words; undefined where there is but one. */
  readonly variant?: string | undefined
  /** Records from the header on that hold no answers. Default: 1. */
  readonly headerRows?: number
  /** One title a column. Default: those of the header. */
  readonly titles?: ReadonlyArray<string>
  /** The question as people read it, where it is not the title. */
  readonly labels?: ReadonlyArray<string | undefined>
  /** Columns of the tool's own. */
  readonly meta?: ReadonlyArray<MetaColumn>
  readonly blocks?: ReadonlyArray<ColumnBlock>
  /** Positions of the columns that identify a response. Default: its own columns with the role `id`. */
  readonly key?: ReadonlyArray<number>
  /** Cleans by position; what is not named stays as it is. */
  readonly cleans?: ReadonlyMap<number, Clean>
  /** For every column beside what `cleans` does; applied first. */
  readonly cleanAll?: Clean
  readonly answers: AnswerStyle
  /** How a response that was never finished is told: its cell in this column is none of these texts, or empty. */
  readonly complete?: { readonly position: number; readonly is: ReadonlyArray<string> | "filled" }
  /** What people should know about such a file. */
  readonly notes?: ReadonlyArray<string>
}

/** What all cells of the columns are like: for tools that write a header for each option without its question. */
export interface ColumnFacts {
  /** Cells that hold something. */
  readonly filled: number
  /** Of these, the ones that hold the column's own title. */
  readonly ownTitle: number
}

/** What a tool makes of records: the columns, and their cells. Of `Layout` all that is not about header rows. */
interface RecordLayout extends Omit<Layout, "headerRows"> {
  readonly titles: ReadonlyArray<string>
  /** A record's cells as the source has them → its cells by the layout's columns, as they stand. */
  readonly cells: (row: Cells) => Cells
}

/** Learns what questions there are: every record may hold one that no other has. */
interface RecordLearner {
  readonly add: (row: Cells) => void
  readonly layout: () => RecordLayout
}

/** A form tool's interface for programs, whose answers came as JSON. */
export interface RecordTool {
  /** What speaks for records with these members; undefined: nothing does. */
  readonly recognise: (members: ReadonlyArray<string>) => Evidence | undefined
  readonly learn: (columns: ReadonlyArray<Column>) => RecordLearner
}

/**
 * An export of a form tool: how it is recognised, and how it is read. One file each; `index.ts` lists them. Where the facts come from and how sure
 * they are: docs/files.md.
 */
export interface FormTool {
  readonly name: string
  /** As people write it. */
  readonly title: string
  /** What speaks for the sample beginning with this tool's header; undefined: nothing does, or something rules it out. */
  readonly recognise: (sample: Sample) => Evidence | undefined
  /** Reads the header. Also called for a file that is not recognised but was said to be the tool's. `facts`: only with `needsFacts`. */
  readonly layout: (sample: Sample, facts?: ReadonlyArray<ColumnFacts>) => Layout
  /** Whether the layout depends on all cells, so that the file has to be read once beforehand. */
  readonly needsFacts?: boolean
  /** How records of its interface for programs are read, where it is known. */
  readonly records?: RecordTool
}
