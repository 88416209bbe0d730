/** What a cell most likely is, if it is not just text. */
export const shapes = ["email", "url", "phone", "number", "boolean", "date", "dateTime", "time", "json"] as const
export type Shape = (typeof shapes)[number]

/** The traps in cells. */
export type CellTrap =
  | "excel-date"
  | "scientific"
  | "rounded-digits"
  | "spaces"
  | "excel-error"
  | "guarded"
  | "garbled"
  | "cut-off"
  | "placeholder"
  | "wrapped"
  | "no-answer"
  | "markup"
  | "escaped"
  | "invisible"

/** A property of a column that may make its answers wrong. */
export interface Trap {
  readonly code:
    | CellTrap
    | "repeated-title"
    | "empty-title"
    | "empty-below"
    | "lost-zeros"
    | "two-date-orders"
    | "open-date-order"
    | "mixed-kinds"
  /** The number of cells that have this property. 0 if the title has it. */
  readonly count: number
  /** A sentence for people that says what was found and what to do. */
  readonly message: string
  /** A few of the cells, shortened. */
  readonly examples: ReadonlyArray<string>
}

/** A column, with what its cells reveal about it. */
export interface InspectedColumn {
  /** The column's position, counting from 1. */
  readonly position: number
  readonly title: string
  /** The column's name in a pipeline. Undefined if it needs a name under `source.columns`. */
  readonly name: string | undefined
  /** The question as respondents read it, if it differs from the title. */
  readonly label: string | undefined
  /** Whether the label comes from the form tool's own definition. */
  readonly described: boolean
  /** What the column means for the form tool, if it is not an answer. */
  readonly role: string | undefined
  /** The question that has several columns, and this column's option, row or rank in it. */
  readonly block: string | undefined
  readonly option: string | undefined
  readonly filled: number
  /** Filled cells as a share of the rows, 0 to 1. */
  readonly fill: number
  readonly kind: InferredKind
  /** Share of the filled cells that are of this kind. */
  readonly share: number
  readonly distinct: { readonly count: number; readonly exact: boolean }
  /** Whether no two filled cells are equal. Undefined if there are too many cells to find out. */
  readonly unique: boolean | undefined
  /** The most frequent cell texts, shortened. */
  readonly samples: ReadonlyArray<{
    readonly text: string
    readonly times: number
    /** The label of a code. */
    readonly label?: string | undefined
  }>
  readonly traps: ReadonlyArray<Trap>
}

/** The kind of most cells in a column. `empty`: the column has no filled cells. */
export type InferredKind = Shape | "empty" | "text" | "choice" | "choices"
