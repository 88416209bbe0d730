import type { Cell } from "../domain/cell.ts"
import type { Cells, Column, ColumnBlock } from "../domain/row.ts"

/** The beginning of a file, from the record that may be a tool's (first) header. */
export interface Sample {
  /** The file's name without folders. */
  readonly file: string
  readonly sheet: string | undefined
  readonly delimiter: string | undefined
  /** Whether it is the fixed rejected.csv of a run, which has one header row for every tool. */
  readonly mended: boolean
  /** Records as text: the supposed header first, then the records below it. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  /** Titles of the first record: trimmed, white space collapsed. */
  readonly titles: ReadonlyArray<string>
  /** The same in lower case, for comparison. */
  readonly plain: ReadonlyArray<string>
}

/** The evidence that a file is a tool's export. */
export interface Evidence {
  /** 0 to 1. */
  readonly score: number
  /** For people, without a full stop: `the first column is "#"`. */
  readonly reasons: ReadonlyArray<string>
}

/** The meaning of one of a tool's own columns. */
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
  /** Anything else that is not an answer. */
  | "note"

export interface MetaColumn {
  readonly position: number
  readonly role: Role
  /** Of a time: its format in luxon's letters, `iso`, or a list of formats. */
  readonly format?: string | ReadonlyArray<string>
  /** Of a time: its zone, if the file or the tool determines it. Also absent if the cell contains an offset. */
  readonly zone?: string
}

/** How a tool writes answers, for people and for suggestions. */
export interface AnswerStyle {
  /** Several choices: a column for each option, one cell with this separator, or, in some tools, both. */
  readonly several: { readonly columns: boolean; readonly separator?: string }
  /** Texts of a ticked and of an unticked option, in addition to the option's own label and an empty cell. */
  readonly checked?: ReadonlyArray<string>
  readonly unchecked?: ReadonlyArray<string>
  /** Where the text of "Other" is. */
  readonly other?: "in the cell" | "in a column of its own"
  /** A ranking: a rank in the column of each item, an item in the column of each rank, or all items in one cell, best first, with this separator. */
  readonly ranking?: "ranks" | "items" | { readonly separator: string }
  readonly grid?: "a column a row"
  readonly yesNo?: { readonly true: ReadonlyArray<string>; readonly false: ReadonlyArray<string> }
  /** The separator between several addresses of uploaded files in one cell. */
  readonly uploads?: string
}

/** Turns the cell of a column into the answer that was given. */
export type Clean = (cell: Cell) => Cell

/** How a tool's file is read: its header records, its columns, and the format of its cells. */
export interface Layout {
  /** Which of the tool's layouts it is, in a few words. Undefined if there is only one. */
  readonly variant?: string | undefined
  /** The number of records, counted from the header, that contain no answers. Default: 1. */
  readonly headerRows?: number
  /** One title per column. Default: those of the header. */
  readonly titles?: ReadonlyArray<string>
  /** The question as respondents read it, if it differs from the title. */
  readonly labels?: ReadonlyArray<string | undefined>
  /** The tool's own columns. */
  readonly meta?: ReadonlyArray<MetaColumn>
  readonly blocks?: ReadonlyArray<ColumnBlock>
  /** Positions of the columns that identify a response. Default: its own columns with the role `id`. */
  readonly key?: ReadonlyArray<number>
  /** Cleaning functions by position; cells of other columns stay unchanged. */
  readonly cleans?: ReadonlyMap<number, Clean>
  /** For every column, in addition to `cleans`; applied first. */
  readonly cleanAll?: Clean
  readonly answers: AnswerStyle
  /** How to recognise an unfinished response: its cell in this column is empty, or is none of these texts. */
  readonly complete?: { readonly position: number; readonly is: ReadonlyArray<string> | "filled" }
  /** Notes about such a file, for people. */
  readonly notes?: ReadonlyArray<string>
}

/** Facts about all cells of the columns: for tools that write a header for each option without its question. */
export interface ColumnFacts {
  /** The number of filled cells. */
  readonly filled: number
  /** The number of these that contain the column's own title. */
  readonly ownTitle: number
}

/** How a tool's records are read: the columns and their cells. Like `Layout`, without header rows. */
interface RecordLayout extends Omit<Layout, "headerRows"> {
  readonly titles: ReadonlyArray<string>
  /** Maps a record's cells in the source to cells of the layout's columns, unchanged. */
  readonly cells: (row: Cells) => Cells
}

/** Collects the questions: every record may contain one that no other has. */
interface RecordLearner {
  readonly add: (row: Cells) => void
  readonly layout: () => RecordLayout
}

/** A form tool's API, whose responses are JSON. */
export interface RecordTool {
  /** Returns the evidence for records with these members, or undefined if there is none. */
  readonly recognise: (members: ReadonlyArray<string>) => Evidence | undefined
  readonly learn: (columns: ReadonlyArray<Column>) => RecordLearner
}

/**
 * An export of a form tool: how it is recognised, and how it is read. One file each; `index.ts` lists them. docs/files.md says where the facts come from and how
 * certain they are.
 */
export interface FormTool {
  readonly name: string
  /** The name as people write it. */
  readonly title: string
  /** Returns the evidence that the sample begins with this tool's header, or undefined if there is none or something rules it out. */
  readonly recognise: (sample: Sample) => Evidence | undefined
  /** Reads the header. Also called for a file that is not recognised if the pipeline names the tool. `facts`: only with `needsFacts`. */
  readonly layout: (sample: Sample, facts?: ReadonlyArray<ColumnFacts>) => Layout
  /** Whether the layout depends on all cells, so that the file must be read once in advance. */
  readonly needsFacts?: boolean
  /** How records of its API are read, if it is known. */
  readonly records?: RecordTool
}
