import { commandLine } from "./shell.ts"

/** A finding about a configuration file. Lines and columns are counted from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning"
  readonly file: string
  readonly line: number
  readonly column: number
  /** The line of the file that the finding is about, without its line end. */
  readonly excerpt: string
  /** A sentence that says what is wrong. */
  readonly message: string
  /** A sentence that says what would be right: "Did you mean …?" */
  readonly suggestion?: string | undefined
  /** Replaces the message and the suggestion if cells of the source must not be shown. Undefined if neither of the two contains cells. */
  readonly withoutCells?: string
}

/** A place in a YAML document: member names and list indexes from the top. */
export type YamlPath = ReadonlyArray<string | number>

/** Returns a sentence that says how to see the values that `withoutCells` omits. */
export const toSeeValues = (pipeline: string): string => `To see the values, run: ${commandLine(["check", pipeline])}`

/** Returns a finding about a pipeline that contains cells. If they must not be shown, `what` and how to see them replace its sentences. */
export const withCells = (pipeline: string, finding: Diagnostic, what: string): Diagnostic => ({
  ...finding,
  withoutCells: `${what} ${toSeeValues(pipeline)}`,
})

/** Returns all findings of a check: about the project's files, then about its pipelines. */
export const allFindings = ({ diagnostics, pipelines }: {
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly pipelines: ReadonlyArray<{ readonly diagnostics: ReadonlyArray<Diagnostic> }>
}): ReadonlyArray<Diagnostic> => {
  const all = [...diagnostics, ...pipelines.flatMap((one) => one.diagnostics)]
  // The targets of a pipeline share its file and source.
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

/** Sorts findings about one file by their place. */
export const byPlace = (a: Diagnostic, b: Diagnostic): number => a.line - b.line || a.column - b.column

/** Sorts findings by file, then by their place in the file. */
export const byFile = (a: Diagnostic, b: Diagnostic): number =>
  a.file === b.file ? byPlace(a, b) : a.file < b.file ? -1 : 1
