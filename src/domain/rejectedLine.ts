/** The columns that rejected.csv adds after the source's own. */
export const addedColumns = ["_id", "_row", "_key", "_code", "_column", "_message"] as const

/** A line of a run's rejected.csv. */
export interface RejectedLine {
  /** Identifies its row in its file, even after someone has sorted the lines. */
  readonly name: string
  /** The row's number in the source. */
  readonly row: string
  readonly key: string
  /** The columns that cause its problems. */
  readonly wrong: ReadonlyArray<string>
  /** A sentence about each problem. */
  readonly message: string
  readonly cells: ReadonlyArray<string>
  /** Cells beyond the source's header. They are removed when another cell is fixed. */
  readonly beyond: ReadonlyArray<string>
  /** Whether it could not be read properly, so that all of its cells may be wrong. */
  readonly isUnread: boolean
  /** Whether it was sent later, or a fixed row that replaces it. */
  readonly isSent: boolean
}

/** The rejected rows of a run, as a person has fixed them. */
export interface RejectedRows {
  /** The titles of the source's columns. */
  readonly columns: ReadonlyArray<string>
  /** The number of all rejected rows. */
  readonly total: number
  /** The first of them. */
  readonly rows: ReadonlyArray<RejectedLine>
  /** Whether a person has fixed any. */
  readonly isFixed: boolean
  /** Why the rows can't be fixed and sent, as a sentence. Undefined if they can. */
  readonly unfixable: string | undefined
  /** The digest of the file that contains them. */
  readonly version: string
}
