import type { Element, Form, Question } from "../domain/form.ts"
import type { OwnMember } from "../domain/item.ts"
import { type Column, type ColumnBlock, shownName } from "../domain/row.ts"
import { counted } from "../domain/words.ts"
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

export interface SuggestedQuestion {
  readonly question: Question
  readonly accepted: Suggestion | undefined
  /** Only the accepted suggestion, otherwise all possible ones, the likeliest first. */
  readonly candidates: ReadonlyArray<Suggestion>
}

export interface OwnColumn extends ProfiledColumn {
  /** The reason: it is the tool's own column, or its name fits. */
  readonly because: string
  /** Formats and zone of a time, if the tool is known to use them. */
  readonly format?: ReadonlyArray<string> | undefined
  readonly zone?: string | undefined
}

export interface Suggestions extends Readonly<Record<OwnMember, OwnColumn | undefined>> {
  readonly form: Form
  readonly tool: string | undefined
  readonly questions: ReadonlyArray<SuggestedQuestion>
  readonly urlParameters: ReadonlyArray<{ readonly element: Element; readonly from: OwnColumn }>
  readonly rowKey: RowKeySuggestion
  /** The tool's own columns, which contain no answers. */
  readonly left: ReadonlyArray<Column>
  readonly unmapped: ReadonlyArray<Column>
  /** Questions that the source spreads over several columns. */
  readonly blocks: ReadonlyArray<Block>
}

export interface RowKeySuggestion {
  /** Names of the columns that are, or look like, a record's id. Empty if there are none: the row key is then left to a person. */
  readonly names: ReadonlyArray<string>
  readonly because: string
  /** Other columns that may identify a row, because no cell was seen twice. The likeliest is first. */
  readonly candidates: ReadonlyArray<ProfiledColumn>
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

/** Returns names of the columns without a suggestion, for messages. Those of one question are named together, by its title. */
export const unmappedNames = ({ blocks, unmapped }: Suggestions): ReadonlyArray<string> => {
  const whole = blocks.filter(({ columns }) => columns.every(({ column }) => unmapped.includes(column)))
  const names = unmapped.map((column) => {
    const block = whole.find(({ columns }) => columns.some((one) => one.column === column))
    if (block !== undefined) return `${block.title.trim()} (a block of ${counted(block.columns.length, "column")})`
    return shownName(column)
  })
  return [...new Set(names)]
}
