import type { ConditionsFile } from "./conditionSchema.ts"

/** A part that is an entry of its own: a constant, or columns with options of the part's kind. */
export interface PartFile {
  readonly from?: string | ReadonlyArray<string> | FirstOfFile
  readonly value?: string
  readonly template?: string
  readonly default?: string
  readonly extract?: string
  readonly [option: string]: unknown
}

export interface FirstOfFile {
  readonly firstOf: ReadonlyArray<string>
}

export interface PartsFile {
  readonly [part: string]: string | ReadonlyArray<string> | PartFile
}

/** Where cells come from, as a file says it. */
export type FromFile =
  | string
  | ReadonlyArray<string>
  | FirstOfFile
  | { readonly block: string }
  | { readonly ranks: PartsFile }
  | PartsFile

/** An entry of the mapping as a file says it. */
export interface EntryFile {
  readonly id?: string
  readonly name?: string
  readonly as?: string
  readonly from?: FromFile
  readonly value?: string
  readonly template?: string
  readonly required?: boolean
  readonly default?: string
  readonly extract?: string
  readonly when?: ConditionsFile
  readonly onInvalid?: "reject" | "drop"
  readonly unique?: boolean
  readonly [option: string]: unknown
}
