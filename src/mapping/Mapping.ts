import type { ColumnUse } from "../domain/cells.ts"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { Item } from "../domain/item.ts"
import type { Json } from "../domain/json.ts"
import type { Problem } from "../domain/problem.ts"
import type { RunReport } from "../domain/report.ts"
import type { Cells, Column } from "../domain/row.ts"
import type { Translation } from "../kinds/Kind.ts"
import type { ComparedAnswer } from "../kinds/submission.ts"

/** A question or other member of an item that the pipeline fills. */
export interface MappedAnswer extends ComparedAnswer {
  /** Why the pipeline tolerates differences. Undefined if it doesn't. */
  readonly tolerated: string | undefined
  /** The columns from which the answer is read. For a stamp with the row key, those of the key. For other stamps and constants, none. */
  readonly columns: ReadonlyArray<Column>
  /** The cells for which a different text is sent, each with its answer. Those that the pipeline translates come first, then labels of options. */
  readonly translations: ReadonlyArray<Translation>
}

/** An answer of a row, for a person to look at. */
export interface ExplainedAnswer {
  readonly answer: MappedAnswer
  /** The columns from which the answer is read. Empty for a constant. */
  readonly columns: ReadonlyArray<Column>
  readonly value: Json | undefined
  /** The answer's problems. Those that omit only this answer are marked `dropped`. */
  readonly problems: ReadonlyArray<Problem>
}

/** An answer that must differ from row to row (`unique`). */
export interface UniqueAnswer {
  readonly id: string
  /** Returns the answer as text. Equal answers have equal texts. Undefined if there is no answer. */
  readonly value: (cells: Cells) => string | undefined
  /** Returns the problem with a row that has the same answer as row `before`. */
  readonly problem: (value: string, before: number) => Problem
}

/** A row's item and the problems with its dropped answers (`onInvalid: drop`), or all problems for which the row is rejected. */
type MappedRow =
  | { readonly item: Item; readonly dropped?: ReadonlyArray<Problem> }
  | { readonly problems: ReadonlyArray<Problem> }

/** A cell that equals a text of a condition apart from case, spaces and the notation of a number. So it is not the same. */
export interface NearCell {
  readonly path: YamlPath
  readonly column: Column
  readonly cell: string
  readonly text: string
  /** Whether rows with this cell are skipped because of it. */
  readonly skips: boolean
}

/** What a condition has not found in the rows so far. Only rows that meet the conditions before it are compared with it. */
export interface UnmetCondition {
  readonly path: YamlPath
  readonly column: Column
  /** How often a row was compared. */
  readonly compared: number
  /** Whether any row met it. */
  readonly isMet: boolean
  /** The texts that no cell equals, although a cell must be one of them to meet the condition. */
  readonly unmet: ReadonlyArray<string>
  /** Different cells that equal none of its texts. */
  readonly others: ReadonlyArray<string>
}

/** A pipeline compiled for a form. Turns rows into items or problems. Synchronous, and made once in a run. */
export interface Mapping {
  /** The columns that the mapping reads, sorted by name. A row's content consists of their cells. */
  readonly columns: ReadonlyArray<Column>
  readonly answers: ReadonlyArray<MappedAnswer>
  /** The URL parameters that carry the run's id and the pipeline's name. They are omitted when items of several runs are compared. */
  readonly origin: ReadonlySet<string>
  /** The questions that get no answer, either on purpose or because nothing is mapped to them. */
  readonly unanswered: NonNullable<RunReport["unanswered"]>
  /** How each of the source's own columns is used, in their order. */
  readonly columnUses: ReadonlyArray<ColumnUse>
  /** How the last call of `map` used the row's cells, by position: not at all (0), dropped (1), sent in part (2), sent (3). */
  readonly cellUses: Uint8Array
  /** The digest of the normalised mapping. It changes if the same cells could produce a different item. */
  readonly fingerprint: string
  /** How row keys are made: from the pipeline's key columns, or from the rows' content. For content, `key` returns undefined, and the run makes the keys. */
  readonly keyed: "columns" | "content"
  /** Returns the row key's text. Undefined if every key column is empty. Several columns are joined so that different keys have different texts. */
  readonly key: (cells: Cells) => string | undefined
  /** Returns a `key` function for different columns and different empty cells, to make keys as in earlier runs. */
  readonly keyBy: (columns: ReadonlyArray<Column>, empty: ReadonlySet<string>) => (cells: Cells) => string | undefined
  /** Whether the pipeline's `where` skips the row. If a cell can't be compared, the row is not skipped and has a problem. */
  readonly filtered: (cells: Cells) => boolean
  /** Returns the cells so far that `where` does not count as one of its texts, although only case, spaces or the notation of a number differ. */
  readonly nearConditions: () => ReadonlyArray<NearCell>
  /** Returns what each condition of `where` has not found so far. */
  readonly unmetConditions: () => ReadonlyArray<UnmetCondition>
  /**
   * Returns the row's item, or all of its problems.
   *
   * @param key the row's key, which a stamp includes in the item
   * @param run the id of the run that sends the item, which stamps include with the pipeline's name; without it, the item is the same in every run
   */
  readonly map: (cells: Cells, key?: string, run?: string) => MappedRow
  /**
   * Returns all problems of a row, like `map`, but without making its item. Returns undefined if the row has none.
   *
   * @param answered is filled in the order of `answers`, with 1 for each answer that the row has and 0 otherwise
   * @param dropped receives the problems of answers that are omitted from a valid row
   */
  readonly check: (cells: Cells, answered: Uint8Array, dropped?: Array<Problem>) => ReadonlyArray<Problem> | undefined
  /** The answers that must differ from row to row. The run compares them, because it reads all rows. */
  readonly uniques: ReadonlyArray<UniqueAnswer>
  /** Returns every answer of a row with its columns, value and problems, in the order of `answers`. Also returns the problems that don't belong to an answer. */
  readonly explain: (cells: Cells, key?: string) => {
    readonly answers: ReadonlyArray<ExplainedAnswer>
    readonly problems: ReadonlyArray<Problem>
  }
}
