import type { Question } from "../domain/form.ts"
import type { Column, ColumnBlock } from "../domain/row.ts"
import type { MetaColumn } from "../formtools/FormTool.ts"
import type { ProfiledColumn } from "../profile/ColumnProfile.ts"
import type { Meaning } from "./meaning.ts"

/** What the columns of a block contain. `places`: each contains the option of one rank. */
export type BlockContent = "ticks" | "ranks" | "places" | "labels" | "empty"

/** Columns that a source spreads over the options or rows of one question. */
export interface Block {
  readonly _tag: "Block"
  readonly title: string
  /** Whether the source's format names it, so that `from: { block: … }` finds it. */
  readonly known: boolean
  readonly content: BlockContent
  readonly columns: ReadonlyArray<BlockColumn>
  /** Those of the columns that are for an option or a row. */
  readonly options: ReadonlyArray<BlockColumn>
}

export interface BlockColumn extends ProfiledColumn {
  readonly option: string
  /** The code that the source uses for this option or row, if its text comes from the form tool's own definition. */
  readonly code?: string | undefined
  readonly role: ColumnBlock["columns"][number]["role"]
}

export interface ToolHints {
  readonly title: string
  readonly meta: ReadonlyArray<MetaColumn>
  /** By position: the question's title. */
  readonly labels: ReadonlyArray<string>
  readonly defaultRowKey: ReadonlyArray<string> | undefined
}

export type Origin =
  | ({ readonly _tag: "Column" } & ProfiledColumn)
  | Block
  /** Several columns, such as first and last name. Each has a `part` if they contain the parts of an answer, such as an address. */
  | {
    readonly _tag: "Joined"
    readonly columns: ReadonlyArray<ProfiledColumn & { readonly part?: string | undefined }>
  }

/** A possible source of answers to one question. */
export type Unit = Exclude<Origin, { readonly _tag: "Joined" }> & { readonly meaning: Meaning }

export interface Suggestion {
  readonly question: Question
  readonly origin: Origin
  /** How probable it is that the origin answers the question, 0 to 1. */
  readonly confidence: number
  readonly because: ReadonlyArray<string>
}

/** The lowest confidence of a column that would fit a question. */
export const wouldFit = 0.3

export interface OwnColumn extends ProfiledColumn {
  /** The reason: it is the tool's own column, or its name fits. */
  readonly because: string
  /** Formats and zone of a time, if the tool is known to use them. */
  readonly format?: ReadonlyArray<string> | undefined
  readonly zone?: string | undefined
}

/** Whether an origin's columns contain the parts of an answer. */
export const hasParts = (origin: Origin): boolean =>
  origin._tag === "Joined" && origin.columns.every(({ part }) => part !== undefined)

/** Returns the title of a column as respondents read it, if the form tool's definition has one. */
export const labelledTitle = ({ labels }: Pick<ProfiledColumn, "labels">): string | undefined =>
  labels?.part === undefined || labels.title === ""
    ? labels?.title || undefined
    : `${labels.title} - ${labels.part.label}`

export const profiledOf = (origin: Origin): ReadonlyArray<ProfiledColumn> =>
  origin._tag === "Column" ? [origin] : origin.columns

/** Returns the columns that an entry for an origin reads. If the source does not name the block, the entry lists its options. */
export const columnsOf = (origin: Origin): ReadonlyArray<Column> =>
  (origin._tag === "Block" && !origin.known ? origin.options : profiledOf(origin)).map(({ column }) => column)

/** Returns the codes that stand for options in a suggestion's cells, or in the names of a block's columns, with their labels. */
export const codesOf = ({ origin, question }: Pick<Suggestion, "origin" | "question">): ReadonlyMap<string, string> => {
  const options = origin._tag === "Block" ? origin.options : []
  const own: ReadonlyArray<ProfiledColumn> = origin._tag === "Column" ? [origin] : options
  const inCells = new Map(own.flatMap(({ coded, labels }) => coded === undefined ? [] : [...labels?.options ?? []]))
  // If the cells contain the options, the columns' names are rows of a grid, or ranks.
  return inCells.size > 0 || origin._tag !== "Block" || !origin.known || question.type === "Matrix"
    ? inCells
    : new Map(options.flatMap(({ code, option }) => code === undefined ? [] : [[code, option] as const]))
}
