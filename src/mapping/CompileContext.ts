import type { YamlPath } from "../domain/diagnostic.ts"
import type { Element, Form, Option, Question } from "../domain/form.ts"
import type { Column } from "../domain/row.ts"
import type { Translation } from "../kinds/Kind.ts"
import type { ComparedAnswer } from "../kinds/submission.ts"
import type { MappingConfig, MappingEntry } from "../project/Pipeline.ts"
import type { CellUses } from "./CellUses.ts"
import type { ColumnBook } from "./ColumnBook.ts"
import type { Findings } from "./Findings.ts"
import type { MappedAnswer } from "./Mapping.ts"
import type { Read } from "./readers.ts"

/** A redirect (`textTo`) of texts from one question's cells to a different question. */
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
  /** Adds a redirect to the question with this name or id. Adds an error if the question is unknown, or already gets texts from the cells of a different question. */
  readonly open: (textTo: string, from: Element, path: YamlPath) => TextRedirect | undefined
  readonly from: (element: Element) => ReadonlyArray<TextRedirect>
  /** Starts a row: removes the texts of the row before. */
  readonly start: () => void
}

/**
 * How the source's texts are read if the source is a rejected.csv that a person fixed. Its cells may also use the notations of JSON and ISO 8601.
 * `typed`: the pipeline's own source has typed cells (a workbook), which the file contains in these notations. `text`: the source has only texts.
 */
export type Fixed = "text" | "typed" | undefined

/** What compiling an entry needs to know about the pipeline, the form and the source. */
export interface CompileContext {
  readonly findings: Findings
  readonly columns: ColumnBook
  /** The texts that mean "no answer", apart from the empty text. */
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
  /** The entries for the answer. There are several if each applies to certain rows, and none if the entry for a different answer produces this one. */
  readonly entries: ReadonlyArray<MappingEntry>
  /** The form's options, which determine what is sent for a choice. */
  readonly options: ReadonlyArray<Option> | undefined
}

/** An entry, ready to read rows. */
export interface CompiledEntry {
  readonly read: Read
  /** The columns that the entry reads. */
  readonly columns: ReadonlyArray<Column>
  /** Whether a value may come from a cell, not only from a constant. */
  readonly fromCells: boolean
  /** The cells for which a different text is sent. */
  readonly translations?: ReadonlyArray<Translation> | undefined
}

/** An answer with its place in the item, ready to read rows. */
export interface CompiledAnswer extends AnswerEntries, CompiledEntry {
  /** Reads the answer if it must be unique. Undefined if none of the entries has `unique`. */
  readonly unique: Pick<CompiledEntry, "read" | "columns"> | undefined
}

/** An answer that is not complete yet, because it is not known, for example, whether its differences are tolerated. */
export type AnswerDraft = Omit<CompiledAnswer, "answer"> & {
  readonly answer: ComparedAnswer
}
