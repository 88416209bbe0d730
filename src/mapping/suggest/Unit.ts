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
