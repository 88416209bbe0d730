import type { Element, Form, Question } from "../../domain/form.ts"
import type { Column, ColumnBlock } from "../../domain/row.ts"
import type { ColumnProfile } from "./ColumnProfile.ts"
import type { Meaning } from "./meaning.ts"

/** How the columns of a block hold their answers. */
export type BlockContent = "ticks" | "ranks" | "labels" | "empty"

/** Something of a source that may answer one question: a column, or the columns of a question that is spread over several. */
export type Unit =
  | { readonly _tag: "Column"; readonly column: Column; readonly profile: ColumnProfile; readonly meaning: Meaning }
  | {
    readonly _tag: "Block"
    /** Undefined where no header tells it. */
    readonly title: string | undefined
    /** Whether the source's format names it, so that `from: { block: … }` finds it. */
    readonly known: boolean
    readonly content: BlockContent
    readonly members: ReadonlyArray<BlockMember>
    readonly meaning: Meaning
  }

export type Block = Extract<Unit, { readonly _tag: "Block" }>

export interface BlockMember {
  readonly column: Column
  readonly profile: ColumnProfile
  /** The option's or row's text. */
  readonly option: string
  readonly role: ColumnBlock["columns"][number]["role"]
}

/** What is known of the form tool that wrote a source, as far as suggestions use it. */
export interface ToolHints {
  /** As people write it. */
  readonly title: string
  /** The tool's own columns. */
  readonly meta: ReadonlyArray<{
    readonly position: number
    readonly role: string
    readonly format?: string | ReadonlyArray<string>
    readonly zone?: string
  }>
  /** By position: the question as people read it. */
  readonly labels: ReadonlyArray<string>
  /** Names of the columns that know a response again. */
  readonly defaultRowKey: ReadonlyArray<string> | undefined
}

/** Roles of columns that a respondent filled: they may answer a question too. */
const answers: ReadonlySet<string> = new Set(["email", "name", "url"])

/** Whether a column may answer a question: the tool's own times, ids and addresses may not. */
export const mayAnswer = (tool: ToolHints | undefined, position: number): boolean => {
  const own = tool?.meta.find((column) => column.position === position)
  return own === undefined || answers.has(own.role)
}

/** Where an answer may come from. */
export type Origin =
  | { readonly _tag: "Column"; readonly column: Column; readonly profile: ColumnProfile }
  | { readonly _tag: "Block"; readonly block: Block }
  /** Several columns joined, such as first and last name. */
  | {
    readonly _tag: "Joined"
    readonly columns: ReadonlyArray<{ readonly column: Column; readonly profile: ColumnProfile }>
  }
  /** Parts of an address. */
  | {
    readonly _tag: "Parts"
    readonly parts: ReadonlyArray<{ readonly part: string; readonly column: Column; readonly profile: ColumnProfile }>
  }

/** A question and where its answers come from, sure enough to be written down. */
export interface Suggestion {
  readonly question: Question
  readonly origin: Origin
  /** 0 to 1. */
  readonly confidence: number
}

/** A question that is left to a person, with what may answer it, the likeliest first. */
export interface OpenQuestion {
  readonly question: Question
  readonly why: "nothing-fits" | "unsure" | "several-fit"
  readonly candidates: ReadonlyArray<{ readonly origin: Origin; readonly confidence: number }>
}

/** What a question that is left open would be, where its first candidate has something for it. */
export const likelyOf = ({ candidates, question }: OpenQuestion): Suggestion | undefined => {
  const [best] = candidates
  return best === undefined || best.confidence < 0.3 ? undefined : { ...best, question }
}

/** A column that gives a time, the login or a URL parameter. */
export interface OwnColumn {
  readonly column: Column
  readonly profile: ColumnProfile
  /** Why: the tool's own column, or what its name says. */
  readonly because: string
  /** Formats and zone of a time, where the tool tells them. */
  readonly format?: ReadonlyArray<string>
  readonly zone?: string
}

/** What fits a source and a form together. */
export interface Suggestions {
  readonly form: Form
  /** The form tool that the source comes from. */
  readonly tool: string | undefined
  /** In the form's order. */
  readonly accepted: ReadonlyArray<Suggestion>
  readonly open: ReadonlyArray<OpenQuestion>
  readonly urlParameters: ReadonlyArray<{ readonly element: Element; readonly from: OwnColumn }>
  readonly submissionTime: OwnColumn | undefined
  readonly lastUpdatedAt: OwnColumn | undefined
  readonly login: OwnColumn | undefined
  readonly rowKey: RowKeySuggestion
  /** The tool's own columns that say nothing about an answer. */
  readonly left: ReadonlyArray<Column>
  /** Columns that nothing takes. */
  readonly unmapped: ReadonlyArray<Column>
  /** Questions that the source spreads over several columns, taken or not. */
  readonly blocks: ReadonlyArray<Block>
}

export interface RowKeySuggestion {
  /** Names of the columns that are known to be, or look like, a record's id; none: it is left open. */
  readonly names: ReadonlyArray<string>
  readonly because: string
  /** Others that no two rows share, the likeliest first. */
  readonly candidates: ReadonlyArray<Column>
}

/** Columns of an origin. */
export const columnsOf = (origin: Origin): ReadonlyArray<Column> => {
  switch (origin._tag) {
    case "Column":
      return [origin.column]
    case "Block":
      // Of a block that the source does not name, an entry lists the options.
      return origin.block.members.filter(({ role }) => role === "option" || origin.block.known).map(({ column }) =>
        column
      )
    case "Joined":
      return origin.columns.map(({ column }) => column)
    case "Parts":
      return origin.parts.map(({ column }) => column)
  }
}

/** Names for people of the columns that nothing takes: those of one question together, by its title. */
export const unmappedNames = (
  { blocks, unmapped }: Pick<Suggestions, "blocks" | "unmapped">,
): ReadonlyArray<string> => {
  const free = new Set(unmapped.map(({ position }) => position))
  const told = new Set<number>()
  return unmapped.flatMap(({ name, position, title }) => {
    if (told.has(position)) return []
    const block = blocks.find(({ members, title }) =>
      title !== undefined && members.some(({ column }) => column.position === position)
      && members.every(({ column }) => free.has(column.position))
    )
    for (const { column } of block?.members ?? []) told.add(column.position)
    return block?.title === undefined
      ? [name ?? (title.trim() === "" ? `column ${position + 1}` : `${title.trim()} (column ${position + 1})`)]
      : [`${block.title.trim()} (a block of ${block.members.length} columns)`]
  })
}
