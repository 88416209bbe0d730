import type { ColumnUse } from "../domain/cells.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { Translation } from "../kinds/Kind.ts"
import type { ComparedAnswer } from "../kinds/submission.ts"

/** A question or other member of an item that a pipeline fills. */
export interface MappedAnswer extends ComparedAnswer {
  /** Differences that the pipeline tolerates, and why. */
  readonly tolerated: string | undefined
  /** The columns from which it is read: for a stamp, those of the row key; for a constant, none. */
  readonly columns: ReadonlyArray<Column>
  /** The cells for which something else is sent, each with its answer: those that the pipeline translates, then labels of options. */
  readonly translations: ReadonlyArray<Translation>
}

/** One answer of one row, to show it to a person. */
export interface ExplainedAnswer {
  readonly answer: MappedAnswer
  /** The columns from which it is read; none for a constant. */
  readonly columns: ReadonlyArray<Column>
  readonly value: Json | undefined
  /** Those that only omit this answer are marked `dropped`. */
  readonly problems: ReadonlyArray<Problem>
}

/** An answer that must differ from row to row (`unique`). */
export interface UniqueAnswer {
  readonly id: string
  /** Returns the answer as text, equal for equal answers; undefined if there is none. */
  readonly value: (cells: Cells) => string | undefined
  /** Returns the problem of a row with the same answer as row `before`. */
  readonly problem: (value: string, before: number) => Problem
}

/** A row as an item, with the problems of answers that were dropped (`onInvalid: drop`); or all problems for which the row is rejected. */
type MappedRow =
  | { readonly item: Item; readonly dropped?: ReadonlyArray<Problem> }
  | { readonly problems: ReadonlyArray<Problem> }

/** A question that gets no answer: on purpose, or because nothing is mapped to it. */
interface UnansweredQuestion {
  readonly id: string
  readonly name: string
  readonly state: "ignored" | "notMapped"
}

/** A pipeline and a form, compiled: row → item or problems. Synchronous, and made once in a run. */
export interface Mapping {
  /** The columns that the mapping reads, sorted by name. Their cells are a row's content. */
  readonly columns: ReadonlyArray<Column>
  readonly answers: ReadonlyArray<MappedAnswer>
  readonly unanswered: ReadonlyArray<UnansweredQuestion>
  /** How each of the source's own columns is used, in their order. */
  readonly columnUses: ReadonlyArray<ColumnUse>
  /** How `map` used the cells of its last row, by position: not at all (0), dropped (1), sent in part (2), sent (3). */
  readonly cellUses: Uint8Array
  /** Digest of the normalised mapping. It changes if the same cells could produce a different item. */
  readonly fingerprint: string
  /** Where row keys come from: the pipeline's key columns; or the rows' content, which the run turns into keys (`key` then gives undefined). */
  readonly keyed: "columns" | "content"
  /** The row key's text, or undefined when every key column is empty. Several columns are joined so that no two keys look alike. */
  readonly key: (cells: Cells) => string | undefined
  /** Makes a `key` function for different columns and different empty cells, as keys were made in earlier runs. */
  readonly keyBy: (
    columns: ReadonlyArray<Column>,
    empty: ReadonlySet<string>,
  ) => (cells: Cells) => string | undefined
  /** Whether the pipeline's `where` skips the row. A cell that can't be compared skips nothing: it is a problem of the row. */
  readonly filtered: (cells: Cells) => boolean
  /**
   * Returns the row's item, or all of its problems, never only the first. @param
   *
   * key the row's key, which a stamp includes in the item
   */
  readonly map: (cells: Cells, key?: string) => MappedRow
  /**
   * Returns all problems of a row, like `map`, without making its item, or undefined if there are none.
   *
   * @param answered is filled, in the order of `answers`, with 1 for each that the row answers and 0 for the others
   * @param dropped receives the problems of answers that are omitted from a row without other problems
   */
  readonly check: (
    cells: Cells,
    answered: Uint8Array,
    dropped?: Array<Problem>,
  ) => ReadonlyArray<Problem> | undefined
  /** Answers that must differ from row to row. The run compares them, since it reads all rows. */
  readonly uniques: ReadonlyArray<UniqueAnswer>
  /** Every answer of a row with its columns, value and problems, in the order of `answers`; and the problems that don't belong to an answer. */
  readonly explain: (cells: Cells, key?: string) => {
    readonly answers: ReadonlyArray<ExplainedAnswer>
    readonly problems: ReadonlyArray<Problem>
  }
}
