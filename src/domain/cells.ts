/** What a pipeline does with a column, the most first: answers are read from it, it is part of the row key or a condition, `ignore` names it, nothing speaks of it. */
export const columnUses = ["answers", "keyOrCondition", "ignored", "notMapped"] as const
export type ColumnUse = (typeof columnUses)[number]

/**
 * What became of a cell that is not empty. Every one has exactly one state (product.md, "Every cell is accounted for"): the state of its row, unless the row
 * was imported; otherwise the first of the others that applies.
 */
export const cellStates = [
  "sent",
  "sentInPart",
  "noAnswer",
  "dropped",
  "keyOrCondition",
  "ignored",
  "notMapped",
  "rejected",
  "skipped",
  "known",
  "inDoubt",
  "pending",
] as const
export type CellState = (typeof cellStates)[number]

/** One column of a source: its cells that are not empty, and what became of them. */
export interface ColumnCells {
  readonly title: string
  /** 1 for the first column. The one after the last column stands for all cells beyond the header. */
  readonly position: number
  readonly use: ColumnUse
  /** Cells that are not empty: the sum of `states`. */
  readonly cells: number
  readonly states: { readonly [S in CellState]: number }
}
