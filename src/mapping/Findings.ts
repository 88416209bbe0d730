import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import type { OptionFault } from "../kinds/Kind.ts"
import { diagnosticAt, type Document } from "../project/errors.ts"
import { suggest } from "../project/suggestion.ts"

/** Adds a finding about the value or the key at a path. */
export type Note = (path: YamlPath, message: string, suggestion?: string | undefined, at?: "key" | "value") => void

/** All mistakes in a pipeline, so that they are reported together. */
export interface Findings {
  readonly error: Note
  readonly warning: Note
  /** Adds faults in a kind's options, under the entry at `path`. `place` returns the place of an option that is not in the entry itself. */
  readonly faults: (
    path: YamlPath,
    faults: ReadonlyArray<OptionFault>,
    place?: (fault: OptionFault) => YamlPath | undefined,
  ) => void
  readonly errors: ReadonlyArray<Diagnostic>
  readonly warnings: ReadonlyArray<Diagnostic>
}

/** Makes an empty list of findings about a pipeline's file. */
export const findingsIn = (document: Document): Findings => {
  const errors: Array<Diagnostic> = []
  const warnings: Array<Diagnostic> = []
  const note =
    (list: Array<Diagnostic>, severity: Diagnostic["severity"]) =>
    (path: YamlPath, message: string, suggestion?: string | undefined, at?: "key" | "value") => {
      const found = diagnosticAt(document, severity, path, message, suggestion, at)
      // A wrong default affects many entries, but is reported once.
      if (list.some((one) => one.line === found.line && one.column === found.column && one.message === message)) return
      list.push(found)
    }
  const error = note(errors, "error")
  return {
    error,
    warning: note(warnings, "warning"),
    faults: (path, faults, place) => {
      for (const fault of faults) {
        const { option, member, message, suggestion, unknown } = fault
        const nearest = unknown === undefined ? undefined : suggest(unknown.name, unknown.among, "There are")
        const own = [...path, ...(option === undefined ? [] : [option]), ...(member === undefined ? [] : [member])]
        // The names of options and rows are keys of `from`.
        const at = option === "from" && member !== undefined ? "key" : undefined
        error(place?.(fault) ?? own, message, nearest ?? suggestion, at)
      }
    },
    errors,
    warnings,
  }
}
