import type { DateEvidence } from "./dateEvidence.ts"
import type { NumberEvidence } from "./numberEvidence.ts"

/** What a cell's text can be taken for; one text may be several. */
export const shapes = ["email", "url", "phone", "number", "integer", "boolean", "date", "dateTime", "time"] as const

export type Shape = (typeof shapes)[number]

/** What is known of a column once all of its cells were seen. */
export interface ColumnProfile {
  readonly rows: number
  readonly filled: number
  /** Distinct texts with their counts, at most `distinctKept` of them. */
  readonly distinct: ReadonlyMap<string, number>
  /** Whether there were more. */
  readonly more: boolean
  /** Whether no two rows have the same text; undefined: too many to tell. */
  readonly unique: boolean | undefined
  /** The first two distinct texts, as they stand. */
  readonly samples: ReadonlyArray<string>
  /** Characters of a filled cell, on average. */
  readonly length: number
  /** Share of the filled cells that can be taken for something, 0 to 1. */
  readonly share: Readonly<Record<Shape, number>>
  readonly dates: DateEvidence
  readonly numbers: NumberEvidence
  /** Smallest and greatest of the numbers. */
  readonly range: { readonly min: number; readonly max: number } | undefined
  /** Shares of phone numbers that say their country themselves. */
  readonly international: number
  /** Share of cells that hold exactly the column's own title: ticks of a one-per-option column. */
  readonly ownTitle: number
}
