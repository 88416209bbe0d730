import { commandLine } from "./shell.ts"

/** A finding about a configuration file. Line and column count from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning"
  readonly file: string
  readonly line: number
  readonly column: number
  /** The line of the file that it points at, without its line end. */
  readonly excerpt: string
  /** What is wrong, as a sentence. */
  readonly message: string
  /** What would be right, as a sentence: "Did you mean …?" */
  readonly suggestion?: string | undefined
  /** Replaces message and suggestion where cells of the source must not be shown. Undefined if they contain none. */
  readonly withoutCells?: string
}

/** A place in a YAML document: member names and list indexes from the top. */
export type YamlPath = ReadonlyArray<string | number>

/** Says how to see the values that `withoutCells` omits. */
export const toSeeValues = (pipeline: string): string => `To see the values, run: ${commandLine(["check", pipeline])}`
