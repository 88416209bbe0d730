import type { Duration } from "effect"
import type { YamlPath } from "../domain/diagnostic.ts"

/** A column as a pipeline names it, and where in the file. */
export interface ColumnName {
  readonly name: string
  readonly path: YamlPath
}

/** One part of an answer that is made of several: a column, or an entry of its own. */
export interface PartEntry {
  readonly part: string
  readonly path: YamlPath
  readonly input: Extract<Input, { readonly _tag: "Columns" | "Value" }>
  /** Decoded options of the part's kind. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Where the cells of an answer come from. */
export type Input =
  | { readonly _tag: "Columns"; readonly columns: ReadonlyArray<ColumnName> }
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<PartEntry> }
  /** A constant, as written. */
  | { readonly _tag: "Value"; readonly value: string }
  | { readonly _tag: "Template"; readonly template: string; readonly columns: ReadonlyArray<ColumnName> }

/** One entry of the mapping: an answer, a URL parameter, a time, the login, a scheduling or payment field. */
export interface MappingEntry {
  /** Where the entry stands: the place to point at. */
  readonly path: YamlPath
  readonly id: string | undefined
  readonly name: string | undefined
  readonly input: Input
  /** The kind, where the pipeline names it; `dateTime` of the times, `email` of the login, `text` of a URL parameter that names none. */
  readonly as: string | undefined
  /** Options of the kind, decoded by the kind's own Schema, defaults of the kind not yet filled in. */
  readonly options: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** What stands in for an empty cell, as text in the source's format. */
  readonly default: string | undefined
}

export interface SourceConfig {
  /** Absolute path. */
  readonly file: string
  readonly format: string | undefined
  readonly encoding: string | undefined
  readonly delimiter: string | undefined
  /** 1 for the first line or row. */
  readonly headerRow: number | undefined
  readonly sheet: string | number | undefined
  readonly range: string | undefined
  readonly rowKey: ReadonlyArray<ColumnName> | "content" | undefined
  /** Cells that mean "no answer"; the empty one is always among them. */
  readonly empty: ReadonlyArray<string>
}

export interface MappingConfig {
  readonly questions: ReadonlyArray<MappingEntry>
  readonly urlParameters: ReadonlyArray<MappingEntry>
  readonly submissionTime: MappingEntry | undefined
  readonly lastUpdatedAt: MappingEntry | undefined
  readonly login: MappingEntry | undefined
  readonly scheduling: ReadonlyArray<MappingEntry>
  readonly payments: ReadonlyArray<MappingEntry>
  readonly ignore: ReadonlyArray<ColumnName>
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
  readonly onChange: "report" | "ignore"
  /** Rows of the canary at most; 0: off. */
  readonly canary: number
  readonly stopWhen: Readonly<Record<"new" | "changed" | "invalid" | "refused" | "differing" | "inDoubt", StopLimit>>
}

export interface ReconcileConfig {
  readonly visibleWithin: Duration.Duration
  readonly tolerate: ReadonlyArray<
    {
      readonly id: string | undefined
      readonly name: string | undefined
      readonly because: string
      readonly path: YamlPath
    }
  >
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
