import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import type { Form } from "../domain/form.ts"
import type { Column } from "../domain/row.ts"
import type { OptionFault } from "../kinds/Kind.ts"
import { diagnosticAt } from "../project/errors.ts"
import type { MappingConfig } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import type { Document } from "../project/yamlText.ts"
import type { CellUses } from "./CellUses.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import type { Filled } from "./fingerprint.ts"
import type { MappedAnswer } from "./Mapping.ts"
import type { Read } from "./readers.ts"
import type { TextRedirects } from "./textRedirects.ts"

/** Adds a finding about the value at a path, or about the key. */
export type Note = (path: YamlPath, message: string, suggestion?: string | undefined, at?: "key" | "value") => void

/** All that is wrong with a pipeline, so that it shows at once. */
export interface Findings {
  readonly error: Note
  readonly warning: Note
  /** Adds faults of a kind's options, under the entry at `path`. `place` returns where an option is that is not the entry's own. */
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
      // A wrong default concerns many entries, and is one mistake.
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

/**
 * Set if the source is a rejected.csv that a person fixed, whose cells may also be written as JSON and ISO 8601 write them. `typed`: the pipeline's
 * own source has typed cells (a workbook), which the file holds as such texts. `text`: it has texts only.
 */
export type Fixed = "text" | "typed" | undefined

/** What compiling an entry needs to know of the pipeline, the form and the source. */
export interface CompileContext {
  readonly findings: Findings
  readonly columns: ColumnBook
  /** Cells that mean "no answer", without the empty text. */
  readonly empty: ReadonlySet<string>
  readonly defaults: MappingConfig["defaults"]
  readonly form: Pick<Form, "questions">
  readonly redirects: TextRedirects
  readonly fixed: Fixed
  /** How answers use a row's cells. */
  readonly uses: CellUses
}

/** An entry, ready to read rows. */
export interface CompiledEntry {
  readonly read: Read
  /** The columns that it reads. */
  readonly columns: ReadonlyArray<Column>
  /** Whether a value may come from a cell, not from constants alone. */
  readonly fromCells: boolean
}

/** An answer with its place in the item, ready to read rows. */
export interface CompiledAnswer extends Filled, CompiledEntry {}

/** An answer before it is known whether its differences are tolerated. */
export type Placed = Omit<CompiledAnswer, "answer"> & { readonly answer: Omit<MappedAnswer, "tolerated"> }
