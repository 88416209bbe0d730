import type { DraftKey } from "../../project/PipelineDraft.ts"

/** How a column's cells are to be read as an answer. */
export interface Settings {
  /** The kind; undefined: the question's type decides, or it is text. */
  readonly kind: string | undefined
  readonly keys: ReadonlyArray<DraftKey>
  /** What the column does not decide, as a sentence; the entry is then left to a person. */
  readonly open: string | undefined
}

export const settled = (kind: string | undefined, ...keys: ReadonlyArray<DraftKey>): Settings => ({
  kind,
  keys,
  open: undefined,
})

export const one = (values: ReadonlyArray<string>): DraftKey["value"] => values.length === 1 ? values[0] ?? "" : values
