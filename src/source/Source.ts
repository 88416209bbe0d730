import { Effect, Schema } from "effect"
import type { Stream } from "effect"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, Column, ColumnBlock, RowChunk } from "../domain/row.ts"
import type { AnswerStyle, Layout, MetaColumn } from "../formtools/FormTool.ts"

/** A source that can't be opened or read as what it should be. The message says where and what to do next. */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  file: Schema.String,
  /** What happened, and what to do next, as sentences. */
  message: Schema.String,
  cause: Schema.optional(Schema.Defect),
}) {}

/** The bytes of a source are not those of the earlier reading: it changed, or is still being written. */
export class SourceChanged extends Schema.TaggedError<SourceChanged>()("SourceChanged", {
  file: Schema.String,
}) {
  override get message() {
    return `${this.file} changed while it was being read. Nothing of what changed was used. Run again once it is complete.`
  }
}

/** Makes a change of the file while it is opened an error. */
export const changedWhileOpening = <A, R>(
  opening: Effect.Effect<A, SourceError | SourceChanged, R>,
): Effect.Effect<A, SourceError, R> =>
  Effect.catchTag(opening, "SourceChanged", ({ file, message }) => new SourceError({ file, message }))

/** Digests of a source's bytes, block by block, so that a second reading is refused at the first block that differs. */
export interface Fingerprint {
  readonly bytes: number
  readonly sha256: string
  /** For each block of `blockSize` bytes, one after the other: SHA-256 of all bytes up to its end. */
  readonly blocks: Uint8Array
  readonly blockSize: number
}

/** The beginning of a source, unchanged: form tools are recognised by it. */
export interface Head {
  /** The first records, those above the header among them; empty ones too. */
  readonly records: ReadonlyArray<Cells>
  /** Index of the header in `records`. */
  readonly header: number
  /** Records of the source that stand before the first of `records`. */
  readonly skipped: number
  readonly sheet: string | undefined
  readonly delimiter: string | undefined
}

/** A form tool that a file may come from. */
export interface ToolCandidate {
  readonly name: string
  readonly title: string
  /** 0 to 1. */
  readonly score: number
  readonly reasons: ReadonlyArray<string>
}

/** A source that is read as a form tool's export. */
export interface ToolReading extends ToolCandidate {
  /** Which of the tool's layouts it is; undefined where there is but one. */
  readonly variant: string | undefined
  /** Whether the pipeline named the tool; else it was recognised. */
  readonly asked: boolean
  /** Columns of the tool's own, and what they mean. */
  readonly meta: ReadonlyArray<MetaColumn>
  /** By position: the question as people read it. */
  readonly labels: ReadonlyArray<string>
  readonly answers: AnswerStyle
  /** How to recognise a response that was never finished, if the tool marks them. */
  readonly complete: Layout["complete"]
  /** Names of the columns that know a response again. */
  readonly defaultRowKey: ReadonlyArray<string> | undefined
  /**
   * Turns a row of the file into what was answered: words for "nothing" become null, guards against formulas are removed. Rows of
   * `Source.read` are as they stand: that is what rejected.csv shows and digests of content are taken over.
   */
  readonly clean: (cells: Cells) => Cells
  readonly notes: ReadonlyArray<string>
}

/**
 * How a source is read, as far as that decides which cells its rows have. Known before a row is read, and the same for every file that is
 * written alike. Several files of one source: members that differ are joined with " + ".
 */
export interface SourceDialect {
  /** csv, excel, json or jsonl, whatever form tool wrote it. */
  readonly format: string
  /** In lower case without punctuation, such as `windows1252`. Absent: no text, or ASCII, which reads the same in each. */
  readonly encoding?: string
  /** Absent: no delimited text, or a single column. */
  readonly delimiter?: string
  /** Whether quotes enclose cells (`"`) or are characters like any other. Absent: no delimited text. */
  readonly quotes?: string
  /** Increases when the same bytes give other cells. */
  readonly reader: number
}

/** The version of our reading: to be raised with each change by which the same file gives other cells. */
export const readerVersion = 1

/** A source, opened: its header is known, its rows are not read yet. */
export interface Source {
  readonly dialect: SourceDialect
  readonly columns: ReadonlyArray<Column>
  /** Questions that are spread over several columns, where the format tells them. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  /** What was detected or set, before its rows were read. */
  readonly taken: SourceFile["taken"]
  readonly format: string
  /** Of a source that was read as a table, to recognise a form tool by. */
  readonly head?: Head
  /** The form tool whose export it is. */
  readonly tool?: ToolReading
  /** Tools that it may come from, the likeliest first, the chosen one included. */
  readonly candidates?: ReadonlyArray<ToolCandidate>
  /** Things that people should know about how the file was taken. */
  readonly warnings: ReadonlyArray<string>
  /**
   * All rows, in chunks, in order. Can be run again; memory does not grow with the rows. When `expected` is given the very same bytes
   * are read: a block that differs fails with `SourceChanged` before any row of it is given out.
   */
  readonly read: (
    expected?: ReadonlyArray<Fingerprint>,
  ) => Stream.Stream<RowChunk, SourceError | SourceChanged>
  /** What was read, known once a stream of `read` came to its end: one entry a file; none before that. */
  readonly files: Effect.Effect<ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>>
  /** When the newest of its files was last changed, in milliseconds since 1970; undefined: unknown, such as for a fetched file whose server sends no time. */
  readonly changedAt?: number | undefined
  /** Of a pattern: names below its folder of the files that match, and of those that this source reads. Absent: the pipeline names its files. */
  readonly matched?: { readonly all: ReadonlyArray<string>; readonly read: ReadonlyArray<string> } | undefined
  /** The digests that `files` would give, at the price of reading the bytes and nothing more. Absent: no row can be read from it. */
  readonly digest?: Effect.Effect<ReadonlyArray<FileDigest>, SourceError>
}

/** Changes what is reported of each file of a source. */
export const mapFiles = (files: Source["files"], change: (file: SourceFile) => SourceFile): Source["files"] =>
  Effect.map(files, (all) => all.map((one) => ({ ...one, file: change(one.file) })))

/** A file of a source and the SHA-256 of its bytes, in hex; of what an archive holds, where it is read from one. */
export interface FileDigest {
  readonly file: string
  readonly sha256: string
}
