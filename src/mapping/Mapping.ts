import type { ColumnUse } from "../domain/cells.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { ComparedAnswer } from "../kinds/submission.ts"

/** A question or other member of an item that a pipeline fills. */
export interface MappedAnswer extends ComparedAnswer {
  /** Differences that the pipeline tolerates, and why. */
  readonly tolerated: string | undefined
}

/** One answer of one row, to show it to a person. */
export interface ExplainedAnswer {
  readonly answer: MappedAnswer
  /** The columns that it is read from; none for a constant. */
  readonly columns: ReadonlyArray<Column>
  readonly value: Json | undefined
  /** Those that leave out only this answer are marked `dropped`. */
  readonly problems: ReadonlyArray<Problem>
}

/** An answer that must differ from row to row (`unique`). */
export interface UniqueAnswer {
  readonly id: string
  /** Returns the answer as text, equal for equal answers; undefined if there is none. */
  readonly value: (cells: Cells) => string | undefined
  /** Returns the problem of a row that gives the same as row `before`. */
  readonly problem: (value: string, before: number) => Problem
}

/** A row as an item, with the problems of answers that were dropped (`onInvalid: drop`); or all problems that reject the row. */
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
  /** Digest of the normalised mapping. It changes if the same cells could give a different item. */
  readonly fingerprint: string
  /** Where row keys come from: the pipeline's key columns; or the rows' content, which the run turns into keys (`key` then gives undefined). */
  readonly keyed: "columns" | "content"
  /** The row key's text, or undefined when every key column is empty. Several columns are joined so that no two keys look alike. */
  readonly key: (cells: Cells) => string | undefined
  /** Makes `key` of other columns, and of other cells that count as empty: how keys were made in earlier runs. */
  readonly keyBy: (
    columns: ReadonlyArray<Column>,
    empty: ReadonlySet<string>,
  ) => (cells: Cells) => string | undefined
  /** Whether the pipeline's `where` leaves the row out. A cell that can't be compared leaves nothing out: it is a problem of the row. */
  readonly filtered: (cells: Cells) => boolean
  /**
   * All problems of a row, never only the first; or its item.
   *
   * @param key the row's key, which a stamp sends along
   */
  readonly map: (cells: Cells, key?: string) => MappedRow
  /**
   * All problems of a row, as `map` gives them, without making its item; undefined when there are none.
   *
   * @param answered is filled, in the order of `answers`, with 1 for each that the row answers and 0 for the others
   * @param dropped gets the problems of answers that are left out of a row without other problems
   */
  readonly check: (
    cells: Cells,
    answered: Uint8Array,
    dropped?: Array<Problem>,
  ) => ReadonlyArray<Problem> | undefined
  /** Answers that must differ from row to row. The run compares them, since it reads all rows. */
  readonly uniques: ReadonlyArray<UniqueAnswer>
  /** Every answer of a row with its columns, value and problems, in the order of `answers`; and problems that are no answer's. */
  readonly explain: (cells: Cells, key?: string) => {
    readonly answers: ReadonlyArray<ExplainedAnswer>
    readonly problems: ReadonlyArray<Problem>
  }
}
