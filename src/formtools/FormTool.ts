import type { Cell } from "../domain/cell.ts"
import type { Json } from "../domain/json.ts"
import type { Cells, Column, ColumnBlock } from "../domain/row.ts"

/** The beginning of a file. The first record is the one that may be the tool's header. */
export interface Sample {
  /** The file's name without its folders. */
  readonly file: string
  readonly sheet: string | undefined
  readonly delimiter: string | undefined
  /** Whether the file is a rejected.csv that a person fixed. It has a single header row, whichever tool wrote the source. */
  readonly isFixed: boolean
  /** The records as text: first the probable header, then the records below it. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  /** The titles of the first record, trimmed, with white space collapsed. */
  readonly titles: ReadonlyArray<string>
  /** The titles in lower case, for comparison. */
  readonly plain: ReadonlyArray<string>
}

/** The evidence that a file is a tool's export. */
export interface Evidence {
  /** A number from 0 to 1. */
  readonly score: number
  /** The reasons in words, without a full stop: `the first column is "#"`. */
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
  /** For a time: its format in luxon's notation, `iso`, or a list of formats. */
  readonly format?: string | ReadonlyArray<string>
  /** For a time: its zone, if the file or the tool determines it. Also undefined if the cell contains an offset. */
  readonly zone?: string
}

/** What a form tool says about the columns of a source. */
export interface ToolColumns {
  /** The tool's name as people write it. */
  readonly title: string
  /** The tool's own columns, and what they mean. */
  readonly meta: ReadonlyArray<MetaColumn>
  /** The question of each column, as people see it. */
  readonly labels: ReadonlyArray<string>
  /** Names of the columns that identify a response. */
  readonly defaultRowKey: ReadonlyArray<string> | undefined
}

/** Converts the cell of a column to the answer that was given. */
export type Clean = (cell: Cell) => Cell

/** How a tool's file is read: its header records, its columns, and the format of its cells. */
export interface Layout {
  /** A few words that distinguish this layout from the tool's other layouts. Undefined if there is only one. */
  readonly variant?: string | undefined
  /** The number of records without answers, counted from the header. Default: 1. */
  readonly headerRows?: number
  /** The title of each column. Default: those of the header. */
  readonly titles?: ReadonlyArray<string>
  /** The questions as respondents read them, where they differ from the titles. */
  readonly labels?: ReadonlyArray<string | undefined>
  /** The tool's own columns. */
  readonly meta?: ReadonlyArray<MetaColumn>
  readonly blocks?: ReadonlyArray<ColumnBlock>
  /** The positions of the columns that identify a response. Default: the tool's own columns with the role `id`. */
  readonly key?: ReadonlyArray<number>
  /** The cleaning functions by position. Cells of other columns stay unchanged. */
  readonly cleans?: ReadonlyMap<number, Clean>
  /** A cleaning function for every column, applied before those of `cleans`. */
  readonly cleanAll?: Clean
  /** How to recognise a finished response: its cell in this column is filled, or contains one of these texts. */
  readonly complete?: { readonly position: number; readonly is: ReadonlyArray<string> | "filled" }
  /** Whether a record contains titles, and no response. Header rows end up among the responses if someone sorts the file. */
  readonly isHeader?: (cells: Cells) => boolean
  /** Notes about such a file, for people. */
  readonly notes?: ReadonlyArray<string>
}

/** Facts about all cells of a column, for tools that write a header for each option without its question. */
export interface ColumnFacts {
  /** The number of filled cells. */
  readonly filled: number
  /** The number of filled cells that contain the column's own title. */
  readonly ownTitle: number
}

/** How a tool's records are read: the columns and their cells. Like `Layout`, but without header rows. */
export interface RecordLayout extends Omit<Layout, "headerRows"> {
  readonly titles: ReadonlyArray<string>
  /** Arranges a record's cells by the layout's columns, without changing the cells. */
  readonly cells: (row: Cells) => Cells
}

/** Collects the questions. Any record may contain a question that no other record has. */
export interface RecordLearner {
  readonly add: (row: Cells) => void
  readonly layout: () => RecordLayout
}

/** A form tool's API, whose responses are JSON. */
export interface RecordTool {
  /** Returns the evidence for records with these members, or undefined if there is none. */
  readonly recognise: (members: ReadonlySet<string>) => Evidence | undefined
  /** @param definition the tool's definition of the form, if it was requested. With it, columns and cells are those of the tool's export */
  readonly learn: (columns: ReadonlyArray<Column>, definition?: Json) => RecordLearner
}

/**
 * An export of a form tool: how it is recognised, and how it is read. Each tool is a file, and `index.ts` lists all of them. docs/files.md says where
 * the facts come from and how certain they are.
 */
export interface FormTool {
  readonly name: string
  /** The name as people write it. */
  readonly title: string
  /** Returns the evidence that the sample begins with this tool's header. Undefined if there is no evidence, or if something excludes the tool. */
  readonly recognise: (sample: Sample) => Evidence | undefined
  /** Reads the header. If the pipeline names the tool, this is also called for a file that is not recognised. `facts` is passed only if `needsFacts` is set. */
  readonly layout: (sample: Sample, facts?: ReadonlyArray<ColumnFacts>) => Layout
  /** Whether the layout depends on all cells, so that the file must be read once in advance. */
  readonly needsFacts?: boolean
  /** How records of the tool's API are read, if that is known. */
  readonly records?: RecordTool
}
