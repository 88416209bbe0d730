import { Effect, Schema } from "effect"
import type { Stream } from "effect"
import type { SourceFile } from "../domain/report.ts"
import type { Cells, Column, ColumnBlock, RowChunk } from "../domain/row.ts"
import type { AnswerStyle, Layout, MetaColumn } from "../formtools/FormTool.ts"

/** A source that can't be opened, or can't be read in its format. The message says where, and what to do next. */
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
    return `${this.file} changed while it was being read. The changed part was not used. Run again once the file is complete.`
  }
}

/** Makes it an error if the file changes while it is opened. */
export const changedWhileOpening = <A, R>(
  opening: Effect.Effect<A, SourceError | SourceChanged, R>,
): Effect.Effect<A, SourceError, R> =>
  Effect.catchTag(opening, "SourceChanged", ({ file, message }) => new SourceError({ file, message }))

/** Digests of a source's bytes, block by block, so that a second reading is refused at the first block that differs. */
export interface Fingerprint {
  readonly bytes: number
  readonly sha256: string
  /** For each block of `blockSize` bytes, in order: SHA-256 of all bytes up to the block's end. */
  readonly blocks: Uint8Array
  readonly blockSize: number
}

/** The unchanged beginning of a source, by which form tools are recognised. */
export interface Head {
  /** The first records, including those above the header and empty ones. */
  readonly records: ReadonlyArray<Cells>
  /** Index of the header in `records`. */
  readonly header: number
  /** Number of records in the source before the first of `records`. */
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
  /** Which of the tool's layouts it is; undefined if there is only one. */
  readonly variant: string | undefined
  /** Whether the pipeline named the tool; otherwise it was recognised. */
  readonly asked: boolean
  /** The tool's own columns, and what they mean. */
  readonly meta: ReadonlyArray<MetaColumn>
  /** By position: the question as people see it. */
  readonly labels: ReadonlyArray<string>
  readonly answers: AnswerStyle
  /** How to recognise a response that was never finished, if the tool marks them. */
  readonly complete: Layout["complete"]
  /** Names of the columns that identify a response. */
  readonly defaultRowKey: ReadonlyArray<string> | undefined
  /**
   * Turns a row of the file into answers: words for "nothing" become null, and guards against formulas are removed. Rows of `Source.read` are
   * unchanged, because rejected.csv shows them and content digests cover them.
   */
  readonly clean: (cells: Cells) => Cells
  readonly notes: ReadonlyArray<string>
}

/**
 * The settings with which a source is read that decide which cells its rows have. Known before a row is read, and the same for all files written in
 * the same way. For several files, members that differ are joined with " + ".
 */
export interface SourceDialect {
  /** csv, excel, json or jsonl, whichever form tool wrote it. */
  readonly format: string
  /** In lower case without punctuation, such as `windows1252`. Absent: not text, or ASCII, which is the same in every encoding. */
  readonly encoding?: string
  /** Absent: not delimited text, or a single column. */
  readonly delimiter?: string
  /** Whether quotes enclose cells (`"`) or are ordinary characters. Absent: not delimited text. */
  readonly quotes?: string
  /** Increases when the same bytes produce different cells. */
  readonly reader: number
}

/** The reader's version. Raise it with each change that produces different cells from the same file. */
export const readerVersion = 1

/** An open source: its header is known, its rows are not read yet. */
export interface Source {
  readonly dialect: SourceDialect
  readonly columns: ReadonlyArray<Column>
  /** Questions that take several columns, if the format shows them. */
  readonly blocks: ReadonlyArray<ColumnBlock>
  /** What was detected or set, before its rows were read. */
  readonly taken: SourceFile["taken"]
  readonly format: string
  /** The beginning of a source that was read as a table, by which form tools are recognised. */
  readonly head?: Head
  /** The form tool that exported it. */
  readonly tool?: ToolReading
  /** Tools that it may come from, likeliest first, including the chosen one. */
  readonly candidates?: ReadonlyArray<ToolCandidate>
  /** Notes for people about how the file was interpreted. */
  readonly warnings: ReadonlyArray<string>
  /**
   * Reads all rows, in chunks, in order. Can be run again. Memory does not grow with the rows. If `expected` is given, exactly the same bytes are
   * read: a block that differs fails with `SourceChanged` before any of its rows is returned.
   */
  readonly read: (
    expected?: ReadonlyArray<Fingerprint>,
  ) => Stream.Stream<RowChunk, SourceError | SourceChanged>
  /** What was read, known once a stream of `read` has ended: one entry for each file; none before that. */
  readonly files: Effect.Effect<ReadonlyArray<{ readonly file: SourceFile; readonly fingerprint: Fingerprint }>>
  /**
   * When the newest of its files was last changed, in milliseconds since 1970; undefined: unknown, for example for a fetched file whose server sends
   * no time.
   */
  readonly changedAt?: number | undefined
  /** For a pattern: the names, below its folder, of the files that match and of those that this source reads. Absent: the pipeline names its files. */
  readonly matched?: { readonly all: ReadonlyArray<string>; readonly read: ReadonlyArray<string> } | undefined
  /** Returns the digests that `files` would have, without parsing the bytes. Absent: no row can be read from it. */
  readonly digest?: Effect.Effect<ReadonlyArray<FileDigest>, SourceError>
}

/** Changes what is reported about each file of a source. */
export const mapFiles = (files: Source["files"], change: (file: SourceFile) => SourceFile): Source["files"] =>
  Effect.map(files, (all) => all.map((one) => ({ ...one, file: change(one.file) })))

/** A file of a source, and the SHA-256 of its bytes in hex, or of the unpacked bytes if it is read from an archive. */
export interface FileDigest {
  readonly file: string
  readonly sha256: string
}
