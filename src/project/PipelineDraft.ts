/** A value of a pipeline file that is about to be written. Texts stay the texts they are. */
export type DraftValue =
  | string
  | number
  | boolean
  | ReadonlyArray<DraftValue>
  | { readonly [key: string]: DraftValue }

export interface DraftKey {
  readonly key: string
  readonly value: DraftValue
  /** Behind the value, as a comment. */
  readonly note?: string | undefined
}

/** An entry of a list, or a member with keys of its own. */
export interface DraftEntry {
  /** What it fills: an id, or the name of a place such as `submissionTime`. Known again by it when the file is written to once more. */
  readonly of: string
  /** Above it, as comments. */
  readonly comments: ReadonlyArray<string>
  readonly keys: ReadonlyArray<DraftKey>
  /** Below it, as comments: what is to be filled in. */
  readonly below: ReadonlyArray<string>
  /** Whether it is left to a person: written as a comment. */
  readonly open: boolean
}

/** A pipeline file that is about to be written. */
export interface PipelineDraft {
  readonly name: string
  /** At the top, as comments. */
  readonly about: ReadonlyArray<string>
  readonly source: DraftEntry
  readonly questions: ReadonlyArray<DraftEntry>
  readonly urlParameters: ReadonlyArray<DraftEntry>
  /** `submissionTime`, `lastUpdatedAt`, `login`. */
  readonly own: ReadonlyArray<DraftEntry>
  /** Columns left behind, with the reason. */
  readonly ignore: { readonly columns: ReadonlyArray<string>; readonly why: string } | undefined
  /** At the end of the mapping, as comments. */
  readonly notes: ReadonlyArray<string>
  readonly service: string
  readonly form: string
}
