/** A row of a run that was not sent. */
export interface RejectedRow {
  /** Its place in the file, counting from 0. */
  readonly index: number
  /** Its number in the source. */
  readonly row: string
  readonly key: string
  /** The columns that cause its problems. */
  readonly wrong: ReadonlyArray<string>
  /** A sentence about each problem. */
  readonly message: string
  readonly cells: ReadonlyArray<string>
  /** Cells beyond the source's header. They are removed when another cell is fixed. */
  readonly beyond: ReadonlyArray<string>
}
