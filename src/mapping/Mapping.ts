import type { Item } from "../domain/item.ts"
import type { Problem } from "../domain/problem.ts"
import type { Cells, Column } from "../domain/row.ts"

/** A question or other member of an item that a pipeline fills. */
export interface MappedAnswer {
  /** Id of the question or element; `submissionTime`, `lastUpdatedAt` and `login` stand for themselves. */
  readonly id: string
  readonly name: string
  /** Name of its kind. */
  readonly kind: string
  readonly list: "questions" | "urlParameters" | "scheduling" | "payments" | "own"
  /** Differences that the pipeline tolerates, and why. */
  readonly tolerated: string | undefined
}

/** A pipeline and a form, compiled: row → item or problems. Synchronous; made once a run. */
export interface Mapping {
  /** The columns that the mapping reads, sorted by name: a row's content is their cells. */
  readonly columns: ReadonlyArray<Column>
  readonly answers: ReadonlyArray<MappedAnswer>
  /** Digest over the normalised mapping: changes when the same cells could give another item. */
  readonly fingerprint: string
  /** Where row keys come from: the pipeline's key columns; or the rows' content, which the run turns into keys (`key` then gives undefined). */
  readonly keyed: "columns" | "content"
  /** The row key's text, or undefined when every key column is empty. Several columns are joined so that no two keys look alike. */
  readonly key: (cells: Cells) => string | undefined
  /** Whether the pipeline's `where` leaves the row out. */
  readonly filtered: (cells: Cells) => boolean
  /** All problems of a row, never only the first; or its item. */
  readonly map: (cells: Cells) => { readonly item: Item } | { readonly problems: ReadonlyArray<Problem> }
  /**
   * All problems of a row, as `map` gives them, without making its item; undefined when there are none.
   *
   * @param answered is filled, in the order of `answers`, with 1 for each that the row answers and 0 for the others
   */
  readonly check: (cells: Cells, answered: Uint8Array) => ReadonlyArray<Problem> | undefined
}
