import type { Cell } from "./cell.ts"
import { brief, type Problem } from "./problem.ts"

/** A column of a source. The position identifies it, because titles may repeat or be empty. */
export interface Column {
  /** The position, where 0 is the first column. */
  readonly position: number
  /** The header's text as in the source. */
  readonly title: string
  /** The name by which a pipeline refers to the column, unique among the columns of a source. Undefined if the pipeline can refer to it only by its position. */
  readonly name: string | undefined
  /** A second name, under `source.columns`, of a column that has a name. Rows of earlier sources may be known by it. */
  readonly alias?: string | undefined
}

/** The columns of a question that a form tool spreads over several columns, one for each option or row. */
export interface ColumnBlock {
  /** The question's title in the tool's format, unique among the blocks of a source. */
  readonly title: string
  readonly columns: ReadonlyArray<{
    readonly position: number
    /** The text of the option or row. For `other` and `text` columns, the tool's name for them. */
    readonly option: string
    /** `option`: the column has a tick, a rank or an answer for this option. `other`: the column has the tick or text of "Other". `text`: the column has the text next to it. */
    readonly role: "option" | "other" | "text"
  }>
}

/** Returns the block with this title, without the white space around it. */
export const blockNamed = (blocks: ReadonlyArray<ColumnBlock>, title: string): ColumnBlock | undefined =>
  blocks.find((one) => one.title.trim() === title.trim())

/** Returns the columns of a block that belong to an option or a row. */
export const optionColumns = <C extends Pick<ColumnBlock["columns"][number], "role">>(
  columns: ReadonlyArray<C>,
): ReadonlyArray<C> => columns.filter(({ role }) => role === "option")

/** Returns a column's name, or its number if it has none. */
export const nameOrNumber = ({ name, position }: Pick<Column, "name" | "position">): string =>
  name ?? `column ${position + 1}`

/** Returns a column's name, or its position if it has none, for digests and sorting. */
export const nameOrPosition = ({ name, position }: Pick<Column, "name" | "position">): string =>
  name ?? `#${position + 1}`

/** Returns a column's name for people: its title and number if its title is not a name, or only its number if it has no title. */
export const shownName = ({ name, position, title }: Column): string => {
  const number = `column ${position + 1}`
  return name ?? (title.trim() === "" ? number : `${title.trim()} (${number})`)
}

/** Returns a column's name for people, shortened. */
export const briefName = ({ name, position, title }: Column): string =>
  shownName({ name: name && brief(name), position, title: brief(title) })

/** The cells of a record, by column position. The list may be shorter than the header. Missing cells are `undefined`, and read as null. */
export type Cells = ReadonlyArray<Cell>

/** Consecutive records of a source, a few hundred to a few thousand. */
export interface RowChunk {
  /** The number of the first record in `rows`. The first data record of a source is 1. */
  readonly firstRow: number
  readonly rows: ReadonlyArray<Cells>
  /** The records that the source could not read properly (`ragged-row`), by index in `rows`. They are invalid, whatever they contain. */
  readonly faults: ReadonlyMap<number, Problem>
}
