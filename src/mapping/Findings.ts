import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import type { OptionFault } from "../kinds/Kind.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { Document } from "../project/errors.ts"
import { suggest } from "../project/suggestion.ts"

/** Takes a finding about what stands at a path; `at`: about the key there, not its value. */
export type Note = (path: YamlPath, message: string, suggestion?: string | undefined, at?: "key" | "value") => void

/** Everything that is found wrong while a mapping is compiled, so that people see all of it at once. */
export interface Findings {
  readonly error: Note
  readonly warning: Note
  /** Faults of a kind's options, under the entry at `path`; `place` tells where an option stands that is not the entry's own. */
  readonly faults: (
    path: YamlPath,
    faults: ReadonlyArray<OptionFault>,
    place?: (fault: OptionFault) => YamlPath | undefined,
  ) => void
  readonly errors: ReadonlyArray<Diagnostic>
  readonly warnings: ReadonlyArray<Diagnostic>
}

/** Collects findings about a pipeline's file, each at its place. */
export const findingsIn = (document: Document): Findings => {
  const errors: Array<Diagnostic> = []
  const warnings: Array<Diagnostic> = []
  const note =
    (list: Array<Diagnostic>, severity: Diagnostic["severity"]) =>
    (path: YamlPath, message: string, suggestion?: string | undefined, at?: "key" | "value") => {
      const found = diagnosticAt(document, severity, path, message, suggestion, at)
      // A default that is wrong is wrong for many entries: that is one mistake.
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
        // Names of options and rows are keys of `from`.
        const at = option === "from" && member !== undefined ? "key" : undefined
        error(place?.(fault) ?? own, message, nearest ?? suggestion, at)
      }
    },
    errors,
    warnings,
  }
}
