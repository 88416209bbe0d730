/** The few texts that each database has in its own words. All other SQL is the same for every database. */
export interface Dialect {
  /**
   * Finds rows by their keys. `?1`: the key digests, one after another; `?2`: the place; `?3`: how many keys. Returns one JSON text: for each row that
   * was found, a list of its key's index and the values of `stored` (row.ts).
   */
  readonly findRows: string
  /**
   * Reads the rows of a place that were first sent after a row. `?1`: that row's id; `?2`: the place; `?3`: how many ids to look at. Returns one JSON
   * text with a list of five lists or texts, in the order of ids: ids, keys, contents (hexadecimal, as one text), whether each row is imported (as
   * one text of 0 and 1), and shapes. `isImported` is the condition for that.
   */
  readonly nextRows: (isImported: string) => string
  /** The least number of ids that `nextRows` looks at, because each answer of a remote database takes time. */
  readonly rowsAtOnce: number
  /** Ends a SELECT whose row must not change before this transaction ends. */
  readonly forUpdate: string
  /** Whether texts may contain the character NUL. Earlier builds wrote it. */
  readonly mayHaveNul: boolean
  /** Returns a statement that lets numbers of new rows continue after those of a table's rows. Undefined: they always do. */
  readonly continueNumbers: (table: string) => string | undefined
}
