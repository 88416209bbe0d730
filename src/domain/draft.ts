// What is known about a pipeline's text that is being edited. Positions of columns count from 1.
import type { CheckedData } from "./checkedData.ts"
import type { Diagnostic } from "./diagnostic.ts"
import type { FateCounts } from "./fate.ts"
import type { Question } from "./form.ts"
import type { InspectedColumn } from "./inspectedColumn.ts"
import type { OwnTime } from "./item.ts"
import type { Json } from "./json.ts"

/** The text of a pipeline's file. Its line ends are `\n`. */
export interface PipelineFile {
  readonly pipeline: string
  readonly text: string
  /** The file, from the project's folder. */
  readonly file: string
  /** The digest of the file's content. */
  readonly version: string
}

/** Columns that may answer a question. */
export interface Candidate {
  readonly columns: ReadonlyArray<number>
  /** Their names, or the title of their block. */
  readonly shown: string
  /** 0 to 1. */
  readonly confidence: number
  /** What the confidence is based on, in words. */
  readonly because: ReadonlyArray<string>
  /** A few of their cells. */
  readonly cells: ReadonlyArray<string>
}

/** A question, and the columns that may answer it. */
export interface SurveyedQuestion extends Question {
  readonly candidates: ReadonlyArray<Candidate>
}

export type SurveyedColumn = Omit<InspectedColumn, "described">

/** The source's columns, the form's questions, and what connects them. It doesn't depend on the draft's mapping. */
export interface ShownSurvey {
  /** The number of rows that were read, and whether these are all rows of the source. */
  readonly rows: number
  readonly isWhole: boolean
  /** When the source was last changed, in milliseconds since 1970. */
  readonly changedAt: number | undefined
  readonly warnings: ReadonlyArray<string>
  /** The form tool that wrote the source. */
  readonly tool: string | undefined
  readonly columns: ReadonlyArray<SurveyedColumn>
  readonly questions: ReadonlyArray<SurveyedQuestion>
  readonly rowKeys: ReadonlyArray<{ readonly columns: ReadonlyArray<string>; readonly because: string }>
}

/** What reading rows through a draft's mapping shows. */
export interface DraftCounts extends Omit<CheckedData, "accounts" | "known"> {
  /** Whether all rows of the source were read. */
  readonly isWhole: boolean
  /** The target for which the rows were counted, if the pipeline has several. */
  readonly to: string | undefined
  /** The number of rows with each fate in a dry run: `pending` rows would be sent. */
  readonly fates: FateCounts
  /** What the counts don't consider, as a sentence. */
  readonly note: string | undefined
}

/** What a draft says about a question. */
export interface QuestionState {
  readonly id: string
  /**
   * `redirected`: gets texts of a different question (`textTo`). `open`: a comment proposes an entry. `unanswered`: on purpose (`ignoreQuestions`).
   * `missing`: not mentioned.
   */
  readonly state: "mapped" | "redirected" | "open" | "unanswered" | "missing"
  /** The columns of a mapped question. */
  readonly from: ReadonlyArray<number>
  /** The columns' names, the block's title or the constant. If the question gets texts of a different one: that question's name. */
  readonly shown: string | undefined
  /** The kind of value, if the draft names one. */
  readonly as: string | undefined
  /** 0 to 1. Undefined if a person wrote or reviewed the entry. */
  readonly confidence: number | undefined
  readonly required: boolean
  /** What the entry itself sets for its kind, such as a date's `format`, or `values`: cells and their answers. */
  readonly options: { readonly [key: string]: Json }
  /** The entry's first line in the text, counting from 1. */
  readonly line: number | undefined
}

/** What is wrong and what is open in a draft. */
export interface DraftState {
  /** As in `check`, about this text and the project's file. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** Why the source, the form or the ledger can't be used. */
  readonly failures: ReadonlyArray<string>
  /** Empty if the text can't be read. */
  readonly questions: ReadonlyArray<QuestionState>
  /** Columns that the draft doesn't mention, so that their cells are not sent. */
  readonly unused: ReadonlyArray<number>
  /** The names of the columns that identify a row. `open`: a person must decide. */
  readonly rowKey: ReadonlyArray<string> | "content" | "open"
  readonly proposals: ReadonlyArray<{ readonly key: "empty" | "where"; readonly value: unknown }>
  readonly openTimes: ReadonlyArray<OwnTime>
}

/** A key of an entry that only a person can decide, such as a date's format. */
export interface Ask {
  readonly key: string
  readonly why: string
  /** Values to choose from, with what each reads from a few cells. If there are none, any text is accepted. */
  readonly choices: ReadonlyArray<{
    readonly value: string
    readonly samples: ReadonlyArray<{ readonly cell: string; readonly value?: unknown }>
  }>
}

/** The result of an edit. */
export interface Edited {
  /** The draft's new text. */
  readonly text: string
  /** What is open about the entry that was written, if one was. */
  readonly entry: {
    readonly kind: string | undefined
    /** What only a person can decide. The entry is a comment until the edit answers all of these. */
    readonly asks: ReadonlyArray<Ask>
    /** What is open but can't be settled by an answer. */
    readonly open: string | undefined
    /** Why the columns' cells don't fit the question. */
    readonly misfit: string | undefined
    /** Cells that are not options, and the name of the option that each most likely means. */
    readonly choices: ReadonlyArray<
      { readonly choice: string; readonly count: number; readonly likely: string | undefined }
    >
  } | undefined
}
