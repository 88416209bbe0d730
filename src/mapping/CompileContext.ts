import type { YamlPath } from "../domain/diagnostic.ts"
import type { Element, Form, Option, Question } from "../domain/form.ts"
import type { Column } from "../domain/row.ts"
import type { Translation } from "../kinds/Kind.ts"
import type { MappingConfig, MappingEntry } from "../project/Pipeline.ts"
import type { CellUses } from "./CellUses.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import type { Findings } from "./Findings.ts"
import type { MappedAnswer } from "./Mapping.ts"
import type { Read } from "./readers.ts"

/** A redirect of texts from one question's cells to another question (`textTo`). */
export interface TextRedirect {
  readonly to: Question
  /** The question whose cells contain the texts. */
  readonly from: Element
  readonly path: YamlPath
  /** The texts of the current row. */
  readonly texts: Array<string>
}

/** All redirects of a mapping. */
export interface TextRedirects {
  /** Adds the redirect to a question, by its name or id. An unknown question, or one that another question fills, becomes an error. */
  readonly open: (textTo: string, from: Element, path: YamlPath) => TextRedirect | undefined
  readonly from: (element: Element) => ReadonlyArray<TextRedirect>
}

/**
 * Set if the source is a rejected.csv that a person fixed. Its cells may also be written as in JSON and ISO 8601. `typed`: the pipeline's
 * own source has typed cells (a workbook), which the file contains as such texts. `text`: the source only has texts.
 */
export type Fixed = "text" | "typed" | undefined

/** What compiling an entry needs to know about the pipeline, the form and the source. */
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

/** An entry of a mapping, with the question or element that it fills. */
export interface AnswerEntries {
  readonly answer: MappedAnswer
  /** Several if each is only for some rows. None if the entry of a different answer produces it. */
  readonly entries: ReadonlyArray<MappingEntry>
  /** The form's options, which decide what a choice is sent as. */
  readonly options: ReadonlyArray<Option> | undefined
}

/** An entry, ready to read rows. */
export interface CompiledEntry {
  readonly read: Read
  /** The columns that it reads. */
  readonly columns: ReadonlyArray<Column>
  /** Whether a value may come from a cell, not only from constants. */
  readonly fromCells: boolean
  /** The cells for which something else is sent. */
  readonly translations?: ReadonlyArray<Translation> | undefined
}

/** An answer with its place in the item, ready to read rows. */
export interface CompiledAnswer extends AnswerEntries, CompiledEntry {}

/** An answer before all is known of it: whether its differences are tolerated, for example. */
export type AnswerDraft = Omit<CompiledAnswer, "answer"> & {
  readonly answer: Pick<MappedAnswer, "id" | "name" | "kind" | "list">
}
