import type { Duration } from "effect"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { Schedule } from "./cron.ts"
import type { SourceFiles } from "./sourceFiles.ts"

/** A column as a pipeline names it, and where in the file. */
export interface ColumnName {
  readonly name: string
  readonly path: YamlPath
  /** The name is the key there, not the value. */
  readonly at?: "key"
}

/** One part of an answer that is made of several: a column, or an entry of its own. */
export interface PartEntry {
  readonly part: string
  readonly path: YamlPath
  readonly input: PartInput
  /** Options of the part's kind, decoded by its own Schema where the part's kind is known. */
  readonly options: Readonly<Record<string, unknown>>
  readonly extract?: string | undefined
  readonly default?: string | undefined
}

type PartInput = Extract<Input, { readonly _tag: "Columns" | "FirstOf" | "Value" | "Template" }>

/** Where the cells of an answer come from. */
export type Input =
  | { readonly _tag: "Columns"; readonly columns: ReadonlyArray<ColumnName> }
  /** Columns of which the first that is filled gives the answer; others that are filled must say the same. */
  | { readonly _tag: "FirstOf"; readonly columns: ReadonlyArray<ColumnName> }
  /** Parts of the kind; or options, options with their ranks (`ranks`), or rows, each with its column. */
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<PartEntry>; readonly ranks: boolean }
  /** All columns of a question that a form tool spreads over several, by the question's title. */
  | { readonly _tag: "Block"; readonly title: string; readonly path: YamlPath }
  /** A constant, as written. */
  | { readonly _tag: "Value"; readonly value: string }
  | { readonly _tag: "Template"; readonly template: string; readonly columns: ReadonlyArray<ColumnName> }

/** What a row's cell must be; everything that is said must hold. */
export interface Condition {
  readonly column: ColumnName
  /** Where what is asked of the column stands. */
  readonly path: YamlPath
  readonly is?: ReadonlyArray<string> | undefined
  readonly not?: ReadonlyArray<string> | undefined
  readonly atLeast?: string | undefined
  readonly atMost?: string | undefined
  readonly matches?: string | undefined
  readonly empty?: boolean | undefined
  /** How dates of the column are written, in luxon's letters. */
  readonly format?: string | undefined
}

/** One entry of the mapping: an answer, a URL parameter, a time, the login, a scheduling or payment field. */
export interface MappingEntry {
  /** Where the entry stands: the place to point at. */
  readonly path: YamlPath
  readonly id: string | undefined
  readonly name: string | undefined
  readonly input: Input
  /** The kind, where the pipeline names it; `dateTime` of the times, `email` of the login, `text` of a URL parameter that names none. */
  readonly as: string | undefined
  /** Options of the kind, decoded by the kind's own Schema, defaults not yet filled in; value sets are. */
  readonly options: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** What stands in for an empty cell, as text in the source's format. */
  readonly default: string | undefined
  /** A regular expression for the part of a cell that counts. */
  readonly extract: string | undefined
  /** The entry counts for rows for which all of these hold; empty: for every row. */
  readonly when: ReadonlyArray<Condition>
  readonly onInvalid: "reject" | "drop"
  /** No two rows of a source may give the same answer. */
  readonly unique: boolean
}

/** A name for a column that the header can't name. */
export interface ColumnAlias extends ColumnName {
  readonly column:
    | { readonly _tag: "Header"; readonly header: string; readonly nth: number; readonly of: number }
    /** 1 for the first column. */
    | { readonly _tag: "Position"; readonly position: number }
}

export interface SourceConfig {
  /** Paths are absolute. */
  readonly file: SourceFiles
  /** Which file of a zip archive. */
  readonly member?: string | undefined
  /** JSON pointer to the records of a JSON file. */
  readonly records?: string | undefined
  readonly format: string | undefined
  readonly encoding: string | undefined
  readonly delimiter: string | undefined
  /** Of delimited text: what encloses cells. Undefined: quotes, decided record by record. */
  readonly quoteChar?: '"' | "none" | undefined
  /** Of delimited text: whether records without their last cells are read; default `reject`. */
  readonly raggedRows?: "reject" | "pad" | undefined
  /** 1 for the first line or row. */
  readonly headerRow: number | undefined
  readonly sheet: string | number | undefined
  readonly range: string | undefined
  readonly rowKey: ReadonlyArray<ColumnName> | "content" | undefined
  /** The row key's columns in earlier runs, where they have other names now. */
  readonly previousRowKey?: ReadonlyArray<string> | undefined
  /** Cells that mean "no answer"; the empty one is always among them. */
  readonly empty: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ColumnAlias>
  /** Rows for which one of these does not hold are left out. */
  readonly where: ReadonlyArray<Condition>
  /** Whether imported rows that the source does not hold any more are counted and listed; default `report`. */
  readonly vanished?: "report" | "ignore" | undefined
  /** How long ago its newest file may have been changed last; undefined: nobody looks. */
  readonly maxAge?: Duration.Duration | undefined
}

export interface MappingConfig {
  /** Options by kind, for every entry and part of that kind. */
  readonly defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly questions: ReadonlyArray<MappingEntry>
  readonly urlParameters: ReadonlyArray<MappingEntry>
  readonly submissionTime: MappingEntry | undefined
  readonly lastUpdatedAt: MappingEntry | undefined
  readonly login: MappingEntry | undefined
  readonly scheduling: ReadonlyArray<MappingEntry>
  readonly payments: ReadonlyArray<MappingEntry>
  readonly ignore: ReadonlyArray<ColumnName>
  /** Questions, by name or id, that are left unanswered on purpose. */
  readonly ignoreQuestions: ReadonlyArray<{ readonly name: string; readonly path: YamlPath }>
  readonly unmapped: "error" | "warn" | "ignore"
}

/** A number of rows, or a share (0 to 1) that counts from `atLeast` rows on. */
export type StopLimit = { readonly rows: number } | { readonly share: number; readonly atLeast: number }

export interface SinkConfig {
  /** Where the rows go: one, or several by the names that `--to` chooses from. */
  readonly targets: ReadonlyArray<{
    /** Absent when the pipeline has a single `service` and `form`. */
    readonly target: string | undefined
    readonly service: string
    readonly form: string
    readonly path: YamlPath
  }>
  readonly alongside: ReadonlyArray<string>
  readonly batchSize: number
  readonly concurrency: number
  readonly retries: { readonly attempts: number; readonly base: Duration.Duration; readonly max: Duration.Duration }
  readonly inDoubt: "hold" | "resend"
  readonly onChange: "report" | "ignore" | "import-again"
  /** Rows of which no answer comes from a cell. */
  readonly blankRows: "reject" | "allow"
  /** Rows of the canary at most; 0: off. */
  readonly canary: number
  readonly stopWhen: Readonly<
    Record<"new" | "replaced" | "changed" | "invalid" | "refused" | "differing" | "inDoubt", StopLimit>
  >
  /** The URL parameter, by name, that carries the row key along. */
  readonly stamp: { readonly urlParameter: string; readonly path: YamlPath } | undefined
}

export interface ReconcileConfig {
  readonly visibleWithin: Duration.Duration
  /** How long a request of a process that has ended may still arrive. */
  readonly lateWithin: Duration.Duration
  readonly tolerate: ReadonlyArray<
    {
      readonly id: string | undefined
      readonly name: string | undefined
      readonly because: string
      readonly path: YamlPath
    }
  >
}

/** What an answer is expected to be: text as written, lists and members of it, null for no answer. */
export type Expected = string | null | ReadonlyArray<Expected> | { readonly [member: string]: Expected }

/** A test of the pipeline: a row, and what becomes of it. */
export interface Example {
  readonly path: YamlPath
  /** Cells by column. */
  readonly row: Readonly<Record<string, string | null>>
  /** Answers by name or id; or the codes of all problems. */
  readonly expected:
    | { readonly _tag: "Gives"; readonly answers: Readonly<Record<string, Expected>> }
    | { readonly _tag: "Fails"; readonly codes: ReadonlyArray<string> }
}

/** A pipeline file, decoded. */
export interface Pipeline {
  /** Its identity in the ledger. */
  readonly name: string
  readonly renamedFrom: string | undefined
  readonly source: SourceConfig
  readonly mapping: MappingConfig
  readonly sink: SinkConfig
  readonly reconcile: ReconcileConfig
  /** When it runs by itself; undefined: only when it is told to. */
  readonly schedule: Schedule | undefined
  readonly examples: ReadonlyArray<Example>
  /** Its file, to point at what a later step finds wrong. */
  readonly document: Document
}

/** A configuration file's text and positions. */
export interface Document {
  /** From the project's folder, with slashes: `pipelines/contacts.yaml`. */
  readonly file: string
  /** The place of a path's value, or of the key that names it; of the nearest parent when the path is not there. Counts from 1. */
  readonly at: (
    path: YamlPath,
    point?: "key" | "value",
  ) => { readonly line: number; readonly column: number; readonly excerpt: string }
}
