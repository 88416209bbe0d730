import type { Cell } from "./cell.ts"
import type { Problem } from "./problem.ts"

/** A column of a source. Its position is its identity: titles may repeat or be empty. */
export interface Column {
  /** 0 for the first column. */
  readonly position: number
  /** The header's text as in the source. */
  readonly title: string
  /** The name by which a pipeline calls it; unique among the columns of a source. Absent: it can only be reached by position. */
  readonly name: string | undefined
}

/** The columns of one question that a form tool spreads over several columns, one per option or row. */
export interface ColumnBlock {
  /** The question's title, as the tool's format names it; unique among the blocks of a source. */
  readonly title: string
  readonly columns: ReadonlyArray<{
    readonly position: number
    /** The option's or row's text. For `other` and `text` columns, the tool's name for them. */
    readonly option: string
    /** `option`: a tick, a rank or an answer for this option; `other`: the tick or text of "Other"; `text`: the text next to it. */
    readonly role: "option" | "other" | "text"
  }>
}

/** The cells of one record, by column position. May be shorter than the header: missing cells are `undefined`, read as null. */
export type Cells = ReadonlyArray<Cell>

/** Consecutive records of a source, a few hundred to a few thousand. */
export interface RowChunk {
  /** Number of the first record in `rows`; the first data record of a source is 1. */
  readonly firstRow: number
  readonly rows: ReadonlyArray<Cells>
  /** Records that the source itself could not read properly (`ragged-row`), by index in `rows`; they are invalid whatever they contain. */
  readonly faults: ReadonlyMap<number, Problem>
}
